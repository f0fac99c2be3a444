"""SyncGroup: a member requests its assignment, and the leader sends those of all.

Source: Kafka's KafkaApis.handleSyncGroupRequest.
"""

from typing import Final, cast

from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply
from cluster.group.answers import Answer, SyncAnswer
from cluster.group.requests import SyncGroup
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.group_members import SyncGroupRequest, SyncGroupResponse

PROTOCOL_VERSION: Final = 5
"""The first version in which the protocol is required."""


def handle(groups: GroupService, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(SyncGroupRequest, request.body)
    names_protocol = None not in (body.protocol_type, body.protocol_name)
    if request.api_version >= PROTOCOL_VERSION and not names_protocol:
        reply(SyncGroupResponse(error_code=ErrorCode.INCONSISTENT_GROUP_PROTOCOL))
        return

    def answered(answer: Answer) -> None:
        assert isinstance(answer, SyncAnswer)
        reply(
            SyncGroupResponse(
                error_code=answer.error,
                protocol_type=answer.protocol_type,
                protocol_name=answer.protocol_name,
                assignment=answer.assignment,
            )
        )

    groups.ask(
        SyncGroup(
            group_id=body.group_id,
            member_id=body.member_id,
            group_instance_id=body.group_instance_id,
            generation=body.generation_id,
            protocol_type=body.protocol_type,
            protocol_name=body.protocol_name,
            assignments={one.member_id: bytes(one.assignment) for one in body.assignments},
        ),
        answered,
    )
