"""Elections: who would lead, who cannot, and what it costs."""

import pytest

from cluster.model.admin import PartitionList
from cluster.model.fault import Fault
from cluster.model.ids import BrokerId, TopicPartition
from cluster.zk.admin import encode_preferred_election
from kadmin.plan import election as election_module
from kadmin.plan.election import (
    BATCH_MAX,
    ElectionPlan,
    ElectionType,
    PartitionElection,
    Prospect,
    all_partitions,
    has_another_leader,
    in_batches,
    plan_election,
    state_subject,
)
from tests.kadmin.builders import brokers, cluster, state, topic

PARTITION = TopicPartition("t", 0)
THREE = brokers("0 1 2")
MOVES, VALID, IMPOSSIBLE = Prospect.MOVES, Prospect.VALID, Prospect.IMPOSSIBLE


def election(kind: ElectionType, leader: int, replicas: str, isr: str) -> PartitionElection:
    snapshot = cluster(THREE, topic("t", replicas, {0: state(leader, isr)}))
    (found,) = plan_election(snapshot, kind, [PARTITION])
    assert found.partition == PARTITION
    assert found.leader == (None if leader < 0 else leader)
    return found


@pytest.mark.parametrize(
    ("leader", "replicas", "isr", "prospect", "elected", "reason"),
    [
        (0, "0,1", "0,1", VALID, 0, ""),
        (1, "0,1", "0,1", MOVES, 0, ""),
        (-1, "0,1", "1,0", MOVES, 0, ""),
        (1, "0,1", "1", IMPOSSIBLE, None, "broker 0, its preferred leader, is not in the ISR"),
        (1, "9,1", "1", IMPOSSIBLE, None, "broker 9, its preferred leader, is not alive"),
        (9, "9,1", "9", IMPOSSIBLE, None, "broker 9, its preferred leader, is not alive"),
    ],
)
def test_the_first_replica_leads_if_it_is_alive_and_in_the_isr(
    leader: int, replicas: str, isr: str, prospect: Prospect, elected: int | None, reason: str
) -> None:
    found = election(ElectionType.PREFERRED, leader, replicas, isr)

    assert (found.prospect, found.elected, found.reason) == (prospect, elected, reason)
    assert not found.loses_records


@pytest.mark.parametrize(
    ("leader", "replicas", "isr", "prospect", "elected", "loses_records"),
    [
        (1, "0,1", "1", VALID, 1, False),
        (0, "0,1", "0", VALID, 0, False),
        (-1, "9,1,2", "9", MOVES, 1, True),
        (9, "9,1,2", "9", MOVES, 1, True),
        (-1, "0,9", "9", MOVES, 0, True),
        (-1, "1,2", "2", MOVES, 2, False),
        (-1, "9,8", "9", IMPOSSIBLE, None, False),
        (-2, "9,8", "9", IMPOSSIBLE, None, False),
    ],
)
def test_an_unclean_election_is_for_partitions_without_a_living_leader(
    leader: int,
    replicas: str,
    isr: str,
    prospect: Prospect,
    elected: int | None,
    loses_records: bool,
) -> None:
    found = election(ElectionType.UNCLEAN, leader, replicas, isr)

    assert (found.prospect, found.elected) == (prospect, elected)
    assert found.loses_records is loses_records
    assert found.reason == ("none of its replicas is alive" if prospect is IMPOSSIBLE else "")


@pytest.mark.parametrize("kind", ElectionType)
def test_there_is_no_election_without_a_partition(kind: ElectionType) -> None:
    snapshot = cluster(
        THREE, topic("t", "0,1", {}), topic("going", "0,1", marked=True), topic("u", "0,1")
    )
    asked = [
        TopicPartition("gone", 0),
        TopicPartition("u", 1),
        TopicPartition("going", 0),
        TopicPartition("t", 0),
        TopicPartition("u", 0),
    ]

    found = plan_election(snapshot, kind, asked)

    assert [item.partition for item in found] == asked
    assert [(item.prospect, item.reason) for item in found] == [
        (IMPOSSIBLE, "there is no such partition"),
        (IMPOSSIBLE, "there is no such partition"),
        (IMPOSSIBLE, "its topic is marked for deletion"),
        (IMPOSSIBLE, "no controller has taken it up yet"),
        (VALID, ""),
    ]


