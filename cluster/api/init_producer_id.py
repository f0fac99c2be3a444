"""InitProducerId: returns a producer id, by which the producer's retries are recognised.

Source: Kafka's TransactionCoordinator.handleInitProducerId.
"""

from typing import cast

from cluster.broker.handling import Peer, Reply
from cluster.broker.producer_ids import ProducerIds
from cluster.broker.refusals_log import RefusalsLog, quoted
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.producers import InitProducerIdRequest, InitProducerIdResponse


def handle(
    refusals_log: RefusalsLog,
    producer_ids: ProducerIds,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> None:
    body = cast(InitProducerIdRequest, request.body)
    if body.transactional_id is not None:
        # Final for every client, and what Kafka answers to requests of transactions while
        # inter.broker.protocol.version has none (KafkaApis.ensureInterBrokerVersion).
        wanted = quoted(body.transactional_id)
        refusals_log.add(
            peer, f"asks for transactional id {wanted}: transactions are not supported"
        )
        reply(InitProducerIdResponse(error_code=ErrorCode.UNSUPPORTED_VERSION))
        return

    def given(producer_id: int | ApiError) -> None:
        if isinstance(producer_id, ApiError):
            reply(InitProducerIdResponse(error_code=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS))
        else:
            reply(InitProducerIdResponse(producer_id=producer_id))

    producer_ids.give(given)
