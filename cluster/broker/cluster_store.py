"""The broker's access to ZooKeeper: `ClusterStore` over the session of its process."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

from cluster.broker.ports import ClusterStore, Done
from cluster.coordination import client_requests, consumer_offsets
from cluster.coordination.client_requests import AddPartitions, ChangeConfigs, TopicOverrides
from cluster.model.api_error import ApiError
from cluster.model.config_entity import Entity
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.placement import Layout
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from cluster.model.topic_id import topic_id_text
from cluster.zk.steps import Steps

UNDER_WAY_MAX: Final = 5000
"""How many requests of clients may wait for ZooKeeper at a time."""

T = TypeVar("T")

WITHOUT_SESSION: Final = ApiError(
    ErrorCode.BROKER_NOT_AVAILABLE, "The broker has no session with ZooKeeper."
)
TOO_MANY: Final = ApiError(
    ErrorCode.REQUEST_TIMED_OUT,
    f"{UNDER_WAY_MAX} requests are waiting for ZooKeeper already: nothing was done, try again.",
)


class Runner(Protocol):
    """The owner of the broker's session with ZooKeeper."""

    def run(self, steps: Steps[T], done: Callable[[T | None], None]) -> None:
        """Run *steps*, and call *done* with their result; never from within this call.

        The result is None when there is no session, or when it ends before the steps do.
        """
        ...


class ZooKeeperStore(ClusterStore):
    """Reads and writes through the session of *runner*."""

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
        self._start_if_room(client_requests.create_topic(topic, assignment, configs), done)

    def check_new_topics(
        self, topics: Sequence[str], done: Callable[[Mapping[str, ApiError] | ApiError], None]
    ) -> None:
        self._start_if_room(client_requests.check_new_topics(topics), done)

    def delete_topic(self, topic: str, done: Done) -> None:
        self._start_if_room(client_requests.delete_topic(topic), done)

    def add_partitions(self, topic: str, add: AddPartitions, done: Done) -> None:
        self._start_if_room(client_requests.add_partitions(topic, add), done)

    def alter_configs(self, entity: Entity, change: ChangeConfigs, done: Done) -> None:
        self._start_if_room(client_requests.alter_configs(entity, change), done)

    def read_overrides(
        self, entity: Entity, done: Callable[[Mapping[str, str] | ApiError], None]
    ) -> None:
        self._start_if_room(client_requests.read_overrides_of(entity), done)

    def read_topic_overrides(
        self, topics: Sequence[str], done: Callable[[TopicOverrides | ApiError], None]
    ) -> None:
        self._start(client_requests.read_topic_overrides(topics), done)

    def write_isrs(
        self,
        states: Mapping[TopicPartition, PartitionState],
        done: Callable[[Mapping[TopicPartition, PartitionState | ErrorCode] | ApiError], None],
    ) -> None:
        self._start(client_requests.write_isrs(states), done)

    def write_consumer_offsets(
        self, group: str, offsets: Mapping[TopicPartition, int], done: Done
    ) -> None:
        self._start_if_room(consumer_offsets.write_offsets(group, offsets), done)

    def read_consumer_offsets(
        self,
        group: str,
        partitions: Sequence[TopicPartition],
        done: Callable[[Mapping[TopicPartition, int | ApiError] | ApiError], None],
    ) -> None:
        self._start_if_room(consumer_offsets.read_offsets(group, partitions), done)

    def take_producer_ids(self, done: Callable[[range | ApiError], None]) -> None:
        self._waiting_for_ids.append(done)
        if len(self._waiting_for_ids) == 1:
            self._take_producer_ids()

    def _take_producer_ids(self) -> None:
        self._start(client_requests.take_producer_ids(self._broker_id), self._producer_ids_taken)

    def _producer_ids_taken(self, taken: range | ApiError) -> None:
        done = self._waiting_for_ids.popleft()
        if self._waiting_for_ids:
            self._take_producer_ids()
        done(taken)

    def _start_if_room(
        self, steps: Steps[T | ApiError], done: Callable[[T | ApiError], None]
    ) -> None:
        """As `_start`, for requests that a client may repeat without a limit."""

        def finish(result: T | ApiError) -> None:
            self._under_way_count -= 1
            done(result)

        is_room = self._under_way_count < UNDER_WAY_MAX
        self._under_way_count += 1
        self._start(steps if is_room else refused(), finish)

    def _start(self, steps: Steps[T | ApiError], done: Callable[[T | ApiError], None]) -> None:
        def finish(result: T | ApiError | None) -> None:
            done(WITHOUT_SESSION if result is None else result)

        self._runner.run(client_requests.with_errors(steps), finish)


def refused() -> Steps[ApiError]:
    """Return an error without a request, in a later turn, as the interface promises."""
    yield from ()
    return TOO_MANY
