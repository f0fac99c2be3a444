"""ControlledShutdown: moves the leaderships of a broker that wants to stop.

The controller decides; only the format of the request is handled here.
"""

from typing import cast

from cluster.broker.handling import Peer, Reply
from cluster.broker.ports import ControllerPort
from cluster.controller.requests import ControlledShutdown, ControlledShutdownReply
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    RemainingPartition,
)


def handle(controller: ControllerPort, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(ControlledShutdownRequest, request.body)

    def done(outcome: ControlledShutdownReply) -> None:
        remaining = tuple(
            RemainingPartition(partition.topic, partition.partition)
            for partition in outcome.remaining
        )
        reply(ControlledShutdownResponse(outcome.error, remaining))

    shutdown = ControlledShutdown(BrokerId(body.broker_id), BrokerEpoch(body.broker_epoch))
    controller.submit(shutdown, done)
