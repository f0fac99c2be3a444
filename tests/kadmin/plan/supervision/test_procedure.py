"""The core of a supervised run: which effect follows from what is seen?"""

from dataclasses import replace

import pytest

from cluster.model.ids import TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.supervision.events import (
    Answer,
    Arrived,
    Ask,
    Asked,
    Conflicted,
    Done,
    Effect,
    GiveUp,
    Keep,
    Look,
    Pause,
    PutBack,
    Report,
    Seen,
    Slow,
)
from kadmin.plan.supervision.procedure import Memory, Superseded, supervise
from kadmin.plan.supervision.run import Goal, MoveRun, RunState, Settings
from kadmin.plan.supervision.view import View
from kadmin.render.reassign.run import notice_text
from tests.kadmin.builders import brokers, cluster, ids, state, topic
from tests.kadmin.cli.reassign.runs.plans import plan_of, planned

T0 = TopicPartition("t", 0)
RUN = MoveRun(run_id="r", plan=plan_of(planned("t-0", "1,2 -> 3,2")), by="me", began_at_ms=0)
SLOWED = replace(RUN, settings=Settings(rate=5))

BEFORE = cluster(brokers("1 2 3"), topic("t", "1,2"))
MOVING = cluster(
    brokers("1 2 3"), topic("t", "3,2,1", {0: state(1, "1,2")}, adding="3", removing="1")
)
ARRIVED = cluster(brokers("1 2 3"), topic("t", "3,2"))
REORDERED = cluster(brokers("1 2 3"), topic("t", "2,1"))
ELSEWHERE = cluster(brokers("1 2 3"), topic("t", "1,3"))
ALONE = cluster(brokers("1 2 3"), topic("t", "3,2,1", {0: state(3, "3")}, adding="3", removing="1"))


def effects(run: MoveRun, *looks: ClusterSnapshot, **answers: Answer) -> list[Effect]:
    """What a supervisor that takes *run* over does, without looks, pauses and reports, while it
    sees *looks*; the journal keeps what it writes.  *answers* are to effects, by name."""
    found: list[Effect] = []
    memory, kept = Memory(), run
    procedure = supervise("me", memory)
    left = [looks[0], *looks]
    effect = next(procedure)
    while True:
        answer: Answer = answers.get(type(effect).__name__, Done())
        match effect:
            case Look():
                if not left:
                    return found
                answer = Seen(kept, View(snapshot=left.pop(0), now_ms=0, time_ms=7))
            case Keep(written) if isinstance(answer, Done):
                kept = written
                found.append(effect)
            case Ask() | GiveUp():
                answer = answers.get(type(effect).__name__, Asked({}))
                found.append(effect)
            case Pause() | Report():
                pass
            case _:
                found.append(effect)
        try:
            effect = procedure.send(answer)
        except StopIteration:
            return found


def kept(run: MoveRun, **more: object) -> Keep:
    changed = replace(run, supervisor="me", epoch=1, state=RunState.RUNNING)
    return Keep(replace(changed, **more))  # type: ignore[arg-type]


ASKED, BACK = Ask({T0: ids("3,2")}), Ask({T0: ids("1,2")})
DONE = {"state": RunState.DONE, "ended_at_ms": 7}
ROLLED = {"state": RunState.ROLLED_BACK, "ended_at_ms": 7}
BACKWARD, CANCELLED = replace(RUN, goal=Goal.ROLLBACK), replace(RUN, goal=Goal.CANCEL)


@pytest.mark.parametrize(
    ("run", "looks", "expected"),
    [
        (RUN, [BEFORE], [kept(RUN), ASKED]),
        (SLOWED, [BEFORE], [kept(SLOWED), Slow(kept(SLOWED).run), ASKED]),
        (RUN, [MOVING], [kept(RUN)]),
        (RUN, [ARRIVED], [kept(RUN), kept(RUN, **DONE)]),
        (SLOWED, [ARRIVED], [kept(SLOWED), PutBack(), kept(SLOWED, **DONE)]),
        (RUN, [REORDERED], [kept(RUN), ASKED]),
        (BACKWARD, [MOVING], [kept(BACKWARD), GiveUp({T0: ids("1,2")})]),
        (BACKWARD, [ARRIVED], [kept(BACKWARD), BACK]),
        (BACKWARD, [REORDERED], [kept(BACKWARD), BACK]),
        (BACKWARD, [BEFORE], [kept(BACKWARD), kept(BACKWARD, **ROLLED)]),
        (CANCELLED, [MOVING], [kept(CANCELLED), GiveUp({T0: ids("1,2")})]),
        (CANCELLED, [REORDERED], [kept(CANCELLED), BACK]),
    ],
)
def test_what_is_done_next_follows_from_where_a_partition_stands(
    run: MoveRun, looks: list[ClusterSnapshot], expected: list[Effect]
) -> None:
    assert expected == effects(run, *looks)


@pytest.mark.parametrize(
    ("run", "look", "reason"),
    [
        (RUN, ELSEWHERE, "gone, or moved by another client: 1 partition: t-0"),
        (RUN, cluster(brokers("1 2 3")), "gone, or moved by another client: 1 partition: t-0"),
        (CANCELLED, ARRIVED, "cancelled"),
    ],
)
def test_a_run_that_cannot_end_as_planned_has_its_reason(
    run: MoveRun, look: ClusterSnapshot, reason: str
) -> None:
    (_, ended) = effects(run, look)

    assert isinstance(ended, Keep)
    assert (RunState.FAILED, reason) == (ended.run.state, ended.run.reason)


