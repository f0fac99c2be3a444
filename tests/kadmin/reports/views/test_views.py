"""Views of a cluster: topics, brokers, groups, and all of it at a glance."""

from dataclasses import replace
from typing import Any

import pytest

from cluster.model import fault as subjects
from cluster.model.fault import Fault
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import TopicSnapshot
from kadmin.plan.groups.group import Coordinator, Group, ListedGroup, Member
from kadmin.plan.groups.lag import PartitionLag
from kadmin.plan.groups.verdict import Look, Verdict, judge
from kadmin.plan.health import Finding
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.reports.views import topics
from kadmin.reports.views.brokers import broker_rows
from kadmin.reports.views.groups import group_rows
from kadmin.reports.views.observed import Observed, rates_between
from kadmin.reports.views.overview import moving_rows, overview_of
from kadmin.reports.views.paging import parse_page
from kadmin.reports.views.topic import topic_page
from kadmin.reports.views.topics import COLUMNS, TopicTable
from tests.kadmin.builders import brokers, cluster, ids, state, topic


def part(topic: str, partition: int) -> TopicPartition:
    return TopicPartition(topic, partition)


def log(topic: str, partition: int, size_bytes: int, *, is_future: bool = False) -> ReplicaLog:
    return ReplicaLog(
        partition=part(topic, partition), size_bytes=size_bytes, lag_records=0, is_future=is_future
    )


SNAPSHOT = cluster(
    brokers("0:a 1:b 2"),
    topic("even", "0,1 1,2 2,0"),
    topic("ill", "0,7 0,7", {0: state(0, "0"), 1: state(-1, "7")}),
    topic("moving", "1,2", adding="2", removing="1"),
    topic("__consumer_offsets", "2", marked=True),
)
OBSERVED = Observed(
    snapshot=SNAPSHOT,
    log_dirs={
        BrokerId(0): [
            LogDir(path="/a", replicas=(log("even", 0, 10), log("ill", 0, 5)), total_bytes=100),
            LogDir(path="/b", replicas=(log("even", 0, 4, is_future=True),)),
        ],
        BrokerId(1): [
            LogDir(path="/a", replicas=(log("even", 0, 11),)),
            LogDir(path="/b", error_code=56),
        ],
    },
    ends={part("even", 0): 100, part("even", 1): 50, part("ill", 0): 7},
    rates={part("even", 0): 2.5, part("even", 1): 1.5},
    releases={BrokerId(0): "2.8"},
)


def test_a_row_of_a_topic_has_the_measures_of_cmak() -> None:
    rows = {row.name: row for row in TopicTable(OBSERVED).page(parse_page({})).rows}
    even, ill = rows["even"], rows["ill"]

    assert (3, 2, 2, 3) == (
        even.partition_count,
        even.replicas_min,
        even.replicas_max,
        even.broker_count,
    )
    assert (0, 0, 100, 0, 100) == (
        even.broker_skew_percent,
        even.leader_skew_percent,
        even.spread_percent,
        even.under_replicated_percent,
        even.preferred_percent,
    )
    assert (25, 150, 4.0) == (even.size_bytes, even.offsets_sum, even.rate)
    # Broker 7 is dead, yet has the topic: 2 of 3 live brokers.
    assert (66, 100, 50) == (
        ill.spread_percent,
        ill.under_replicated_percent,
        ill.preferred_percent,
    )
    assert [False, True] == [even.is_bad, ill.is_bad]
    assert (None, None) == (rows["moving"].offsets_sum, rows["moving"].rate)
    assert rows["__consumer_offsets"].is_internal
    assert rows["__consumer_offsets"].is_marked_for_deletion


@pytest.mark.parametrize("column", COLUMNS)
def test_topics_are_sorted_by_every_column_in_both_directions(column: str) -> None:
    table = TopicTable(OBSERVED)
    up = table.page(parse_page({"sort": column})).rows
    down = table.page(parse_page({"sort": f"-{column}"})).rows

    keys = [COLUMNS[column](row) for row in up if COLUMNS[column](row) is not None]
    assert sorted(keys) == keys
    assert list(reversed(keys)) == [
        COLUMNS[column](row) for row in down if COLUMNS[column](row) is not None
    ]


def test_a_page_in_the_order_of_names_makes_the_rows_that_it_shows_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    row_of = topics.row_of

    def noted(observed: Observed, topic: TopicSnapshot, **sums: Any) -> topics.TopicRow:
        made.append(topic.name)
        return row_of(observed, topic, **sums)

    monkeypatch.setattr(topics, "row_of", noted)
    table = TopicTable(OBSERVED)
    for _ in range(2):
        table.page(parse_page({"size": "2", "page": "2"}))

    assert ["ill", "moving"] == made


def test_where_no_broker_answers_sizes_are_unknown_and_not_nothing() -> None:
    row = TopicTable(Observed(snapshot=SNAPSHOT)).row("even")

    assert (None, None, None) == (row.size_bytes, row.offsets_sum, row.rate)
    assert (None, 3) == (row.unsized_count, row.endless_count)


