"""Reassignments, from a look at the cluster until the controller has been asked for them.

Which targets are meant has been understood already.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from cluster.model import fault as subjects
from cluster.model.fault import Thing
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import Made, Partly, ReassignmentAdmin
from kadmin.errors import KadminError, RefusedError
from kadmin.execute.change import Step
from kadmin.execute.rollback_file import write_rollback_file
from kadmin.execute.throttles import set_throttles
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.execute.waiting import wait
from kadmin.plan.reassignment.files import targets_text
from kadmin.plan.reassignment.moves import Move, MovePlan, plan_moves, running_moves
from kadmin.plan.reassignment.targets import Target, Targets
from kadmin.plan.reassignment.throttles import throttles
from kadmin.plan.select import TopicSelection
from kadmin.plan.wording import listed

FOREVER_S = float("inf")


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
        reasons = "; ".join(f"{partition}: {refused[partition]}" for partition in sorted(refused))
        super().__init__(f"the controller refuses to move {len(refused)} partitions: {reasons}")
        self.refused = dict(refused)


class Reassigning:
    """One run: *targets_in* tells what is wanted, given the cluster; *rate* slows it down to so
    many bytes per s at each broker, None to leave throttles as they are.

    *announce* is called when all is confirmed, before anything is written.
    """

    def __init__(
        self,
        admin: ReassignmentAdmin,
        targets_in: Callable[[ClusterSnapshot], Targets],
        *,
        is_additional: bool,
        rate: int | None,
        rollback_path: str,
        announce: Callable[[], None],
        note: Callable[[str], None],
        warn: Callable[[str], None],
    ) -> None:
        self.admin = admin
        self.targets_in = targets_in
        self.is_additional = is_additional
        self.rate = rate
        self.rollback_path = rollback_path
        self.announce = announce
        self.note = note
        self.warn = warn
        self.snapshot: ClusterSnapshot | None = None
        self.plan = MovePlan(moves=(), before={})
        """All that is wanted, also what is there already, or on its way."""
        self.left_count = 0
        self.sizes: Mapping[TopicPartition, Mapping[BrokerId, int]] = {}
        self.refused: dict[TopicPartition, str] = {}
        self.has_rollback_file = self.has_throttles = False

    def steps(self) -> list[Step[MovePlan]]:
        """Plan all moves from one look at the cluster, and what of them is asked for at once.

        Raises:
            AlreadyMoving: there is a reassignment, and this is not to be an additional one.
            UnfitTargets: what cannot be meant.
            Unreadable: what it depends on is damaged.
        """
        self.snapshot = self.look(None)
        for fault in self.snapshot.faults:
            if fault.subject.thing in (Thing.BROKER, Thing.TOPIC):
                self.warn(f"left out: {fault}")
        targets = self.targets_in(self.snapshot)
        self.snapshot = with_states(self.admin, self.snapshot, targets)
        named = {subjects.topic(partition.topic) for partition in targets}
        refuse_unreadable(self.snapshot, {subjects.REASSIGNMENT, *named})
        self.plan = plan_moves(self.snapshot, targets, is_additional=self.is_additional)
        self.sizes = self.admin.replica_sizes([move.partition for move in self.plan.asked])
        waves = self.admin.waves(self.plan)
        self.left_count = len(waves)
        return [Step(plan=wave, replan=partial(self.replan, wave)) for wave in waves]

    def look(self, topics: Sequence[str] | None) -> ClusterSnapshot:
        """The cluster with *topics*, None for all, and without states.

        Raises:
            Unreadable: nobody can tell what is moving.
        """
        selection = TopicSelection(wanted=() if topics is None else tuple(topics))
        snapshot = self.admin.snapshot(selection, with_states=False)
        refuse_unreadable(snapshot, {subjects.REASSIGNMENT})
        return snapshot

    def replan(self, wave: MovePlan) -> MovePlan:
        """The same moves from what is there now.

        Raises:
            Changed: they are others by now.
        """
        newer = plan_moves(
            self.look(tuple(wave.before)), wave.targets, is_additional=self.is_additional
        )
        changed = [
            move.partition
            for move, then in zip(newer.moves, wave.moves, strict=True)
            if move != then or self.is_another(newer, wave, move.partition.topic)
        ]
        if changed:
            raise Changed(changed)
        return newer

    def is_another(self, newer: MovePlan, wave: MovePlan, topic: str) -> bool:
        """Whether *topic* was deleted since, and made anew."""
        return newer.before[topic].topic_id != wave.before[topic].topic_id

    def prepare(self, plans: Sequence[MovePlan]) -> None:
        """Do what has to be done before the first of *plans* is written, in this order.

        The rollback file: without it nothing is moved.  The throttles: what moves would be fast
        before they are set.  After a crash in between, throttles are set and nothing moves:
        `--verify` puts them back.

        Raises:
            NoRollbackFile: it cannot be written; nothing was.
        """
        if plans:
            current = {move.partition: Target(move.before.origin) for move in self.plan.moves}
            write_rollback_file(self.rollback_path, targets_text(current) + "\n")
            self.has_rollback_file = True
        self.announce()
        if self.rate is not None:
            assert self.snapshot is not None
            set_throttles(self.admin, self.snapshot, throttles(self.slowed(), self.rate))
            self.has_throttles = True

    def slowed(self) -> list[Move]:
        """What moves when all is asked for: the lists of a topic are for all its partitions."""
        assert self.snapshot is not None
        moving = {move.partition: move for move in running_moves(self.snapshot)}
        moving |= {move.partition: move for move in self.plan.asked}
        return [moving[partition] for partition in sorted(moving)]

    def settle(self, plan: MovePlan, made: Made) -> None:
        """Wait until *plan* is done where there is more to be asked for, which has no room before.

        Raises:
            NotBegun: the controller refuses some of it.
        """
        if isinstance(made, Partly):
            self.refused |= made.refused
            raise NotBegun(made.refused)
        self.left_count -= 1
        if self.left_count > 0:
            wait(
                self.admin.not_moved,
                plan.asked,
                timeout_s=FOREVER_S,
                tell=lambda: self.note(
                    f"{len(plan.asked)} partitions are asked for; a znode holds no more, so the"
                    f" next are asked for when these are done ({self.left_count} more times). If"
                    " you stop that, run the command again later"
                ),
            )


def with_states(
    admin: ReassignmentAdmin, snapshot: ClusterSnapshot, targets: Targets
) -> ClusterSnapshot:
    """*snapshot*, with the topics of *targets* and their states as they are now."""
    names = tuple(dict.fromkeys(partition.topic for partition in targets))
    if not names:
        return snapshot
    newer = admin.snapshot(TopicSelection(wanted=names))
    others = {name: topic for name, topic in snapshot.topics.items() if name not in names}
    return replace(newer, topics=dict(sorted({**others, **newer.topics}.items())))
