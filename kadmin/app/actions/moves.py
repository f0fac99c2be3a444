"""Actions of supervised moves: begin a run of a plan, go on with it, give it up, take it back."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from cluster.model.outcome import Committed
from kadmin.admin.ports import Fence, Outcome
from kadmin.app.actions.action import Action
from kadmin.app.moves import new_run_id, site
from kadmin.execute.change import Change, Question, Step
from kadmin.execute.supervision.beginning import Beginning, create, judge_beginning, redirect
from kadmin.execute.supervision.carrying_out import Site
from kadmin.execute.supervision.reading import Clock, Reader, found_run
from kadmin.plan.moves.plan_file import MovePlan, PlannedMove
from kadmin.plan.supervision.gates import GatesClosed
from kadmin.plan.supervision.progress import progress_of
from kadmin.plan.supervision.run import Goal, MoveRun, RunState, Settings
from kadmin.render.reassign.run import advance_text, plan_lines
from kadmin.wording import brokers_listed, counted

if TYPE_CHECKING:
    from kadmin.app.session import Session

LISTED_MAX: Final = 3

GOAL_VERBS: Final = {
    Goal.FORWARD: "Resume the moves of run",
    Goal.CANCEL: "Cancel the moves under way of run",
    Goal.ROLLBACK: "Roll back run",
}
GOAL_COMMANDS: Final = {
    Goal.FORWARD: "resume",
    Goal.CANCEL: "cancel",
    Goal.ROLLBACK: "rollback",
}


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The moves with which a run begins; *beginning* is what was judged."""

    moves: tuple[PlannedMove, ...]
    beginning: Beginning = field(compare=False)


class RunStart(Change[RunPlan]):
    """The beginning of a run, which is its own writer: what is written is its journal."""

    def __init__(self, opened: Site, run: MoveRun) -> None:
        super().__init__(self)
        self.site = opened
        self.run = run

    def fence(self) -> Fence:
        return self.site.admin.fence()

    def write(self, _fence: Fence, plan: RunPlan) -> Outcome:
        create(self.site, plan.beginning)
        return Committed()

    def steps(self) -> Sequence[Step[RunPlan]]:
        plan = self.plan()
        return [Step(plan=plan, replan=self.plan)] if plan.moves else []

    def plan(self) -> RunPlan:
        """Judge whether the run may begin.

        Raises:
            GatesClosed: it may not now.
            PlanDrifted, RunUnfinished, AnotherCluster: it may not at all.
        """
        beginning = judge_beginning(self.site, self.run, Clock())
        if beginning.closed:
            raise GatesClosed(beginning.closed)
        return RunPlan(tuple(beginning.todo), beginning)

    def question(self, plans: Sequence[RunPlan]) -> Question:
        return Question(f"Move {counted(sum(len(plan.moves) for plan in plans), 'partition')}?")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMoves(Action):
    """The plan *made* is carried out as a run, which *supervise* carries on by its id."""

    made: MovePlan
    options: str
    settings: Settings
    by: str
    supervise: Callable[[str], None] = field(compare=False)

    @property
    def verb(self) -> str:
        count = self.made.moved_replicas
        removed = sum(len(move.removing) for move in self.made.moves)
        if not count and not removed:
            return f"Change the preferred leaders of {counted(len(self.made.moves), 'partition')}"
        if not count or not removed:
            return f"{'Add' if count else 'Remove'} {counted(count or removed, 'replica')}"
        text = f"Move {counted(count, 'replica')}"
        gone = sorted(
            {broker for move in self.made.moves for broker in move.removing}
            - {broker for move in self.made.moves for broker in move.adding}
        )
        if gone and len(gone) <= LISTED_MAX:
            text += f" off {brokers_listed(gone)}"
        return text

    @property
    def command(self) -> str:
        run = f"kadmin reassign run plan.json --max-moves {self.settings.max_moves}"
        if self.settings.rate is not None:
            run += f" --throttle {self.settings.rate}"
        return f"kadmin reassign plan {self.options} --out plan.json && {run}"

    @contextmanager
    def change(self, session: "Session", rollback_path: str) -> Iterator[RunStart]:
        began_at_ms = Clock().time_ms()
        with site(session) as opened:
            run = MoveRun(
                run_id=new_run_id(began_at_ms, opened.store.run_ids()),
                plan=self.made,
                by=self.by,
                began_at_ms=began_at_ms,
                settings=self.settings,
            )
            yield RunStart(opened, run)

    def lines(self, plan: RunPlan) -> Iterable[str]:
        return plan_lines(plan.beginning.run, plan.moves, plan.beginning.closed)

    def finish(self, session: "Session", change: Change[Any]) -> None:
        """Have the run supervised: it goes on while pages are read."""
        for plan in change.written:
            session.note(f"run {plan.beginning.run.run_id} has begun")
            self.supervise(plan.beginning.run.run_id)


