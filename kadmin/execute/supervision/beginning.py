"""The beginning of a run, and changes of its goal: judged, then written into its journal."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cluster.model import fault as subjects
from cluster.model.outcome import Committed
from cluster.model.snapshot import ClusterSnapshot
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import RefusedError
from kadmin.execute.commit import ATTEMPTS_MAX, ChangedInBetween
from kadmin.execute.planned_cluster import check_cluster
from kadmin.execute.supervision.carrying_out import Site
from kadmin.execute.supervision.reading import Clock, found_run, rooms_of, with_sizes
from kadmin.execute.throttles import slowed_topics
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.plan.moves.plan_file import MovePlan, PlannedMove
from kadmin.plan.reassignment.sizes import sizes_of
from kadmin.plan.supervision.drift import check_drift
from kadmin.plan.supervision.gates import Closed, Gate, GatesClosed, closed_before
from kadmin.plan.supervision.pace import FIRST
from kadmin.plan.supervision.run import Goal, MoveRun, RunState, Settings
from kadmin.plan.supervision.standing import Standing
from kadmin.plan.supervision.view import View


class RunUnfinished(RefusedError):
    """Another run has not ended, so that none may begin."""

    def __init__(self, run: MoveRun) -> None:
        super().__init__(
            f"the run {run.run_id}, which {run.by} began, has not ended; nothing was written",
            hint="'kadmin reassign status' shows it; end it with 'kadmin reassign resume',"
            " 'kadmin reassign cancel' or 'kadmin reassign rollback'",
        )
        self.run_id = run.run_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """A run that may begin, and the cluster as it is; *closed* are the gates that keep it from
    that."""

    run: MoveRun
    view: View
    closed: Sequence[Closed]

    @property
    def todo(self) -> list[PlannedMove]:
        standings = self.view.standings(self.run.moves)
        return [move for move in self.run.moves if standings[move.partition] is Standing.BEFORE]


def judge_beginning(site: Site, run: MoveRun, clock: Clock) -> Beginning:
    """Return *run*, with sizes, as it would begin; nothing is written.

    Raises:
        AnotherCluster: the plan is for another one.
        RunUnfinished: another run has not ended.
        PlanDrifted: the cluster is not as it was planned from.
        Unreadable: what moves, or a topic of the plan, is damaged.
    """
    check_cluster(run.plan.cluster_id, site.admin)
    site.admin.fence()  # Refuses where nothing may be written.
    refuse_unfinished(site, run.run_id)
    # All topics, since others may be moving.
    snapshot = site.admin.snapshot(TopicSelection(), with_configs=True)
    names = {move.partition.topic for move in run.moves}
    refuse_unreadable(
        snapshot, {subjects.REASSIGNMENT, subjects.BROKERS, *map(subjects.topic, names)}
    )
    view = View(snapshot=snapshot, now_ms=clock.now_ms(), time_ms=clock.time_ms())
    check_drift(run.moves, snapshot, (Standing.BEFORE, Standing.DONE))
    log_dirs = site.admin.log_dirs([move.partition for move in run.moves]) or {}
    sized = with_sizes(run, sizes_of(log_dirs))
    if sized.settings.is_adaptive:
        sized = replace(sized, settings=replace(sized.settings, rate=FIRST))
    view = replace(view, rooms=rooms_of(log_dirs))
    overrides = sized.settings.overrides
    closed = closed_before(sized.moves, view, overrides, sized.plan.brokers)
    closed = [*unseen_runs(site, overrides), *closed]
    return Beginning(run=sized, view=view, closed=closed)


def refuse_unfinished(site: Site, run_id: str) -> None:
    for other_id in reversed(site.store.run_ids()):
        other = None if other_id == run_id else site.store.read(other_id)
        if other is not None and not other.state.is_final:
            raise RunUnfinished(other)


def unseen_runs(site: Site, overrides: frozenset[Gate]) -> list[Closed]:
    """Return the gate that is closed where another run may be under way and cannot be read."""
    unseen = site.store.unseen
    if not unseen or Gate.UNSEEN_RUNS in overrides:
        return []
    return [Closed(gate=Gate.UNSEEN_RUNS, text=unseen)]


def unfinished_run(site: Site, plan: MovePlan) -> str | None:
    """Return the run of *plan* that has not ended; None where there is none."""
    for run_id in reversed(site.store.run_ids()):
        run = site.store.read(run_id)
        if run is not None and not run.state.is_final and is_same(run.plan, plan):
            return run_id
    return None


def is_same(one: MovePlan, other: MovePlan) -> bool:
    """Return whether both are of one file: a run adds the sizes that its plan lacks."""
    moves = [
        [(move.partition, move.replicas, move.target) for move in plan.moves]
        for plan in (one, other)
    ]
    times = one.planned_at_ms == other.planned_at_ms
    return times and one.cluster_id == other.cluster_id and moves[0] == moves[1]


def create(site: Site, beginning: Beginning) -> None:
    """Keep the run; from here on it can be resumed.

    Raises:
        GatesClosed: a gate is.
        ChangedInBetween: another one has begun at the same moment.
    """
    if beginning.closed:
        raise GatesClosed(beginning.closed)
    refuse_unfinished(site, beginning.run.run_id)
    if not isinstance(site.store.create(beginning.run), Committed):
        raise ChangedInBetween("another run is begun")


def unleased_topics(site: Site, run: MoveRun, snapshot: ClusterSnapshot) -> list[str]:
    """Return the topics of *run* that are throttled while the lease has none of its throttles.

    Where its file was copied from another machine without that of the lease, they would stay.
    """
    if run.settings.rate is None or run.state.is_final:
        return []
    if any(owner.run == run.run_id for owner in site.admin.journal().owners):
        return []
    names = {move.partition.topic for move in run.moves}
    return sorted(names.intersection(slowed_topics(snapshot)))


def redirect(site: Site, run: MoveRun, goal: Goal, settings: Settings) -> MoveRun:
    """Give *run* another *goal* and *settings*, and return it; its supervisor, now or
    later, follows them.

    Raises:
        RunUnfinished: another run has not ended.
        GatesClosed: one may be under way where runs cannot be read.
        ChangedInBetween: the journal keeps changing.
    """
    if run.state.is_final:
        refuse_unfinished(site, run.run_id)
        closed = unseen_runs(site, settings.overrides)
        if closed:
            raise GatesClosed(closed)
    for _ in range(ATTEMPTS_MAX):
        state = RunState.PLANNED if run.state.is_final else run.state
        changed = replace(
            run, goal=goal, settings=settings, state=state, ended_at_ms=None, reason=""
        )
        if isinstance(site.store.write(changed), Committed):
            return changed
        run = found_run(site.store, run.run_id)
        settings = replace(
            settings, rate=run.settings.rate if settings.is_adaptive else settings.rate
        )
    raise ChangedInBetween("its journal is written again and again")
