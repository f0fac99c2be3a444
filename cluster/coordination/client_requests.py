"""Clients' requests to brokers that read or write ZooKeeper, with Kafka's error codes.

Every write names the versions it was computed from and the controller's epoch, and is planned anew
after a conflict: unlike an operator, a client has seen no plan.  The caller has checked what is
legal, or a callback of its checks it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, TypeVar

from cluster.coordination import isr, producer_ids, topics, transaction
from cluster.coordination.configs import read_overrides, write_overrides
from cluster.coordination.transaction import Fence, KRaftOwnsCluster
from cluster.model.api_error import ApiError
from cluster.model.cluster import ProducerIdBlock
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved, Outcome
from cluster.model.placement import Layout
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from cluster.zk import paths
from cluster.zk.steps import Refusal, Steps, read_each, read_node
from cluster.zk.topics import decode_assignment, encode_assignment

T = TypeVar("T")

TopicOverrides: TypeAlias = Mapping[str, Mapping[str, str] | ApiError]
"""The overrides of topics; of a topic whose overrides are damaged, the error."""

ChangeConfigs: TypeAlias = Callable[[Mapping[str, str]], Mapping[str, str] | ApiError]
"""From the overrides of a topic or of brokers to the wanted ones, or to the error if refused.

After a conflict it may be called again, with the overrides of then.
"""

AddPartitions: TypeAlias = Callable[[Mapping[int, PartitionAssignment]], Layout | ApiError]
"""From a topic's partitions to the ones to be added, or to the error if refused."""

DONE: Final = ApiError()


def with_errors(steps: Steps[T | ApiError]) -> Steps[T | ApiError]:
    """Return the result of *steps*, or the error that prevents one."""
    try:
        return (yield from steps)
    except KRaftOwnsCluster:
        return ApiError(ErrorCode.NOT_CONTROLLER, "The cluster is being migrated to KRaft.")
    except (CorruptZnodeError, Refusal) as error:
        return failed(error)


def failed(error: Exception) -> ApiError:
    """The error for a client when ZooKeeper fails or a node is damaged."""
    return ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, f"ZooKeeper: {error!r}")


def until_committed(
    attempt: Callable[[Fence], Steps[Outcome | T | ApiError]],
) -> Steps[T | ApiError]:
    """As `transaction.until_committed`, with the outcome as the error for clients."""
    result = yield from transaction.until_committed(attempt)
    match result:
        case Committed():
            return DONE
        case FenceMoved() | Conflict():
            return ApiError(ErrorCode.REQUEST_TIMED_OUT, "Others write the same without a pause.")
        case _:
            return result


def create_topic(
    topic: str, assignment: TopicAssignment, configs: Mapping[str, str]
) -> Steps[ApiError]:
    """Create the topic together with its configs; each reader of the topic sees the configs too."""
    data = encode_assignment(assignment)

    def attempt(fence: Fence) -> Steps[Outcome | ApiError]:
        there = yield from read_node(paths.topic(topic))
        if there is not None and there.data == data:
            # The id was drawn for this topic: it is our own, whose reply was lost, even if its
            # configs have been changed since.
            return DONE
        if there is not None:
            return (yield from already_there(topic))
        return (yield from topics.create_topic(fence, topic, assignment, configs))

    return (yield from until_committed(attempt))


def check_new_topics(names: Sequence[str]) -> Steps[Mapping[str, ApiError]]:
    """Why each of *names* cannot be created, in one read for any number; DONE if it can."""
    nodes = yield from read_each(map(paths.topic, names))
    there = [name for name, node in zip(names, nodes, strict=True) if node is not None]
    marks = yield from read_each(map(paths.delete_topic, there))
    taken = {
        name: already_exists(name, is_marked=mark is not None)
        for name, mark in zip(there, marks, strict=True)
    }
    return {name: taken.get(name, DONE) for name in names}


def already_there(topic: str) -> Steps[ApiError]:
    mark = yield from read_node(paths.delete_topic(topic))
    return already_exists(topic, is_marked=mark is not None)


