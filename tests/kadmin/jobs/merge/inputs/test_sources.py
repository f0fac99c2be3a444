import pytest

from kadmin.jobs.merge.files.log_file import LogFile
from kadmin.jobs.merge.inputs.sources import broker_id, group


def files(*labels: str) -> list[LogFile]:
    return [LogFile(path=f"/collected/{label}", label=label, size=1) for label in labels]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("broker-3/state-change.log", 3),
        ("kafka-12/logs/state-change.log.2026-11-20-03.gz", 12),
        ("kafka0.example.com/state-change.log", 0),
        ("prod-server3/state-change.log", 3),
        ("kafka-logs-4/state-change.log", 4),
        ("broker_id_7/state-change.log", 7),
        ("incident/5/state-change.log", 5),
        ("kafka-1/state-change-broker-2.log", 2),
        ("s3://bucket/node-8/state-change.log", 8),
        ("state-change.log", None),
        ("0.8.1.log", None),
        ("kafka_2.13-3.9.1/logs/state-change.log", None),
        ("kafka-2.8.2/state-change.log", None),
        ("20261120/state-change.log", None),
        ("observer3/state-change.log", None),
    ],
)
def test_a_path_tells_the_brokers_id_or_not(label: str, expected: int | None) -> None:
    assert expected == broker_id(label)


def test_brokers_come_by_their_ids_and_then_paths() -> None:
    found = group(files("b/x.log", "kafka-10/s.log", "kafka-9/s.log", "a/x.log"))

    assert ["9", "10", "a/x.log", "b/x.log"] == [source.name for source in found]


def test_the_order_of_words_does_not_matter() -> None:
    labels = ["kafka-1/s.log", "kafka-1/s.log.2026-11-20-01", "a.log", "kafka-2/s.log"]

    assert group(files(*labels)) == group(files(*reversed(labels)))


def test_two_logs_that_claim_one_broker_go_by_their_paths() -> None:
    found = group(files("east/kafka-1/s.log", "west/kafka-1/s.log", "west/kafka-2/s.log"))

    assert ["2", "east/kafka-1/s.log", "west/kafka-1/s.log"] == [source.name for source in found]
