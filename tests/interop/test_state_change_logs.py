"""Is every line understood that brokers of each release write through outages and changes?"""

import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from kadmin.statechange.columns import StateChange
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from tests.interop import znodes
from tests.interop.brokers import RealCluster
from tests.interop.outages import NO_LEADER, killed, reassign, wait_until_led
from tests.interop.tools import Tools
from tests.kadmin.jobs.merge import reference
from tests.kadmin.statechange.rows import expected_rows, rows_of
from tests.support.cli import done, kadmin
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop


MOVED, STABLE = ("story", 0), ("story", 1)
ALONE, DELETED = ("alone", 0), ("short-lived", 0)


SAID = {
    "leader": r"[Ll]eader[:=]-?\d",
    "leader_epoch": r"[Ll]eaderEpoch[:=]\d|leader epoch \d",
    "isr": r"\bISR(:| \[)|\bisr\w*=",
    "zk_version": r"zkVersion=|ZkVersion:|partitionEpoch=|partition epoch \d",
    "correlation_id": r"[Cc]orrelation ?[Ii]d \d",
    "controller_epoch": r"[Cc]ontroller \d+ epoch \d|epoch=\d",
    "peer_broker": r"to broker |replica \d",
    "error": r"error_?[Cc]ode=-?[1-9]|\) -> -?[1-9]",
}
"""By which texts, whatever the line, a value can be known to stand in it."""


@dataclass(frozen=True)
class Story:
    """What was done to a cluster, and the logs that its brokers kept of it.

    *controller* is the one at the beginning; *other* fails first, then the controller.  *logs* is
    a directory of copies, one directory in it for each broker.
    """

    controller: int
    other: int
    logs: Path

    def contents(self) -> list[bytes]:
        """The log of each broker, by its id."""
        return [log.read_bytes() for log in sorted(self.logs.glob("*/state-change.log"))]

    def changes(self) -> list[StateChange]:
        return [
            parse_line(line.decode())
            for content in self.contents()
            for line in content.splitlines()
        ]


@pytest.fixture(scope="module")
def story(cluster: RealCluster, tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Story:
    controller = znodes.document(cluster, "/controller")["brokerid"]
    other = next(broker_id for broker_id in cluster.brokers if broker_id != controller)
    for (topic, _), assignment in {
        MOVED: f"{controller}:{other},{other}:{controller}",
        DELETED: f"{controller}:{other}",
        ALONE: f"{other}",
    }.items():
        create = ("--create", "--topic", topic, "--replica-assignment", assignment)
        done("topics", "--zookeeper", cluster.zookeeper_connect, *create)
    wait_until_led(cluster)
    with killed(cluster, other):
        pass
    with killed(cluster, controller):
        pass
    bring_home(cluster, tools, controller)
    reassign(cluster, MOVED, [other])
    delete = ("--delete", "--topic", DELETED[0], "--yes", "--wait")
    done("topics", "--zookeeper", cluster.zookeeper_connect, *delete)
    return Story(controller, other, copy_logs(cluster, tmp_path_factory.mktemp(cluster.release)))


def state(cluster: RealCluster, partition: tuple[str, int]) -> dict[str, Any]:
    topic, number = partition
    found: dict[str, Any] = znodes.document(
        cluster, f"/brokers/topics/{topic}/partitions/{number}/state"
    )
    return found


def bring_home(cluster: RealCluster, tools: Tools, leader: int) -> None:
    elected = tools.elect_preferred([MOVED, STABLE])
    assert elected.exit_code == 0, elected
    wait_until(
        lambda: bool(state(cluster, MOVED)["leader"] == leader),
        what="the preferred leader",
    )


def copy_logs(cluster: RealCluster, directory: Path) -> Path:
    """What the brokers have written so far, in whole lines: they run, and may write more."""
    for broker_id, broker in cluster.brokers.items():
        content = broker.state_change_log.read_bytes()
        place = directory / f"broker-{broker_id}"
        place.mkdir()
        (place / "state-change.log").write_bytes(content[: content.rindex(b"\n") + 1])
    return directory


def test_every_line_is_understood_alike_by_the_parser_and_in_columns(story: Story) -> None:
    for content in story.contents():
        lines = content.splitlines()
        rows = rows_of(lines)

        assert expected_rows(lines) == rows
        assert [] == [row["message"] for row in rows if row["kind"] == Kind.OTHER]


@pytest.mark.parametrize("column", SAID)
def test_no_value_of_a_line_is_lost(story: Story, column: str) -> None:
    saying = [change for change in story.changes() if re.search(SAID[column], change.message)]

    assert [] == [change.message for change in saying if getattr(change, column) is None]


def leaders(changes: list[StateChange], partition: tuple[str, int]) -> list[int | None]:
    """Who led *partition*, one after the other, by what controllers told brokers."""
    told = {
        change.leader_epoch: change.leader
        for change in changes
        if change.kind is Kind.SEND_LEADER_AND_ISR
        and change.leader_epoch is not None
        and partition in change.partitions
    }
    return [leader for leader, _ in groupby(told[epoch] for epoch in sorted(told))]


def test_the_lines_tell_who_led_through_outages_election_and_reassignment(story: Story) -> None:
    changes = story.changes()
    told = {partition: leaders(changes, partition) for partition in (MOVED, STABLE, ALONE)}

    first, second = story.controller, story.other
    assert [second, NO_LEADER, second] == told[ALONE]
    # Newer controllers also tell who follows while there is no leader yet.
    assert [first, second, first, second] == [each for each in told[MOVED] if each != NO_LEADER]
    assert [second, first, second] == [each for each in told[STABLE] if each != NO_LEADER]


def test_the_lines_tell_of_a_deletion_and_of_an_election_without_candidates(story: Story) -> None:
    changes = story.changes()
    told = {
        (partition, change.kind, change.to_state)
        for change in changes
        for partition in change.partitions
    }

    states = ("ReplicaDeletionStarted", "ReplicaDeletionSuccessful", "NonExistentReplica")
    assert {(DELETED, Kind.REPLICA_STATE, each) for each in states} <= told
    assert (DELETED, Kind.PARTITION_STATE, "NonExistentPartition") in told
    assert (ALONE, Kind.PARTITION_STATE, "OfflinePartition") in told
    assert (ALONE, Kind.TRANSITION_FAILED, "OnlinePartition") in told
    causes = [change.error for change in changes if change.kind is Kind.CONTINUATION]
    assert any(
        cause and re.match(r"kafka\.common\..* partition \[?alone", cause) for cause in causes
    )


def test_the_merged_lines_are_all_lines_once_in_order_of_time(story: Story) -> None:
    expected = reference.merge([[content] for content in story.contents()])

    run = kadmin("merge-logs", str(story.logs), "--master", "none", "--count")

    assert (0, expected.decode()) == (run.exit_code, run.stdout)
    assert "not understood: 0" in run.stderr