def already_exists(topic: str, *, is_marked: bool) -> ApiError:
    message = f"Topic '{topic}' {'is marked for deletion' if is_marked else 'already exists'}."
    return ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, message)


def delete_topic(topic: str) -> Steps[ApiError]:
    """Mark the topic for deletion by the controller."""

    def attempt(fence: Fence) -> Steps[Outcome | ApiError]:
        node = yield from read_node(paths.topic(topic))
        if node is None:
            # An earlier request has been carried out already.
            return DONE
        marked = yield from topics.mark_for_deletion(fence, topic, node.zk_version)
        is_marked = marked == Conflict(paths.delete_topic(topic), ConflictKind.EXISTS)
        return DONE if is_marked else marked

    return (yield from until_committed(attempt))


def add_partitions(topic: str, add: AddPartitions) -> Steps[ApiError]:
    """Add the partitions from *add*; an ongoing reassignment stays as it is."""

    def attempt(fence: Fence) -> Steps[Outcome | ApiError]:
        node = yield from read_node(paths.topic(topic))
        if node is None:
            return unknown_topic(topic)
        assignment = decode_assignment(node)
        added = add(assignment.partitions)
        if isinstance(added, ApiError):
            return added
        more = {index: PartitionAssignment(added[index]) for index in sorted(added)}
        enlarged = replace(assignment, partitions={**assignment.partitions, **more})
        return (yield from topics.write_assignment(fence, topic, enlarged, node.zk_version))

    return (yield from until_committed(attempt))


def unknown_topic(topic: str) -> ApiError:
    return ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{topic}' does not exist.")


def alter_configs(entity: Entity, change: ChangeConfigs) -> Steps[ApiError]:
    """Write the overrides of *entity* and the notification, which names the path to brokers."""
    owner = ConfigEntity(entity)

    def attempt(fence: Fence) -> Steps[Outcome | ApiError]:
        (before,) = (yield from read_overrides((owner,))).values()
        if isinstance(before, CorruptZnodeError):
            raise before
        values = change(before.values)
        if isinstance(values, ApiError):
            return values
        written = yield from write_overrides(fence, owner, replace(before, values=values))
        if entity.kind is EntityKind.TOPICS and written == Conflict(
            paths.topic(str(entity.name)), ConflictKind.MISSING
        ):
            return unknown_topic(str(entity.name))
        return written

    return (yield from until_committed(attempt))


def read_overrides_of(entity: Entity) -> Steps[Mapping[str, str] | ApiError]:
    """The overrides of *entity*; the error if they are damaged."""
    (found,) = (yield from read_overrides((ConfigEntity(entity),))).values()
    return values_or_error(found)


def read_topic_overrides(names: Sequence[str]) -> Steps[TopicOverrides]:
    """The overrides of the topics *names*; empty for one that has none."""
    owners = {name: ConfigEntity(Entity(EntityKind.TOPICS, name)) for name in names}
    found = yield from read_overrides(tuple(owners.values()))
    return {name: values_or_error(found[owner]) for name, owner in owners.items()}


def values_or_error(found: ConfigOverrides | CorruptZnodeError) -> Mapping[str, str] | ApiError:
    return failed(found) if isinstance(found, CorruptZnodeError) else found.values


def write_isrs(
    states: Mapping[TopicPartition, PartitionState],
) -> Steps[Mapping[TopicPartition, PartitionState | ErrorCode]]:
    """The stored states afterwards, or the error for a state that another writer has changed."""
    written = yield from isr.write_isrs(states)
    return {
        partition: ErrorCode.INVALID_UPDATE_VERSION if state is None else state
        for partition, state in written.items()
    }


def take_producer_ids(broker_id: BrokerId) -> Steps[range | ApiError]:
    def attempt(fence: Fence) -> Steps[Outcome | range]:
        taken = yield from producer_ids.take_producer_ids(fence, broker_id)
        if isinstance(taken, ProducerIdBlock):
            return range(taken.first, taken.last + 1)
        return taken

    return (yield from until_committed(attempt))
