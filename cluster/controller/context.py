"""Controller context: the controller's view of the cluster.

Stores it and answers questions about it; decides nothing and reads nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from cluster.controller.partition_states import PartitionStatus
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.model.broker import BrokerRegistration
from cluster.model.ids import NO_LEADER, BrokerEpoch, BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment


class ControllerContext:
    """Starts empty.  All containers keep insertion order, so that the same events always have the
    same effects; a dict that serves as an ordered set has None for values.
    """

    __slots__ = (
        "_hosted",
        "_partition_statuses",
        "_replica_statuses",
        "_topic_names",
        "assignments",
        "brokers",
        "finishing",
        "last_epochs",
        "loaded_zxids",
        "logs_to_delete",
        "not_online",
        "reassigning",
        "refused_topics",
        "replicas_on_offline_dirs",
        "seen_reassignment",
        "shutting_down",
        "states",
        "to_be_started",
        "topics",
        "topics_ineligible_for_deletion",
        "topics_to_be_deleted",
        "topics_with_deletion_started",
        "unconfirmed_removals",
        "unconfirmed_stops",
    )

    def __init__(self) -> None:
        self.brokers: dict[BrokerId, BrokerRegistration] = {}
        """All registered brokers, including those that shut down."""
        self.last_epochs: dict[BrokerId, BrokerEpoch] = {}
        """The broker epochs of those that were registered and are gone."""
        self.loaded_zxids: Mapping[TopicPartition, int] = {}
        """The transaction that had written each state when this controller read them all."""
        self.shutting_down: dict[BrokerId, None] = {}
        self.replicas_on_offline_dirs: dict[BrokerId, dict[TopicPartition, None]] = {}
        """Replicas in failed log directories of live brokers."""
        self.topics: dict[str, TopicAssignment] = {}
        """As in the topics' nodes; for a partition that has reached its target *assignments*
        already has the final assignment before its node does.
        """
        self.refused_topics: dict[str, None] = {}
        """Topics that are ignored, since their names are invalid."""
        self.assignments: dict[TopicPartition, PartitionAssignment] = {}
        self.states: dict[TopicPartition, PartitionState] = {}
        """Each with the zkVersion under which it was last read or written."""
        self.topics_to_be_deleted: dict[str, None] = {}
        self.topics_ineligible_for_deletion: dict[str, None] = {}
        """Those of *topics_to_be_deleted* that have to wait."""
        self.topics_with_deletion_started: dict[str, None] = {}
        """The topics of *topics_to_be_deleted* whose partitions are NonExistent already."""
        self.logs_to_delete: dict[str, dict[Replica, None]] = {}
        """By topic: the replicas that are ordered to delete their logs in a later turn."""
        self.unconfirmed_removals: dict[str, dict[BrokerId, None]] = {}
        """By topic: the brokers that have not confirmed yet that they removed it from their
        metadata.
        """
        self.reassigning: dict[TopicPartition, None] = {}
        """The partitions some of whose replicas are being added or removed."""
        self.finishing: dict[TopicPartition, dict[BrokerId, None]] = {}
        """Partitions that have reached their target, with the live brokers that have not confirmed
        yet that they deleted their replica."""
        self.unconfirmed_stops: dict[BrokerId, dict[TopicPartition, None]] = {}
        """Replicas that are no longer assigned but may still have a log: their brokers have not
        confirmed the deletion, or are dead."""
        self.seen_reassignment: int | None = None
        """The czxid of `/admin/reassign_partitions` when it was last read."""
        self.not_online: dict[TopicPartition, None] = {}
        """The partitions in state New or Offline."""
        self.to_be_started: dict[TopicPartition, None] = {}
        """Those of *not_online* that get their first leaders in a later turn."""
        self._hosted: dict[BrokerId, dict[TopicPartition, None]] = {}
        self._partition_statuses: dict[TopicPartition, PartitionStatus] = {}
        self._replica_statuses: dict[BrokerId, dict[TopicPartition, ReplicaStatus]] = {}
        self._topic_names: dict[str, str] = {}
        """By topic id."""

    # Brokers

    def set_brokers(self, brokers: Iterable[BrokerRegistration]) -> None:
        self.brokers = {broker.broker_id: broker for broker in brokers}

    def last_seen(self, broker_id: BrokerId, partition: TopicPartition) -> int:
        """The last transaction at which a broker that comes was a member of ISRs, as far as is
        known: its registration before.

        Of one that this controller has not seen: the state that it read at its start.  Later states
        may be newer than a registration that the controller had not read yet.
        """
        return self.last_epochs.get(broker_id, self.loaded_zxids.get(partition, 0))

    def is_live(self, replica: BrokerId, partition: TopicPartition) -> bool:
        """Whether a replica can lead: its broker is not shutting down, and its disk works."""
        return (
            replica in self.brokers
            and replica not in self.shutting_down
            and partition not in self.replicas_on_offline_dirs.get(replica, ())
        )

    def live_replicas(self, partition: TopicPartition) -> tuple[BrokerId, ...]:
        replicas = self.assignments[partition].replicas
        return tuple([replica for replica in replicas if self.is_live(replica, partition)])

    def is_reachable(self, replica: BrokerId, partition: TopicPartition) -> bool:
        """As `is_live`, and also while its broker shuts down."""
        return replica in self.brokers and partition not in self.replicas_on_offline_dirs.get(
            replica, ()
        )

    def reachable_replicas(self, partition: TopicPartition) -> tuple[BrokerId, ...]:
        replicas = self.assignments[partition].replicas
        return tuple(replica for replica in replicas if self.is_reachable(replica, partition))

    def offline_replicas_of(self, partition: TopicPartition) -> tuple[BrokerId, ...]:
        """The replicas that cannot lead, including those on brokers that shut down."""
        replicas = self.assignments[partition].replicas
        return tuple([replica for replica in replicas if not self.is_live(replica, partition)])

    # Topics

    def set_topic(self, topic: str, assignment: TopicAssignment) -> tuple[TopicPartition, ...]:
        """Add a topic or its new partitions; returns the partitions that were unknown.

        The state of known partitions stays: only a reassignment changes their replicas, by
        `set_assignment`.
        """
        known = self.topics.get(topic)
        added = []
        for number, replicas in assignment.partitions.items():
            partition = TopicPartition(topic, number)
            if partition not in self.assignments:
                added.append(partition)
                self._put_assignment(partition, replicas)
        if known is not None:
            partitions = {**assignment.partitions, **known.partitions}
            assignment = replace(assignment, partitions=partitions)
            self._forget_id(topic)
        self.topics[topic] = assignment
        if assignment.topic_id is not None:
            self._topic_names[assignment.topic_id] = topic
        return tuple(added)

    def forget_topic(self, topic: str) -> None:
        """Drop the whole state of *topic*, as if it had never existed."""
        for partition in self.partitions_of(topic):
            self.reassigning.pop(partition, None)
            self.finishing.pop(partition, None)
            for broker_id, stops in self.unconfirmed_stops.items():
                # A broker that is away has no log of the next topic of this name before it starts.
                if broker_id in self.brokers:
                    stops.pop(partition, None)
            for replica in self.assignments.pop(partition).replicas:
                self._hosted[replica].pop(partition, None)
                self._replica_statuses.get(replica, {}).pop(partition, None)
                self.replicas_on_offline_dirs.get(replica, {}).pop(partition, None)
            self.states.pop(partition, None)
            self._partition_statuses.pop(partition, None)
            self.not_online.pop(partition, None)
            self.to_be_started.pop(partition, None)
        self._forget_id(topic)
        del self.topics[topic]
        for topics in (
            self.topics_to_be_deleted,
            self.topics_ineligible_for_deletion,
            self.topics_with_deletion_started,
            self.logs_to_delete,
            self.unconfirmed_removals,
        ):
            topics.pop(topic, None)

    def set_assignment(self, partition: TopicPartition, assignment: PartitionAssignment) -> None:
        """Give a known partition other replicas; the state of the replicas that go is kept.

        To be called when the assignment is written, or just before it is sent and while it can
        still be taken back.
        """
        for broker_id in self.assignments[partition].replicas:
            if broker_id not in assignment.replicas:
                self._hosted[broker_id].pop(partition, None)
        self._put_assignment(partition, assignment)

    def _put_assignment(self, partition: TopicPartition, assignment: PartitionAssignment) -> None:
        replicas = assignment.replicas
        if len(set(replicas)) < len(replicas):
            # A node edited by hand may list a broker twice: a broker has one replica of a
            # partition.
            assignment = assignment._replace(replicas=tuple(dict.fromkeys(replicas)))
        self.assignments[partition] = assignment
        for broker_id in assignment.replicas:
            self._hosted.setdefault(broker_id, {})[partition] = None
        if assignment.is_reassigning:
            self.reassigning[partition] = None
        else:
            self.reassigning.pop(partition, None)

    def drop_replica(self, replica: Replica) -> None:
        """Take a replica out of its partition's assignment, if it is still there, and forget it."""
        broker_id, partition = replica
        assignment = self.assignments[partition]
        self.assignments[partition] = assignment._replace(
            replicas=tuple(member for member in assignment.replicas if member != broker_id)
        )
        self._hosted[broker_id].pop(partition, None)
        self._replica_statuses.get(broker_id, {}).pop(partition, None)
        self.replicas_on_offline_dirs.get(broker_id, {}).pop(partition, None)

    def _forget_id(self, topic: str) -> None:
        topic_id = self.topics[topic].topic_id
        # A node copied by hand may have the id of another topic.
        if topic_id is not None and self._topic_names.get(topic_id) == topic:
            del self._topic_names[topic_id]

    def topic_of_id(self, topic_id: str) -> str | None:
        """The name of the topic with this id; None when there is none."""
        return self._topic_names.get(topic_id)

    def partitions_of(self, topic: str) -> tuple[TopicPartition, ...]:
        numbers = self.topics[topic].partitions
        return tuple(TopicPartition(topic, number) for number in numbers)

    def hosted_on(self, broker_id: BrokerId) -> tuple[TopicPartition, ...]:
        """The partitions that have a replica on the broker."""
        return tuple(self._hosted.get(broker_id, ()))

    def replicas_of(self, topic: str) -> tuple[Replica, ...]:
        return tuple(
            Replica(replica, partition)
            for partition in self.partitions_of(topic)
            for replica in self.assignments[partition].replicas
        )

    def is_to_be_deleted(self, partition: TopicPartition) -> bool:
        return partition.topic in self.topics_to_be_deleted

    def has_reassignment(self, topic: str) -> bool:
        """Whether a partition of *topic* is being reassigned and the reassignment has not finished.

        A partition without a state has nothing to move: it never had a leader, or its state was
        deleted.
        """
        return any(
            TopicPartition(topic, number) in self.states
            for number in self.topics[topic].reassigning
        )

    def is_left_alone(self, partition: TopicPartition) -> bool:
        """Whether its topic is to be deleted, and no reassignment has to finish before that."""
        return self.is_to_be_deleted(partition) and not self.has_reassignment(partition.topic)

    # Leaders

    def leader_of(self, partition: TopicPartition) -> BrokerId:
        """The last known leader; NO_LEADER also for a partition without a state."""
        state = self.states.get(partition)
        return NO_LEADER if state is None else state.leader

    def has_live_leader(self, partition: TopicPartition) -> bool:
        return self.is_live(self.leader_of(partition), partition)

    def offline_partition_count(self) -> int:
        """How many partitions are Offline, but for those of topics that are to be deleted."""
        return sum(
            self._partition_statuses.get(partition) is PartitionStatus.OFFLINE
            and not self.is_to_be_deleted(partition)
            for partition in self.not_online
        )

    def imbalance_count(self, partitions: Iterable[TopicPartition]) -> int:
        """How many of *partitions* are not led by their preferred replicas, but for those of topics
        that are to be deleted.
        """
        states, assignments, deleted = self.states, self.assignments, self.topics_to_be_deleted
        return sum(
            states[partition].leader != assignments[partition].replicas[0]
            and partition.topic not in deleted
            for partition in partitions
            if partition in states and partition in assignments and assignments[partition].replicas
        )

    # Statuses

    def partition_status(self, partition: TopicPartition) -> PartitionStatus:
        return self._partition_statuses.get(partition, PartitionStatus.NON_EXISTENT)

    def set_partition_status(self, partition: TopicPartition, status: PartitionStatus) -> None:
        self._partition_statuses[partition] = status
        if status in (PartitionStatus.NEW, PartitionStatus.OFFLINE):
            self.not_online[partition] = None
        else:
            self.not_online.pop(partition, None)

    def replica_status(self, replica: Replica) -> ReplicaStatus:
        statuses = self._replica_statuses.get(replica.broker_id, {})
        return statuses.get(replica.partition, ReplicaStatus.NON_EXISTENT)

    def set_replica_status(self, replica: Replica, status: ReplicaStatus) -> None:
        self._replica_statuses.setdefault(replica.broker_id, {})[replica.partition] = status
