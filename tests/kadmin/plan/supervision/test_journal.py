"""The journal of a run: what is written is read, and damage is named."""

import json

import pytest

from cluster.model.ids import ZkVersion
from kadmin.plan.supervision.gates import Gate
from kadmin.plan.supervision.journal import BadRun, document_of, run_of, run_text
from kadmin.plan.supervision.run import Goal, MoveRun, RunState, Settings
from tests.kadmin.cli.reassign.runs.plans import plan_of, planned

PLAN = plan_of(planned("t-0", "1 -> 2"))
RUN = MoveRun(
    run_id="20261128-221500-a1b2",
    plan=PLAN,
    by="me@here",
    began_at_ms=5,
    ended_at_ms=9,
    state=RunState.FAILED,
    goal=Goal.CANCEL,
    settings=Settings(
        max_moves=2,
        max_moves_total=7,
        rate=10,
        is_adaptive=True,
        overrides=frozenset({Gate.RACKS, Gate.MIN_ISR}),
    ),
    epoch=3,
    supervisor="me@here (process 7)",
    reason="cancelled",
    zk_version=ZkVersion(4),
)


def test_what_is_written_is_read() -> None:
    assert RUN == run_of(document_of(run_text(RUN)), PLAN, ZkVersion(4))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": 2}, "its version is 2, and not 1"),
        ({"state": "interrupted?"}, "is not a valid RunState"),
        ({"epoch": "3"}, "'epoch' is no number"),
        ({"by": None}, "'by' is no text"),
        ({"settings": []}, "it has no object 'settings'"),
        ({"settings": {"overrides": [], "max_moves": "2"}}, "'max_moves' is no number"),
        ({"settings": {"overrides": ["no"], "max_moves": 2}}, "'no' is not a valid Gate"),
        ({"state": "interrupted"}, "its state is 'interrupted'"),
        ({"ended_at_ms": None}, "it has ended, and not when"),
    ],
)
def test_damage_is_named(change: dict[str, object], reason: str) -> None:
    text = json.dumps({**json.loads(run_text(RUN)), **change})

    with pytest.raises(BadRun, match=reason):
        run_of(document_of(text), PLAN)


@pytest.mark.parametrize("text", ["", "{", "[]", "7"])
def test_what_is_no_json_object_is_no_journal(text: str) -> None:
    with pytest.raises(BadRun):
        document_of(text)
