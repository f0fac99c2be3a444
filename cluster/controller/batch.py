"""Batch of orders: what the brokers must receive after one unit of work.

Collects orders, and puts at most one of each kind into each channel: LeaderAndIsr first, so that a
broker has its roles before it publishes them to clients; then UpdateMetadata; then StopReplica.

Only what is durable in ZooKeeper may be added.  After a crash between the write and the sending,
the next controller sends what is missing: it starts with an order to every replica.
Source: Kafka's ControllerBrokerRequestBatch.
"""

from collections.abc import Iterable

from cluster.controller.active_controller import ActiveController
from cluster.controller.orders import (
    LeaderAndIsr,
    LeaderAndIsrPartition,
    PublishedPartition,
    StoppedPartition,
    StopReplica,
    UpdateMetadata,
)
from cluster.model.broker import BrokerRegistration
from cluster.model.ids import (
    EPOCH_DURING_DELETION,
    LEADER_DURING_DELETION,
    NEVER_READ,
    NO_LEADER_EPOCH,
    BrokerId,
    TopicPartition,
)
from cluster.model.topic import PartitionAssignment
from cluster.statechange.controller import (
    leader_and_isr_summary,
    sending_leader_and_isr,
    sending_stop_replica,
    stop_replica_summary,
    update_metadata_summary,
)


