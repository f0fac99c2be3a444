"""The ports of a supervisor in the simulated world; each call is one turn of its process."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cluster.model.config_entity import ConfigEntity, ConfigOverrides
from cluster.model.fault import Fault
from cluster.model.ids import NEVER_READ, BrokerId, TopicPartition, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.answers import ConfigSnapshot
from kadmin.admin.ports import DirsAsked, Fence, KeptRun, LeaseFence, Outcome, Remaining
from kadmin.admin.zookeeper.zookeeper_reassignments import NoRoom
from kadmin.arguments.entities import EntitySelection
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import UnreachableError
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.config_values import ConfigValue
from kadmin.plan.log_dirs import LogDir, LogDirs, ReplicaLog
from kadmin.plan.reassignment.dir_moves import DirMove
from kadmin.plan.reassignment.journal import ThrottleJournal
from kadmin.plan.reassignment.moves import Move, MovePlan
from kadmin.plan.supervision.run import MoveRun
from tests.sim.moves.actors import Actor
from tests.sim.moves.cluster import Era
from tests.sim.moves.state import State


class Lost(UnreachableError):
    def __init__(self) -> None:
        super().__init__("the reply was lost")


class Wire:
    """The way of *actor* to the world: *calls* may be lost before or after they have an effect."""

    def __init__(self, state: State, actor: Actor) -> None:
        self.state = state
        self.actor = actor

    def read(self) -> None:
        self.actor.turn()
        if self.state.loses():
            raise Lost

    def write(self, change: Callable[[], Outcome]) -> Outcome:
        self.actor.is_about_to_write = True
        self.read()
        self.actor.is_about_to_write = False
        outcome = change()
        # The runner of ZooKeeper's requests finds most of these out; some it cannot.
        if self.state.loses():
            raise Lost
        return outcome


class SimConfigs:
    """A `ConfigAdmin`, as far as throttles use it."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.state = wire.state

    def read(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]:
        self.wire.read()
        return {entity: self.state.cluster.config(entity) for entity in entities}, ()

    def write(self, fence: Fence, plan: ConfigPlan) -> Outcome:
        def change() -> Outcome:
            refusal = self.state.refusal(fence)
            if refusal is not None:
                return refusal
            if plan.before != self.state.cluster.config(plan.entity):
                return Conflict(str(plan.entity), ConflictKind.VERSION)
            self.state.note_write(self.wire.actor.name, fence)
            self.state.cluster.put(plan.entity, plan.after.values)
            return Committed()

        return self.wire.write(change)

    def fence(self) -> Fence:
        raise NotImplementedError

    def absence(self) -> None:
        raise NotImplementedError

    def topic_names(self, selection: TopicSelection) -> Sequence[str]:
        raise NotImplementedError

    def find(self, selection: EntitySelection) -> list[ConfigEntity]:
        raise NotImplementedError

    def read_all(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, Sequence[ConfigValue]], Sequence[Fault]]:
        raise NotImplementedError

    def snapshot(self, entities: Sequence[ConfigEntity]) -> ConfigSnapshot:
        raise NotImplementedError

    def dry_run(self, plans: Sequence[ConfigPlan]) -> None:
        raise NotImplementedError


class SimAdmin:
    """A `ReassignmentAdmin`."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.state = wire.state
        self.configs = SimConfigs(wire)
        self.seen = self.state.cluster.snapshot()

    @property
    def takes_one_request(self) -> bool:
        return self.state.cluster.era is not Era.BY_WIRE

    def cluster_id(self) -> str:
        return "sim"

    def fence(self) -> Fence:
        self.wire.read()
        return Fence(mark=self.state.cluster.epoch)

    def snapshot(
        self, selection: TopicSelection, *, with_states: bool = True, with_configs: bool = False
    ) -> ClusterSnapshot:
        self.wire.read()
        found = self.state.cluster.snapshot(selection.wanted or None)
        if with_states:
            self.seen = found
        return found

    def waves(self, plan: MovePlan) -> Sequence[MovePlan]:
        self.wire.read()
        if self.takes_one_request and self.state.cluster.request:
            raise NoRoom(sorted(self.state.cluster.request))
        return [plan] if plan.asked else []

    def write(self, fence: Fence, plan: MovePlan) -> Outcome:
        seen, name = self.seen, self.wire.actor.name
        return self.wire.write(lambda: self.state.reassign(name, fence, plan, seen))

    def journal(self) -> ThrottleJournal:
        self.wire.read()
        return self.state.lease

    def write_journal(self, fence: Fence, journal: ThrottleJournal) -> Outcome:
        def change() -> Outcome:
            refusal = self.state.refusal(replace(fence, lease=None))
            if refusal is not None:
                return refusal
            if journal.zk_version != self.state.lease.zk_version:
                return Conflict("the lease", ConflictKind.VERSION)
            self.state.lease_writes += 1
            version = ZkVersion(self.state.lease_writes) if journal.entries else NEVER_READ
            self.state.lease = replace(journal, zk_version=version)
            return Committed()

        return self.wire.write(change)

    def log_dirs(self, partitions: Sequence[TopicPartition] | None) -> LogDirs:
        self.wire.read()
        parts = self.state.cluster.parts
        found: dict[BrokerId, list[LogDir]] = {}
        for broker in sorted(self.state.cluster.live):
            logs = tuple(
                ReplicaLog(partition=each, size_bytes=parts[each].copied[broker], lag_records=0)
                for each in (parts if partitions is None else partitions)
                if broker in parts[each].copied
            )
            found[broker] = [LogDir(path="/d", replicas=logs)]
        return found

    def end_offsets(
        self, replicas: Mapping[TopicPartition, Sequence[BrokerId]]
    ) -> Mapping[TopicPartition, Mapping[BrokerId, int]]:
        raise NotImplementedError

    def move_dirs(self, moves: Sequence[DirMove]) -> DirsAsked:
        raise NotImplementedError

    def not_moved(self, moves: Sequence[Move]) -> Remaining[Move]:
        raise NotImplementedError


class SimStore:
    """A `RunStore`."""

    place = "the simulated world"
    unseen = ""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.state = wire.state
        self.epoch = 0

    def run_ids(self) -> Sequence[str]:
        return [] if self.state.run is None else [self.state.run.run_id]

    def read(self, run_id: str) -> MoveRun | None:
        self.wire.read()
        return self.state.run

    def create(self, run: MoveRun) -> Outcome:
        return self.wire.write(lambda: self.state.keep(run))

    def write(self, run: MoveRun) -> Outcome:
        kept = KeptRun(run.run_id, run.zk_version, self.lease_fence())

        def change() -> Outcome:
            refusal = self.state.refusal(Fence(mark=None, run=kept))
            return self.state.keep(run) if refusal is None else refusal

        return self.wire.write(change)

    def claim(self, me: str) -> str | None:
        self.wire.read()
        holder = self.state.claim(me)
        self.epoch = self.state.lease_epoch if holder == me else 0
        return holder

    def lease_fence(self) -> LeaseFence:
        return (("lease", ZkVersion(self.epoch)),)

    def holds_lease(self) -> bool:
        return self.epoch == self.state.lease_epoch and self.state.holder == self.wire.actor.name

    def supervisor(self) -> str | None:
        self.wire.read()
        return self.state.holder

    def release(self) -> None:
        self.wire.read()
        if self.state.holder == self.wire.actor.name:
            self.state.holder = None
