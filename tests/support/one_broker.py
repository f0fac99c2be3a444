"""The broker that tests of kadmin share."""

from typing import NamedTuple

from tests.support.brokers import Broker


class OneBroker(NamedTuple):
    """A broker that tests share, and its ZooKeeper."""

    broker: Broker
    zookeeper: str
