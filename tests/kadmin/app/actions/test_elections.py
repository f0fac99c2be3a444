"""When has an election by the page failed?"""

from dataclasses import replace

import pytest

from cluster.model.ids import TopicPartition
from kadmin.app.actions.elections import ElectLeaders
from kadmin.app.actions.noting_session import NotingSession
from kadmin.execute.elect import ElectionRequest, Elections, NotElected
from kadmin.plan.election import ElectionPlan, ElectionType, PartitionElection, Prospect
from kadmin.plan.election_results import PartitionResult, Result
from tests.kadmin.execute.test_elect import Admin

STAYS, MOVES = TopicPartition("t", 0), TopicPartition("t", 1)
ALL = ElectLeaders(kind=ElectionType.PREFERRED, partitions=None)
PLAN = ElectionPlan(
    kind=ElectionType.PREFERRED,
    elections=(
        PartitionElection(partition=STAYS, prospect=Prospect.IMPOSSIBLE),
        PartitionElection(partition=MOVES, prospect=Prospect.MOVES),
    ),
)


def finished(action: ElectLeaders, *failed: TopicPartition) -> list[str]:
    """The notes of an election in which those have *failed*."""
    session = NotingSession({})
    request = ElectionRequest(kind=action.kind, partitions=action.partitions, timeout_s=1)
    change = Elections(Admin({}), request, session)
    change.written = [PLAN]
    for each in PLAN.elections:
        result = Result.FAILED if each.partition in failed else Result.ELECTED
        change.results[each.partition] = PartitionResult(election=each, result=result)
    action.finish(session, change)
    return session.notes


def test_what_was_planned_to_stay_has_not_failed() -> None:
    assert ["1 partition stayed as planned"] == finished(ALL, STAYS)
    assert [] == finished(ALL)


@pytest.mark.parametrize(
    ("action", "failed"), [(ALL, MOVES), (replace(ALL, partitions=(STAYS,)), STAYS)]
)
def test_what_was_to_move_or_was_named_has(action: ElectLeaders, failed: TopicPartition) -> None:
    with pytest.raises(NotElected):
        finished(action, failed)


def test_only_a_new_leader_is_a_change() -> None:
    assert ALL.changes(PLAN)
    assert not ALL.changes(replace(PLAN, elections=PLAN.elections[:1]))
