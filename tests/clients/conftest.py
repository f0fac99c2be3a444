"""A broker for all tests of clients, and a driver for each library."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from kadmin.local.zookeeper import ZooKeeperServer
from tests.clients.drivers import Aio, Confluent, Driver, KafkaPython
from tests.support.brokers import Broker, running_broker
from tests.support.zookeeper import make_chroot

NUMBERS = count(1)


@pytest.fixture(scope="package")
def broker(
    tmp_path_factory: pytest.TempPathFactory, zookeeper: ZooKeeperServer
) -> Iterator[Broker]:
    """A broker that tests share; each keeps to topics of its own."""
    connect = make_chroot(zookeeper)
    directory = tmp_path_factory.mktemp("broker")
    settings = {"num.partitions": "2"}
    with running_broker(directory, connect, settings=settings) as running:
        yield running


@pytest.fixture(params=[Confluent, KafkaPython, Aio], ids=lambda kind: kind.__name__)
def client(request: Any, broker: Broker) -> Driver:
    driver: Driver = request.param(broker.bootstrap)
    return driver


@pytest.fixture
def topic() -> str:
    """The name of a topic that nobody has used before."""
    return f"topic-{next(NUMBERS)}"
