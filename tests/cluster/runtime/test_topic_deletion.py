"""A broker that is its own controller, and a topic whose log it cannot open."""

from pathlib import Path

import pytest
from kazoo.client import KazooClient

from tests.support.brokers import Broker, produce, running_broker
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of

pytestmark = [pytest.mark.zk, pytest.mark.faults]

TOPIC = "orders"


def create_topic(zookeeper: KazooClient, broker: Broker) -> None:
    """Make the topic with one partition, and wait until it takes a record."""
    zookeeper.create(f"/brokers/topics/{TOPIC}", b'{"version":1,"partitions":{"0":[1]}}')

    def takes_a_record() -> bool:
        with broker.client() as client:
            return produce(client, TOPIC).error_code == 0

    wait_until(takes_a_record, what="the first record")


def test_a_topic_whose_log_is_corrupt_is_deleted_and_can_be_made_again(
    tmp_path: Path, chroot: str
) -> None:
    directory = tmp_path / "b1"
    with client_of(chroot) as zookeeper:
        with running_broker(directory, chroot) as broker:
            create_topic(zookeeper, broker)
            assert broker.terminate() == 0
        (broker.data / f"{TOPIC}-0" / f"{0:020}.log.swap").write_bytes(b"no batch")
        with running_broker(directory, chroot) as broker:
            assert f"The log of {TOPIC}-0" in broker.log()
            wait_until(
                lambda: (
                    f"Mark replicas {TOPIC}-0 on broker 1 as offline"
                    in broker.log("state-change.log")
                ),
                what="the controller's news of the log",
            )

            zookeeper.create(f"/admin/delete_topics/{TOPIC}")
            wait_until(
                lambda: (
                    zookeeper.exists(f"/admin/delete_topics/{TOPIC}") is None
                    and not list(broker.data.glob(f"{TOPIC}-*"))
                    # The controller learns that the nodes are gone, and logs it, behind that.
                    and f"topic={TOPIC} deleted" in broker.log("controller.log")
                ),
                what="the end of the topic and of its files",
            )

            assert zookeeper.exists(f"/brokers/topics/{TOPIC}") is None
            create_topic(zookeeper, broker)
