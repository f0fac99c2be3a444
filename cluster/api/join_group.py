"""JoinGroup: a member requests to join the next generation of its group.

Source: Kafka's KafkaApis.handleJoinGroupRequest.
"""

from typing import Final, cast

from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply
from cluster.group.answers import Answer, JoinAnswer
from cluster.group.requests import JoinGroup
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.group_members import (
    JoinGroupRequest,
    JoinGroupResponse,
    JoinGroupResponseMember,
)

REBALANCE_TIMEOUT_VERSION: Final = 1
KNOWN_ID_VERSION: Final = 4
"""The first version whose clients retry with the member id from the answer (KIP-394)."""
NULL_PROTOCOL_VERSION: Final = 7
SKIP_VERSION: Final = 9
"""The first version in which a leader can be asked to skip the assignment (KIP-814)."""


def handle(groups: GroupService, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(JoinGroupRequest, request.body)
    version = request.api_version
    has_rebalance_timeout = version >= REBALANCE_TIMEOUT_VERSION

    def answered(answer: Answer) -> None:
        assert isinstance(answer, JoinAnswer)
        reply(response(answer, version))

    groups.ask(
        JoinGroup(
            group_id=body.group_id,
            member_id=body.member_id,
            group_instance_id=body.group_instance_id,
            client_id=request.client_id or "",
            # In Java's format of an address.
            client_host=f"/{peer.host}",
            session_timeout_ms=body.session_timeout_ms,
            rebalance_timeout_ms=body.rebalance_timeout_ms
            if has_rebalance_timeout
            else body.session_timeout_ms,
            protocol_type=body.protocol_type,
            protocols=tuple((one.name, bytes(one.metadata)) for one in body.protocols),
            requires_known_id=version >= KNOWN_ID_VERSION,
            can_skip_assignment=version >= SKIP_VERSION,
        ),
        answered,
    )


def response(answer: JoinAnswer, version: int) -> JoinGroupResponse:
    protocol_name = answer.protocol_name
    if protocol_name is None and version < NULL_PROTOCOL_VERSION:
        protocol_name = ""
    return JoinGroupResponse(
        error_code=answer.error,
        generation_id=answer.generation,
        protocol_type=answer.protocol_type,
        protocol_name=protocol_name,
        leader=answer.leader_id,
        skip_assignment=answer.skip_assignment,
        member_id=answer.member_id,
        members=[JoinGroupResponseMember(*member) for member in answer.members],
    )
