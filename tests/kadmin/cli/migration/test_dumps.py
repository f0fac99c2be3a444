"""`kadmin migration check` on the znodes of real clusters: is there no false alarm?

The dumps are of Kafka 0.8.2.2 to 3.9.1. Broker 9 of 0.8.2.2 and 2.8.2 has never existed, and a
topic of the oldest has a name that later releases do not allow.
"""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.support.cli import done, kadmin
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

GOLDEN: Final = Path(__file__).parent / "golden"


def write_dump(connect: str, release: str) -> None:
    nodes: dict[str, str | None] = json.loads((GOLDEN / f"kafka-{release}.json").read_text())
    with client_of(connect) as client:
        transaction = client.transaction()
        for path in sorted(nodes):
            data = nodes[path]
            transaction.create(path, b"" if data is None else data.encode())
        assert not any(isinstance(each, Exception) for each in transaction.commit())
        if nodes.get("/latest_producer_id_block", "") is None:
            # A transaction has no null data.
            client.delete("/latest_producer_id_block")
            client.create("/latest_producer_id_block", None)


@pytest.mark.parametrize(
    ("release", "kinds"),
    [
        ("0.8.2.2", ["topic-id", "dead-replica", "release", "unreadable", "under-replicated"]),
        ("0.9.0.1", ["topic-id", "release"]),
        ("0.10.2.2", ["topic-id", "release", "old-consumer"]),
        ("1.1.1", ["topic-id", "release", "old-consumer"]),
        ("2.3.1", ["topic-id", "release"]),
        ("2.8.2", ["dead-replica", "under-replicated"]),
        ("3.9.1", []),
    ],
)
def test_a_real_cluster_has_no_false_alarm(chroot: str, release: str, kinds: list[str]) -> None:
    write_dump(chroot, release)
    outcome = kadmin(
        "migration", "check", "--no-brokers", "--zookeeper", chroot, "--output", "json"
    )

    assert kinds == [each["kind"] for each in json.loads(outcome.stdout)["findings"]]


def test_the_preview_is_what_the_real_controller_has_written(chroot: str) -> None:
    write_dump(chroot, "3.9.1")

    assert "The record types were {TOPIC_RECORD=2, PARTITION_RECORD=3, CLIENT_QUOTA_RECORD=1}." in (
        done("migration", "preview", "--zookeeper", chroot)
    )
