"""Progress: how far is a run, by where its partitions are?"""

import pytest

from kadmin.plan.supervision.progress import progress_of
from kadmin.plan.supervision.run import Goal, MoveRun
from kadmin.plan.supervision.view import View
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.cli.reassign.runs.plans import plan_of, planned


@pytest.mark.parametrize(
    ("goal", "arrived"), [(Goal.FORWARD, 1), (Goal.CANCEL, 1), (Goal.ROLLBACK, 2)]
)
def test_only_what_is_where_the_run_goes_is_done(goal: Goal, arrived: int) -> None:
    """What a cancellation has left where it was is none of the moves that were made."""
    moves = [planned(f"t-{number}", "1 -> 2") for number in range(3)]
    run = MoveRun(run_id="r", plan=plan_of(*moves), by="me", began_at_ms=0, goal=goal)
    snapshot = cluster(brokers("1 2"), topic("t", "2 1 1"))

    progress = progress_of(run, View(snapshot=snapshot, now_ms=0, time_ms=0))

    assert arrived == progress.arrived