def test_all_partitions_are_those_of_topics_that_stay() -> None:
    snapshot = cluster(THREE, topic("b", "0 1"), topic("a", "2"), topic("going", "0", marked=True))

    assert list(map(str, all_partitions(snapshot))) == ["a-0", "b-0", "b-1"]


def test_a_partition_whose_state_is_damaged_is_none_of_all() -> None:
    fault = Fault(
        subject=state_subject(TopicPartition("a", 1)), where="", version=1, reason="", text=""
    )
    snapshot = cluster(THREE, topic("a", "0 1 2"), faults=(fault,))

    assert list(map(str, all_partitions(snapshot))) == ["a-0", "a-2"]


def elections(text: str) -> list[PartitionElection]:
    """`3m 1v` is partition 3, which moves, and 1, which has its leader."""
    prospects = {"m": MOVES, "v": VALID, "i": IMPOSSIBLE}
    return [
        PartitionElection(
            partition=TopicPartition("t", int(word[:-1])), prospect=prospects[word[-1]]
        )
        for word in text.split()
    ]


@pytest.mark.parametrize(
    ("text", "batches"),
    [
        ("", [""]),
        ("1v 0i", ["0i 1v"]),
        ("3m 1v 2m 0i", ["0i 1v 2m 3m"]),
        ("9v 3m 1m 4m 2m 5m 0i", ["0i 1m 2m 9v", "3m 4m", "5m"]),
        ("4m 3m 1m 2m", ["1m 2m", "3m 4m"]),
    ],
)
def test_no_batch_moves_more_than_fit(
    monkeypatch: pytest.MonkeyPatch, text: str, batches: list[str]
) -> None:
    monkeypatch.setattr(election_module, "BATCH_MAX", 2)

    found = in_batches(elections(text))

    assert found == [tuple(elections(batch)) for batch in batches]


def test_a_batch_fits_into_a_znode_whatever_its_topics_are_called() -> None:
    longest = PartitionList(partitions=(TopicPartition("t" * 249, 2**31 - 1),) * BATCH_MAX)

    assert len(encode_preferred_election(longest)) < 700_000


def test_a_plan_tells_what_moves_and_what_loses_records() -> None:
    plan = ElectionPlan(
        kind=ElectionType.UNCLEAN,
        elections=tuple(
            election(ElectionType.UNCLEAN, leader, replicas, isr)
            for leader, replicas, isr in ((1, "0,1", "1"), (-1, "9,1", "9"), (-1, "1,2", "2"))
        ),
    )

    assert [each.elected for each in plan.moving] == [1, 2]
    assert [each.elected for each in plan.losing] == [1]


@pytest.mark.parametrize(
    ("before", "now", "is_another"),
    [(None, -1, False), (None, 0, True), (0, 0, False), (0, 1, True), (1, -1, False)],
)
def test_another_leader_is_one_that_was_none_before(
    before: int | None, now: int, is_another: bool
) -> None:
    planned = PartitionElection(
        partition=PARTITION,
        prospect=MOVES,
        leader=None if before is None else BrokerId(before),
    )

    assert has_another_leader(planned, BrokerId(now)) == is_another


@pytest.mark.parametrize("kind", ElectionType)
def test_nobody_is_elected_where_there_are_no_replicas(kind: ElectionType) -> None:
    made = topic("t", "- -", {0: state(-1, ""), 1: state(1, "1")})
    partitions = [TopicPartition("t", number) for number in (0, 1)]

    elections = plan_election(cluster(brokers("1"), made), kind, partitions)

    assert [(Prospect.IMPOSSIBLE, "it has no replicas")] * 2 == [
        (each.prospect, each.reason) for each in elections
    ]
