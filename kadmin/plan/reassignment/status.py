"""The state of a reassignment: is each partition where it was to go?

From the snapshot alone, as `--verify` asks; of directories see `dir_moves`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import PartitionAssignment
from kadmin.errors import ExitCode
from kadmin.plan.reassignment.progress import Judged, Progress
from kadmin.plan.reassignment.targets import Target, Targets, in_order


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionProgress:
    """*replicas* are those of now, and *target* those that were asked for.

    *heading* are the replicas that it is being moved to; empty where nothing moves.
    """

    partition: TopicPartition
    progress: Progress
    replicas: tuple[BrokerId, ...]
    target: tuple[BrokerId, ...]
    heading: tuple[BrokerId, ...] = ()

    def __str__(self) -> str:
        """Return a line as of Kafka's tool since 3.3, which calls a missing partition one
        without replicas."""
        match self.progress:
            case Progress.DONE:
                return f"Reassignment of partition {self.partition} is completed."
            case Progress.MOVING:
                return f"Reassignment of partition {self.partition} is still in progress."
            case Progress.MISMATCH:
                return (
                    f"There is no active reassignment of partition {self.partition}, but replica"
                    f" set is {joined(self.replicas)} rather than {joined(self.target)}."
                )
            case Progress.MISSING:
                return f"There is no partition {self.partition}."


def judge(snapshot: ClusterSnapshot, targets: Targets) -> list[PartitionProgress]:
    """Return how far each partition of *targets* is, in their order.

    *snapshot* holds the topics of *targets*.  The order of replicas counts: the same brokers in
    another order are a mismatch, as for Kafka's tool.
    """
    return [
        progress_of(snapshot, partition, target.replicas)
        for partition, target in in_order(targets).items()
    ]


def progress_of(
    snapshot: ClusterSnapshot, partition: TopicPartition, target: tuple[BrokerId, ...]
) -> PartitionProgress:
    topic = snapshot.topics.get(partition.topic)
    part = None if topic is None else topic.assignment.partitions.get(partition.partition)
    if part is None:
        return PartitionProgress(
            partition=partition, progress=Progress.MISSING, replicas=(), target=target
        )
    heading = heading_of(snapshot, partition, part)
    if heading:
        progress = Progress.MOVING
    else:
        progress = Progress.DONE if part.replicas == target else Progress.MISMATCH
    return PartitionProgress(
        partition=partition,
        progress=progress,
        replicas=part.replicas,
        target=target,
        heading=heading,
    )


def heading_of(
    snapshot: ClusterSnapshot, partition: TopicPartition, part: PartitionAssignment
) -> tuple[BrokerId, ...]:
    """Return the replicas that *partition*, which has *part*, is being moved to; empty where
    none is."""
    # A controller takes a request up later, or never, while there is none.
    return part.target if part.is_reassigning else snapshot.moving.get(partition, ())


def active_partitions(snapshot: ClusterSnapshot) -> tuple[TopicPartition, ...]:
    """Return all partitions of *snapshot* that are being reassigned, in order.

    While there is one, no throttle may be taken away: it may be meant for that.
    """
    moving = {
        TopicPartition(topic.name, number)
        for topic in snapshot.topics.values()
        for number in topic.assignment.reassigning
    }
    return tuple(sorted(moving | set(snapshot.moving)))


def leftovers(snapshot: ClusterSnapshot, broker: BrokerId) -> dict[TopicPartition, Target]:
    """Return what is to become of all that *broker* still has, where it is to have nothing."""
    return {
        TopicPartition(topic.name, number): Target(
            tuple(replica for replica in part.target if replica != broker)
        )
        for topic in snapshot.topics.values()
        for number, part in topic.assignment.partitions.items()
        if broker in part.replicas
    }


def why_moving(snapshot: ClusterSnapshot, item: PartitionProgress) -> str:
    """Return what *item*, which is moving, waits for; *snapshot* has its state."""
    if snapshot.controller is None:
        return "there is no controller"
    dead = [broker for broker in item.heading if broker not in snapshot.brokers]
    if dead:
        return f"not alive: {joined(dead)}"
    topic = snapshot.topics.get(item.partition.topic)
    state = None if topic is None else topic.states.get(item.partition.partition)
    behind = [broker for broker in item.heading if state is None or broker not in state.isr]
    if behind:
        return f"not in the ISR yet: {joined(behind)}"
    return "the controller has yet to end it"


def exit_code(judged: Sequence[Judged]) -> ExitCode:
    """Return what `--verify` ends with; as long as something moves it is worth to ask again."""
    found = {item.progress for item in judged}
    if Progress.MOVING in found:
        return ExitCode.IN_PROGRESS
    return ExitCode.DONE if found <= {Progress.DONE} else ExitCode.FOUND


def joined(replicas: Sequence[BrokerId]) -> str:
    return ",".join(map(str, replicas))
