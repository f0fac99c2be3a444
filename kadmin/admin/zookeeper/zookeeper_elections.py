"""Elections by way of ZooKeeper: `kadmin.admin.ports.ElectionAdmin`, by a znode for the controller.

It can ask for preferred leaders alone: there is no znode for an unclean election.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from cluster.coordination.election import read_leaders, read_request, request_election
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed
from cluster.model.snapshot import ClusterSnapshot
from cluster.zk import paths
from cluster.zk.steps import Steps, read_node
from kadmin.admin.ports import Fence, Outcome, Remaining
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.snapshot import read_snapshot
from kadmin.admin.zookeeper.transaction import read_fence, write
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import RefusedError
from kadmin.plan.election import ElectionPlan, ElectionType, PartitionElection, has_another_leader


class RequestUnreadable(RefusedError):
    """A damaged request stands where there is room for one only."""

    def __init__(self, error: CorruptZnodeError) -> None:
        super().__init__(
            f"cannot tell whether another election is under way: {error}",
            hint=f"look at {error.path} with zookeeper-shell; a controller from 1.1 on removes it",
        )


class ZooKeeperElections:
    """The `ElectionAdmin` of a ZooKeeper session."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def snapshot(self, selection: TopicSelection, *, with_topics: bool = True) -> ClusterSnapshot:
        cluster = self.connection.settings.connect
        return self.connection.read(read_snapshot(cluster, selection, with_topics=with_topics))

    def under_way(self) -> Sequence[TopicPartition]:
        try:
            return self.connection.read(read_request())
        except CorruptZnodeError as error:
            raise RequestUnreadable(error) from error

    def end_offsets(
        self, replicas: Mapping[TopicPartition, Sequence[BrokerId]]
    ) -> Mapping[TopicPartition, Mapping[BrokerId, int]]:
        """Return none: only brokers have these."""
        return {}

    def fence(self) -> Fence:
        return read_fence(self.connection)

    def write(self, fence: Fence, plan: ElectionPlan) -> Outcome:
        assert plan.kind is ElectionType.PREFERRED
        leaders = {each.partition: each.elected for each in plan.moving if each.elected is not None}
        if not leaders:
            return Committed()
        try:
            return write(self.connection, fence, partial(request_election, leaders=leaders))
        except CorruptZnodeError as error:
            raise RequestUnreadable(error) from error

    def not_elected(self, elections: Sequence[PartitionElection]) -> Remaining[PartitionElection]:
        self.connection.budget.renew()
        return self.connection.read(not_elected(elections))


def not_elected(
    elections: Sequence[PartitionElection],
) -> Steps[Remaining[PartitionElection]]:
    """Return those of *elections* that the controller has not gone through yet.

    It has gone through all when its request is gone, whatever has come of them.  As long as that
    stands at least one remains: there is no room for another request.
    """
    controller = yield from read_node(paths.CONTROLLER)
    try:
        requested = set((yield from read_request()))
    except CorruptZnodeError:  # Not the one that was written.
        requested = set()
    left: Sequence[PartitionElection] = ()
    if any(election.partition in requested for election in elections):
        leaders = yield from read_leaders([election.partition for election in elections])
        left = [
            election
            for election in elections
            if not has_another_leader(election, leaders[election.partition])
        ] or elections[-1:]
    return Remaining(items=left, has_controller=controller is not None)
