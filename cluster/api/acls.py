"""DescribeAcls, CreateAcls and DeleteAcls, as answered without an authorizer.

A Kafka without `authorizer.class.name` answers them in the same way, which clients understand;
without them the broker would look like one before 0.11.
"""

from typing import Final, cast

from cluster.broker.handling import Peer, Reply
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.acls import (
    AclCreationResult,
    CreateAclsRequest,
    CreateAclsResponse,
    DeleteAclsFilterResult,
    DeleteAclsRequest,
    DeleteAclsResponse,
    DescribeAclsResponse,
)

ERROR: Final = ErrorCode.SECURITY_DISABLED
MESSAGE: Final = "No Authorizer is configured."


def describe(request: RequestFrame, peer: Peer, reply: Reply) -> None:
    reply(DescribeAclsResponse(error_code=ERROR, error_message=MESSAGE))


def create(request: RequestFrame, peer: Peer, reply: Reply) -> None:
    creations = cast(CreateAclsRequest, request.body).creations
    reply(CreateAclsResponse(results=tuple(AclCreationResult(ERROR, MESSAGE) for _ in creations)))


def delete(request: RequestFrame, peer: Peer, reply: Reply) -> None:
    filters = cast(DeleteAclsRequest, request.body).filters
    results = tuple(DeleteAclsFilterResult(ERROR, MESSAGE) for _ in filters)
    reply(DeleteAclsResponse(filter_results=results))
