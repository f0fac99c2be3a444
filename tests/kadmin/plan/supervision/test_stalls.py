"""Stalls and the adaptive throttle: what does a move wait for, and how fast may it be?"""

from dataclasses import replace

import pytest

from cluster.model.ids import BrokerId
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.reassignment.sizes import Sizes
from kadmin.plan.supervision.pace import FIRST, HURT_MS, LEAST, QUIET_MS, Pace
from kadmin.plan.supervision.run import MoveRun, Settings
from kadmin.plan.supervision.stalls import PATIENCE_MS, Stall, Watcher
from kadmin.plan.supervision.view import View
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.kadmin.cli.reassign.runs.plans import plan_of, planned

MOVE = planned("t-0", "1 -> 2", size=100)
MOVING = topic("t", "2,1", {0: state(1, "1")}, adding="2", removing="1")
ONE, TWO = BrokerId(1), BrokerId(2)


def seen(snapshot: ClusterSnapshot, now_ms: int, copied: int | None = None) -> View:
    sizes: Sizes = {} if copied is None else {MOVE.partition: {ONE: 100, TWO: copied}}
    return View(snapshot=snapshot, now_ms=now_ms, time_ms=1_000_000 + now_ms, sizes=sizes)


def stalls_of(*views: View, rate: int | None = None) -> list[Stall]:
    watcher = Watcher()
    found: list[Stall] = []
    for view in views:
        standings = view.standings((MOVE,))
        found = list(watcher.stalls({MOVE.partition: MOVE}, standings, view, rate))
    return found


WELL = cluster(brokers("1 2"), MOVING)
DEAD = cluster(brokers("1"), MOVING)
ALONE = replace(WELL, controller=None)
LEADERLESS = cluster(brokers("1 2"), replace(MOVING, states={0: state(-1, "1")}))
CAUGHT_UP = cluster(brokers("1 2"), replace(MOVING, states={0: state(1, "1,2")}))


@pytest.mark.parametrize(
    ("snapshot", "copied", "reason"),
    [
        (ALONE, (0, 0), "there is no controller"),
        (DEAD, (0, 0), "broker 2 is not alive"),
        (LEADERLESS, (0, 0), "it has no leader to copy from"),
        (WELL, (10, 10), "broker 2 does not fetch"),
        (WELL, (None, None), "broker 2 is not in sync yet"),
        (WELL, (10, 5), "the throttle of 9 B/s is below its produce rate"),
        (CAUGHT_UP, (100, 100), "its replicas are in sync, and the controller does not end it"),
    ],
)
def test_a_stall_names_its_reason(
    snapshot: ClusterSnapshot, copied: tuple[int | None, int | None], reason: str
) -> None:
    views = [seen(snapshot, at, each) for at, each in zip((0, PATIENCE_MS), copied, strict=True)]

    (stall,) = stalls_of(*views, rate=9)

    assert reason in stall.reason


@pytest.mark.parametrize(
    ("silent", "snapshot", "reasons"),
    [
        (TWO, WELL, ["t-0: broker 2 does not answer"]),
        (ONE, WELL, ["t-0: broker 1, which leads it, does not answer"]),
        (TWO, CAUGHT_UP, []),
    ],
)
def test_a_broker_that_does_not_answer_is_named_at_once(
    silent: BrokerId, snapshot: ClusterSnapshot, reasons: list[str]
) -> None:
    view = replace(seen(snapshot, 0), silent=frozenset([silent]))

    assert reasons == list(map(str, stalls_of(view)))


def test_what_gets_on_is_no_stall_and_what_stopped_is_one_since_then() -> None:
    got_on = [seen(WELL, 0, 10), seen(WELL, PATIENCE_MS, 20)]

    assert [] == stalls_of(*got_on)
    (stall,) = stalls_of(*got_on, seen(WELL, 2 * PATIENCE_MS, 20))
    assert 1_000_000 + PATIENCE_MS == stall.since_ms


@pytest.mark.parametrize(
    ("copied", "reason"),
    [
        ((10, 20), "broker 2 copies other moves first, at a throttle of 9 B/s"),
        ((10, 10), "broker 2 does not fetch"),
    ],
    ids=["another gets on", "none gets on"],
)
def test_a_move_that_waits_behind_others_of_its_broker_does_not_blame_it(
    copied: tuple[int, int], reason: str
) -> None:
    other = planned("u-0", "1 -> 2", size=100)
    moves = {each.partition: each for each in (MOVE, other)}
    snapshot = cluster(brokers("1 2"), MOVING, replace(MOVING, name="u"))
    watcher = Watcher()
    for at, there in zip((0, PATIENCE_MS), copied, strict=True):
        view = seen(snapshot, at, 10)
        view = replace(view, sizes={**view.sizes, other.partition: {ONE: 100, TWO: there}})
        stalls = list(watcher.stalls(moves, view.standings(tuple(moves.values())), view, 9))

    assert reason == stalls[0].reason
    assert MOVE.partition == stalls[0].partition


def test_an_adaptive_throttle_halves_when_replicas_fall_out_and_recovers() -> None:
    kept = planned("t-0", "1,2 -> 1,3")
    run = MoveRun(
        run_id="r", plan=plan_of(kept), by="me", began_at_ms=0,
        settings=Settings(rate=FIRST, is_adaptive=True),
    )  # fmt: skip
    well = cluster(brokers("1 2 3"), topic("t", "1,2"))
    hurt = cluster(brokers("1 2 3"), topic("t", "1,2", {0: state(2, "2")}))
    pace = Pace()

    def rate_at(snapshot: ClusterSnapshot, now_ms: int, rate: int = FIRST) -> int:
        paced = replace(run, settings=replace(run.settings, rate=rate))
        return pace.next_rate(paced, View(snapshot=snapshot, now_ms=now_ms, time_ms=0), ())[0]

    assert FIRST == rate_at(well, 0)
    assert FIRST == rate_at(hurt, HURT_MS - 1)
    assert FIRST // 2 == rate_at(hurt, HURT_MS)
    assert FIRST // 2 == rate_at(hurt, HURT_MS + 1, FIRST // 2), "not again before it has an effect"
    assert LEAST == rate_at(hurt, 3 * HURT_MS, LEAST)
    assert FIRST == rate_at(well, HURT_MS + QUIET_MS, FIRST // 2)
