"""What a broker's APIs read and write in ZooKeeper, with Kafka's error codes.

Every write names the versions it was computed from and the controller's epoch; when somebody else
was faster it is computed anew, for nobody waits to be shown what would be done now, as an operator
does.  Knows neither requests, for what is legal has been decided or is asked of the caller, nor the
session: whoever runs the steps has that.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol, TypeVar

from cluster.broker.ports import AddPartitions, ChangeConfigs, ClusterStore, Done, TopicOverrides
from cluster.coordination import producer_ids, topics
from cluster.coordination.configs import read_overrides, write_overrides
from cluster.coordination.isr import write_isrs
from cluster.coordination.transaction import Fence, KRaftOwnsCluster, OutcomeUnknown, read_fence
from cluster.model.api_error import ApiError
from cluster.model.cluster import ProducerIdBlock
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved, Outcome
from cluster.model.placement import Layout
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from cluster.model.topic_id import topic_id_text
from cluster.zk import paths
from cluster.zk.steps import Refusal, Steps, read_each, read_node
from cluster.zk.topics import decode_assignment, encode_assignment

ATTEMPTS_MAX: Final = 20
"""How often a write is computed anew because somebody else was faster."""

UNDER_WAY_MAX: Final = 5000
"""How many requests of clients may be waiting for ZooKeeper at a time."""

T = TypeVar("T")

DONE: Final = ApiError()
WITHOUT_SESSION: Final = ApiError(
    ErrorCode.BROKER_NOT_AVAILABLE, "The broker has no session with ZooKeeper."
)
TOO_MANY: Final = ApiError(
    ErrorCode.REQUEST_TIMED_OUT,
    f"{UNDER_WAY_MAX} requests are waiting for ZooKeeper already: nothing was done, try again.",
)


class Runner(Protocol):
    """Who has the broker's session with ZooKeeper."""

    def run(self, steps: Steps[T], done: Callable[[T | None], None]) -> None:
        """Carry *steps* out, and call *done* with what they come to; never from within this call.

        It gets None when there is no session, or when that is over before the end.
        """
        ...


class ZooKeeperStore(ClusterStore):
    """Reads and writes by the session that *runner* has."""

    def __init__(self, broker_id: BrokerId, runner: Runner) -> None:
        self._broker_id = broker_id
        self._runner = runner
        self._under_way_count = 0
        self._waiting_for_ids: deque[Callable[[range | ApiError], None]] = deque()

    def create_topic(
        self, topic: str, topic_id: bytes, layout: Layout, configs: Mapping[str, str], done: Done
    ) -> None:
        assignment = TopicAssignment(
            partitions={index: PartitionAssignment(layout[index]) for index in sorted(layout)},
            topic_id=topic_id_text(topic_id),
        )
        self._start_if_room(create_topic(topic, assignment, configs), done)

    def check_new_topics(
        self, topics: Sequence[str], done: Callable[[Mapping[str, ApiError] | ApiError], None]
    ) -> None:
        self._start_if_room(check_new_topics(topics), done)

    def delete_topic(self, topic: str, done: Done) -> None:
        self._start_if_room(delete_topic(topic), done)

    def add_partitions(self, topic: str, add: AddPartitions, done: Done) -> None:
        self._start_if_room(add_partitions(topic, add), done)

    def alter_configs(self, entity: Entity, change: ChangeConfigs, done: Done) -> None:
        self._start_if_room(alter_configs(entity, change), done)

    def read_overrides(
        self, entity: Entity, done: Callable[[Mapping[str, str] | ApiError], None]
    ) -> None:
        self._start_if_room(read_overrides_of(entity), done)

    def read_topic_overrides(
        self, topics: Sequence[str], done: Callable[[TopicOverrides | ApiError], None]
    ) -> None:
        self._start(read_topic_overrides(topics), done)

    def write_isrs(
        self,
        states: Mapping[TopicPartition, PartitionState],
        done: Callable[[Mapping[TopicPartition, PartitionState | ErrorCode] | ApiError], None],
    ) -> None:
        self._start(write_isrs_of(states), done)

    def take_producer_ids(self, done: Callable[[range | ApiError], None]) -> None:
        self._waiting_for_ids.append(done)
        if len(self._waiting_for_ids) == 1:
            self._take_producer_ids()

    def _take_producer_ids(self) -> None:
        self._start(take_producer_ids(self._broker_id), self._producer_ids_taken)

    def _producer_ids_taken(self, taken: range | ApiError) -> None:
        done = self._waiting_for_ids.popleft()
        if self._waiting_for_ids:
            self._take_producer_ids()
        done(taken)

    def _start_if_room(
        self, steps: Steps[T | ApiError], done: Callable[[T | ApiError], None]
    ) -> None:
        """As `_start`, for what a client's request may ask for any number of times."""

        def finish(result: T | ApiError) -> None:
            self._under_way_count -= 1
            done(result)

        is_room = self._under_way_count < UNDER_WAY_MAX
        self._under_way_count += 1
        self._start(steps if is_room else refused(), finish)

    def _start(self, steps: Steps[T | ApiError], done: Callable[[T | ApiError], None]) -> None:
        def finish(result: T | ApiError | None) -> None:
            done(WITHOUT_SESSION if result is None else result)

        self._runner.run(told(steps), finish)


