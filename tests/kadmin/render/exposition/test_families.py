"""Families of metrics: are they those of kafka_exporter, and does Prometheus's parser read them?"""

from collections.abc import Iterable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from cluster.model.ids import BrokerId
from kadmin.plan.check.findings import CheckReport, Finding, Kind, Severity
from kadmin.plan.groups.lag import lags_of
from kadmin.plan.groups.verdict import Look, judge
from kadmin.render.exposition.cluster import cluster_families
from kadmin.render.exposition.findings import finding_families
from kadmin.render.exposition.groups import group_families
from kadmin.render.exposition.polls import PollHealth, poll_families
from kadmin.render.exposition.text import Family, exposition, labels
from kadmin.reports.exported import Exported
from kadmin.reports.groups import GroupLag, GroupsReport
from tests.kadmin.builders import brokers, state, topic
from tests.kadmin.plan.groups.builders import T0, T1, U0, group, logs, member

HOSTILE: Final = 'a "quoted" \\ name\nof }{two="lines",'

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]

DASHBOARD: Final = {
    "kafka_topic_partition_current_offset": {"topic", "partition"},
    "kafka_consumergroup_lag": {"consumergroup", "topic", "partition"},
    "kafka_consumergroup_current_offset": {"consumergroup", "topic", "partition"},
    "kafka_topic_partitions": {"topic"},
}
"""What the panels of kafka_exporter's dashboard (Grafana's 7589) ask for, with its labels."""

OF_KAFKA_EXPORTER: Final = {
    "kafka_brokers": set(),
    "kafka_broker_info": {"id", "address"},
    "kafka_topic_partition_oldest_offset": {"topic", "partition"},
    "kafka_topic_partition_leader": {"topic", "partition"},
    "kafka_topic_partition_replicas": {"topic", "partition"},
    "kafka_topic_partition_in_sync_replica": {"topic", "partition"},
    "kafka_topic_partition_leader_is_preferred": {"topic", "partition"},
    "kafka_topic_partition_under_replicated_partition": {"topic", "partition"},
    "kafka_consumergroup_current_offset_sum": {"consumergroup", "topic"},
    "kafka_consumergroup_lag_sum": {"consumergroup", "topic"},
    "kafka_consumergroup_members": {"consumergroup"},
    **DASHBOARD,
}


def parsed(families: Iterable[Family]) -> Samples:
    text = exposition(families).decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def found(samples: Samples, name: str, **values: str) -> float | None:
    return samples.get((name, tuple(sorted(values.items()))))


def exported(group_name: str = "g") -> Exported:
    """Two partitions of t, of which the second has no leader; the group lags in the first, and has
    read a topic that is gone."""
    ends = logs({T0: (2, 10)}, gone=[U0], unknown={T1: "it has no leader"})
    reader = group(group_name, member("m", T0, T1))
    rows = [
        row
        if row.partition != T0
        else type(row)(
            partition=T0, committed=4, start=2, end=10, member=row.member, unread_since_ms=1_000
        )
        for row in lags_of(reader, {T0: 4, U0: 7}, ends)
    ]
    report = GroupsReport(groups=(GroupLag(group=reader, rows=tuple(rows)),), now_ms=3_500)
    look = Look(time_ms=3_500, group=reader, rows=tuple(rows))
    return Exported(
        brokers=brokers("1 2"),
        topics={"t": topic("t", "1,2 2,1", {0: state(1, "1"), 1: state(-1, "2")})},
        logs=ends,
        groups=report,
        verdicts=(judge([look], 0),),
        silent={},
    )


def test_each_metric_of_kafka_exporter_is_there_with_its_labels() -> None:
    samples = parsed([*cluster_families(exported()), *group_families(exported())])

    names = {name: {key for key, _ in pairs} for name, pairs in samples}
    assert OF_KAFKA_EXPORTER == {name: names.get(name) for name in OF_KAFKA_EXPORTER}


def test_topics_have_their_offsets_and_the_state_of_their_partitions() -> None:
    samples = parsed(cluster_families(exported()))
    first, second = ({"topic": "t", "partition": number} for number in "01")
    name = "kafka_topic_partition"

    assert 2 == found(samples, "kafka_brokers")
    assert 1 == found(samples, "kafka_broker_info", id="1", address="127.0.0.1:9093")
    assert 2 == found(samples, "kafka_topic_partitions", topic="t")
    assert 10 == found(samples, f"{name}_current_offset", **first)
    assert 2 == found(samples, f"{name}_oldest_offset", **first)
    assert 1 == found(samples, f"{name}_leader", **first)
    assert 1 == found(samples, f"{name}_leader_is_preferred", **first)
    assert 1 == found(samples, f"{name}_in_sync_replica", **first)
    assert 2 == found(samples, f"{name}_replicas", **first)
    assert 1 == found(samples, f"{name}_under_replicated_partition", **first)
    # No leader is no number, and no preferred one.
    assert found(samples, f"{name}_leader", **second) is None
    assert found(samples, f"{name}_current_offset", **second) is None
    assert 0 == found(samples, f"{name}_leader_is_preferred", **second)