def test_no_run_ends_before_it_began() -> None:
    """Its supervisor's wall clock was put back, or is behind that of another machine."""
    late = replace(RUN, began_at_ms=100)

    assert kept(late, **{**DONE, "ended_at_ms": 100}) == effects(late, ARRIVED)[-1]


def test_what_alone_is_in_sync_is_not_given_up() -> None:
    assert [kept(BACKWARD)] == effects(BACKWARD, ALONE)


def test_without_its_throttle_no_move_is_asked_for() -> None:
    found = effects(SLOWED, BEFORE, Slow=Conflicted())

    assert [kept(SLOWED), Slow(kept(SLOWED).run)] == found


def test_what_cannot_be_throttled_is_not_asked_for_until_it_can_be() -> None:
    three, all_set = Done(silent=frozenset(ids("3"))), Done()
    slow = Slow(kept(SLOWED).run)

    assert [kept(SLOWED), slow, slow] == effects(SLOWED, BEFORE, BEFORE, Slow=three)
    assert [kept(SLOWED), slow, ASKED] == effects(SLOWED, BEFORE, Slow=all_set)
    away = Done(silent=frozenset(ids("2")))
    assert [kept(SLOWED), slow, ASKED] == effects(SLOWED, BEFORE, Slow=away), "2 copies nothing"


def test_while_throttles_have_to_stay_a_run_does_not_end() -> None:
    found = effects(SLOWED, ARRIVED, ARRIVED, PutBack=Conflicted())

    assert [kept(SLOWED), PutBack(), PutBack()] == found


def test_a_broker_that_keeps_a_throttle_is_named_with_the_command_that_takes_it_away() -> None:
    procedure, run, texts = supervise("me", Memory()), SLOWED, []
    answer: Answer | None = None
    while not run.state.is_final:
        effect = next(procedure) if answer is None else procedure.send(answer)
        answer = Done(silent=frozenset(ids("1,2"))) if effect == PutBack() else Done()
        match effect:
            case Look():
                answer = Seen(run, View(snapshot=ARRIVED, now_ms=0, time_ms=7))
            case Keep(written):
                run = written
            case Report(notice):
                texts.append(notice_text(notice))

    assert texts[-1] == (
        "throttles are restored, but not at brokers 1 and 2, which do not answer:"
        " 'kadmin throttle release' does that when they are back"
    )


def test_a_move_that_is_refused_again_and_again_is_left() -> None:
    refusal = Asked({T0: "no"})

    found = effects(RUN, *[BEFORE] * 4, Ask=refusal)

    assert [kept(RUN), ASKED, ASKED, ASKED] == found[:-1]
    assert isinstance(found[-1], Keep)
    assert "the controller refuses 1 partition: t-0 (no)" == found[-1].run.reason


def test_what_cannot_be_given_up_now_is_waited_for_and_goes_back_later() -> None:
    held = Asked({}, {T0: "a previous replica is not alive"})
    give_up = GiveUp({T0: ids("1,2")})

    found = effects(BACKWARD, *[MOVING] * 5, ARRIVED, GiveUp=held)

    assert [kept(BACKWARD), *[give_up] * 5, BACK] == found


def test_a_run_does_not_end_while_something_moves_that_is_not_given_up() -> None:
    refusal = Asked({T0: "no"})

    found = effects(BACKWARD, *[MOVING] * 5, ARRIVED, GiveUp=refusal)

    assert [kept(BACKWARD), *[GiveUp({T0: ids("1,2")})] * 3, BACK] == found


def test_a_supervisor_that_was_replaced_stops() -> None:
    procedure = supervise("me", Memory())
    view = View(snapshot=BEFORE, now_ms=0, time_ms=0)
    next(procedure)
    procedure.send(Seen(RUN, view))
    procedure.send(Done())

    with pytest.raises(Superseded, match="another"):
        procedure.send(Seen(replace(RUN, supervisor="another"), view))


@pytest.mark.parametrize(
    ("before", "then", "expected"),
    [
        (MOVING, ARRIVED, [Arrived((T0,))]),
        (BEFORE, ARRIVED, [Arrived((T0,))]),
        (MOVING, BEFORE, []),
        (MOVING, ELSEWHERE, []),
        (MOVING, cluster(brokers("1 2 3")), []),
    ],
    ids=[
        "as planned",
        "between two looks",
        "given up by another client",
        "moved elsewhere",
        "deleted",
    ],
)
def test_only_what_is_where_it_was_to_go_has_arrived(
    before: ClusterSnapshot, then: ClusterSnapshot, expected: list[Arrived]
) -> None:
    found: list[Effect] = []
    procedure = supervise("me", Memory())
    kept, left = RUN, [before, before, then]
    effect = next(procedure)
    while left or not isinstance(effect, Look | Pause):
        found.append(effect)
        answer: Answer = Asked({}) if isinstance(effect, Ask) else Done()
        if isinstance(effect, Look):
            answer = Seen(kept, View(snapshot=left.pop(0), now_ms=0, time_ms=7))
        elif isinstance(effect, Keep):
            kept = effect.run
        try:
            effect = procedure.send(answer)
        except StopIteration:
            break

    notices = [effect.notice for effect in found if isinstance(effect, Report)]
    assert expected == [notice for notice in notices if isinstance(notice, Arrived)]
