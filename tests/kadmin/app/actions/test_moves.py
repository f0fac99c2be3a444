"""What a run of moves is called where it is confirmed, and in the audit log."""

import pytest

from kadmin.app.actions.moves import RunMoves
from kadmin.plan.supervision.run import Settings
from tests.kadmin.cli.reassign.runs.plans import plan_of, planned


@pytest.mark.parametrize(
    ("move", "verb"),
    [
        ("1,2 -> 2,1", "Change the preferred leaders of 1 partition"),
        ("1 -> 1,2,3", "Add 2 replicas"),
        ("1,2 -> 1", "Remove 1 replica"),
        ("1,2 -> 3,2", "Move 1 replica off broker 1"),
    ],
)
def test_a_run_is_called_what_it_does(move: str, verb: str) -> None:
    made = plan_of(planned("t-0", move))
    run = RunMoves(made=made, options="", settings=Settings(), by="ann", supervise=lambda _: None)

    assert verb == run.verb
