"""What the simulated world keeps: the cluster, the lease of throttles, the journal of the run.

Requests are judged here, as ZooKeeper and the controller do: *fences* taken out are not checked.
"""

from collections.abc import Callable
from dataclasses import replace

from cluster.model.ids import NEVER_READ, TopicPartition, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import Fence, KeptRun, Outcome, Partly
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.reassignment.journal import ThrottleJournal
from kadmin.plan.reassignment.moves import MovePlan
from kadmin.plan.supervision.run import MoveRun
from kadmin.plan.supervision.standing import Standing, standing_of
from tests.sim.moves.cluster import Cluster, Era
from tests.sim.moves.violation import Kind, Violation


class State:
    def __init__(self, cluster: Cluster, loses: Callable[[], bool]) -> None:
        self.cluster = cluster
        self.loses = loses
        self.lease = ThrottleJournal()
        self.lease_writes = 0
        self.run: MoveRun | None = None
        self.holder: str | None = None
        self.lease_epoch = 0
        self.planned: dict[TopicPartition, PlannedMove] = {}
        self.problem: Violation | None = None
        self.asked_count = 0
        self.checks_run = True
        self.checks_lease = True

    def claim(self, me: str) -> str | None:
        if self.holder is None:
            if self.loses():
                return None  # Not elected yet.
            self.holder = me
            self.lease_epoch += 1
        return self.holder

    def keep(self, run: MoveRun) -> Outcome:
        kept = NEVER_READ if self.run is None else self.run.zk_version
        if run.zk_version != kept:
            return Conflict("the journal", ConflictKind.VERSION)
        self.run = replace(run, zk_version=ZkVersion(max(0, kept + 1)))
        return Committed()

    def refusal(self, fence: Fence) -> Outcome | None:
        if self.cluster.era is Era.BY_WIRE:
            return None
        if fence.mark is not None and fence.mark != self.cluster.epoch:
            return FenceMoved()
        if fence.lease is not None and fence.lease != self.lease.zk_version:
            return FenceMoved()
        assert self.run is not None
        if fence.run is None:
            return None
        if self.checks_run and fence.run.zk_version != self.run.zk_version:
            return FenceMoved()
        if self.checks_lease and not self.is_led(fence.run):
            return FenceMoved()
        return None

    def is_led(self, kept: KeptRun) -> bool:
        """Return whether the lease that *kept* was read under goes on."""
        epochs = {epoch for _, epoch in kept.lease}
        return self.holder is not None and epochs == {self.lease_epoch}

    def note_write(self, writer: str, fence: Fence) -> None:
        """Notice a write of a supervisor that has been replaced, or has lost its lease.

        Over brokers the clock is compared right before a write, and a moment is left.
        """
        assert self.run is not None
        if fence.run is None or self.problem is not None:
            return
        is_by_wire = self.cluster.era is Era.BY_WIRE
        if self.run.supervisor != writer or not (is_by_wire or self.is_led(fence.run)):
            self.problem = Violation(
                Kind.TWO_WRITERS, f"{writer}, not {self.run.supervisor}; the lease: {self.holder}"
            )

    def reassign(self, writer: str, fence: Fence, plan: MovePlan, seen: ClusterSnapshot) -> Outcome:
        """Judge a request of *writer*, who saw the cluster as *seen*."""
        refusal = self.refusal(fence)
        if refusal is not None:
            return refusal
        by_wire = self.cluster.era is Era.BY_WIRE
        if by_wire and self.cluster.controller is None:
            return FenceMoved()
        for name, before in plan.before.items():
            if by_wire:
                continue
            if before.zk_version != self.cluster.versions[name]:
                return Conflict(name, ConflictKind.VERSION)
        for move in plan.asked:
            if self.cluster.parts[move.partition].assignment != move.before:
                return Conflict(str(move.partition), ConflictKind.VERSION)
        standing = self.cluster.request or {}
        if not by_wire and plan.withdrawal is None and standing:
            return Conflict("the request", ConflictKind.EXISTS)
        self.note_write(writer, fence)
        for move in plan.asked:
            state = seen.topics[move.partition.topic].states[move.partition.partition]
            if not set(state.isr) & set(move.target.replicas) and move.heading:
                self.problem = Violation(Kind.NOT_IN_SYNC, f"{move.partition}: {state.isr}")
        return self.carry_out(plan)

    def carry_out(self, plan: MovePlan) -> Outcome:
        refused = {}
        for move in plan.asked:
            partition, target = move.partition, move.target.replicas
            planned = self.planned[partition]
            if standing_of(self.cluster.snapshot(), planned) is Standing.FOREIGN:
                self.problem = Violation(Kind.OVERWRITTEN, f"{partition} -> {target}")
            self.asked_count += 1
            if self.cluster.era is not Era.BY_WIRE:
                self.cluster.request = {**(self.cluster.request or {}), partition: target}
            elif set(target) - set(move.before.replicas) <= self.cluster.live:
                self.cluster.begin(partition, target)
            else:
                refused[partition] = "a replica is not alive"
        if plan.withdrawal is not None and plan.asked:
            self.cluster.controller = None  # It resigns, and the next one reads.
        return Partly(refused) if refused else Committed()
