"""Channels to the brokers: which order goes to which broker next.

One queue for each live broker, the controller's own included: at most one order is in flight, and
the next one waits for its answer, so that a broker receives orders as they were decided.  Knows no
connection.

Source: Kafka's ControllerChannelManager.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from cluster.controller.effects import CloseChannel, Effect, OpenChannel, Send
from cluster.controller.orders import Order
from cluster.model.broker import BrokerRegistration
from cluster.model.ids import BrokerId

RETRY_BACKOFF_MS: Final = 100


@dataclass(slots=True)
class Channel:
    """*waiting* begins with the order that is in flight, or that waits to be sent again."""

    waiting: deque[Order] = field(default_factory=deque)
    correlation_id: int | None = None
    """The correlation id of the order in flight."""
    retry_at_ms: int | None = None
    unsent_since_ms: deque[int] = field(default_factory=deque)
    """Since when the orders wait that were never sent; those of this step are not in it yet."""
    is_again: bool = False
    """Whether the first order was sent before."""

    @property
    def is_ready(self) -> bool:
        return bool(self.waiting) and self.correlation_id is None and self.retry_at_ms is None


class Channels:
    """The queues to all registered brokers.

    *correlation_ids* numbers each sending.  It outlives these channels, so that the answer to an
    older sending is never taken for the answer to a newer one.
    """

    __slots__ = ("_channels", "_correlation_ids", "_touched")

    def __init__(self, correlation_ids: Iterator[int]) -> None:
        self._channels: dict[BrokerId, Channel] = {}
        self._correlation_ids = correlation_ids
        self._touched: dict[BrokerId, None] = {}
        """Channels in which an order may have become ready since the last call of `sendings`."""

    def open(self, broker: BrokerRegistration) -> Effect:
        assert broker.broker_id not in self._channels, (
            "one channel for each incarnation of a broker"
        )
        self._channels[broker.broker_id] = Channel()
        return OpenChannel(broker)

    def close(self, broker_id: BrokerId) -> Effect:
        """Drop all orders to the broker; answers that arrive later are ignored.

        Orders to one incarnation are useless to the next: they name its broker epoch.
        """
        del self._channels[broker_id]
        return CloseChannel(broker_id)

    def close_all(self) -> tuple[Effect, ...]:
        return tuple(self.close(broker_id) for broker_id in tuple(self._channels))

    def push(self, broker_id: BrokerId, order: Order) -> None:
        """Append an order to the broker's queue; the order is dropped if the broker has gone."""
        channel = self._channels.get(broker_id)
        if channel is not None:
            channel.waiting.append(order)
            self._touched[broker_id] = None

    def answered(self, broker_id: BrokerId, correlation_id: int) -> Order | None:
        """The order that was answered; None if the answered order is no longer in flight."""
        channel = self._channels.get(broker_id)
        if channel is None or channel.correlation_id != correlation_id:
            return None
        assert channel.retry_at_ms is None, "an order is under way, or waits to be sent again"
        channel.correlation_id = None
        channel.is_again = False
        self._touched[broker_id] = None
        return channel.waiting.popleft()

    def failed(self, broker_id: BrokerId, correlation_id: int, now_ms: int) -> None:
        """Send the same order again after a backoff, without a limit: a broker counts as gone only
        when its registration in ZooKeeper is gone.

        The broker may have carried out the order and only the answer was lost, so orders are
        idempotent.  If the channel went on with the next order, the broker would never get this
        one.
        """
        channel = self._channels.get(broker_id)
        if channel is not None and channel.correlation_id == correlation_id:
            channel.correlation_id = None
            channel.retry_at_ms = now_ms + RETRY_BACKOFF_MS
            channel.is_again = True

    def next_deadline(self) -> int | None:
        deadlines = (channel.retry_at_ms for channel in self._channels.values())
        return min((at_ms for at_ms in deadlines if at_ms is not None), default=None)

    def on_deadline(self, now_ms: int) -> None:
        for broker_id, channel in self._channels.items():
            if channel.retry_at_ms is not None and channel.retry_at_ms <= now_ms:
                channel.retry_at_ms = None
                self._touched[broker_id] = None

    def queue_sizes(self) -> tuple[tuple[BrokerId, int], ...]:
        """Return how many orders to each broker are in flight or wait."""
        return tuple(
            (broker_id, len(channel.waiting)) for broker_id, channel in self._channels.items()
        )

    def sendings(self, now_ms: int) -> tuple[Send, ...]:
        """Every order that can be sent now; it is in flight from then on.

        Called at the end of the step in which orders were pushed.
        """
        sendings = []
        for broker_id in self._touched:
            channel = self._channels.get(broker_id)
            if channel is None:
                continue
            is_first_sent = channel.is_again or channel.correlation_id is not None
            unsent_count = len(channel.waiting) - is_first_sent
            new_count = unsent_count - len(channel.unsent_since_ms)
            channel.unsent_since_ms.extend([now_ms] * new_count)
            if channel.is_ready:
                queue_ms = None
                if not channel.is_again:
                    queue_ms = now_ms - channel.unsent_since_ms.popleft()
                # A new number for each sending, also of the same order: the answer to a sending
                # that was given up must not count for the next.
                channel.correlation_id = next(self._correlation_ids)
                order = channel.waiting[0]
                sendings.append(Send(broker_id, channel.correlation_id, order, queue_ms))
        self._touched.clear()
        return tuple(sendings)
