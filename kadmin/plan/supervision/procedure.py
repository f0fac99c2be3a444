"""The core of a supervised run: what is done next, given the cluster and the journal.

A generator of effects, resumed with their answers; it knows no connection and no clock.  All that
it has to know after a crash is in the journal and in the cluster, so that another one can go on
at any point:

1. It takes the run over: its name and the next epoch go into the journal.  Who finds another name
   there later writes nothing any more, and all that is written is fenced by the journal's version.
2. The throttle is set before moves are asked for, and again before each of them: it may have been
   put back while nothing moved.
3. Throttles are put back when nothing is left to do, and only then the journal has the end of the
   run: after a crash in between, they are put back once more.
"""

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias, TypeVar

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.supervision.events import (
    Advanced,
    Answer,
    Arrived,
    Ask,
    Asked,
    Begun,
    Done,
    Effect,
    Ended,
    GivenUp,
    GiveUp,
    Keep,
    Look,
    Notice,
    Pause,
    PutBack,
    Refused,
    Report,
    Seen,
    Slow,
    Throttled,
)
from kadmin.plan.supervision.gates import Closed, Gate, held_back
from kadmin.plan.supervision.meter import Meter
from kadmin.plan.supervision.pace import Pace
from kadmin.plan.supervision.progress import is_settled, progress_of, to_elect
from kadmin.plan.supervision.run import Goal, MoveRun, RunState
from kadmin.plan.supervision.stalls import Stall, Watcher
from kadmin.plan.supervision.standing import Standing
from kadmin.plan.supervision.view import View
from kadmin.plan.supervision.window import next_moves, taking_part, urgency
from kadmin.wording import brokers_text, counted_partitions, verb_of

POLL_FIRST_MS: Final = 200
POLL_MAX_MS: Final = 5_000
REPORT_MS: Final = 5_000
NOT_IN_SYNC: Final = "none of the previous replicas is alive and in sync: it is not cancelled"
REFUSALS_MAX: Final = 3
"""So often a controller may refuse a move before the run goes on without it."""

T = TypeVar("T")
Procedure: TypeAlias = Generator[Effect, Answer, T]


class Superseded(Exception):
    """Another supervisor has taken the run over, or it is gone; nothing was written since."""

    def __init__(self, by: str) -> None:
        super().__init__(by)
        self.by = by


