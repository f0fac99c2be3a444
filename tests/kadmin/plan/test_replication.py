"""Which partitions lack something, whom one asks how much, and what the answers come to."""

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.replication import (
    is_unavailable,
    judge_replication,
    lags_of,
    replicas_out,
    to_be_asked,
)
from tests.kadmin.builders import brokers, cluster, state, topic

ONE, TWO, THREE = BrokerId(1), BrokerId(2), BrokerId(3)
FIRST = TopicPartition("a", 0)
SNAPSHOT = cluster(
    brokers("1 2 3"),
    topic("a", "1,2,3 1,2,3", {0: state(1, "1"), 1: state(1, "1,2,3")}),
    topic("b", "2,3 3", {0: state(2, "2"), 1: state(-1, "3")}),
)


def test_what_lacks_something_is_told_of_worst_first_and_whoever_leads_or_is_out_is_asked() -> None:
    found = judge_replication(SNAPSHOT)

    assert 4 == found.count
    assert [("b", 1, True), ("a", 0, False), ("b", 0, False)] == [
        (view.topic, view.partition, is_unavailable(view)) for view in found.lacking
    ]
    assert [(), (TWO, THREE), (THREE,)] == [replicas_out(view) for view in found.lacking]
    second = TopicPartition("b", 0)
    assert {ONE: [FIRST], TWO: [FIRST, second], THREE: [FIRST, second]} == to_be_asked(found)


def test_a_lag_is_what_is_missing_up_to_the_leaders_end_where_both_have_told_theirs() -> None:
    view = judge_replication(SNAPSHOT).lacking[1]

    assert {TWO: 70, THREE: 0} == lags_of(
        view, {ONE: {FIRST: 100}, TWO: {FIRST: 30}, THREE: {FIRST: 101}}
    )
    assert {TWO: None, THREE: 100} == lags_of(view, {ONE: {FIRST: 100}, THREE: {FIRST: 0}})
    assert {TWO: None, THREE: None} == lags_of(view, {TWO: {FIRST: 30}, THREE: {}})


def test_what_has_no_leader_is_not_asked_for() -> None:
    (view,) = judge_replication(
        cluster(brokers("1 2"), topic("a", "1,2", {0: state(-1, "1")}))
    ).lacking

    assert {TWO: None} == lags_of(view, {TWO: {FIRST: 30}})
