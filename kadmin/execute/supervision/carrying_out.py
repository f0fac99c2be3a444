"""What a supervisor decides, carried out: reads, fenced writes and pauses, through outages.

The decisions are in `kadmin.plan.supervision.procedure`.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from cluster.model.config_entity import ConfigEntity, EntityKind
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import PartitionAssignment
from kadmin.admin.ports import (
    Fence,
    KeptRun,
    Outcome,
    Partly,
    ReassignmentAdmin,
    RunStore,
)
from kadmin.errors import InProgressError, KadminError, UnreachableError
from kadmin.execute.commit import ChangedInBetween
from kadmin.execute.reassign_status import look
from kadmin.execute.supervision.reading import Clock, Reader, RunsUnseen
from kadmin.execute.throttles import put_throttles_back, set_throttles
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.reassignment.journal import Owner
from kadmin.plan.reassignment.moves import (
    AlreadyMoving,
    Move,
    MovePlan,
    StaleRequest,
    plan_cancellation,
    plan_moves,
)
from kadmin.plan.reassignment.targets import Target, Targets, UnfitTargets
from kadmin.plan.reassignment.throttles import ThrottlesNow, throttles
from kadmin.plan.reassignment.withdrawal import plan_withdrawal
from kadmin.plan.supervision.events import (
    Answer,
    Ask,
    Asked,
    Conflicted,
    Done,
    Effect,
    GiveUp,
    Keep,
    Look,
    Notice,
    Pause,
    PutBack,
    Report,
    Seen,
    Slow,
)
from kadmin.plan.supervision.procedure import Memory, Superseded, supervise
from kadmin.plan.supervision.run import MoveRun
from kadmin.wording import listed, second_text

OUTAGE_S: Final = 2.0
"""While no server answers, it is asked again so often."""
LEASE_POLL_S: Final = 0.5
ENDED: Final = "a supervisor that has ended"
"""Named as the holder of a lease without one, or of a session before this one."""

Replicas: TypeAlias = Mapping[TopicPartition, tuple[BrokerId, ...]]


class AlreadySupervised(InProgressError):
    """Another process has the lease of supervisors."""

    def __init__(self, supervisor: str) -> None:
        super().__init__(
            f"runs of this cluster are supervised by {supervisor}",
            hint="'kadmin reassign status --watch' shows how far it is",
        )
        self.supervisor = supervisor


class TakenOver(InProgressError):
    """Another process supervises the run from now on; this one has stopped."""

    def __init__(self, run_id: str, supervisor: str) -> None:
        who = f"{supervisor} supervises it" if supervisor else "its journal is gone"
        super().__init__(
            f"the run {run_id} goes on without this command: {who}",
            hint="'kadmin reassign status' shows how far it is",
        )


@dataclass(frozen=True, slots=True)
class Site:
    """The connections of a supervisor: the cluster, and the journals of runs.

    *beside* is the cluster as ZooKeeper has it, where *admin* asks brokers: it has the throttles of
    those that do not answer, too.
    """

    admin: ReassignmentAdmin
    store: RunStore
    beside: ReassignmentAdmin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervision:
    """A run to be carried on by *me*, who is shown each notice.

    *outage* is called with what is waited for: a server that answers, or the lease.  One that
    *is_patient* waits for the lease as long as another supervisor has it; one that *stands_by* does
    so again whenever it has lost it.
    """

    connect: Callable[[], AbstractContextManager[Site]]
    run_id: str
    me: str
    clock: Clock
    notice: Callable[[Notice], None]
    outage: Callable[[str], None]
    lease_timeout_s: float
    is_patient: bool = False
    stands_by: bool = False


def carry_on(supervision: Supervision) -> MoveRun:
    """Carry the run on until it has ended, and return it as it is then.

    Raises:
        AlreadySupervised: another process does that, and goes on doing so.
        TakenOver: another process has begun to.
    """
    memory = Memory()
    has_begun = False
    last_outage = ""
    while True:
        try:
            with supervision.connect() as site:
                is_patient = has_begun or supervision.is_patient or supervision.stands_by
                try:
                    claim(site.store, supervision, is_patient=is_patient)
                    has_begun = True
                    return Supervisor(site, supervision, memory).work()
                finally:
                    release(site.store)
        except UnreachableError as error:
            if not (has_begun or supervision.stands_by):
                raise
            if error.message != last_outage:
                last_outage = error.message
                supervision.outage(f"{error.message}; waiting on")
            supervision.clock.sleep(OUTAGE_S)
        except Superseded as error:
            if not (supervision.stands_by and error.by):
                raise TakenOver(supervision.run_id, error.by) from error
            memory = Memory()


def claim(store: RunStore, supervision: Supervision, *, is_patient: bool) -> None:
    """Take the lease; one whose holder was killed is free after its session timeout."""
    waited_s = 0.0
    while (holder := store.claim(supervision.me)) != supervision.me:
        if waited_s >= supervision.lease_timeout_s and not is_patient:
            raise AlreadySupervised(holder or ENDED)
        if not waited_s:
            supervision.outage(f"{holder or ENDED} has the lease of supervisors; waiting for it")
        supervision.clock.sleep(LEASE_POLL_S)
        waited_s += LEASE_POLL_S


def release(store: RunStore) -> None:
    """Give the lease back; where that fails, it is free after the session timeout."""
    with suppress(KadminError):
        store.release()


class Supervisor:
    """Carries the effects out, by the connections of *site*."""

    def __init__(self, site: Site, supervision: Supervision, memory: Memory) -> None:
        self.admin, self.store, self.beside = site.admin, site.store, site.beside
        self.supervision = supervision
        self.memory = memory
        self.reader = Reader(site.admin, supervision.clock)
        self.snapshot: ClusterSnapshot | None = None
        self.fence = Fence(mark=None)

    def work(self) -> MoveRun:
        procedure = supervise(self.supervision.me, self.memory)
        effect = next(procedure)
        while True:
            answer = self.answer(effect)
            try:
                effect = procedure.send(answer)
            except StopIteration as end:
                run: MoveRun = end.value
                return run

    def answer(self, effect: Effect) -> Answer:
        match effect:
            case Look():
                return self.look()
            case Keep(run):
                return done_if(self.store.write(run))
            case Slow(run):
                return self.slow_down(run)
            case PutBack():
                return self.put_back()
            case Ask(targets):
                return self.ask(targets)
            case GiveUp(origins):
                return self.give_up(origins)
            case Pause(ms):
                self.supervision.clock.sleep(ms / 1000)
                return Done()
            case Report(notice):
                self.supervision.notice(notice)
                return Done()

    def look(self) -> Seen:
        """Read the fences first: what changes after that is noticed by a write."""
        self.hold_lease()
        fence = self.admin.fence()
        run = self.store.read(self.supervision.run_id)
        if run is None and self.store.unseen:
            raise RunsUnseen(self.supervision.run_id, self.store)
        if run is None:
            raise Superseded("")
        self.fence = replace(
            fence, run=KeptRun(run.run_id, run.zk_version, self.store.lease_fence())
        )
        view = self.reader.view(run)
        self.snapshot = view.snapshot
        return Seen(run, view)

    def hold_lease(self) -> None:
        """Claim the lease again where it was lost, to a machine that stood still for example.

        Raises:
            Superseded: another supervisor has it.
        """
        me = self.supervision.me
        holder = self.store.claim(me)
        if holder is None:
            self.supervision.outage("the lease of supervisors was lost; waiting for it")
        while holder is None:
            self.supervision.clock.sleep(LEASE_POLL_S)
            holder = self.store.claim(me)
        if holder != me:
            raise Superseded(holder)

    def is_current(self) -> bool:
        """Return whether the journal is as it was read, and the lease ours, right before a write:
        brokers take no fence."""
        assert self.fence.run is not None
        run = self.store.read(self.fence.run.run_id)
        is_same = run is not None and run.zk_version == self.fence.run.zk_version
        return is_same and self.store.holds_lease()

    def slow_down(self, run: MoveRun) -> Answer:
        assert self.snapshot is not None
        there = [each for each in run.moves if each.partition.topic in self.snapshot.topics]
        ours = throttles([slowed(run, each) for each in there], run.settings.rate)
        if not self.is_current():
            return Conflicted()
        try:
            silent = set_throttles(self.admin, self.snapshot, ours, owner_of(run), self.fence.run)
        except ChangedInBetween:
            return Conflicted()
        return Done(brokers_in(silent))

    def put_back(self) -> Answer:
        if not self.is_current():
            return Conflicted()
        try:
            now = self.put_back_by(self.admin)
        except ChangedInBetween:
            return Conflicted()
        if now is not None and now.silent and self.beside is not None:
            # What it does not put back either stays in the lease.
            with suppress(KadminError):
                now = self.put_back_by(self.beside) or now
        return Conflicted() if now is None else Done(brokers_in(now.silent))

    def put_back_by(self, admin: ReassignmentAdmin) -> ThrottlesNow | None:
        return put_throttles_back(admin, lambda: look(admin), [], self.fence.run)

    def ask(self, targets: Replicas) -> Answer:
        assert self.snapshot is not None
        wanted = {each: Target(replicas) for each, replicas in targets.items()}
        try:
            plan = plan_moves(self.snapshot, wanted, is_additional=True)
            waves = self.admin.waves(plan)
        except (UnfitTargets, AlreadyMoving, StaleRequest, InProgressError):
            return Conflicted()
        # A znode holds no more than the first; the next are asked for when they have gone.
        return self.write(waves[0]) if waves else Asked({})

    def give_up(self, origins: Replicas) -> Answer:
        assert self.snapshot is not None
        wanted = {each: Target(replicas) for each, replicas in origins.items()}
        if not self.admin.takes_one_request:
            return self.write(plan_cancellation(self.snapshot, wanted))
        held = unfit(self.snapshot, wanted)
        fit = {each: target for each, target in wanted.items() if each not in held}
        if not fit:
            return Asked({}, held)
        answer = self.write(plan_withdrawal(self.snapshot, fit))
        return replace(answer, held=held) if isinstance(answer, Asked) else answer

    def write(self, plan: MovePlan) -> Answer:
        if not self.is_current():
            return Conflicted()
        outcome = self.admin.write(self.fence, plan)
        if isinstance(outcome, Partly):
            return Asked(outcome.refused)
        return Asked({}) if isinstance(outcome, Committed) else Conflicted()


def unfit(snapshot: ClusterSnapshot, wanted: Targets) -> dict[TopicPartition, str]:
    """Return those of *wanted* that cannot be given up now, with the reasons."""
    found = {}
    for partition, target in wanted.items():
        try:
            plan_withdrawal(snapshot, {partition: target})
        except UnfitTargets as error:
            found[partition] = listed(error.problems, "; ")
    return found


def brokers_in(entities: Iterable[ConfigEntity]) -> frozenset[BrokerId]:
    """Return the brokers whose configs *entities* are."""
    return frozenset(
        BrokerId(int(str(entity.root.name)))
        for entity in entities
        if entity.kind is EntityKind.BROKERS
    )


def done_if(outcome: Outcome) -> Answer:
    return Done() if isinstance(outcome, Committed) else Conflicted()


def slowed(run: MoveRun, planned: PlannedMove) -> Move:
    """Return what is slowed down for *planned*, the same however far it is: a list of replicas that
    changed with each move would be written again and again."""
    heading = run.heading_of(planned)
    origin = planned.replicas if heading == planned.target else planned.target
    return Move(
        partition=planned.partition,
        before=PartitionAssignment(origin),
        target=Target(heading),
        leader=None,
    )


def owner_of(run: MoveRun) -> Owner:
    """Return *run*, as the lease of throttles names it."""
    partitions: dict[str, list[int]] = {}
    for move in run.moves:
        partitions.setdefault(move.partition.topic, []).append(move.partition.partition)
    return Owner(
        run=run.run_id,
        by=run.by,
        since=second_text(run.began_at_ms),
        rate=run.settings.rate,
        dir_rate=None,
        partitions={topic: tuple(sorted(each)) for topic, each in partitions.items()},
    )
