"""Results of elections: is each partition told for what it is?"""

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.election import ElectionPlan, ElectionType, PartitionElection, Prospect
from kadmin.plan.election_results import (
    PartitionResult,
    Result,
    pending_results,
    results_of,
)

PART = TopicPartition("t", 0)


def election(prospect: Prospect, leader: int | None, reason: str = "") -> PartitionElection:
    return PartitionElection(
        partition=PART,
        prospect=prospect,
        leader=None if leader is None else BrokerId(leader),
        reason=reason,
    )


def plan(*elections: PartitionElection) -> ElectionPlan:
    return ElectionPlan(kind=ElectionType.PREFERRED, elections=elections)


MOVES = election(Prospect.MOVES, 1)
VALID = election(Prospect.VALID, 0)
IMPOSSIBLE = election(Prospect.IMPOSSIBLE, 1, "broker 0, its preferred leader, is not alive")


def found(
    result: Result, leader: int | None, reason: str = "", of: PartitionElection = MOVES
) -> PartitionResult:
    return PartitionResult(
        election=of,
        result=result,
        leader=None if leader is None else BrokerId(leader),
        reason=reason,
    )


@pytest.mark.parametrize(
    ("now", "refused", "pending", "expected"),
    [
        (VALID, "", False, found(Result.ELECTED, 0)),
        (VALID, "too late", True, found(Result.ELECTED, 0)),
        (MOVES, "not now", True, found(Result.FAILED, 1, "not now")),
        (MOVES, "", True, found(Result.PENDING, 1)),
        (MOVES, "", False, found(Result.FAILED, 1, "the controller has not elected it")),
        (IMPOSSIBLE, "", False, found(Result.FAILED, 1, IMPOSSIBLE.reason)),
        (IMPOSSIBLE, "", True, found(Result.PENDING, 1)),
    ],
)
def test_what_has_come_of_it_is_seen_afterwards(
    now: PartitionElection, refused: str, pending: bool, expected: PartitionResult
) -> None:
    refusals = {PART: refused} if refused else {}

    assert [expected] == list(
        results_of(plan(MOVES), [now], refusals, {PART} if pending else frozenset())
    )


def test_what_was_not_asked_for_stays_what_it_was() -> None:
    expected = [
        found(Result.VALID, 0, of=VALID),
        found(Result.FAILED, 1, IMPOSSIBLE.reason, of=IMPOSSIBLE),
    ]

    assert expected == list(results_of(plan(VALID, IMPOSSIBLE), [MOVES, VALID], {}, ()))
    assert [*expected, found(Result.PENDING, 1)] == list(
        pending_results(plan(VALID, IMPOSSIBLE, MOVES))
    )
