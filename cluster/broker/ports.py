"""Ports of a broker: what the APIs need from the process that they run in.

Interfaces only: the shell implements them with clocks, disks and a ZooKeeper session, a test with
fakes.  All callbacks come from the same loop as the requests, never from within the call.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from cluster.broker.authorizer import Authorizer
from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.handling import Body, Cancel
from cluster.broker.waiting_counts import WaitingCounts
from cluster.controller.requests import Request
from cluster.coordination.client_requests import AddPartitions, ChangeConfigs, TopicOverrides
from cluster.group.config import GroupConfig
from cluster.model.api_error import ApiError
from cluster.model.config_entity import Entity
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition
from cluster.model.placement import Layout
from cluster.model.topic import PartitionState
from cluster.statechange.line import StateChangeLine
from cluster.storage.cleaner.compaction import Compaction, CompactionRules, Compactor
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import KafkaStorageError
from cluster.storage.files import Files
from cluster.storage.log.partition_log import PartitionLog
from cluster.wire.api_keys import ApiKey

ReplyT = TypeVar("ReplyT")


class Clock(Protocol):
    def now_ms(self) -> int:
        """Milliseconds since some moment, for durations and deadlines: it never falls, and no
        change of the machine's clock affects it.
        """
        ...

    def wall_ms(self) -> int:
        """Milliseconds since 1970 by the machine's clock, which people and NTP set back and forth:
        for stored times, and for comparison with them.
        """
        ...

    def call_later(self, delay_ms: int, function: Callable[[], None]) -> Cancel:
        """Call *function* once, *delay_ms* from now, unless the result is called before."""
        ...


class Endpoint(NamedTuple):
    host: str
    port: int


class Registration(Protocol):
    """This broker's registration."""

    @property
    def broker_id(self) -> BrokerId: ...

    @property
    def broker_epoch(self) -> BrokerEpoch:
        """The czxid of the registration; another one after each lost session."""
        ...

    @property
    def cluster_id(self) -> str: ...

    def note_order(self, broker_epoch: int) -> None:
        """Note that a controller has sent an order for the registration of that epoch: by then it
        has handled what this broker may have lost before.
        """
        ...

    def show_refused(self, refused: Mapping[TopicPartition, str]) -> None:
        """Show operators the partitions that are not served, with the reasons; these are all."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherSettings:
    """Settings of fetchers; the number of connections to each leader may change at runtime."""

    partition_size_max: int = 1024**2
    """`replica.fetch.max.bytes`"""
    response_size_max: int = 10 * 1024**2
    """`replica.fetch.response.max.bytes`"""
    min_bytes: int = 1
    """`replica.fetch.min.bytes`"""
    wait_max_ms: int = 500
    """`replica.fetch.wait.max.ms`"""
    backoff_ms: int = 1000
    """`replica.fetch.backoff.ms`"""
    timeout_ms: int = 30_000
    """`replica.socket.timeout.ms`: for opening a connection, and for each response on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSettings:
    """Settings of group coordinators and of the topic for their state."""

    config: GroupConfig = GroupConfig()
    partition_count: int = 50
    """`offsets.topic.num.partitions`"""
    replication_factor: int = 3
    """`offsets.topic.replication.factor`"""
    segment_size: int = 100 * 1024**2
    """`offsets.topic.segment.bytes`"""
    commit_timeout_ms: int = 5000
    """`offsets.commit.timeout.ms`"""
    load_size_max: int = 5 * 1024**2
    """`offsets.load.buffer.size`"""
    expiration_interval_ms: int = 600_000
    """`offsets.retention.check.interval.ms`"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """Settings of the APIs, under the names that docs/style.md derives from Kafka's.

    All are those of `server.properties`, except *configs*, which may change.
    """

    partition_count: int = 1
    replication_factor: int = 1
    auto_creates_topics: bool = True
    deletes_topics: bool = True
    configs: BrokerConfigs = field(default_factory=BrokerConfigs)
    traces_state_changes: bool = False
    """Whether state-change.log gets a line for each partition, as in Kafka at TRACE."""
    fetch_size_max: int = 55 * 1024**2
    """`fetch.max.bytes`"""
    fetch_sessions_max: int = 1000
    """`max.incremental.fetch.session.cache.slots`"""
    selects_by_rack: bool = False
    """Whether leaders send consumers to followers in their racks (`replica.selector.class`)."""
    inter_broker_listener: str = "PLAINTEXT"
    """The listener of each broker for other brokers."""
    fetchers: FetcherSettings = FetcherSettings()
    groups: GroupSettings = GroupSettings()

    lag_max_ms: int = 30_000
    """`replica.lag.time.max.ms`"""
    controller_timeout_ms: int = 30_000
    """`controller.socket.timeout.ms`"""
    session_timeout_ms: int = 18_000
    """`zookeeper.session.timeout.ms`"""

    @property
    def topic_defaults(self) -> Mapping[str, str]:
        """The topic configs whose defaults the broker's keys set now, under the topics' names
        (`log.retention.hours` under `retention.ms`, in milliseconds)."""
        return self.configs.topic_defaults


class DiskSpace(NamedTuple):
    """Bytes of the file system of a log directory; -1 when unknown."""

    total_size: int
    usable_size: int


class Disks(Protocol):
    """Work that needs a thread or the operating system; the rest is in `cluster.storage`."""

    def flush(self, log: PartitionLog, done: Callable[[KafkaStorageError | None], None]) -> None:
        """Make durable what *log* holds now, without blocking; one flush may serve many calls."""
        ...

    def do(self, work: Callable[[], None], done: Callable[[], None]) -> None:
        """Run *work*, which raises nothing, on a thread, and call *done* afterwards."""
        ...

    def space(self, directory: str) -> DiskSpace: ...


class RequestMemory(Protocol):
    """The memory of requests, which has a limit: while it is used up, no large one is received."""

    def hold(self, size: int, of_size: int) -> None:
        """Count *size* bytes that a request keeps after its handler has returned.

        *of_size* is what it kept at first.
        """
        ...

    def let_go(self, size: int, of_size: int) -> None:
        """Release what `hold` counted; clients that wait for it may go on."""
        ...


Done: TypeAlias = Callable[[ApiError], None]


class ClusterStore(Protocol):
    """The cluster's data in ZooKeeper.  Each write is atomic, and guarded as Kafka's.

    Without a session nothing is written, and the result is BROKER_NOT_AVAILABLE.
    """

    def create_topic(
        self,
        topic: str,
        topic_id: bytes,
        layout: Layout,
        configs: Mapping[str, str],
        done: Done,
    ) -> None:
        """Create the topic's configs, then the topic; TOPIC_ALREADY_EXISTS when it exists."""
        ...

    def check_new_topics(
        self, topics: Sequence[str], done: Callable[[Mapping[str, ApiError] | ApiError], None]
    ) -> None:
        """TOPIC_ALREADY_EXISTS for each that exists, also while it is being deleted."""
        ...

    def delete_topic(self, topic: str, done: Done) -> None:
        """Request its deletion by the controller; no error when that was requested before."""
        ...

    def add_partitions(self, topic: str, add: AddPartitions, done: Done) -> None:
        """Add the partitions that *add* returns; UNKNOWN_TOPIC_OR_PARTITION without the topic."""
        ...

    def alter_configs(self, entity: Entity, change: ChangeConfigs, done: Done) -> None:
        """Write the overrides of a topic or of brokers, and notify all brokers."""
        ...

    def read_overrides(
        self, entity: Entity, done: Callable[[Mapping[str, str] | ApiError], None]
    ) -> None:
        """The present overrides of *entity*, or the error when they cannot be read."""
        ...

    def read_topic_overrides(
        self,
        topics: Sequence[str],
        done: Callable[[TopicOverrides | ApiError], None],
    ) -> None:
        """The present overrides of *topics*, or the error when they cannot be read."""
        ...

    def write_isrs(
        self,
        states: Mapping[TopicPartition, PartitionState],
        done: Callable[[Mapping[TopicPartition, PartitionState | ErrorCode] | ApiError], None],
    ) -> None:
        """Write each state over that of its `zk_version`, and notify the controller.

        For clusters whose controller has no AlterPartition.  Each result is the stored state
        afterwards, or INVALID_UPDATE_VERSION where another writer has changed it.
        """
        ...

    def write_consumer_offsets(
        self, group: str, offsets: Mapping[TopicPartition, int], done: Done
    ) -> None:
        """Keep *offsets* of *group*, whatever stands there."""
        ...

    def read_consumer_offsets(
        self,
        group: str,
        partitions: Sequence[TopicPartition],
        done: Callable[[Mapping[TopicPartition, int | ApiError] | ApiError], None],
    ) -> None:
        """The offsets that `write_consumer_offsets` has kept; those that there are."""
        ...

    def take_producer_ids(self, done: Callable[[range | ApiError], None]) -> None:
        """Take the next block of producer ids, which no other broker gets."""
        ...


