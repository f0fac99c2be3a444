"""Reassignments by way of ZooKeeper: `kadmin.admin.ports.ReassignmentAdmin`, by a znode for the
controller.

It takes replicas alone, of any release: for directories of brokers there is no znode, and for a
cancellation none but the request itself, which the next controller reads.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from cluster.coordination.reassignment import (
    Withdrawn,
    read_request,
    request_reassignment,
    take_back_reassignment,
)
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed, Conflict, ConflictKind
from cluster.model.snapshot import ClusterSnapshot
from cluster.zk import paths
from cluster.zk.steps import Steps, read, read_node
from kadmin.admin.ports import DirsAsked, Fence, Outcome, Remaining, ReplicaTeller
from kadmin.admin.zookeeper.cluster_id import read_cluster_id
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.runner import run_blocking
from kadmin.admin.zookeeper.snapshot import decoding_topics, read_snapshot, topics_in
from kadmin.admin.zookeeper.throttle_journal import journal_writes, read_journal
from kadmin.admin.zookeeper.transaction import commit, read_fence, write
from kadmin.admin.zookeeper.zookeeper_configs import ZooKeeperConfigs
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import InProgressError, RefusedError
from kadmin.plan.log_dirs import LogDirs
from kadmin.plan.reassignment.dir_moves import DirMove
from kadmin.plan.reassignment.journal import ThrottleJournal
from kadmin.plan.reassignment.moves import Move, MovePlan
from kadmin.plan.reassignment.waves import in_waves
from kadmin.wording import counted, listed

SHOWN_MAX = 5


class NoLogDirs(RefusedError):
    """ZooKeeper knows no directory of a broker; names all partitions that ask for one."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        super().__init__(
            f"log directories cannot be chosen through ZooKeeper: {listed(partitions)}",
            hint="--bootstrap-server HOST:PORT instead of --zookeeper, from Kafka 2.4 on; or write"
            " \"any\" in 'log_dirs'",
        )
        self.partitions = tuple(partitions)


class NoRoom(InProgressError):
    """Another request stands where there is room for one only."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        more = ", …" if len(partitions) > SHOWN_MAX else ""
        super().__init__(
            f"{paths.REASSIGN_PARTITIONS} still asks for {counted(len(partitions), 'partition')},"
            f" and has room for one request only: {listed(partitions[:SHOWN_MAX])}{more};"
            " nothing was asked for",
            hint="'kadmin reassign --list' shows what is moving; run the command again when that is"
            " done, or with --bootstrap-server HOST:PORT, from Kafka 2.4 on",
        )
        self.partitions = tuple(partitions)


class ZooKeeperReassignments:
    """The `ReassignmentAdmin` of a ZooKeeper session.

    *replicas* reads what ZooKeeper lacks, for named partitions.
    """

    def __init__(self, connection: Connection, replicas: ReplicaTeller) -> None:
        self.connection = connection
        self.replicas = replicas
        self.configs = ZooKeeperConfigs(connection)

    @property
    def takes_one_request(self) -> bool:
        return True

    def cluster_id(self) -> str | None:
        return self.connection.read(read_cluster_id())

    def snapshot(
        self, selection: TopicSelection, *, with_states: bool = True, with_configs: bool = False
    ) -> ClusterSnapshot:
        """Read the snapshot; configs are read with everything else."""
        cluster = self.connection.settings.connect
        return self.connection.read(read_snapshot(cluster, selection, with_states=with_states))

    def waves(self, plan: MovePlan) -> Sequence[MovePlan]:
        choosing = [move.partition for move in plan.moves if move.target.chosen_dirs]
        if choosing:
            raise NoLogDirs(choosing)
        waves = in_waves(plan)
        if waves:
            standing = self.connection.read(read_standing())
            if standing:
                raise NoRoom(sorted(standing))
        return waves

    def log_dirs(self, partitions: Sequence[TopicPartition] | None) -> LogDirs | None:
        """Read the log directories of *partitions*; None for all.

        Replicas are not moved between directories by ZooKeeper, so that no broker has to be asked
        whether one moves.
        """
        return self.replicas.log_dirs(partitions) if partitions else None

    def end_offsets(
        self, replicas: Mapping[TopicPartition, Sequence[BrokerId]]
    ) -> Mapping[TopicPartition, Mapping[BrokerId, int]]:
        return self.replicas.end_offsets(replicas)

    def move_dirs(self, moves: Sequence[DirMove]) -> DirsAsked:
        raise NoLogDirs([move.replica.partition for move in moves])

    def journal(self) -> ThrottleJournal:
        return self.connection.read(read_journal())

    def write_journal(self, fence: Fence, journal: ThrottleJournal) -> Outcome:
        operations = run_blocking(self.connection, journal_writes(journal))
        return commit(self.connection, fence, operations) if operations else Committed()

    def fence(self) -> Fence:
        return read_fence(self.connection)

    def write(self, fence: Fence, plan: MovePlan) -> Outcome:
        targets = {move.partition: move.target.replicas for move in plan.asked}
        if not targets and not plan.dropped:
            return Committed()
        versions = {name: found.zk_version for name, found in plan.before.items()}
        request = partial(request_reassignment, targets=targets, topic_versions=versions)
        if plan.withdrawal is not None:
            moves = {
                move.partition: Withdrawn(
                    before=move.before, heading=move.heading, target=move.target.replicas
                )
                for move in plan.asked
            }
            request = partial(
                take_back_reassignment,
                moves=moves,
                resigning=plan.withdrawal.resigning,
                dropped=plan.dropped,
            )
        try:
            return write(self.connection, fence, request)
        except CorruptZnodeError:  # The next plan finds it and reports it.
            return Conflict(paths.REASSIGN_PARTITIONS, ConflictKind.EXISTS)

    def not_moved(self, moves: Sequence[Move]) -> Remaining[Move]:
        self.connection.budget.renew()
        return self.connection.read(not_moved(moves))


def not_moved(moves: Sequence[Move]) -> Steps[Remaining[Move]]:
    """Return those of *moves* that are still asked for, or whose partition is being reassigned."""
    controller = yield from read_node(paths.CONTROLLER)
    # The request first: what leaves it meanwhile stands in its topic by then.
    requested = yield from read_standing()
    names = sorted({move.partition.topic for move in moves})
    of_topics = decoding_topics(names)
    (reply,) = yield from read((of_topics,))
    topics = topics_in(names, of_topics, reply, [])

    def is_moving(partition: TopicPartition) -> bool:
        topic = topics.get(partition.topic)
        part = None if topic is None else topic.partitions.get(partition.partition)
        return part is not None and (part.is_reassigning or partition in requested)

    left = [move for move in moves if is_moving(move.partition)]
    return Remaining(items=left, has_controller=controller is not None)


def read_standing() -> Steps[Mapping[TopicPartition, tuple[BrokerId, ...]]]:
    """Return what is asked for; nothing where that is damaged, which is found when it is planned
    from."""
    try:
        return (yield from read_request())
    except CorruptZnodeError:
        return {}