class OrderBatch:
    """Empty at first and after `send`; the content of an order is taken when it is added."""

    __slots__ = ("_active", "_leader_and_isr", "_published", "_readers", "_stopped")

    def __init__(self, active: ActiveController) -> None:
        self._active = active
        self._leader_and_isr: dict[BrokerId, dict[TopicPartition, LeaderAndIsrPartition]] = {}
        self._stopped: dict[BrokerId, dict[TopicPartition, StoppedPartition]] = {}
        self._readers: set[BrokerId] = set()
        self._published: dict[TopicPartition, None] = {}

    def add_leader_and_isr(
        self, brokers: Iterable[BrokerId], partition: TopicPartition, *, is_new: bool = False
    ) -> None:
        """Send the partition's state to *brokers*, and its metadata to all brokers.

        Of two additions for a partition in one batch the last one counts; it stays new if the first
        was.  A member of the ISR that is no longer a replica is sent as one being removed: Kafka's
        leaders wait for replicas only, and the member can be elected as long as ZooKeeper has it.
        """
        context = self._active.context
        state = context.states[partition]
        assignment = with_members(context.assignments[partition], state.isr)
        assert state.zk_version != NEVER_READ, "what is sent was written first"
        order = LeaderAndIsrPartition(partition, state, assignment, is_new)
        for broker in brokers:
            orders = self._leader_and_isr.setdefault(broker, {})
            before = orders.get(partition)
            if before is not None:
                assert before.state.leader_epoch <= state.leader_epoch, "no epoch falls"
            was_new = before is not None and before.is_new
            orders[partition] = order._replace(is_new=True) if was_new else order
        self._readers.update(context.brokers)
        self._published[partition] = None

    def add_update_metadata(
        self, brokers: Iterable[BrokerId], partitions: Iterable[TopicPartition] = ()
    ) -> None:
        """Send *brokers* the live brokers, and *partitions* as they are when the batch is sent."""
        self._readers.update(brokers)
        self._published.update(dict.fromkeys(partitions))

    def add_stop_replica(
        self, broker: BrokerId, partition: TopicPartition, *, is_deleted: bool
    ) -> None:
        """Stop the replica on *broker*; two in one batch delete it if one of them does."""
        context = self._active.context
        state = context.states.get(partition)
        leader_epoch = NO_LEADER_EPOCH if state is None else state.leader_epoch
        if context.is_to_be_deleted(partition):
            leader_epoch = EPOCH_DURING_DELETION
        stopped = self._stopped.setdefault(broker, {})
        was_deleted = partition in stopped and stopped[partition].is_deleted
        stopped[partition] = StoppedPartition(partition, leader_epoch, is_deleted or was_deleted)

    def send(self) -> None:
        """Put the orders into the channels of the brokers that are still registered."""
        self.send_roles()
        self._send_update_metadata()
        for broker_id, stopped in self._stopped.items():
            if broker_id in self._active.context.brokers:
                self._send_stop_replica(broker_id, tuple(stopped.values()))
        self._stopped.clear()
        self._readers.clear()
        self._published.clear()

    def send_roles(self) -> None:
        """Send the LeaderAndIsr orders only; the metadata for clients waits for `send`."""
        for broker_id, partitions in self._leader_and_isr.items():
            if broker_id in self._active.context.brokers:
                self._send_leader_and_isr(broker_id, tuple(partitions.values()))
        self._leader_and_isr.clear()

    def _send_leader_and_isr(
        self, broker_id: BrokerId, partitions: tuple[LeaderAndIsrPartition, ...]
    ) -> None:
        active = self._active
        if active.config.writes_traces:
            for partition, state, assignment, is_new in partitions:
                line = sending_leader_and_isr(
                    active.tag, broker_id, partition, state, assignment, is_new
                )
                active.log(line)
        led = sum(1 for order in partitions if order.state.leader == broker_id)
        active.log(leader_and_isr_summary(active.tag, broker_id, led, len(partitions) - led))
        leaders = dict.fromkeys(order.state.leader for order in partitions)
        brokers = active.context.brokers
        order = LeaderAndIsr(
            controller_id=active.config.broker_id,
            controller_epoch=active.controller_epoch,
            broker_epoch=brokers[broker_id].broker_epoch,
            partitions=partitions,
            live_leaders=tuple(brokers[leader] for leader in leaders if leader in brokers),
            topic_ids=self._topic_ids(order.partition for order in partitions),
        )
        active.channels.push(broker_id, order)

    def _send_update_metadata(self) -> None:
        active = self._active
        if not active.config.publishes_metadata:
            return
        brokers = active.context.brokers
        readers = sorted(reader for reader in self._readers if reader in brokers)
        if not readers:
            return
        published = tuple(self._publications())
        live_brokers: tuple[BrokerRegistration, ...] = tuple(brokers.values())
        topic_ids = self._topic_ids(self._published)
        active.log(update_metadata_summary(active.tag, readers, len(published)))
        for broker_id in readers:
            order = UpdateMetadata(
                controller_id=active.config.broker_id,
                controller_epoch=active.controller_epoch,
                broker_epoch=brokers[broker_id].broker_epoch,
                partitions=published,
                live_brokers=live_brokers,
                topic_ids=topic_ids,
            )
            active.channels.push(broker_id, order)

    def _publications(self) -> Iterable[PublishedPartition]:
        """The partitions to publish; one that has had no leader yet is left out."""
        context = self._active.context
        for partition in self._published:
            state = context.states.get(partition)
            if state is None:
                continue
            if context.is_to_be_deleted(partition):
                state = state._replace(leader=LEADER_DURING_DELETION)
            yield PublishedPartition(
                partition,
                state,
                context.assignments[partition].replicas,
                context.offline_replicas_of(partition),
            )

    def _send_stop_replica(
        self, broker_id: BrokerId, partitions: tuple[StoppedPartition, ...]
    ) -> None:
        active = self._active
        if active.config.writes_traces:
            for stopped in partitions:
                active.log(sending_stop_replica(active.tag, broker_id, *stopped))
        active.log(stop_replica_summary(active.tag, broker_id, len(partitions)))
        order = StopReplica(
            controller_id=active.config.broker_id,
            controller_epoch=active.controller_epoch,
            broker_epoch=active.context.brokers[broker_id].broker_epoch,
            partitions=partitions,
        )
        active.channels.push(broker_id, order)

    def _topic_ids(self, partitions: Iterable[TopicPartition]) -> dict[str, str]:
        topics = self._active.context.topics
        names = dict.fromkeys(partition.topic for partition in partitions)
        ids = {name: topics[name].topic_id for name in names}
        return {name: topic_id for name, topic_id in ids.items() if topic_id is not None}


def with_members(assignment: PartitionAssignment, isr: tuple[BrokerId, ...]) -> PartitionAssignment:
    """*assignment*, in which members of *isr* that it leaves out are being removed."""
    removed = tuple(member for member in isr if member not in assignment.replicas)
    if not removed:
        return assignment
    return assignment._replace(
        replicas=assignment.replicas + removed, removing=assignment.removing + removed
    )
