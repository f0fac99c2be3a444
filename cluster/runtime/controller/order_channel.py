"""The controller's channel to one broker: sends orders one at a time, reports their answers.

What a broker that does not answer means is not decided here: the order is reported as failed.

Source: the RequestSendThread of Kafka's ControllerChannelManager.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from cluster.broker.order_codec import endpoint_of, request_of, result_of
from cluster.controller.events import OrderAnswered, OrderFailed
from cluster.controller.orders import Order
from cluster.model.broker import BrokerRegistration
from cluster.runtime.hourly_logs import CONTROLLER
from cluster.runtime.network.broker_channel import BrokerChannel, NoResponse
from cluster.wire.errors import UnencodableMessageError

logger: Final = logging.getLogger(CONTROLLER)


class OrderChannel:
    """The way to a broker, for one of its lives."""

    def __init__(
        self,
        broker: BrokerRegistration,
        listener: str,
        client_id: str,
        timeout_ms: int,
        report: Callable[[OrderAnswered | OrderFailed], None],
    ) -> None:
        """*report* is told of what becomes of each order that is sent, until `close`."""
        self._loop = asyncio.get_running_loop()
        self._broker_id = broker.broker_id
        self._listener = listener
        self._client_id = client_id
        self._timeout_ms = timeout_ms
        self._report = report
        self._task: asyncio.Task[None] | None = None
        self._is_silent = False
        self._channel: BrokerChannel | None = None
        self.move(broker)

    def move(self, broker: BrokerRegistration) -> None:
        """Reach the broker where it is registered now; an order that is under way may fail."""
        endpoint = endpoint_of(broker, self._listener)
        if self._channel is None:
            if endpoint is not None:
                self._channel = BrokerChannel(endpoint.host, endpoint.port, self._client_id)
        elif endpoint is not None:
            self._channel.move(endpoint.host, endpoint.port)
        else:
            self._channel.close()
            self._channel = None

    def send(self, correlation_id: int, order: Order) -> None:
        """Begin to send *order*; the one before has been reported on."""
        assert self._task is None or self._task.done()
        self._task = self._loop.create_task(self._deliver(correlation_id, order))
        self._task.add_done_callback(tell_of_mistakes)

    async def _deliver(self, correlation_id: int, order: Order) -> None:
        try:
            answered = await self._send(correlation_id, order)
        except (NoResponse, UnencodableMessageError) as failure:
            self._note_silence(failure)
            self._post(OrderFailed(self._broker_id, correlation_id))
        else:
            self._note_answer()
            self._post(answered)

    async def _send(self, correlation_id: int, order: Order) -> OrderAnswered:
        if self._channel is None:
            raise NoResponse(f"it has no listener {self._listener}")
        api_key, version, body, answer = request_of(order, self._listener)
        response = await self._channel.send(api_key, version, body, answer, self._timeout_ms)
        return OrderAnswered(self._broker_id, correlation_id, result_of(order, response))

    def _post(self, event: OrderAnswered | OrderFailed) -> None:
        # From the loop, when this order is over: the next one may follow from within the report.
        self._loop.call_soon(self._tell, event)

    def _tell(self, event: OrderAnswered | OrderFailed) -> None:
        if self._task is not None:
            self._report(event)

    def _note_silence(self, failure: Exception) -> None:
        """Say once that the broker cannot be told, however often that is tried again."""
        if not self._is_silent:
            self._is_silent = True
            logger.warning("broker=%d is told again and again: %s", self._broker_id, failure)

    def _note_answer(self) -> None:
        if self._is_silent:
            self._is_silent = False
            logger.info("broker=%d answers now", self._broker_id)

    def close(self) -> None:
        """Drop the connection; of an order that is under way nothing is reported any more.

        The broker may obey it all the same.
        """
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self._channel is not None:
            self._channel.close()


def tell_of_mistakes(task: "asyncio.Task[None]") -> None:
    """Let the loop tell of what nobody expects of a task."""
    if not task.cancelled():
        task.result()
