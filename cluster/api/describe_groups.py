"""DescribeGroups: returns the state and the members of groups.

Source: Kafka's KafkaApis.handleDescribeGroupsRequest.
"""

from typing import cast

from cluster.broker.authorizer import NOT_REQUESTED, Authorizer, authorized_operations
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply, Steps
from cluster.group.views import GroupView
from cluster.model.acl import ResourceType
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)


def handle(
    authorizer: Authorizer | None,
    groups: GroupService,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> None:
    body = cast(DescribeGroupsRequest, request.body)
    operations = authorized_operations(
        authorizer,
        peer.principal,
        ResourceType.GROUP,
        is_asked=body.include_authorized_operations,
    )
    reply.in_turns(answer(groups, body, operations))


def answer(groups: GroupService, body: DescribeGroupsRequest, operations: int) -> Steps:
    described = []
    for group_id in body.groups:
        described.append(described_group(group_id, groups.describe(group_id), operations))
        yield
    return DescribeGroupsResponse(groups=described)


def described_group(group_id: str, view: GroupView, operations: int) -> DescribedGroup:
    members = [DescribedGroupMember(*member) for member in view.members]
    return DescribedGroup(
        view.error,
        group_id,
        view.state,
        view.protocol_type,
        view.protocol,
        members,
        operations if view.error is ErrorCode.NONE else NOT_REQUESTED,
    )