@dataclass(slots=True)
class Memory:
    """What a supervisor has seen so far; without it another one goes on as well, but knows less."""

    watcher: Watcher = field(default_factory=Watcher)
    meter: Meter = field(default_factory=Meter)
    pace: Pace = field(default_factory=Pace)
    standings: Mapping[TopicPartition, Standing] | None = None
    refusals: dict[TopicPartition, tuple[int, str]] = field(default_factory=dict)
    stalls: tuple[Stall, ...] = ()
    reported_at_ms: int | None = None
    poll_ms: int = POLL_FIRST_MS
    rate_set: int | None = None
    unslowed: frozenset[BrokerId] = frozenset()
    """Brokers that did not answer when the throttle was set."""

    def is_refused(self, partition: TopicPartition) -> bool:
        return self.refusals.get(partition, (0, ""))[0] >= REFUSALS_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is left of a run: *ask* is to be moved, *give_up* moves where it should not, *under_way*
    ends by itself, *lost* is out of reach, or refused again and again."""

    ask: tuple[PlannedMove, ...]
    give_up: tuple[PlannedMove, ...]
    under_way: tuple[PlannedMove, ...]
    lost: tuple[TopicPartition, ...]

    @property
    def is_over(self) -> bool:
        return not (self.ask or self.give_up or self.under_way)


def supervise(me: str, memory: Memory) -> Procedure[MoveRun]:
    """Carry the run on until it has ended, and return it as it is then.

    Raises:
        Superseded: another supervisor does that.
    """
    run = yield from take_over(me)
    left: tuple[TopicPartition, ...] = ()
    while not run.state.is_final:
        seen = yield from look()
        if seen.run is None or seen.run.supervisor != me:
            raise Superseded("" if seen.run is None else seen.run.supervisor)
        run = yield from advance(seen.run, seen.view, memory)
        if not run.state.is_final:
            yield Pause(memory.poll_ms)
            memory.poll_ms = min(POLL_MAX_MS, 2 * memory.poll_ms)
        else:
            left = to_elect(run, seen.view)
    yield Report(Ended(run, left))
    return run


def take_over(me: str) -> Procedure[MoveRun]:
    while True:
        seen = yield from look()
        if seen.run is None:
            raise Superseded("")
        run = seen.run
        if run.state.is_final:
            return run
        mine = replace(run, supervisor=me, epoch=run.epoch + 1, state=RunState.RUNNING)
        if isinstance((yield Keep(mine)), Done):
            return mine
        yield Pause(POLL_FIRST_MS)


def look() -> Procedure[Seen]:
    seen = yield Look()
    assert isinstance(seen, Seen)
    return seen


def advance(run: MoveRun, view: View, memory: Memory) -> Procedure[MoveRun]:
    """Do what can be done now, and return *run* as the journal has it then."""
    standings = view.standings(run.moves)
    moves = {move.partition: move for move in run.moves}
    watched = memory.watcher.stalls(moves, standings, view, run.settings.rate)
    memory.stalls = tuple(watched)
    yield from report_arrivals(run, standings, memory)
    work = work_of(run, standings, memory)
    if work.is_over:
        return (yield from end(run, work, view, memory))
    if run.settings.is_adaptive and run.goal is Goal.FORWARD:
        rate, reason = memory.pace.next_rate(run, view, memory.stalls)
        if rate != run.settings.rate:
            paced = replace(run, settings=replace(run.settings, rate=rate))
            if isinstance((yield Keep(paced)), Done):
                yield Report(Throttled(rate, reason))
            return run  # The next look has what is in the journal.
    safe = tuple(move for move in work.give_up if keeps_data(move, view))
    memory.stalls += tuple(
        Stall(partition=move.partition, reason=NOT_IN_SYNC, since_ms=view.time_ms)
        for move in work.give_up
        if move not in safe
    )
    if safe:
        yield from give_up(safe, view, memory)
    else:
        yield from begin(run, work, view, memory)
    yield from report_progress(run, view, memory)
    return run


def work_of(run: MoveRun, standings: Mapping[TopicPartition, Standing], memory: Memory) -> Work:
    ask, given_up, under_way, lost = [], [], [], []
    for move in run.moves:
        standing = standings[move.partition]
        is_refused = memory.is_refused(move.partition)
        if standing.is_lost or (is_refused and not standing.is_under_way):
            lost.append(move.partition)
        elif standing is Standing.MOVING and run.goal is not Goal.FORWARD and not is_refused:
            given_up.append(move)
        elif standing.is_under_way:
            under_way.append(move)
        elif not is_settled(move, standing, run.goal):
            ask.append(move)
    return Work(
        ask=tuple(ask), give_up=tuple(given_up), under_way=tuple(under_way), lost=tuple(lost)
    )


def begin(run: MoveRun, work: Work, view: View, memory: Memory) -> Procedure[None]:
    """Ask for as many moves as fit into the window."""
    candidates, closed = open_moves(run, work.ask, view)
    memory.stalls += gate_stalls(closed, view)
    is_slowed = run.settings.rate is not None
    if is_slowed and (memory.unslowed or (work.under_way and memory.rate_set != run.settings.rate)):
        yield from slow_down(run, memory)
    memory.stalls += unslowed_stalls(candidates, view, memory)
    if not view.takes_request:
        return
    chosen = next_moves(
        sorted(slowed_moves(candidates, view, memory), key=urgency(view)),
        work.under_way,
        run.settings,
        view,
        heeds_room=Gate.DISK_ROOM not in run.settings.overrides and run.goal is Goal.FORWARD,
    )
    if not chosen or (is_slowed and not (yield from slow_down(run, memory))):
        return
    targets = {move.partition: run.heading_of(move) for move in slowed_moves(chosen, view, memory)}
    if not targets:
        return
    answer = yield Ask(targets)
    yield from note_asked(answer, targets, memory, Begun)


def open_moves(
    run: MoveRun, moves: tuple[PlannedMove, ...], view: View
) -> tuple[list[PlannedMove], list[Closed]]:
    """Return those of *moves* that no gate holds back, and the gates that do others.

    What goes back is only held back by what would keep it from arriving.
    """
    heeded = set(Gate) if run.goal is Goal.FORWARD else {Gate.TARGET_DOWN, Gate.OFFLINE}
    heeded -= run.settings.overrides
    headed = [replace(move, target=run.heading_of(move)) for move in moves]
    closed = [each for each in held_back(headed, view) if each.gate in heeded]
    held = {partition for each in closed for partition in each.partitions}
    return [move for move in moves if move.partition not in held], closed


def gate_stalls(closed: Sequence[Closed], view: View) -> tuple[Stall, ...]:
    return tuple(
        Stall(partition=each, reason=f"{gate.gate}: {gate.text}", since_ms=view.time_ms)
        for gate in closed
        for each in gate.partitions
    )


def slowed_moves(moves: Sequence[PlannedMove], view: View, memory: Memory) -> list[PlannedMove]:
    """Return those of *moves* that no broker without the throttle takes part in: when it answers
    again, it would copy as fast as it can."""
    return [move for move in moves if not taking_part(move, view) & memory.unslowed]


def unslowed_stalls(moves: Sequence[PlannedMove], view: View, memory: Memory) -> tuple[Stall, ...]:
    return tuple(
        Stall(
            partition=move.partition,
            reason=f"{silence(missing)}, and cannot be throttled",
            since_ms=view.time_ms,
        )
        for move in moves
        if (missing := taking_part(move, view) & memory.unslowed)
    )


def stalls_of(run: MoveRun, view: View, memory: Memory) -> tuple[Stall, ...]:
    """Return what holds *run* up as far as it is seen from outside: *memory* is of looks before."""
    if run.state.is_final:
        return ()
    standings = view.standings(run.moves)
    moves = {move.partition: move for move in run.moves}
    watched = memory.watcher.stalls(moves, standings, view, run.settings.rate)
    work = work_of(run, standings, memory)
    _, closed = open_moves(run, work.ask, view)
    return (*watched, *gate_stalls(closed, view))


def slow_down(run: MoveRun, memory: Memory) -> Procedure[bool]:
    """Set the throttle; return whether it is set."""
    answer = yield Slow(run)
    if not isinstance(answer, Done):
        return False
    is_new = memory.rate_set != run.settings.rate or memory.unslowed != answer.silent
    memory.rate_set, memory.unslowed = run.settings.rate, answer.silent
    if is_new:
        yield Report(Throttled(run.settings.rate, but_for("set", answer.silent)))
    return True


def but_for(done: str, silent: frozenset[BrokerId]) -> str:
    if not silent:
        return done
    return f"{done}, but not at {silence(silent, ', which')}"


def silence(silent: Collection[BrokerId], joint: str = "") -> str:
    verb = verb_of(silent, "does")
    return f"{brokers_text(sorted(silent))}{joint} {verb} not answer"


def keeps_data(move: PlannedMove, view: View) -> bool:
    """Return whether one of the replicas that stay, if *move* is given up, is in sync: otherwise
    the partition would have no leader, or one that lacks records."""
    state = view.state(move.partition)
    return state is not None and any(
        broker in state.isr and broker in view.live for broker in move.replicas
    )


def give_up(moves: tuple[PlannedMove, ...], view: View, memory: Memory) -> Procedure[None]:
    origins = {move.partition: move.replicas for move in moves}
    answer = yield GiveUp(origins)
    held = answer.held if isinstance(answer, Asked) else {}
    memory.stalls += tuple(
        Stall(partition=partition, reason=reason, since_ms=view.time_ms)
        for partition, reason in held.items()
    )
    asked = {each: origin for each, origin in origins.items() if each not in held}
    if asked:
        yield from note_asked(answer, asked, memory, GivenUp)


def note_asked(
    answer: Answer,
    asked: Mapping[TopicPartition, tuple[BrokerId, ...]],
    memory: Memory,
    notice: type[Begun] | type[GivenUp],
) -> Procedure[None]:
    memory.poll_ms = POLL_FIRST_MS
    if not isinstance(answer, Asked):
        return
    for partition, reason in answer.refused.items():
        count, _ = memory.refusals.get(partition, (0, ""))
        memory.refusals[partition] = (count + 1, reason)
    begun = tuple(partition for partition in asked if partition not in answer.refused)
    if begun:
        yield Report(notice(begun))
    if answer.refused:
        yield Report(Refused(answer.refused))


def end(run: MoveRun, work: Work, view: View, memory: Memory) -> Procedure[MoveRun]:
    """End *run*, which has nothing left to do; not yet where throttles have to stay."""
    if run.settings.rate is not None:
        answer = yield PutBack()
        if not isinstance(answer, Done):
            why = "throttles stay while others are being moved, which they may be meant for"
            memory.stalls += (Stall(partition=None, reason=why, since_ms=view.time_ms),)
            yield from report_progress(run, view, memory)
            return run
        restored = but_for("restored", answer.silent)
        if answer.silent:
            they_are = "it is" if len(answer.silent) == 1 else "they are"
            restored += f": 'kadmin throttle release' does that when {they_are} back"
        yield Report(Throttled(None, restored))
    state, reason = ending(run, work, memory)
    # The wall clock may have been put back, or be behind that of another machine.
    ended_at_ms = max(run.began_at_ms, view.time_ms)
    ended = replace(run, state=state, reason=reason, ended_at_ms=ended_at_ms)
    return ended if isinstance((yield Keep(ended)), Done) else run


def ending(run: MoveRun, work: Work, memory: Memory) -> tuple[RunState, str]:
    refused = [each for each in work.lost if each in memory.refusals]
    moved = [each for each in work.lost if each not in memory.refusals]
    reasons = []
    if refused:
        why = memory.refusals[refused[0]][1]
        reasons.append(f"the controller refuses {counted_partitions(refused)} ({why})")
    if moved:
        reasons.append(f"gone, or moved by another client: {counted_partitions(moved)}")
    if run.goal is Goal.CANCEL:
        reasons.insert(0, "cancelled")
    if reasons:
        return RunState.FAILED, "; ".join(reasons)
    return (RunState.DONE if run.goal is Goal.FORWARD else RunState.ROLLED_BACK), ""


def report_arrivals(
    run: MoveRun, standings: Mapping[TopicPartition, Standing], memory: Memory
) -> Procedure[None]:
    before, memory.standings = memory.standings, standings
    if before is not None:
        for partition in [each for each in memory.refusals if before[each] != standings[each]]:
            del memory.refusals[partition]  # They were about what it did then.
        arrived = tuple(
            move.partition
            for move in run.moves
            # Not only from what was seen under way: a small one is copied between two looks.
            if not has_arrived(move, before[move.partition], run.goal)
            and has_arrived(move, standings[move.partition], run.goal)
        )
        if arrived:
            memory.poll_ms = POLL_FIRST_MS
            yield from report(Arrived(arrived))


def has_arrived(move: PlannedMove, standing: Standing, goal: Goal) -> bool:
    is_there = not (standing.is_under_way or standing.is_lost)
    return is_there and is_settled(move, standing, goal)


def report_progress(run: MoveRun, view: View, memory: Memory) -> Procedure[None]:
    last_ms = memory.reported_at_ms
    has_just_changed = memory.poll_ms == POLL_FIRST_MS
    if has_just_changed or (last_ms is not None and view.now_ms - last_ms < REPORT_MS):
        return
    memory.reported_at_ms = view.now_ms
    found = progress_of(run, view, stalls=memory.stalls)
    rate = memory.meter.rate(found.bytes_left, view.now_ms)
    yield from report(Advanced(replace(found, rate=rate)))


def report(notice: Notice) -> Procedure[None]:
    yield Report(notice)
