"""A short trial of each kind of fault; `make faults` runs long ones."""

from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException

from tests.faults.trial import FAULTS, run_trial
from tests.support.steady import SteadyProducer


@pytest.mark.faults
@pytest.mark.zk
@pytest.mark.clients
@pytest.mark.timeout(600)
def test_what_was_acknowledged_outlives_every_kind_of_fault(tmp_path: Path) -> None:
    said: list[str] = []
    faults = iter(FAULTS)

    result = run_trial(tmp_path, 1, lambda count: next(faults, None), said.append)

    assert result.wrong == (), said
    assert result.faults == len(FAULTS)
    assert result.acknowledged > 1000


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
