"""AllocateProducerIds: returns a block of producer ids for another broker.

Brokers of Kafka 3.0 and later ask the controller; those of this project take their blocks out of
ZooKeeper themselves.  Each block is taken only once.

Source: Kafka's KafkaController.allocateProducerIds.
"""

from typing import cast

from cluster.broker.handling import Peer, Reply
from cluster.broker.ports import Ports
from cluster.broker.refusals_log import RefusalsLog
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.producers import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)


def handle(
    ports: Ports, refusals_log: RefusalsLog, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    body = cast(AllocateProducerIdsRequest, request.body)
    broker_id, broker_epoch = BrokerId(body.broker_id), BrokerEpoch(body.broker_epoch)

    def taken(block: range | ApiError) -> None:
        if isinstance(block, ApiError):
            ports.journal.warning(
                f"no producer ids can be had for broker {broker_id}: {block.message}"
            )
            reply(AllocateProducerIdsResponse(error_code=block.error))
            return
        reply(
            AllocateProducerIdsResponse(producer_id_start=block.start, producer_id_len=len(block))
        )

    refusal = ports.controller.refusal_of(broker_id, broker_epoch)
    if refusal is ErrorCode.NONE:
        ports.store.take_producer_ids(taken)
        return
    refusals_log.add(
        peer,
        f"asks for producer ids as broker {broker_id} with epoch {broker_epoch}: {refusal.name}",
    )
    reply(AllocateProducerIdsResponse(error_code=refusal))
