"""Producer ids that this broker assigns, which make producers' retries recognisable.

They come from ZooKeeper in blocks of a thousand; the rest of a block is lost when the broker stops.

Source: Kafka's ProducerIdManager.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeAlias

from cluster.broker.ports import Ports
from cluster.model.api_error import ApiError

Given: TypeAlias = Callable[[int | ApiError], None]


class ProducerIds:
    """The rest of the block, and the requests that wait for the next one."""

    __slots__ = ("_left", "_ports", "_waiting")

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._left: Iterator[int] = iter(())
        self._waiting: deque[Given] = deque()

    def give(self, done: Given) -> None:
        """Call *done* with an id, or with the error if there is none; in the order of the calls."""
        if self._waiting:
            self._waiting.append(done)
            return
        producer_id = next(self._left, None)
        if producer_id is None:
            self._waiting.append(done)
            self._ports.store.take_producer_ids(self._taken)
        else:
            done(producer_id)

    def _taken(self, block: range | ApiError) -> None:
        """Serve the waiting requests; without a block they may retry."""
        waiting, self._waiting = self._waiting, deque()
        if isinstance(block, ApiError):
            self._ports.journal.warning(f"no producer ids can be had: {block.message}")
            for done in waiting:
                done(block)
            return
        self._left = iter(block)
        while waiting:
            producer_id = next(self._left, None)
            if producer_id is None:
                self._waiting = waiting
                self._ports.store.take_producer_ids(self._taken)
                return
            waiting.popleft()(producer_id)
