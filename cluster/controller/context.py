"""Controller context: what the controller knows of the cluster.

Remembers, and answers questions about what it remembers; decides nothing and reads nothing.
"""

from collections.abc import Iterable
from dataclasses import replace

from cluster.controller.partition_states import PartitionStatus
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.model.broker import BrokerRegistration
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment


class ControllerContext:
    """Starts empty.  All containers keep the order in which things came, so that the same events
    always have the same effects; where one stands for a set, its values are None.
    """

    __slots__ = (
        "_hosted",
        "_partition_statuses",
        "_replica_statuses",
        "_topic_names",
        "assignments",
        "brokers",
        "finishing",
        "not_online",
        "reassigning",
        "refused_topics",
        "replicas_on_offline_dirs",
        "seen_reassignment",
        "shutting_down",
        "states",
        "topics",
        "topics_ineligible_for_deletion",
        "topics_to_be_deleted",
        "topics_with_deletion_started",
        "unconfirmed_removals",
        "unconfirmed_stops",
    )

    def __init__(self) -> None:
        self.brokers: dict[BrokerId, BrokerRegistration] = {}
        """All that are registered, those that shut down included."""
        self.shutting_down: dict[BrokerId, None] = {}
        self.replicas_on_offline_dirs: dict[BrokerId, dict[TopicPartition, None]] = {}
        """Replicas in failed log directories of live brokers."""
        self.topics: dict[str, TopicAssignment] = {}
        """What their nodes say; a partition that has reached its target is there in *assignments*
        before its node says so."""
        self.refused_topics: dict[str, None] = {}
        """Those that are left alone, since no topic can be called so."""
        self.assignments: dict[TopicPartition, PartitionAssignment] = {}
        self.states: dict[TopicPartition, PartitionState] = {}
        """Each with the zkVersion under which it was read or written last."""
        self.topics_to_be_deleted: dict[str, None] = {}
        self.topics_ineligible_for_deletion: dict[str, None] = {}
        """Those of *topics_to_be_deleted* that have to wait."""
        self.topics_with_deletion_started: dict[str, None] = {}
        """Those of *topics_to_be_deleted* whose partitions are NonExistent already."""
        self.unconfirmed_removals: dict[str, dict[BrokerId, None]] = {}
        """Who has not confirmed yet that clients are told of a topic no more, by topic."""
        self.reassigning: dict[TopicPartition, None] = {}
        """The partitions some of whose replicas are being added or removed."""
        self.finishing: dict[TopicPartition, dict[BrokerId, None]] = {}
        """Partitions that have reached their target, with the live brokers that have not confirmed
        yet that they deleted their replica."""
        self.unconfirmed_stops: dict[BrokerId, dict[TopicPartition, None]] = {}
        """Replicas that are no longer assigned, and may have a log nevertheless: their brokers have
        not confirmed that they deleted it, or are dead."""
        self.seen_reassignment: int | None = None
        """The czxid of `/admin/reassign_partitions` as it was read last."""
        self.not_online: dict[TopicPartition, None] = {}
        """The partitions that are new or offline."""
        self._hosted: dict[BrokerId, dict[TopicPartition, None]] = {}
        self._partition_statuses: dict[TopicPartition, PartitionStatus] = {}
        self._replica_statuses: dict[BrokerId, dict[TopicPartition, ReplicaStatus]] = {}
        self._topic_names: dict[str, str] = {}
        """By topic id."""

    # Brokers

    def set_brokers(self, brokers: Iterable[BrokerRegistration]) -> None:
        self.brokers = {broker.broker_id: broker for broker in brokers}

    def is_live(self, replica: BrokerId, partition: TopicPartition) -> bool:
        """Whether a replica can lead: its broker is there to stay, and its disk works."""
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
        """The replicas that cannot lead; those on brokers that shut down are among them."""
        replicas = self.assignments[partition].replicas
        return tuple([replica for replica in replicas if not self.is_live(replica, partition)])

    # Topics

    def set_topic(self, topic: str, assignment: TopicAssignment) -> tuple[TopicPartition, ...]:
        """Take up a topic or its new partitions; returns the partitions that were not known.

        What is known of a partition stays: its replicas are changed by `set_assignment`, and that
        by a reassignment only.
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
        """Drop all that is known of *topic*, as if it had never been."""
        for partition in self.partitions_of(topic):
            self.reassigning.pop(partition, None)
            self.finishing.pop(partition, None)
            for broker_id, stops in self.unconfirmed_stops.items():
                # One that is away has no log of the next topic of this name before it starts.
                if broker_id in self.brokers:
                    stops.pop(partition, None)
            for replica in self.assignments.pop(partition).replicas:
                self._hosted[replica].pop(partition, None)
                self._replica_statuses.get(replica, {}).pop(partition, None)
                self.replicas_on_offline_dirs.get(replica, {}).pop(partition, None)
            self.states.pop(partition, None)
            self._partition_statuses.pop(partition, None)
            self.not_online.pop(partition, None)
        self._forget_id(topic)
        del self.topics[topic]
        for topics in (
            self.topics_to_be_deleted,
            self.topics_ineligible_for_deletion,
            self.topics_with_deletion_started,
            self.unconfirmed_removals,
        ):
            topics.pop(topic, None)

    def set_assignment(self, partition: TopicPartition, assignment: PartitionAssignment) -> None:
        """Give a partition that is known other replicas; what those are that go is not forgotten.

        To be called when it is written, or is about to be told and can be taken back.
        """
        for broker_id in self.assignments[partition].replicas:
            if broker_id not in assignment.replicas:
                self._hosted[broker_id].pop(partition, None)
        self._put_assignment(partition, assignment)

    def _put_assignment(self, partition: TopicPartition, assignment: PartitionAssignment) -> None:
        replicas = assignment.replicas
        if len(set(replicas)) < len(replicas):
            # Somebody wrote the node by hand: nobody has two replicas of a partition.
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
        # Another topic's node may be a copy that somebody made by hand.
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
        """Whether a partition of *topic* is on its way to other replicas, to the very end of it."""
        return self.topics[topic].is_reassigning

    def is_left_alone(self, partition: TopicPartition) -> bool:
        """Whether its topic is to be deleted, and nothing has to be finished before that."""
        return self.is_to_be_deleted(partition) and not self.has_reassignment(partition.topic)

    # Leaders

    def leader_of(self, partition: TopicPartition) -> BrokerId:
        """The leader as far as is known, NO_LEADER also for a partition without a state."""
        state = self.states.get(partition)
        return NO_LEADER if state is None else state.leader

    def has_live_leader(self, partition: TopicPartition) -> bool:
        return self.is_live(self.leader_of(partition), partition)

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
