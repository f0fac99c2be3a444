"""Reassignments, from a look at the cluster until the controller has been asked for them.

Which targets are meant has been understood already.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from uuid import uuid4

from cluster.model import fault as subjects
from cluster.model.fault import Thing
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import Made, Partly, ReassignmentAdmin, Remaining
from kadmin.arguments.reassignment_files import PlannedFrom, targets_text
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import InProgressError, KadminError, RefusedError
from kadmin.execute.change import Begun, Change, Notices, Question, Step
from kadmin.execute.planned_cluster import check_cluster
from kadmin.execute.rollback_file import write_rollback_file
from kadmin.execute.throttles import set_throttles
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.execute.user_and_host import user_and_host
from kadmin.execute.waiting import wait
from kadmin.plan.reassignment.dir_moves import (
    DirMove,
    Replica,
    counted_replicas,
    dir_moves,
    dir_problems,
    taken_back,
)
from kadmin.plan.reassignment.journal import Owner
from kadmin.plan.reassignment.moves import (
    Move,
    MovePlan,
    StartedMoves,
    move_risks,
    plan_moves,
    running_moves,
)
from kadmin.plan.reassignment.progress import Progress
from kadmin.plan.reassignment.sizes import Sizes, copied_bytes, copied_text, sizes_of
from kadmin.plan.reassignment.targets import Targets, UnfitTargets
from kadmin.plan.reassignment.throttles import throttles, with_log_dir_throttles
from kadmin.plan.risks import Risk, slow_copy, with_risks
from kadmin.plan.supervision.drift import check_replicas
from kadmin.wording import counted, listed, with_reasons

FOREVER_S = float("inf")
DIRS_HINT = "'kadmin log-dirs' shows the directories of each broker; \"any\" lets it choose"


class Changed(RefusedError):
    """What was planned from is not so any more; names every partition of which that is true."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        super().__init__(
            f"changed since the plan was made, and not asked for: {listed(partitions)}",
            hint="run the command again: it plans from what is there now",
        )
        self.partitions = tuple(partitions)


class NotBegun(KadminError):
    """The controller has refused some of the moves."""

    def __init__(self, refused: Mapping[TopicPartition, str]) -> None:
        reasons = with_reasons(sorted(refused.items()))
        count = counted(len(refused), "partition")
        super().__init__(
            f"the controller refuses to move {count}: {reasons}",
            hint="'kadmin reassign --list' shows what is moving",
        )
        self.refused = dict(refused)


class DirsRefused(KadminError):
    """Brokers have refused some moves to other log directories."""

    def __init__(self, refused: Mapping[Replica, str], what_else: str) -> None:
        reasons = with_reasons(sorted(refused.items()))
        super().__init__(
            f"not moved to another log directory, {what_else}: {reasons}",
            hint="'kadmin log-dirs' shows the directories of each broker",
        )
        self.refused = dict(refused)


class DirsAwaited(InProgressError):
    """Brokers do not have all replicas yet that are to change their log directory."""

    def __init__(self, replicas: Sequence[Replica], timeout_s: float) -> None:
        super().__init__(
            f"after {timeout_s:g} s not yet begun to move to other log directories:"
            f" {counted_replicas(replicas)}",
            hint="run the command again, with --additional: it asks for what is missing",
        )
        self.replicas = tuple(replicas)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReassignmentRequest:
    """Moves to what *targets_in* wants, given the cluster; see `PlannedFrom`.

    *rate* limits the copying at each broker to so many bytes per s, *dir_rate* that between its
    log directories; None leaves throttles as they are.
    """

    targets_in: Callable[[ClusterSnapshot], Targets]
    is_additional: bool
    rate: int | None
    dir_rate: int | None
    rollback_path: str
    timeout_s: float
    planned_from: PlannedFrom = PlannedFrom()


