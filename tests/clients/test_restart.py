"""Producers and consumers whose broker is killed and comes back, by each client library."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cluster.wire.api_keys import ApiKey
from kadmin.local.ports import free_ports
from kadmin.local.zookeeper import ZooKeeperServer
from tests.clients.driver import Driver, Got, Sent
from tests.clients.marks import LIBRARIES
from tests.support.brokers import Broker, start_broker
from tests.support.cutting_proxy import CuttingProxy
from tests.support.proxy import serving
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.zookeeper import make_chroot

pytestmark = [
    pytest.mark.clients,
    *LIBRARIES,
    pytest.mark.faults,
    pytest.mark.xdist_group("restart"),
]


class RestartedBroker:
    """A broker behind *proxy*, which clients find there again after it was killed."""

    def __init__(self, proxy: CuttingProxy, directory: Path, connect: str) -> None:
        self.proxy = proxy
        self.directory = directory
        self.connect = connect
        self.broker: Broker
        self.start()

    def start(self) -> None:
        settings = {
            "listeners": f"PLAINTEXT://127.0.0.1:{self.proxy.target[1]}",
            "advertised.listeners": f"PLAINTEXT://{self.proxy.address}",
        }
        self.broker = start_broker(self.directory, self.connect, settings=settings)

    def kill_and_start(self) -> None:
        self.broker.kill()
        self.start()


@pytest.fixture(scope="module")
def restarted(
    zookeeper: ZooKeeperServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RestartedBroker]:
    (port,) = free_ports(1, "127.0.0.1")
    with serving(CuttingProxy(port)) as opened:
        restarted = RestartedBroker(
            opened, tmp_path_factory.mktemp("restarted"), make_chroot(zookeeper)
        )
        yield restarted
        restarted.broker.kill()


def test_each_record_is_there_once_after_a_kill_whose_answers_were_lost(
    library: Callable[[str], Driver], restarted: RestartedBroker, topic: str
):
    sent = [Sent(b"%d" % number) for number in range(60)]
    client = library(restarted.proxy.address)
    client.create_topic(topic)
    first_process = restarted.broker.process
    with ThreadPoolExecutor(1) as pool, client.producer(enable_idempotence=True) as producer:
        reading = pool.submit(client.consume, topic, 0, 0, 60)

        before = producer.send(topic, sent[:20])
        # The broker has these, nobody knows, and the producer sends them again.
        restarted.proxy.lose_answer(ApiKey.PRODUCE, meanwhile=restarted.kill_and_start)
        producer.send(topic, sent[20:40])
        after = producer.send(topic, sent[40:])
        got = reading.result(OUTER_LIMIT_S)
    ends = client.ends(topic, 0)
    client.close()

    assert first_process is not restarted.broker.process
    assert (list(range(20)), list(range(40, 60))) == (before, after)
    assert [Got(number, record) for number, record in enumerate(sent)] == got
    assert (0, 60) == ends