@dataclass(frozen=True, slots=True)
class RedirectPlan:
    """A run that gets another goal; *text* is how far it is, which changes all the time."""

    run_id: str
    state: RunState
    goal: Goal
    run: MoveRun = field(compare=False)
    text: str = field(compare=False)


class RunRedirection(Change[RedirectPlan]):
    """Another goal for the run *run_id*, written into its journal."""

    def __init__(self, opened: Site, run_id: str, goal: Goal) -> None:
        super().__init__(self)
        self.site = opened
        self.run_id = run_id
        self.goal = goal

    def fence(self) -> Fence:
        return self.site.admin.fence()

    def write(self, _fence: Fence, plan: RedirectPlan) -> Outcome:
        redirect(self.site, plan.run, plan.goal, plan.run.settings)
        return Committed()

    def steps(self) -> Sequence[Step[RedirectPlan]]:
        plan = self.plan()
        return [] if nothing_left(plan.run, self.goal) else [Step(plan=plan, replan=self.plan)]

    def plan(self) -> RedirectPlan:
        run = found_run(self.site.store, self.run_id)
        progress = progress_of(run, Reader(self.site.admin, Clock()).view(run))
        return RedirectPlan(run.run_id, run.state, self.goal, run, advance_text(progress))

    def question(self, plans: Sequence[RedirectPlan]) -> Question:
        return Question(f"{GOAL_VERBS[self.goal]} {self.run_id}?")


def nothing_left(run: MoveRun, goal: Goal) -> bool:
    """Return whether *run* has ended so that *goal* has nothing to do."""
    match goal:
        case Goal.FORWARD:
            return run.state in (RunState.DONE, RunState.ROLLED_BACK)
        case Goal.CANCEL:
            return run.state.is_final
        case Goal.ROLLBACK:
            return run.state is RunState.ROLLED_BACK


@dataclass(frozen=True, slots=True, kw_only=True)
class RedirectRun(Action):
    """The run *run_id* goes on, is given up or taken back; *supervise* carries it on by its id."""

    run_id: str
    goal: Goal
    supervise: Callable[[str], None] = field(compare=False)

    @property
    def verb(self) -> str:
        return f"{GOAL_VERBS[self.goal]} {self.run_id}"

    @property
    def command(self) -> str:
        return f"kadmin reassign {GOAL_COMMANDS[self.goal]} {self.run_id}"

    @contextmanager
    def change(self, session: "Session", rollback_path: str) -> Iterator[RunRedirection]:
        with site(session, self.run_id) as opened:
            yield RunRedirection(opened, self.run_id, self.goal)

    def lines(self, plan: RedirectPlan) -> Iterable[str]:
        yield f"run {plan.run_id} ({plan.run.plan.goal}): {plan.text}"

    def finish(self, session: "Session", change: Change[Any]) -> None:
        if change.written:
            self.supervise(self.run_id)
