"""One client's huge requests: another client waits for a moment, and memory stays bounded."""

from pathlib import Path

import pytest

from bench.large_requests import ATTACKS, TOPIC, ask_beside, frame_of
from tests.support.brokers import Broker, produce, running_broker
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of, running_server

pytestmark = [pytest.mark.zk, pytest.mark.faults]

ELEMENTS = (9_000, 290_000)
"""Below what is dealt with in one go, and below what any request may have."""
WAIT_S_MAX = 3.0
"""Ten times what is seen on a machine with other work; in one go the worst took minutes."""
PEAK_MIB_MAX = 500


def peak_mib(broker: Broker) -> float:
    status = Path(f"/proc/{broker.process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


@pytest.mark.timeout(300)
def test_another_client_is_served_whatever_one_asks_for(tmp_path: Path) -> None:
    with (
        running_server(tmp_path / "zk") as server,
        running_broker(tmp_path / "b1", server.connect) as broker,
    ):
        with client_of(server.connect) as zookeeper:
            zookeeper.create(f"/brokers/topics/{TOPIC}", b'{"version":1,"partitions":{"0":[1]}}')

        def takes_a_record() -> bool:
            with broker.client() as client:
                return produce(client, TOPIC).error_code == 0

        wait_until(takes_a_record, timeout_s=30, what="the first record")
        for count in ELEMENTS:
            for title, attack in ATTACKS.items():
                outcome, worst_s = ask_beside(broker.port, frame_of(attack, count))

                assert outcome.ended_s is not None, title
                assert worst_s < WAIT_S_MAX, title
        assert peak_mib(broker) < PEAK_MIB_MAX
