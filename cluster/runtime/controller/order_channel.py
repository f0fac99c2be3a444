"""The controller's channel to one broker: sends orders one at a time, reports their answers.

An order that gets no answer is reported as failed; the core decides what follows.

Source: the RequestSendThread of Kafka's ControllerChannelManager.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from cluster.broker.control.order_codec import ControlRequest, endpoint_of, requests_of, result_of
from cluster.broker.handling import Body, Cancel
from cluster.broker.ports import Endpoint, NoAnswer, PeerConnection, Peers
from cluster.controller.events import OrderAnswered, OrderFailed
from cluster.controller.orders import Order
from cluster.model.broker import BrokerRegistration
from cluster.runtime.hourly_logs import CONTROLLER
from cluster.wire.errors import UnencodableMessageError

logger: Final = logging.getLogger(CONTROLLER)


class Sent(NamedTuple):
    """An order in flight."""

    correlation_id: int
    order: Order


class OrderChannel:
    """The channel to one incarnation of a broker."""

    def __init__(
        self,
        peers: Peers,
        broker: BrokerRegistration,
        listener: str,
        client_id: str,
        timeout_ms: int,
        report: Callable[[OrderAnswered | OrderFailed], None],
    ) -> None:
        """*report* receives the outcome of each order that is sent, until `close`."""
        self._call_soon = asyncio.get_running_loop().call_soon
        self._peers = peers
        self._broker_id = broker.broker_id
        self._listener = listener
        self._client_id = client_id
        self._timeout_ms = timeout_ms
        self._report = report
        self._address: Endpoint | None = None
        self._connection: PeerConnection | None = None
        self._stop_connecting: Cancel | None = None
        self._sent: Sent | None = None
        self._is_silent = False
        self.move(broker)

    def move(self, broker: BrokerRegistration) -> None:
        """Use the broker's present address; an order in flight may fail."""
        endpoint = endpoint_of(broker, self._listener)
        address = None if endpoint is None else Endpoint(endpoint.host, endpoint.port)
        if address == self._address:
            return
        self._address = address
        self._disconnect()
        if self._sent is not None:
            # From the loop, as all reports.
            elsewhere = NoAnswer("it is registered elsewhere by now")
            self._call_soon(self._fail, self._sent, elsewhere)

    def send(self, correlation_id: int, order: Order) -> None:
        """Begin to send *order*; the outcome of the one before has been reported."""
        assert self._sent is None
        sent = self._sent = Sent(correlation_id, order)
        if self._connection is not None and self._connection.is_open:
            self._ask(self._connection, sent)
        elif self._address is not None:
            self._stop_connecting = self._peers.connect(
                self._address, self._client_id, self._timeout_ms, partial(self._opened, sent)
            )
        else:
            self._call_soon(self._fail, sent, NoAnswer(f"it has no listener {self._listener}"))

    def _opened(self, sent: Sent, opened: PeerConnection | NoAnswer) -> None:
        self._stop_connecting = None
        if isinstance(opened, NoAnswer):
            self._fail(sent, opened)
        else:
            self._connection = opened
            self._ask(opened, sent)

    def _ask(self, connection: PeerConnection, sent: Sent) -> None:
        requests = requests_of(sent.order, self._listener, connection.version)
        if requests is None:
            nothing = NoAnswer("it serves no such orders")
            self._call_soon(self._fail, sent, nothing)
        else:
            self._ask_next(connection, sent, requests, ())

    def _ask_next(
        self,
        connection: PeerConnection,
        sent: Sent,
        requests: Sequence[ControlRequest],
        answers: tuple[Body, ...],
    ) -> None:
        """Send the first of *requests*; *answers* are those to the earlier ones."""
        api_key, version, body = requests[0]
        answered = partial(self._answered, connection, sent, requests[1:], answers)
        try:
            connection.send(api_key, version, body, self._timeout_ms, answered)
        except UnencodableMessageError as error:
            self._call_soon(self._fail, sent, NoAnswer(str(error)))

    def _answered(
        self,
        connection: PeerConnection,
        sent: Sent,
        requests: Sequence[ControlRequest],
        before: tuple[Body, ...],
        answer: Body | NoAnswer,
    ) -> None:
        if isinstance(answer, NoAnswer):
            self._fail(sent, answer)
            return
        answers = (*before, answer)
        if requests:
            self._ask_next(connection, sent, requests, answers)
            return
        self._sent = None
        if self._is_silent:
            self._is_silent = False
            logger.info("broker=%d answers now", self._broker_id)
        result = result_of(sent.order, answers)
        self._report(OrderAnswered(self._broker_id, sent.correlation_id, result))

    def _fail(self, sent: Sent, failure: NoAnswer) -> None:
        """Report that *sent* has failed, unless its outcome was reported already.

        An unreachable broker is logged once, however often the order is retried.
        """
        if sent is not self._sent:
            return
        self._sent = None
        if not self._is_silent:
            self._is_silent = True
            logger.warning("broker=%d is told again and again: %s", self._broker_id, failure.reason)
        self._report(OrderFailed(self._broker_id, sent.correlation_id))

    def _disconnect(self) -> None:
        if self._stop_connecting is not None:
            self._stop_connecting()
            self._stop_connecting = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def close(self) -> None:
        """Drop the connection; the outcome of an order in flight is no longer reported.

        The broker may carry it out all the same.
        """
        self._sent = None
        self._disconnect()
