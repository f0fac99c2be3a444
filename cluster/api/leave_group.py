"""LeaveGroup: removes members, one or, from version 3 on, many.

Source: Kafka's KafkaApis.handleLeaveGroupRequest.
"""

from typing import Final, cast

from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply
from cluster.group.answers import Answer, LeaveAnswer
from cluster.group.requests import LeaveGroup, LeavingMember
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.group_members import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberResponse,
)

SEVERAL_VERSION: Final = 3


def handle(groups: GroupService, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(LeaveGroupRequest, request.body)
    has_several = request.api_version >= SEVERAL_VERSION
    leaving = (
        tuple(LeavingMember(one.member_id, one.group_instance_id) for one in body.members)
        if has_several
        else (LeavingMember(body.member_id),)
    )

    def answered(answer: Answer) -> None:
        assert isinstance(answer, LeaveAnswer)
        if has_several:
            members = [MemberResponse(*one) for one in answer.members]
            reply(LeaveGroupResponse(error_code=answer.error, members=members))
            return
        error = answer.error
        if error is ErrorCode.NONE and answer.members:
            error = answer.members[0].error
        reply(LeaveGroupResponse(error_code=error))

    groups.ask(LeaveGroup(body.group_id, leaving), answered)
