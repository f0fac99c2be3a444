"""One client's huge requests: another client waits for a moment, and memory stays bounded."""

from pathlib import Path

import pytest

from bench.large_requests import ATTACKS, TOPIC, Frame, ask_beside, frame_of
from cluster.api.dispatch import ELEMENTS_MAX
from tests.support.brokers import Broker, produce, running_broker
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of, running_server

pytestmark = [pytest.mark.zk, pytest.mark.faults]

LIMITED = 9_000
"""Of what has a limit of its own: below what is dealt with in one go."""
UNLIMITED = 100_000
WAIT_S_MAX = 3.0
"""Ten times what is seen on a machine with other work; in one go the worst took minutes."""
IN_TURNS_WAIT_S_MAX = 1.0
WAIT_SHARE_MAX = 2 / 3
"""Of the time that a request takes: on a machine with much other work the others wait for longer,
but not as long as it does.
"""
TRIES = 3
"""A disk that others keep busy may hold a checkpoint up for seconds, but not each time."""
AFTERWARDS_S = 0.05
PEAK_MIB_MAX = 300


def peak_mib(broker: Broker) -> float:
    status = Path(f"/proc/{broker.process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def is_served_beside(broker: Broker, frame: Frame, wait_s_max: float) -> bool:
    """Whether another client waits no longer than it may while *frame* is dealt with."""
    outcome, worst_s = ask_beside(broker.port, frame, AFTERWARDS_S)
    assert outcome.ended_s is not None
    return worst_s < max(wait_s_max, WAIT_SHARE_MAX * outcome.ended_s)


@pytest.mark.long
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

        wait_until(takes_a_record, what="the first record")
        for title, attack in ATTACKS.items():
            api_key, _, _ = attack(1)
            is_limited = api_key in ELEMENTS_MAX
            frame = frame_of(attack, LIMITED if is_limited else UNLIMITED)
            wait_s_max = WAIT_S_MAX if is_limited else IN_TURNS_WAIT_S_MAX

            assert any(is_served_beside(broker, frame, wait_s_max) for _ in range(TRIES)), title
        assert peak_mib(broker) < PEAK_MIB_MAX