def test_groups_have_their_lag_in_records_and_seconds() -> None:
    samples = parsed(group_families(exported()))
    read = {"consumergroup": "g", "topic": "t", "partition": "0"}
    name = "kafka_consumergroup"

    assert 1 == found(samples, f"{name}_members", consumergroup="g")
    assert 1 == found(samples, f"{name}_state", consumergroup="g", state="Stable")
    assert 4 == found(samples, f"{name}_current_offset", **read)
    assert 6 == found(samples, f"{name}_lag", **read)
    assert 2.5 == found(samples, f"{name}_lag_seconds", **read)
    assert 6 == found(samples, f"{name}_lag_sum", consumergroup="g", topic="t")
    assert 4 == found(samples, f"{name}_current_offset_sum", consumergroup="g", topic="t")
    assert 1 == found(samples, f"{name}_verdict", consumergroup="g", verdict="behind")


def test_what_is_not_known_is_left_out_and_counts_in_no_sum() -> None:
    samples = parsed(group_families(exported()))
    uncommitted = {"consumergroup": "g", "topic": "t", "partition": "1"}
    gone = {"consumergroup": "g", "topic": "u", "partition": "0"}
    name = "kafka_consumergroup"

    assert found(samples, f"{name}_current_offset", **uncommitted) is None
    assert found(samples, f"{name}_lag", **uncommitted) is None
    assert 7 == found(samples, f"{name}_current_offset", **gone)
    assert found(samples, f"{name}_lag", **gone) is None
    assert found(samples, f"{name}_lag_sum", consumergroup="g", topic="u") is None


def test_names_with_any_characters_are_read_back_as_they_are() -> None:
    samples = parsed(group_families(exported(HOSTILE)))

    assert 1 == found(samples, "kafka_consumergroup_members", consumergroup=HOSTILE)
    assert 6 == found(
        samples, "kafka_consumergroup_lag", consumergroup=HOSTILE, topic="t", partition="0"
    )


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")))
def test_any_text_is_a_label(text: str) -> None:
    samples = parsed([Family("name", "help", {labels(value=text): 1})])

    assert {("name", (("value", text),)): 1.0} == samples


def test_findings_are_counted_by_severity_and_kind() -> None:
    finding = Finding(severity=Severity.WARNING, kind=Kind.SKEW, text="skewed")
    report = CheckReport(
        findings=(finding, finding),
        unlooked=("log directories",),
        broker_count=1,
        controller=BrokerId(1),
        topic_count=0,
        partition_count=0,
    )
    samples = parsed(finding_families(report))

    counts = {each: found(samples, "kafka_check_findings", severity=each) for each in Severity}
    assert {Severity.CRITICAL: 0, Severity.WARNING: 2, Severity.NOTE: 0} == counts
    assert 2 == found(samples, "kafka_check_findings_of_kind", kind="skew")
    assert 0 == found(samples, "kafka_check_findings_of_kind", kind="offline")
    assert 1 == found(samples, "kafka_check_unlooked")


@pytest.mark.parametrize("has_answer", [True, False])
def test_a_poll_has_an_age_if_it_has_ever_been_answered(has_answer: bool) -> None:
    health = PollHealth(
        is_up=has_answer,
        age_s=7.5 if has_answer else None,
        took_s=1.25 if has_answer else None,
        number=3,
        failure_count=2,
        late_count=1,
        unanswered={"groups": 4} if has_answer else {},
    )
    samples = parsed(poll_families({"cluster": health}))

    assert int(has_answer) == found(samples, "kafka_exporter_up", poll="cluster")
    age_s = found(samples, "kafka_exporter_age_seconds", poll="cluster")
    assert (7.5 if has_answer else None) == age_s
    assert 3 == found(samples, "kafka_exporter_polls_total", poll="cluster")
    assert 2 == found(samples, "kafka_exporter_poll_failures_total", poll="cluster")
    assert 1 == found(samples, "kafka_exporter_polls_late_total", poll="cluster")
    unanswered = found(samples, "kafka_exporter_untold", poll="cluster", what="groups")
    assert (4 if has_answer else None) == unanswered
