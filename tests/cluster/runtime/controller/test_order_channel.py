"""A channel goes where its broker is registered, and leaves nothing open where that was before."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from cluster.api.api_versions import advertised
from cluster.api.dispatch import SERVED
from cluster.controller.active_controller import ControllerConfig
from cluster.controller.effects import CloseChannel, OpenChannel, Send
from cluster.controller.events import OrderAnswered, OrderFailed
from cluster.controller.orders import OrderResult, UpdateMetadata
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.ids import BrokerEpoch, BrokerId, ControllerEpoch
from cluster.runtime.controller.controller import Controller
from cluster.runtime.controller.controller_metrics import ControllerMetrics
from cluster.runtime.controller.order_channel import OrderChannel
from cluster.runtime.network.peers import TcpPeers
from cluster.runtime.network.transports import TRANSPORTS
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_request, encode_response
from cluster.wire.messages.api_versions import ApiVersionsResponse
from cluster.wire.messages.update_metadata import UpdateMetadataResponse
from tests.support.metrics import new_registry
from tests.support.waiting import OUTER_LIMIT_S, turns, until

pytestmark = pytest.mark.sockets

ORDER = UpdateMetadata(
    controller_id=BrokerId(1),
    controller_epoch=ControllerEpoch(1),
    broker_epoch=BrokerEpoch(1),
    live_brokers=(),
    partitions=(),
)


class Address:
    """Where a broker listens that answers the first *answer_count* requests of each connection.

    `asked` when there was one more; `ended` when the connection has.
    """

    def __init__(self, answer_count: int) -> None:
        self.answer_count = answer_count
        self.asked = asyncio.Event()
        self.ended = asyncio.Event()

    async def listen(self, port: int = 0) -> int:
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        return int(self.server.sockets[0].getsockname()[1])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(self.answer_count):
            frame = await reader.readexactly(int.from_bytes(await reader.readexactly(4)))
            request = decode_request(memoryview(frame))
            told: Any = UpdateMetadataResponse()
            if request.api_key is ApiKey.API_VERSIONS:
                told = ApiVersionsResponse(api_keys=advertised(SERVED))
            buffers = encode_response(
                request.api_key, request.api_version, request.correlation_id, told
            )
            writer.write(b"".join(buffers))  # type: ignore[arg-type]
        await reader.read(1)
        self.asked.set()
        await reader.read()
        self.ended.set()
        writer.close()


class Reports:
    """What a channel reports."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[OrderAnswered | OrderFailed] = asyncio.Queue()

    def channel(self, broker: BrokerRegistration) -> OrderChannel:
        peers = TcpPeers(asyncio.get_running_loop(), "PLAINTEXT", TRANSPORTS["PLAINTEXT"])
        return OrderChannel(peers, broker, "PLAINTEXT", "1", 60_000, self.events.put_nowait)


def run(use: Callable[[Reports], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        await asyncio.wait_for(use(Reports()), OUTER_LIMIT_S)

    asyncio.run(main())


def registration(port: int) -> BrokerRegistration:
    endpoint = Endpoint(
        listener="PLAINTEXT", security_protocol="PLAINTEXT", host="127.0.0.1", port=port
    )
    return BrokerRegistration(
        broker_id=BrokerId(2), endpoints=(endpoint,), version=5, host="127.0.0.1", port=port
    )


@pytest.mark.parametrize("answer_count", [0, 1, 2])
def test_a_broker_that_is_registered_elsewhere_is_told_there_by_one_connection(
    answer_count: int,
) -> None:
    """Before it has said what it serves, before it answers an order, and after it has."""

    async def use(reports: Reports) -> None:
        before, after = Address(answer_count), Address(0)
        broker = registration(await before.listen())
        channel = reports.channel(broker)
        for number in range(max(1, answer_count)):
            channel.send(number, ORDER)
            if number + 1 < answer_count:
                await reports.events.get()
        await before.asked.wait()
        channel.move(registration(await after.listen()))
        assert reports.events.empty()
        await before.ended.wait()
        assert OrderFailed(BrokerId(2), number) == await reports.events.get()
        channel.send(7, ORDER)
        await after.asked.wait()
        channel.move(replace(broker, endpoints=()))
        await after.ended.wait()
        assert OrderFailed(BrokerId(2), 7) == await reports.events.get()
        channel.send(8, ORDER)
        assert reports.events.empty()
        assert OrderFailed(BrokerId(2), 8) == await reports.events.get()
        channel.close()
        assert reports.events.empty()
        before.server.close()
        after.server.close()

    run(use)


def test_a_controller_whose_broker_registers_otherwise_keeps_no_second_channel() -> None:
    """The core opens a channel anew for each registration that differs: where it is, or how."""

    async def use(_: Reports) -> None:
        before, after = Address(1), Address(1)
        broker = registration(await before.listen())
        controller = Controller(
            ControllerConfig(broker_id=BrokerId(1)),
            ControllerMetrics(new_registry()),
            lambda: None,
            TcpPeers(asyncio.get_running_loop(), "PLAINTEXT", TRANSPORTS["PLAINTEXT"]),
            listener="PLAINTEXT",
            order_timeout_ms=60_000,
            allows_unclean=False,
        )
        controller._do(OpenChannel(broker))
        controller._do(Send(BrokerId(2), 1, ORDER))
        await before.asked.wait()
        controller._do(OpenChannel(replace(broker, rack="r2")))
        controller._do(OpenChannel(replace(registration(await after.listen()), rack="r2")))
        await before.ended.wait()
        # What was under way has failed by now, which the loop tells the core.
        await turns(1)
        controller._do(Send(BrokerId(2), 2, ORDER))
        await after.asked.wait()
        controller._do(CloseChannel(BrokerId(2)))
        await after.ended.wait()
        before.server.close()
        after.server.close()

    run(use)


def test_orders_go_over_one_connection_and_over_another_when_that_has_ended(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)

    async def use(reports: Reports) -> None:
        address = Address(4)
        port = await address.listen()
        channel = reports.channel(registration(port))
        for number in range(3):
            channel.send(number, ORDER)
            answered = OrderAnswered(BrokerId(2), number, OrderResult(error=0))
            assert answered == await reports.events.get()
        channel.send(3, ORDER)
        await address.asked.wait()
        address.server.close()
        channel.move(registration(port + 1))
        assert isinstance(await reports.events.get(), OrderFailed)
        channel.move(registration(port))
        for number in (4, 5):
            channel.send(number, ORDER)
            assert OrderFailed(BrokerId(2), number) == await reports.events.get()
        await address.listen(port)
        channel.send(6, ORDER)
        assert isinstance(await reports.events.get(), OrderAnswered)
        channel.close()
        await address.ended.wait()
        address.server.close()

    run(use)

    assert 1 == caplog.text.count("broker=2 is told again and again: ")
    assert 1 == caplog.text.count("broker=2 answers now")


def test_of_a_channel_that_is_closed_nothing_is_reported_any_more() -> None:
    async def use(reports: Reports) -> None:
        others = asyncio.all_tasks()
        address = Address(1)
        channel = reports.channel(registration(await address.listen()))
        channel.send(1, ORDER)
        await address.asked.wait()
        channel.close()
        await address.ended.wait()
        channel = reports.channel(registration(1))
        channel.send(1, ORDER)
        channel.move(replace(registration(1), endpoints=()))
        channel.close()
        address.server.close()
        await until(lambda: asyncio.all_tasks() == others, what="the end of its work")
        assert reports.events.empty()

    run(use)
