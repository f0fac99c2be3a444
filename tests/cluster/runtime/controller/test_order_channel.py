"""A channel goes where its broker is registered, and leaves nothing open where that was before."""

import asyncio
from dataclasses import replace

import pytest

from cluster.controller.events import OrderAnswered, OrderFailed
from cluster.controller.orders import UpdateMetadata
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.ids import BrokerEpoch, BrokerId, ControllerEpoch
from cluster.runtime.controller.order_channel import OrderChannel

pytestmark = pytest.mark.sockets

DEADLINE_S = 10


class Address:
    """Where somebody listens, and never answers; `ended` when the connection does."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.ended = asyncio.Event()

    async def listen(self) -> int:
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port: int = self.server.sockets[0].getsockname()[1]
        return port

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        self.asked.set()
        await reader.read()
        self.ended.set()
        writer.close()


def test_a_broker_that_is_registered_elsewhere_is_told_there_by_one_connection() -> None:
    async def use() -> list[OrderAnswered | OrderFailed]:
        before, after = Address(), Address()
        reports: list[OrderAnswered | OrderFailed] = []
        reported = asyncio.Event()

        def report(event: OrderAnswered | OrderFailed) -> None:
            reports.append(event)
            reported.set()

        broker = registration(await before.listen())
        channel = OrderChannel(broker, "PLAINTEXT", "1", 60_000, report)
        channel.send(1, ORDER)
        await before.asked.wait()
        channel.move(registration(await after.listen()))
        await before.ended.wait()
        await reported.wait()
        channel.send(2, ORDER)
        await after.asked.wait()
        channel.move(replace(broker, endpoints=()))
        await after.ended.wait()
        channel.close()
        before.server.close()
        after.server.close()
        return reports

    reports = asyncio.run(asyncio.wait_for(use(), DEADLINE_S))

    assert reports[0] == OrderFailed(BrokerId(2), 1)


ORDER = UpdateMetadata(
    controller_id=BrokerId(1),
    controller_epoch=ControllerEpoch(1),
    broker_epoch=BrokerEpoch(1),
    live_brokers=(),
    partitions=(),
)


def registration(port: int) -> BrokerRegistration:
    endpoint = Endpoint(
        listener="PLAINTEXT", security_protocol="PLAINTEXT", host="127.0.0.1", port=port
    )
    return BrokerRegistration(
        broker_id=BrokerId(2), endpoints=(endpoint,), version=5, host="127.0.0.1", port=port
    )
