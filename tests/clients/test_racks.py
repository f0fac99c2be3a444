"""Consumers of each client library read from a follower in their rack, where the leader is not.

Between the clients and each broker stands a meter; brokers reach one another by another listener.
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial

import pytest

from cluster.broker.configs.supported_configs import RACK_SELECTOR
from kadmin.local.ports import free_ports
from kadmin.local.zookeeper import ZooKeeperServer
from tests.clients.confluent import Confluent
from tests.clients.driver import Driver, Sent
from tests.clients.marks import LIBRARIES
from tests.support.brokers import start_broker
from tests.support.cli import kadmin
from tests.support.proxy import Conversation, Proxy, serving
from tests.support.waiting import wait_until
from tests.support.zookeeper import make_chroot

pytestmark = [pytest.mark.clients, *LIBRARIES, pytest.mark.xdist_group("racks")]

RACKS = {1: "a", 2: "b"}
LEADER, FOLLOWER = RACKS
RECORD_COUNT, RECORD_SIZE = 20, 50_000


class Meter(Proxy):
    """Counts the bytes of answers."""

    def __init__(self, target_port: int) -> None:
        super().__init__(("127.0.0.1", target_port))
        self.size = 0

    def conversation(self, client: socket.socket, server: socket.socket) -> Conversation:
        return ThroughMeter(self, client, server)


class ThroughMeter(Conversation):
    def __init__(self, meter: Meter, client: socket.socket, server: socket.socket) -> None:
        super().__init__(client, server)
        self.meter = meter

    def request_passes(self, frame: bytes) -> bool:
        return True

    def answer_passes(self, frame: bytes) -> bool:
        self.meter.size += len(frame)
        return True


@pytest.fixture(scope="module")
def meters(
    zookeeper: ZooKeeperServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[int, Meter]]:
    """Two brokers in two racks, each behind a meter."""
    connect = make_chroot(zookeeper)
    meters: dict[int, Meter] = {}
    with ExitStack() as stack:
        for broker_id, rack in RACKS.items():
            outside, inside = free_ports(2, "127.0.0.1")
            meters[broker_id] = meter = stack.enter_context(serving(Meter(outside)))
            inner = f"INSIDE://127.0.0.1:{inside}"
            settings = {
                "broker.rack": rack,
                "replica.selector.class": RACK_SELECTOR,
                "listeners": f"PLAINTEXT://127.0.0.1:{outside},{inner}",
                "advertised.listeners": f"PLAINTEXT://{meter.address},{inner}",
                "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,INSIDE:PLAINTEXT",
                "inter.broker.listener.name": "INSIDE",
            }
            directory = tmp_path_factory.mktemp(f"broker-{broker_id}")
            broker = start_broker(directory, connect, broker_id, settings)
            stack.callback(broker.kill)
        for meter in meters.values():
            wait_until(partial(knows_all, meter), what="brokers that know each other")
        yield meters


def knows_all(meter: Meter) -> bool:
    """Whether the broker behind *meter* has heard of all, whom else a topic may not name."""
    told = kadmin("brokers", "--list", "--bootstrap-server", meter.address).stdout
    return told.split() == list(map(str, RACKS))


def test_a_consumer_reads_in_its_rack(
    library: Callable[[str], Driver], meters: dict[int, Meter], topic: str
):
    sent = [Sent(b"%d" % number * RECORD_SIZE) for number in range(1, RECORD_COUNT)]
    size = sum(len(one.value or b"") for one in sent)
    bootstrap = meters[LEADER].address
    Confluent(bootstrap).create_topic(topic, replicas=[[LEADER, FOLLOWER]])
    client = library(bootstrap)
    client.produce(topic, sent, acks="all")
    read = {}
    for rack in RACKS.values():
        before = {broker_id: meter.size for broker_id, meter in meters.items()}
        got = client.consume(topic, 0, 0, len(sent), client_rack=rack)
        read[rack] = {one: meters[one].size - before[one] >= size for one in RACKS}
        assert sent == [one.record for one in got]
    client.close()

    assert {"a": {LEADER: True, FOLLOWER: False}, "b": {LEADER: False, FOLLOWER: True}} == read
