"""The spread of a topic over brokers, by CMAK's definitions."""

from hypothesis import given
from hypothesis import strategies as st

from kadmin.reports.views.spread import shares_of
from tests.kadmin.builders import state, topic


def test_a_broker_is_skewed_that_has_more_than_the_mean_rounded_up() -> None:
    shares = shares_of(topic("t", "0,1 0,2 0,1 0,2"))

    assert [(0, 4, True), (1, 2, False), (2, 2, False)] == [
        (each.broker, len(each.partitions), each.is_skewed) for each in shares
    ]
    assert [(0, 1, 2, 3), (), ()] == [each.leaders for each in shares]
    assert [True, False, False] == [each.is_leader_skewed for each in shares]


def test_an_even_topic_has_no_skew() -> None:
    shares = shares_of(topic("t", "0,1 1,2 2,0"))

    assert not any(each.is_skewed or each.is_leader_skewed for each in shares)


def test_a_partition_without_leader_or_replicas_is_nobodys() -> None:
    shares = shares_of(topic("t", "0,0 -", {0: state(-1, "0"), 1: state(-1, "")}))

    assert [(0, (0,), ())] == [(each.broker, each.partitions, each.leaders) for each in shares]


def test_a_leader_that_has_no_replica_is_shown() -> None:
    shares = shares_of(topic("t", "0", {0: state(5, "5")}))

    assert [(0, (0,), ()), (5, (), (0,))] == [
        (each.broker, each.partitions, each.leaders) for each in shares
    ]


def test_a_topic_without_partitions_is_on_no_broker() -> None:
    assert [] == shares_of(topic("t", ""))


replica_lists = st.lists(st.permutations(range(5)).map(lambda ids: ids[:3]), max_size=12)


@given(replica_lists)
def test_every_replica_and_leader_is_in_one_share(layout: list[list[int]]) -> None:
    made = topic("t", " ".join(",".join(map(str, replicas)) for replicas in layout))
    shares = shares_of(made)

    assert 3 * len(layout) == sum(len(each.partitions) for each in shares)
    assert list(range(len(layout))) == sorted(n for each in shares for n in each.leaders)
    # Never all brokers of a topic: somebody has at most the mean.
    assert not shares or not all(each.is_skewed for each in shares)