class Reassigning(Change[MovePlan]):
    """The moves of *request*; `Begun` is when the rollback file is written, and nothing else."""

    def __init__(
        self, admin: ReassignmentAdmin, request: ReassignmentRequest, notices: Notices
    ) -> None:
        super().__init__(admin)
        self.admin = admin
        self.request = request
        self.notices = notices
        self.run = uuid4().hex
        self.by = user_and_host()
        self.since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.snapshot: ClusterSnapshot | None = None
        self.plan = MovePlan(moves=(), before={})
        """All that is wanted, also moves that are done or in progress."""
        self.risks: tuple[Risk, ...] = ()
        self.unshown: tuple[Risk, ...] = ()
        self.left_count = 0
        self.sizes: Sizes = {}
        self.refused: dict[TopicPartition, str] = {}
        self.begun_dirs: list[Replica] = []
        self.dirs: tuple[DirMove, ...] = ()
        """All replicas for which a log directory is asked for, also those that are in it."""
        self.has_rollback_file = False
        self.rate_set: int | None = None
        self.dir_rate_set: int | None = None

    def steps(self) -> list[Step[MovePlan]]:
        """Plan all moves from one look at the cluster, and what of them is asked for at once.

        Raises:
            AnotherCluster: they were planned for another one.
            PlanDrifted: replicas are not those from which they were planned.
            AlreadyMoving: there is a reassignment, and this is not to be an additional one.
            UnfitTargets: what cannot be meant, as partitions or log directories that are not there.
            Unreadable: what it depends on is damaged.
        """
        planned_from = self.request.planned_from
        check_cluster(planned_from.cluster_id, self.admin)
        self.snapshot = self.look(None)
        for fault in self.snapshot.faults:
            if fault.subject.thing in (Thing.BROKER, Thing.TOPIC):
                self.notices.warn(f"left out: {fault}")
        targets = self.request.targets_in(self.snapshot)
        check_replicas(planned_from.replicas, targets, self.snapshot)
        self.snapshot = with_states(self.admin, self.snapshot, targets)
        named = {subjects.topic(partition.topic) for partition in targets}
        refuse_unreadable(self.snapshot, {subjects.REASSIGNMENT, *named})
        plan = plan_moves(self.snapshot, targets, is_additional=self.request.is_additional)
        of_interest = [
            move.partition for move in plan.moves if move.is_asked or move.target.chosen_dirs
        ]
        log_dirs = self.admin.log_dirs(of_interest) or {}
        self.sizes = sizes_of(log_dirs)
        self.dirs = dir_moves(targets, log_dirs)
        self.plan = replace(plan, dir_moves=tuple(move for move in self.dirs if move.is_asked))
        self.risks = (*move_risks(self.snapshot, self.plan), *self.copy_risks())
        self.unshown = self.risks
        waves = self.admin.waves(self.plan)
        problems = list(dir_problems(self.dirs, log_dirs))
        if problems:
            raise UnfitTargets(problems, DIRS_HINT)
        self.left_count = len(waves)
        return [Step(plan=wave, replan=partial(self.replan, wave)) for wave in waves]

    def warnings(self, plan: MovePlan) -> list[str]:
        """Return the risks, once: they are those of all plans together."""
        shown, self.unshown = self.unshown, ()
        return [str(risk) for risk in shown]

    def question(self, plans: Sequence[MovePlan]) -> Question:
        """Return the question; as with Kafka's tool it is only asked at a terminal, unless there
        are risks."""
        count = sum(len(plan.asked) for plan in plans)
        noun = "partition"
        if not count:
            count, noun = sum(len(plan.dir_moves) for plan in plans), "replica"
        what = f"this {noun}" if count == 1 else f"these {count} {noun}s"
        copied = copied_text(self.plan.asked, self.sizes, self.request.rate)
        text = with_risks(f"Move {what}{copied}?", self.risks)
        return Question(text, is_optional=not self.risks)

    def copy_risks(self) -> Iterator[Risk]:
        """Return what speaks against the throttles that are wanted, as far as sizes are known."""
        if self.request.rate is not None:
            copied = copied_bytes(self.slowed(), self.sizes)
            yield from slow_copy(copied, dict.fromkeys(copied, self.request.rate))
        if self.request.dir_rate is not None:
            between = Counter[BrokerId]()
            for move in self.plan.dir_moves:
                between[move.replica.broker] += move.bytes_left
            yield from slow_copy(between, dict.fromkeys(between, self.request.dir_rate))

    def look(self, topics: Sequence[str] | None) -> ClusterSnapshot:
        """Return the cluster with *topics*, None for all, and without states.

        Raises:
            Unreadable: what is moving cannot be read.
        """
        selection = TopicSelection(wanted=() if topics is None else tuple(topics))
        snapshot = self.admin.snapshot(selection, with_states=False)
        unknown = {subjects.REASSIGNMENT, subjects.BROKERS, subjects.TOPICS}
        refuse_unreadable(snapshot, unknown)
        return snapshot

    def replan(self, wave: MovePlan) -> MovePlan:
        """Return the same moves from what is there now.

        Raises:
            Changed: they are others by now.
        """
        newer = plan_moves(
            self.look(tuple(wave.before)), wave.targets, is_additional=self.request.is_additional
        )
        changed = [
            move.partition
            for move, then in zip(newer.moves, wave.moves, strict=True)
            if move != then or self.is_another(newer, wave, move.partition.topic)
        ]
        if changed:
            raise Changed(changed)
        return replace(newer, dir_moves=wave.dir_moves)

    def is_another(self, newer: MovePlan, wave: MovePlan, topic: str) -> bool:
        """Return whether *topic* was deleted since, and made anew."""
        return newer.before[topic].topic_id != wave.before[topic].topic_id

    def prepare(self, plans: Sequence[MovePlan]) -> Iterator[Begun]:
        """Do what has to be done before the first of *plans* is written, in this order.

        The rollback file: without it nothing is moved.  The throttles: what moves would be fast
        before they are set.  After a crash in between, throttles are set and nothing moves:
        `--verify` puts them back.  The log directories of replicas that are to come: they would be
        made elsewhere, and moved.  A broker remembers that until it ends.

        Raises:
            NoRollbackFile: it cannot be written; nothing was.
            DirsRefused: by a broker; throttles are set, and nothing moves.
        """
        if plans:
            current = taken_back(self.plan.current, self.plan.dir_moves)
            write_rollback_file(self.request.rollback_path, targets_text(current) + "\n")
            self.has_rollback_file = True
        yield Begun()
        self.slow_down()
        if self.request.rate is not None and self.rate_set is None:
            self.notices.warn(
                "--throttle sets nothing: nothing is moving that could be slowed down"
            )
        if self.request.dir_rate is not None and self.dir_rate_set is None:
            self.notices.warn(
                "--replica-alter-log-dirs-throttle sets nothing: no replica is to change its log"
                " directory"
            )
        to_come = [move for move in self.plan.dir_moves if move.progress is Progress.MISSING]
        if to_come:
            asked = self.admin.move_dirs(to_come)
            if asked.refused:
                raise DirsRefused(asked.refused, "and nothing is moved")

    @property
    def started(self) -> StartedMoves:
        """What has been asked for up to now."""
        partitions = [
            move.partition
            for plan in self.written
            for move in plan.asked
            if move.partition not in self.refused
        ]
        return StartedMoves(
            plan=self.plan,
            partitions=partitions,
            replicas=self.begun_dirs,
            rate=self.rate_set,
            dir_rate=self.dir_rate_set,
            rollback_file=self.request.rollback_path if self.has_rollback_file else None,
        )

    def slow_down(self) -> None:
        """Set the throttles that are wanted, as far as they are not set, where something moves."""
        assert self.snapshot is not None
        rates = throttles(self.slowed(), self.request.rate)
        wanted = with_log_dir_throttles(rates, self.dirs, self.request.dir_rate)
        if not wanted:
            return
        rate = self.request.rate if rates else None
        dir_rate = self.request.dir_rate if wanted != rates else None
        set_throttles(self.admin, self.snapshot, wanted, self.owner(rate, dir_rate))
        self.rate_set, self.dir_rate_set = rate, dir_rate

    def owner(self, rate: int | None, dir_rate: int | None) -> Owner:
        """Return this run, as the lease of throttles names it, with what it moves."""
        slowed = {move.partition for move in self.slowed()} if rate is not None else set()
        slowed &= {move.partition for move in self.plan.moves}
        if dir_rate is not None:
            copied = (move for move in self.dirs if move.progress is not Progress.DONE)
            slowed |= {move.replica.partition for move in copied}
        by_topic = groupby(sorted(slowed), key=lambda partition: partition.topic)
        return Owner(
            run=self.run,
            by=self.by,
            since=self.since,
            rate=rate,
            dir_rate=dir_rate,
            partitions={
                topic: tuple(partition.partition for partition in group)
                for topic, group in by_topic
            },
        )

    def slowed(self) -> list[Move]:
        """Return what moves when all is asked for: the lists of a topic are for all its
        partitions."""
        assert self.snapshot is not None
        moving = {move.partition: move for move in running_moves(self.snapshot)}
        moving |= {move.partition: move for move in self.plan.asked}
        return [moving[partition] for partition in sorted(moving)]

    def settle(self, plan: MovePlan, made: Made) -> None:
        """Have replicas change their log directories, which needs them to be there; then wait until
        *plan* is done where there is more to be asked for, which has no room before.

        Raises:
            NotBegun: the controller refuses some of it; no directory is changed.
            DirsRefused, DirsAwaited: brokers have not begun all of it.
        """
        # A run of --verify before anything moved may have removed them; from now on none does.
        self.slow_down()
        if isinstance(made, Partly):
            self.refused |= made.refused
            raise NotBegun(made.refused)
        self.move_dirs(plan)
        self.left_count -= 1
        if self.left_count > 0:
            wait(
                self.admin.not_moved,
                plan.asked,
                timeout_s=FOREVER_S,
                tell=lambda: self.notices.note(
                    f"{len(plan.asked)} partitions are asked for; a znode holds no more, so the"
                    f" next are asked for when these are done ({self.left_count} more times). If"
                    " you stop that, run the command again later"
                ),
                progress=lambda left: self.notices.note(
                    f"{len(plan.asked) - len(left)} of these {len(plan.asked)} are done"
                ),
            )

    def move_dirs(self, plan: MovePlan) -> None:
        """Ask brokers for the moves to other log directories until all have begun.

        Raises:
            DirsRefused: a broker refuses some of it.
            DirsAwaited: not all have begun within the timeout.
        """
        refused: dict[Replica, str] = {}

        def ask(moves: Sequence[DirMove]) -> Remaining[DirMove]:
            asked = self.admin.move_dirs(moves)
            self.begun_dirs += [move.replica for move in asked.begun]
            refused.update(asked.refused)
            return Remaining(items=asked.awaited, has_controller=True)

        if not plan.dir_moves:
            return
        left = wait(
            ask,
            plan.dir_moves,
            timeout_s=self.request.timeout_s,
            tell=lambda: self.notices.note(
                "waiting for replicas that are to change their log directories"
            ),
        )
        if refused:
            raise DirsRefused(refused, "while all else has begun")
        if left.items:
            raise DirsAwaited([move.replica for move in left.items], self.request.timeout_s)


def with_states(
    admin: ReassignmentAdmin, snapshot: ClusterSnapshot, targets: Targets
) -> ClusterSnapshot:
    """Return *snapshot*, with the topics of *targets*, their states and configs as they are now."""
    names = tuple(dict.fromkeys(partition.topic for partition in targets))
    if not names:
        return snapshot
    newer = admin.snapshot(TopicSelection(wanted=names), with_configs=True)
    others = {name: topic for name, topic in snapshot.topics.items() if name not in names}
    return replace(newer, topics=dict(sorted({**others, **newer.topics}.items())))
