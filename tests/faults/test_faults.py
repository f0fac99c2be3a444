"""A short trial of each kind of fault; `make faults` runs long ones."""

from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException

from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.runtime.disk.files import Disk
from cluster.storage.log_config import LogConfig
from cluster.storage.log_manager import LogManager
from tests.cluster.storage.batches import START_MS, batch
from tests.faults.cluster import DISKS
from tests.faults.trial import (
    FAULTS,
    PARTITIONS,
    TOPIC,
    not_proven_equal,
    run_trial,
)
from tests.support.steady import SteadyProducer


@pytest.mark.long
@pytest.mark.faults
@pytest.mark.zk
@pytest.mark.clients
def test_what_was_acknowledged_outlives_every_kind_of_fault(tmp_path: Path) -> None:
    said: list[str] = []
    faults = iter(FAULTS)

    result = run_trial(tmp_path, 1, lambda count: next(faults, None), said.append)

    assert result.wrong == (), said
    assert result.faults == len(FAULTS)
    assert result.acknowledged > 1000


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

        wrong = not_proven_equal(directory, (1, 2, 3))

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
    producer = SteadyProducer("127.0.0.1:1", "trial", 1)
    monkeypatch.setattr(producer, "_library", GivenUp())

    producer.start()

    assert {"out of order": 1} == producer.stop().failures
    assert producer.has_given_up