def test_where_no_broker_is_alive_a_topic_is_spread_over_all() -> None:
    row = TopicTable(Observed(snapshot=cluster({}, topic("t", "0")))).row("t")

    assert 100 == row.spread_percent


def test_a_topic_is_shown_by_partition_and_by_broker() -> None:
    found = topic_page(TopicTable(OBSERVED), "even")
    assert found is not None

    assert [(100, 2.5, 14), (50, 1.5, None), (None, None, None)] == [
        (each.end, each.rate, each.size_bytes) for each in found.partitions
    ]
    assert [(0, True, 14), (1, True, 11), (2, True, None)] == [
        (each.share.broker, each.is_live, each.size_bytes) for each in found.shares
    ]
    row = found.row
    assert (4, 6, 1) == (row.unsized_count, found.replica_count, row.endless_count)
    assert None is topic_page(TopicTable(OBSERVED), "none")


def test_a_broker_has_its_load_and_its_directories() -> None:
    rows = {row.broker: row for row in broker_rows(OBSERVED)}

    assert [True, True, True, False] == [row.is_live for row in rows.values()]
    first = rows[BrokerId(0)]
    assert ("a", "2.8", True, 19) == (
        first.rack,
        first.release,
        first.is_controller,
        first.size_bytes,
    )
    assert [("/a", 2, 15, 100, False), ("/b", 1, 4, None, False)] == [
        (each.path, each.replica_count, each.size_bytes, each.total_bytes, each.has_failed)
        for each in first.dirs or ()
    ]
    assert [False, True] == [each.has_failed for each in rows[BrokerId(1)].dirs or ()]
    assert (None, None) == (rows[BrokerId(7)].dirs, rows[BrokerId(7)].size_bytes)


def test_a_broker_whose_registration_cannot_be_read_is_neither_live_nor_dead() -> None:
    fault = Fault(
        subject=subjects.broker(BrokerId(7)), where="/b", version=None, reason="bad", text="bad"
    )
    rows = broker_rows(Observed(snapshot=replace(SNAPSHOT, faults=(fault,))))

    assert [True, True, True, None] == [row.is_live for row in rows]


def test_the_cluster_at_a_glance_counts_what_is_bad() -> None:
    found = overview_of(OBSERVED)

    assert (ids("0,1,2"), ids("7"), 0) == (found.live, found.dead, found.controller)
    assert (4, 1, 7, 13) == (
        found.topic_count,
        found.internal_count,
        found.partition_count,
        found.replica_count,
    )
    assert 2 == found.findings[Finding.UNDER_REPLICATED]
    assert (2, 30, 4.0) == (found.bad_count, found.size_bytes, found.rate)
    assert ids("2,7") == found.unsized


def test_what_is_moved_is_shown_with_what_has_caught_up() -> None:
    requested = replace(SNAPSHOT, moving={part("even", 0): ids("1,2")})
    found = {str(each.partition): each for each in moving_rows(Observed(snapshot=requested))}

    assert ["even-0", "moving-0"] == list(found)
    assert (ids("2"), ids("0"), ()) == (
        found["even-0"].adding,
        found["even-0"].removing,
        found["even-0"].caught_up,
    )
    assert ids("2") == found["moving-0"].caught_up


def test_rates_are_known_from_the_second_look_on_and_not_of_shorter_logs() -> None:
    before = {part("t", 0): 10, part("t", 1): 10}
    after = {part("t", 0): 30, part("t", 1): 5, part("t", 2): 9}

    assert {part("t", 0): 4.0} == rates_between(before, after, 5.0)
    assert {} == rates_between(before, after, 0.0)


def look(time_ms: int, name: str, committed: int, end: int) -> Look:
    group = Group(
        name=name,
        state="Stable",
        assignor="range",
        coordinator=Coordinator(id=BrokerId(2), host="h", port=1),
        members=(Member(id="m", client_id="c", host="h"),),
    )
    row = PartitionLag(
        partition=part("t", 0), committed=committed, end=end, unread_since_ms=1, member=None
    )
    return Look(time_ms=time_ms, group=group, rows=(row,))


def test_a_group_has_its_lag_and_its_verdict() -> None:
    listed = [
        ListedGroup(name="idle", protocol_type="", state="Empty", type=None, coordinator=None),
        ListedGroup(name="late", protocol_type="", state=None, type=None, coordinator=None),
    ]
    verdict = judge([look(1_000, "late", 5, 10), look(2_001, "late", 5, 20)], behind_ms=100)
    idle, late = group_rows(listed, [verdict])

    assert ("Empty", None, None, None) == (idle.state, idle.lag, idle.verdict, idle.member_count)
    assert ("Stable", 2, 1, 1, 15, 2_000) == (
        late.state,
        late.coordinator,
        late.member_count,
        late.topic_count,
        late.lag,
        late.lag_ms,
    )
    assert Verdict.STOPPED is late.verdict
    assert 0.0 == late.read_per_s
