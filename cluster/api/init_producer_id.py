"""InitProducerId: under which id does a producer send, so that its retries are recognised?

Ids come in blocks of a thousand out of ZooKeeper; what is left of one when the broker ends is lost.

Source: Kafka's ProducerIdManager and TransactionCoordinator.handleInitProducerId.
"""

from collections import deque
from collections.abc import Iterator
from typing import cast

from cluster.broker.context import Context
from cluster.broker.handling import Peer, Reply
from cluster.broker.ports import Outcome
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.producers import InitProducerIdRequest, InitProducerIdResponse


class InitProducerId:
    """The API with what is left of the block."""

    __slots__ = ("_context", "_left", "_waiting")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._left: Iterator[int] = iter(())
        self._waiting: deque[Reply] = deque()

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        body = cast(InitProducerIdRequest, request.body)
        if body.transactional_id is not None:
            # Without a coordinator nobody may believe in a transaction: this error is final.
            self._context.ports.journal.warning(
                f"{peer} asks for transactional id {body.transactional_id!r}:"
                " transactions are not supported"
            )
            refused = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
            reply(InitProducerIdResponse(error_code=refused))
            return
        if self._waiting:
            self._waiting.append(reply)
            return
        producer_id = next(self._left, None)
        if producer_id is None:
            self._waiting.append(reply)
            self._context.ports.store.take_producer_ids(self._taken)
        else:
            reply(InitProducerIdResponse(producer_id=producer_id))

    def _taken(self, block: range | Outcome) -> None:
        """Serve those that waited; without a block they may ask again."""
        waiting, self._waiting = self._waiting, deque()
        if isinstance(block, Outcome):
            self._context.ports.journal.warning(f"no producer ids can be had: {block.message}")
            for reply in waiting:
                reply(InitProducerIdResponse(error_code=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS))
            return
        self._left = iter(block)
        while waiting:
            producer_id = next(self._left, None)
            if producer_id is None:
                self._waiting = waiting
                self._context.ports.store.take_producer_ids(self._taken)
                return
            waiting.popleft()(InitProducerIdResponse(producer_id=producer_id))