class ControllerPort(Protocol):
    """The controller of this process."""

    def submit(self, request: Request[ReplyT], done: Callable[[ReplyT], None]) -> None:
        """Submit *request* to the controller, and call *done* once with the reply.

        The reply's error is NOT_CONTROLLER when this broker is not the controller, or resigns.
        """
        ...

    def refusal_of(self, broker_id: BrokerId, broker_epoch: BrokerEpoch) -> ErrorCode:
        """Why the controller refuses that broker's requests; NONE when it is registered so.

        NOT_CONTROLLER when this broker is not the controller.
        """
        ...


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Another broker could not be reached, or has not answered; *reason* is for the log."""

    reason: str


class PeerConnection(Protocol):
    """A connection to another broker, for one request at a time; closed after a failure."""

    @property
    def is_open(self) -> bool:
        """Whether it is open; the other side may close it while no request is in flight."""
        ...

    def version(self, api_key: ApiKey, newest: int) -> int | None:
        """The newest version of an API, up to *newest*, that the other side serves; None for none.

        From its ApiVersions response, which every broker from 0.10 on has.
        """
        ...

    def send(
        self,
        api_key: ApiKey,
        version: int,
        body: Body,
        timeout_ms: int,
        done: Callable[[Body | NoAnswer], None],
    ) -> None:
        """Send a request, and call *done* once with the body of the response.

        With NoAnswer when none arrived in *timeout_ms*, or an unreadable one: the connection is
        then closed, and whether the request was carried out is unknown.  Record batches in the body
        are views into a buffer that is reused when *done* has returned.  *done* is never called
        from within this call; it may send the next request.
        """
        ...

    def close(self) -> None:
        """Drop the connection; nothing is called any more.  No effect after the first time."""
        ...


class Peers(Protocol):
    """Connections to other brokers."""

    def connect(
        self,
        endpoint: Endpoint,
        client_id: str,
        timeout_ms: int,
        opened: Callable[[PeerConnection | NoAnswer], None],
    ) -> Cancel:
        """Connect to *endpoint*, and call *opened* once: with NoAnswer when that fails within
        *timeout_ms*.

        *client_id* is the client id of this side.  After a cancel, *opened* is not called.
        """
        ...


class Journal(Protocol):
    """Log lines: `server.log` and `state-change.log`."""

    def state_change(self, line: StateChangeLine) -> None: ...

    def info(self, message: str) -> None: ...

    def warning(self, message: str) -> None: ...

    def error(self, message: str) -> None: ...


class RandomStream(Protocol):
    """Random values."""

    def below(self, bound: int) -> int:
        """A number from 0 to *bound* - 1."""
        ...

    def unique_id(self) -> bytes:
        """16 random bytes, never drawn before."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What a broker's APIs need of their process."""

    clock: Clock
    registration: Registration
    logs: LogManager
    files: Files
    disks: Disks
    memory: RequestMemory
    store: ClusterStore
    controller: ControllerPort
    peers: Peers
    journal: Journal
    random_stream: RandomStream
    settings: ApiSettings
    authorizer: Authorizer | None = None
    """None: everything is allowed."""
    begin_large_compaction: Callable[[CompactionRules], Compactor] = Compaction
    """Compacts logs that take so long that requests should not share a Python with it."""
    waiting_counts: WaitingCounts = field(default_factory=WaitingCounts)
