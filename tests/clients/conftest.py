"""A broker for all tests of clients, and a driver for each library."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import pytest

from kadmin.local.zookeeper import ZooKeeperServer
from tests.clients.aio import Aio
from tests.clients.confluent import Confluent
from tests.clients.driver import Driver
from tests.clients.gateway import running_gateway
from tests.clients.java import JavaClient
from tests.clients.kafka_python import KafkaPython
from tests.interop.maven import needing_maven
from tests.interop.releases import KAFKA
from tests.support.brokers import Broker, running_broker
from tests.support.zookeeper import make_chroot

NUMBERS = count(1)

GROUP_SETTINGS = {
    "offsets.topic.num.partitions": "4",
    "offsets.topic.replication.factor": "1",
    "group.min.session.timeout.ms": "1000",
    "group.initial.rebalance.delay.ms": "0",
}
"""With these groups rebalance as fast as their members' heartbeats allow."""

JAVA = [
    pytest.param(
        release,
        id=f"Java-{release}",
        # Its jars come by Maven, which may take its time; and one JVM is enough for a release.
        marks=[
            pytest.mark.interop,
            pytest.mark.xdist_group(f"java-{release}"),
        ],
    )
    for release in ("2.8.2", "3.9.1")
]


@pytest.fixture(scope="package")
def broker(
    tmp_path_factory: pytest.TempPathFactory, zookeeper: ZooKeeperServer
) -> Iterator[Broker]:
    """A broker that tests share; each keeps to topics of its own."""
    connect = make_chroot(zookeeper)
    directory = tmp_path_factory.mktemp("broker")
    settings = {"num.partitions": "2", **GROUP_SETTINGS}
    with running_broker(directory, connect, settings=settings) as running:
        yield running


@pytest.fixture(
    scope="package",
    params=[pytest.param(kind, id=kind.__name__) for kind in (Confluent, KafkaPython, Aio)] + JAVA,
)
def library(
    request: Any, java: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Driver]]:
    """What makes a driver for brokers at an address; Kafka's client of two releases among them."""
    if not isinstance(request.param, str):
        yield request.param
        return
    with needing_maven():
        class_path = request.getfixturevalue("maven").class_path(KAFKA[request.param])
    with running_gateway(java, class_path, tmp_path_factory.mktemp("jvm")) as gateway:
        yield partial(JavaClient, gateway)


@pytest.fixture
def client(library: Callable[[str], Driver], broker: Broker) -> Iterator[Driver]:
    driver = library(broker.bootstrap)
    yield driver
    driver.close()


@pytest.fixture
def topic() -> str:
    """The name of a topic that nobody has used before."""
    return f"topic-{next(NUMBERS)}"