def refused() -> Steps[ApiError]:
    """Come to an end without a request, in a later turn, as everybody who asks is promised."""
    yield from ()
    return TOO_MANY


def told(steps: Steps[T | ApiError]) -> Steps[T | ApiError]:
    """What *steps* come to; what keeps them from it is an error for whoever asked."""
    try:
        return (yield from steps)
    except KRaftOwnsCluster:
        return ApiError(ErrorCode.NOT_CONTROLLER, "The cluster is being migrated to KRaft.")
    except (CorruptZnodeError, Refusal) as error:
        return failed(error)


def failed(error: Exception) -> ApiError:
    """The outcome for whoever asked, when ZooKeeper fails or what stands there is damaged."""
    return ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, f"ZooKeeper: {error!r}")


def until_committed(
    attempt: Callable[[Fence], Steps[Outcome | T | ApiError]],
) -> Steps[T | ApiError]:
    """Make *attempt*, again while somebody else is faster, and return what else it comes to.

    It reads what it writes from, so that after a lost reply whose transaction cannot be found it
    is safe to look again.
    """
    for _ in range(ATTEMPTS_MAX):
        # The fence comes first: it has to hold from before the first thing that is read.
        fence = yield from read_fence()
        try:
            result = yield from attempt(fence)
        except OutcomeUnknown:
            continue
        match result:
            case Committed():
                return DONE
            case FenceMoved() | Conflict():
                continue
            case _:
                return result
    return ApiError(ErrorCode.REQUEST_TIMED_OUT, "Others write the same without a pause.")


def create_topic(
    topic: str, assignment: TopicAssignment, configs: Mapping[str, str]
) -> Steps[ApiError]:
    """Make the topic together with its configs; whoever sees the topic sees these."""
    data = encode_assignment(assignment)

    def attempt(fence: Fence) -> Steps[Outcome | ApiError]:
        there = yield from read_node(paths.topic(topic))
        if there is not None and there.data == data:
            # The id was drawn for this topic: it is our own, whose reply was lost, although
            # somebody has changed its configs since.
            return DONE
        if there is not None:
            return (yield from already_there(topic))
        return (yield from topics.create_topic(fence, topic, assignment, configs))

    return (yield from until_committed(attempt))


def check_new_topics(names: Sequence[str]) -> Steps[Mapping[str, ApiError]]:
    """Why each of *names* cannot be made, in one read however many they are; DONE if it can."""
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
    """Leave the mark by which the controller learns that the topic shall go."""

    def attempt(fence: Fence) -> Steps[Outcome | ApiError]:
        node = yield from read_node(paths.topic(topic))
        if node is None:
            # Somebody has asked for it before, and it is done.
            return DONE
        marked = yield from topics.mark_for_deletion(fence, topic, node.zk_version)
        is_marked = marked == Conflict(paths.delete_topic(topic), ConflictKind.EXISTS)
        return DONE if is_marked else marked

    return (yield from until_committed(attempt))


def add_partitions(topic: str, add: AddPartitions) -> Steps[ApiError]:
    """Add what *add* says; what a reassignment has under way stays as it is."""

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
    """Write the overrides of *entity* and the notification, in which brokers read where to look."""
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


def write_isrs_of(
    states: Mapping[TopicPartition, PartitionState],
) -> Steps[Mapping[TopicPartition, PartitionState | ErrorCode]]:
    """What stands there then, or the error where somebody else has written it."""
    written = yield from write_isrs(states)
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
