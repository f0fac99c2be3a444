"""Channels to the brokers: which order goes to which broker next.

One queue for each live broker, the controller's own included: at most one order is under way, and
the next one waits for its answer, so that a broker hears of things in the order in which they were
decided.  Knows no connection.

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
    """*waiting* begins with the order that is under way, or that waits to be sent again."""

    waiting: deque[Order] = field(default_factory=deque)
    correlation_id: int | None = None
    """That of the order under way."""
    retry_at_ms: int | None = None

    @property
    def is_ready(self) -> bool:
        return bool(self.waiting) and self.correlation_id is None and self.retry_at_ms is None


class Channels:
    """The queues to all brokers that are registered.

    *correlation_ids* gives a number to each sending.  It outlives these channels, so that an answer
    to an older one cannot be taken for an answer to a newer one.
    """

    __slots__ = ("_channels", "_correlation_ids", "_touched")

    def __init__(self, correlation_ids: Iterator[int]) -> None:
        self._channels: dict[BrokerId, Channel] = {}
        self._correlation_ids = correlation_ids
        self._touched: dict[BrokerId, None] = {}
        """Where the next order may have become ready since `sendings` was asked last."""

    def open(self, broker: BrokerRegistration) -> Effect:
        assert broker.broker_id not in self._channels, "one channel for one life of a broker"
        self._channels[broker.broker_id] = Channel()
        return OpenChannel(broker)

    def close(self, broker_id: BrokerId) -> Effect:
        """Forget all orders to the broker; an answer that still comes means nothing.

        Orders of one life are of no use to the next one: they name its broker epoch.
        """
        del self._channels[broker_id]
        return CloseChannel(broker_id)

    def close_all(self) -> tuple[Effect, ...]:
        return tuple(self.close(broker_id) for broker_id in tuple(self._channels))

    def push(self, broker_id: BrokerId, order: Order) -> None:
        """Put an order at the end of the broker's queue; for a broker that has gone it is lost."""
        channel = self._channels.get(broker_id)
        if channel is not None:
            channel.waiting.append(order)
            self._touched[broker_id] = None

    def answered(self, broker_id: BrokerId, correlation_id: int) -> Order | None:
        """The order that was answered; None for an answer to what is no longer under way."""
        channel = self._channels.get(broker_id)
        if channel is None or channel.correlation_id != correlation_id:
            return None
        assert channel.retry_at_ms is None, "an order is under way, or waits to be sent again"
        channel.correlation_id = None
        self._touched[broker_id] = None
        return channel.waiting.popleft()

    def failed(self, broker_id: BrokerId, correlation_id: int, now_ms: int) -> None:
        """Send the same order again after a while, and for ever: only its absence from ZooKeeper
        says that a broker is gone.

        The broker may have obeyed, with only the answer lost, so obeying twice must be as good as
        once.  To go on with the next order would leave it without this one, and nothing would ever
        tell it again.
        """
        channel = self._channels.get(broker_id)
        if channel is not None and channel.correlation_id == correlation_id:
            channel.correlation_id = None
            channel.retry_at_ms = now_ms + RETRY_BACKOFF_MS

    def next_deadline(self) -> int | None:
        deadlines = (channel.retry_at_ms for channel in self._channels.values())
        return min((at_ms for at_ms in deadlines if at_ms is not None), default=None)

    def on_deadline(self, now_ms: int) -> None:
        for broker_id, channel in self._channels.items():
            if channel.retry_at_ms is not None and channel.retry_at_ms <= now_ms:
                channel.retry_at_ms = None
                self._touched[broker_id] = None

    def sendings(self) -> tuple[Send, ...]:
        """Every order that can go out now; from then on it is under way."""
        sendings = []
        for broker_id in self._touched:
            channel = self._channels.get(broker_id)
            if channel is not None and channel.is_ready:
                # A new number for each sending, the same order's included: the answer to one that
                # was given up must not count for the next.
                channel.correlation_id = next(self._correlation_ids)
                sendings.append(Send(broker_id, channel.correlation_id, channel.waiting[0]))
        self._touched.clear()
        return tuple(sendings)
