"""Groups of real brokers: does kadmin show and change what Kafka's tool of their release does?"""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from tests.interop.brokers import RealCluster
from tests.interop.made_topics import create
from tests.interop.test_daily_jobs import ours, theirs
from tests.interop.tools import Tools
from tests.support.committing import commit, joined
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = [
    pytest.mark.interop,
    pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True),
]

NUMBERS = count(1)


@pytest.fixture
def topic(cluster: RealCluster) -> str:
    name = f"grouped-{next(NUMBERS)}"
    create(cluster, name, "0:1,1:0")
    Tools(cluster).produce_with_keys(name, *(f"key-{number}:v" for number in range(20)))
    return name


@pytest.fixture
def live(cluster: RealCluster, topic: str) -> Iterator[str]:
    """A group with a static member and a commit."""
    name = f"live-{topic}"
    options = {"client_id": "reader", "group_instance_id": "one"}
    commit(cluster.bootstrap, name, topic, 0, 1)
    with joined(cluster.bootstrap, name, topic, **options):
        yield name


def fields(lines: list[str]) -> list[list[str]]:
    """The rows of all tables, in any order: in 3.9, partitions and blank lines have none."""
    return sorted(line.split() for line in lines if line.strip())


@pytest.mark.parametrize(
    "section", [(), ("--offsets",), ("--members",), ("--state",)], ids=" ".join
)
def test_a_live_group_is_described_as_by_kafka_s_tool(
    cluster: RealCluster, live: str, section: tuple[str, ...]
) -> None:
    words = ("--describe", "--group", live, *section)

    assert fields(theirs(cluster, "consumer-groups", *words)) == fields(
        ours(cluster, "consumer-groups", *words)
    )


def test_groups_are_listed_as_by_kafka_s_tool(cluster: RealCluster, topic: str, live: str) -> None:
    commit(cluster.bootstrap, f"idle-{topic}", topic, 0, 1)

    def own(lines: list[str]) -> list[list[str]]:
        # Static members of other tests do not leave, and their sessions end in between.
        return [row for row in fields(lines) if row[0] == "GROUP" or row[0].endswith(topic)]

    for words in (("--list",), ("--list", "--state"), ("--list", "--state", "Empty")):
        listed = own(ours(cluster, "consumer-groups", *words))
        assert own(theirs(cluster, "consumer-groups", *words)) == listed
        assert any(f"idle-{topic}" in row for row in listed)


def in_fours(lines: list[str]) -> list[list[str]]:
    """The rows of a plan, in any order: in 3.9 all of them stand on the line of the head."""
    words = " ".join(lines).split()
    return sorted(words[at : at + 4] for at in range(0, len(words), 4))


def test_a_reset_is_planned_exported_and_put_back_by_either(
    cluster: RealCluster, topic: str, tmp_path: Path
) -> None:
    name, back = f"moved-{topic}", tmp_path / "back.csv"
    commit(cluster.bootstrap, name, topic, 0, 1)
    commit(cluster.bootstrap, name, topic, 1, 1)
    of_group = ("--reset-offsets", "--group", name)
    to_end = (*of_group, "--topic", topic, "--to-latest")

    planned = ours(cluster, "consumer-groups", *to_end)
    assert in_fours(theirs(cluster, "consumer-groups", *to_end)) == in_fours(planned)
    exported = ours(cluster, "consumer-groups", *to_end, "--export")
    assert sorted(exported) == sorted(
        line for line in theirs(cluster, "consumer-groups", *to_end, "--export") if line
    )
    made = ours(cluster, "consumer-groups", *to_end, "--execute", "--rollback-file", str(back))
    assert planned == made
    described = ours(cluster, "groups", "--describe", "--group", name)
    assert ["0", "0"] == [row.split()[5] for row in described[2:]]
    # The rollback file is in a form that Kafka's tool reads.
    theirs(cluster, "consumer-groups", *of_group, "--from-file", str(back), "--execute")
    described = ours(cluster, "groups", "--describe", "--group", name)
    assert ["1", "1"] == [row.split()[3] for row in described[2:]]


def test_deletions_are_told_as_by_kafka_s_tool(
    cluster: RealCluster, topic: str, tmp_path: Path
) -> None:
    names = [f"deleted-{topic}-{number}" for number in (1, 2)]
    for name in names:
        commit(cluster.bootstrap, name, topic, 0, 1)
    kept = ("--yes", "--rollback-file", str(tmp_path / "kept.csv"))
    more = ("--yes", "--rollback-file", str(tmp_path / "more.csv"))
    of_topic = ("--topic", f"{topic}:0")

    offsets = ours(cluster, "groups", "--delete-offsets", "--group", names[0], *of_topic, *kept)
    their_offsets = theirs(
        cluster, "consumer-groups", "--delete-offsets", "--group", names[1], *of_topic
    )
    commit(cluster.bootstrap, names[0], topic, 0, 1)
    commit(cluster.bootstrap, names[1], topic, 0, 1)
    group = ours(cluster, "groups", "--delete", "--group", names[0], *more)
    their_group = theirs(cluster, "consumer-groups", "--delete", "--group", names[1])

    def words(lines: list[str], name: str) -> list[str]:
        return " ".join(lines).replace(name, "NAME").split()

    def table(lines: list[str]) -> list[str]:
        # In 3.9 the rows stand on the line of the head.
        return " ".join(lines).partition("TOPIC ")[2].split()

    assert table(their_offsets) == table(offsets)
    assert words(their_group, names[1]) == words(group, names[0])
    assert not {*names} & {*ours(cluster, "groups", "--list")}


def test_a_marker_of_a_transaction_is_nothing_to_read(cluster: RealCluster, topic: str) -> None:
    """Clients that commit the offset behind a record stay before the marker."""
    name = f"marked-{topic}"

    def end_offset() -> int:
        (row,) = ours(cluster, "offsets", "--topic", topic, "--partitions", "0")
        return int(row.split(":")[2])

    end = end_offset() + 2
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "transactional.id": topic})
    producer.init_transactions(OUTER_LIMIT_S)
    producer.begin_transaction()
    producer.produce(topic, b"v", partition=0)
    producer.commit_transaction(OUTER_LIMIT_S)
    # The coordinator answers before leaders have the marker.
    wait_until(lambda: end_offset() == end, what="the marker")

    def of_group(*words: str) -> Any:
        (line,) = ours(cluster, "groups", "--group", name, *words, "--output", "json")
        (found,) = json.loads(line)["groups"]
        return found

    commit(cluster.bootstrap, name, topic, 0, end - 1)

    (partition,) = of_group("--describe")["partitions"]

    assert (end - 1, end, 0, 0, "no_records") == tuple(
        partition[field]
        for field in ("current_offset", "log_end_offset", "lag", "lag_ms", "condition")
    )
    assert "ok" == of_group("--verdict", "--window", "0")["verdict"]
