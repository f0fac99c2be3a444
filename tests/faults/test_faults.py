"""A short trial of drawn faults, and of who judges them; `make faults` runs long ones."""

import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException

from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.runtime.disk.files import Disk
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch
from tests.faults.disks import DISKS
from tests.faults.moves import PARTITIONS, TOPIC
from tests.faults.referee import not_proven_equal
from tests.support.acked_producer import AckedProducer
from tests.support.checkout import CHECKOUT
from tests.support.evidence import command_text, record
from tests.support.seeds import seeds


@pytest.mark.long
@pytest.mark.faults
@pytest.mark.zk
@pytest.mark.clients
@pytest.mark.parametrize("parity", [0, 1])
def test_what_was_acknowledged_outlives_every_kind_of_fault(parity: int) -> None:
    """Rounds of another seed with each commit; those of even seeds sync every record."""
    seed = next(iter(seeds(1))) * 2 + parity
    command = [sys.executable, "-m", "tests.faults", f"--seed={seed}", "--rounds=5"]

    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)

    streams = {"stdout": done.stdout, "stderr": done.stderr}
    record(lambda: command_text(command, done.returncode, **streams))
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_one_replica_with_another_record_is_found(tmp_path: Path) -> None:
    """What a trial ends with can fail: the same logs three times, and then one that differs."""
    partitions = [TopicPartition(TOPIC, number) for number in range(PARTITIONS)]
    other = partitions[3]
    for differs in (False, True):
        directory = tmp_path / str(differs)
        for broker_id in (1, 2, 3):
            paths = [str(directory / f"broker-{broker_id}" / disk) for disk in DISKS]
            for path in paths:
                Path(path).mkdir(parents=True)
            logs = LogManager.open(Disk(), paths, BrokerId(broker_id), "c")
            list(logs.load(lambda topic: LogConfig(), START_MS))
            for partition in partitions:
                log = logs.get_or_create(partition, LogConfig(), None, START_MS, is_new=True)
                value = b"2" if differs and broker_id == 2 and partition == other else b"1"
                log.append(batch([b"0"]), LeaderEpoch(0), START_MS, START_MS)
                log.append(batch([value]), LeaderEpoch(0), START_MS, START_MS)
            logs.write_high_watermarks(dict.fromkeys(partitions, 2))
            logs.close(START_MS, broker_epoch=1)

        wrong = not_proven_equal((one, directory / f"broker-{one}") for one in (1, 2, 3))

        assert [str(other.partition) in text for text in wrong[:1]] == [True] * differs
        assert any("differ" in text for text in wrong) is differs


class GivenUp:
    """A library to which an error was fatal."""

    def produce(self, *_: object, **__: object) -> None:
        raise KafkaException(KafkaError(KafkaError._FATAL, "out of order"))

    def flush(self, timeout_s: float) -> int:
        raise SystemError("returned NULL without setting an exception")


@pytest.mark.clients
def test_a_producer_that_gives_up_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    producer = AckedProducer("127.0.0.1:1", "trial", 1)
    monkeypatch.setattr(producer, "_library", GivenUp())

    producer.start()

    assert {"out of order": 1} == producer.stop().failures
    assert producer.has_given_up
