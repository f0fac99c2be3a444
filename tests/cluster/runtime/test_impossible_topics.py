"""A broker that is its own controller, and znodes of topics that no topic can be called by."""

from pathlib import Path

import pytest

from tests.support.brokers import produce, running_broker
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of

pytestmark = [pytest.mark.zk, pytest.mark.faults]

ONE_PARTITION = b'{"version":1,"partitions":{"0":[1]}}'
IMPOSSIBLE = ("a b", "x" * 300)


def test_such_znodes_never_reach_the_disk_and_the_broker_serves_the_rest(
    tmp_path: Path, chroot: str
) -> None:
    directory = tmp_path / "b1"
    with client_of(chroot) as zookeeper:
        for count in (1, 2):
            with running_broker(directory, chroot) as broker:
                if count == 1:
                    for name in IMPOSSIBLE:
                        zookeeper.create(f"/brokers/topics/{name}", ONE_PARTITION)
                zookeeper.create(f"/brokers/topics/orders-{count}", ONE_PARTITION)

                def takes_a_record(topic: str = f"orders-{count}") -> bool:
                    with broker.client() as client:
                        return produce(client, topic).error_code == 0

                wait_until(takes_a_record, what="the first record")
                assert broker.terminate() == 0
                noted = broker.log("controller.log")

            for name in IMPOSSIBLE:
                assert noted.count(f"topic={name!r} is left alone") == count
            logs = sorted(each.name for each in broker.data.iterdir() if each.is_dir())
            assert logs == [f"orders-{number}-0" for number in range(1, count + 1)]
