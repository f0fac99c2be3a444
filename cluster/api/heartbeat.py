"""Heartbeat: confirms that a member is still in its generation.

Source: Kafka's KafkaApis.handleHeartbeatRequest.
"""

from typing import cast

from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply
from cluster.group.answers import Answer, HeartbeatAnswer
from cluster.group.requests import Heartbeat
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.group_members import HeartbeatRequest, HeartbeatResponse


def handle(groups: GroupService, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(HeartbeatRequest, request.body)

    def answered(answer: Answer) -> None:
        assert isinstance(answer, HeartbeatAnswer)
        reply(HeartbeatResponse(error_code=answer.error))

    groups.ask(
        Heartbeat(body.group_id, body.member_id, body.group_instance_id, body.generation_id),
        answered,
    )
