"""Ports of a broker: what do the APIs need from the process that they run in?

Ports only: the shell has clocks, disks and a ZooKeeper session, and a test has what it likes.
All callbacks come from the same loop as the requests, never from within the call that asks.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from cluster.broker.authorizer import Authorizer
from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.handling import Body, Cancel
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
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import KafkaStorageError
from cluster.storage.files import Files
from cluster.storage.log.partition_log import PartitionLog
from cluster.wire.api_keys import ApiKey

ReplyT = TypeVar("ReplyT")


class Clock(Protocol):
    def now_ms(self) -> int:
        """Milliseconds since some moment, for durations and deadlines: it never falls, and no step
        of the machine's clock changes it."""
        ...

    def wall_ms(self) -> int:
        """Milliseconds since 1970 by the machine's clock, which people and NTP set back and forth:
        for what is written down, and for comparison with what others have written down."""
        ...

    def call_later(self, delay_ms: int, function: Callable[[], None]) -> Cancel:
        """Call *function* once, *delay_ms* from now, unless the result is called before."""
        ...


class Endpoint(NamedTuple):
    host: str
    port: int


class Registration(Protocol):
    """This broker, as it is registered."""

    @property
    def broker_id(self) -> BrokerId: ...

    @property
    def broker_epoch(self) -> BrokerEpoch:
        """The czxid of the registration; another one after each lost session."""
        ...

    @property
    def cluster_id(self) -> str: ...

    def tell_refused(self, refused: Mapping[TopicPartition, str]) -> None:
        """Tell operators which partitions are not served, and why; these are all."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherSettings:
    """How followers fetch; how many connections each leader has may change meanwhile."""

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
    """`replica.socket.timeout.ms`: for a connection to be there, and for each response on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSettings:
    """How groups are coordinated, and what the topic is like that keeps them."""

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
    """What the APIs go by, under the names that docs/style.md makes of Kafka's.

    All of it is as `server.properties` has it, but for *configs*, which may change.
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
    """Whether leaders send consumers to followers in their racks, as `replica.selector.class` says.
    """
    inter_broker_listener: str = "PLAINTEXT"
    """By which of its listeners each broker is reached by others."""
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
        """The topic configs that the broker's own keys speak of now, under the topics' names
        (`log.retention.hours` under `retention.ms`, in milliseconds)."""
        return self.configs.topic_defaults


class DiskSpace(NamedTuple):
    """Bytes of the file system that a log directory is in; -1 when nobody can say."""

    total_size: int
    usable_size: int


class Disks(Protocol):
    """What takes a thread or asks the operating system; the rest is in `cluster.storage`."""

    def flush(self, log: PartitionLog, done: Callable[[KafkaStorageError | None], None]) -> None:
        """Make durable what *log* holds now, without waiting; one flush may serve many."""
        ...

    def do(self, work: Callable[[], None], done: Callable[[], None]) -> None:
        """Have *work*, which raises nothing, done on a thread, and call *done* afterwards."""
        ...

    def space(self, directory: str) -> DiskSpace: ...


class RequestMemory(Protocol):
    """The memory of requests, which has a limit: while it is used up, no large one begins."""

    def hold(self, size: int, of_size: int) -> None:
        """Count *size* bytes that a request keeps after its handler has returned.

        *of_size* is what it kept at first.
        """
        ...

    def let_go(self, size: int, of_size: int) -> None:
        """Take back what `hold` counted; clients that waited for it may go on."""
        ...


Done: TypeAlias = Callable[[ApiError], None]


class ClusterStore(Protocol):
    """What stands in ZooKeeper.  Each write is whole or not at all, and guarded as Kafka's.

    Nothing is written without a session; whoever asks then is told BROKER_NOT_AVAILABLE.
    """

    def create_topic(
        self,
        topic: str,
        topic_id: bytes,
        layout: Layout,
        configs: Mapping[str, str],
        done: Done,
    ) -> None:
        """Make the topic's configs, then the topic; TOPIC_ALREADY_EXISTS when it is there."""
        ...

    def check_new_topics(
        self, topics: Sequence[str], done: Callable[[Mapping[str, ApiError] | ApiError], None]
    ) -> None:
        """TOPIC_ALREADY_EXISTS for each that is there, also while it is being deleted."""
        ...

    def delete_topic(self, topic: str, done: Done) -> None:
        """Ask the controller to delete it; no error when that was asked before."""
        ...

    def add_partitions(self, topic: str, add: AddPartitions, done: Done) -> None:
        """Add what *add* says; UNKNOWN_TOPIC_OR_PARTITION without the topic."""
        ...

    def alter_configs(self, entity: Entity, change: ChangeConfigs, done: Done) -> None:
        """Write the overrides of a topic or of brokers, and notify all brokers."""
        ...

    def read_overrides(
        self, entity: Entity, done: Callable[[Mapping[str, str] | ApiError], None]
    ) -> None:
        """The overrides of *entity* as they stand now, or the error when they cannot be read."""
        ...

    def read_topic_overrides(
        self,
        topics: Sequence[str],
        done: Callable[[TopicOverrides | ApiError], None],
    ) -> None:
        """The overrides of *topics* as they stand now, or the error when they cannot be read."""
        ...

    def write_isrs(
        self,
        states: Mapping[TopicPartition, PartitionState],
        done: Callable[[Mapping[TopicPartition, PartitionState | ErrorCode] | ApiError], None],
    ) -> None:
        """Write each state over that of its `zk_version`, and notify the controller.

        For clusters whose controller knows no AlterPartition.  Each comes to what stands there
        then, or to INVALID_UPDATE_VERSION where somebody else has written it.
        """
        ...

    def take_producer_ids(self, done: Callable[[range | ApiError], None]) -> None:
        """Take the next block of producer ids, which nobody else gets."""
        ...


class ControllerPort(Protocol):
    """The controller of this process."""

    def submit(self, request: Request[ReplyT], done: Callable[[ReplyT], None]) -> None:
        """Let the controller serve *request*, and call *done* once with the reply.

        The reply's error is NOT_CONTROLLER when this broker is not the controller, or ceases to be.
        """
        ...

    def refusal_of(self, broker_id: BrokerId, broker_epoch: BrokerEpoch) -> ErrorCode:
        """Why the controller does not listen to that broker; NONE when it is registered so.

        NOT_CONTROLLER when this broker is not the controller.
        """
        ...


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Another broker could not be reached, or has not answered; *reason* is for the log."""

    reason: str


class PeerConnection(Protocol):
    """A connection to another broker, for one request at a time; after a failure it is over."""

    @property
    def is_open(self) -> bool:
        """Whether it is not over; the other side may end it while nothing is asked."""
        ...

    def version(self, api_key: ApiKey, newest: int) -> int | None:
        """The newest version of an API, up to *newest*, that the other side serves; None for none.

        It has said so itself (ApiVersions), as every broker from 0.10 on does.
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

        With NoAnswer when none came in *timeout_ms*, or none that can be read: the connection is
        closed then, and whether the request was carried out is not known.  Record batches in the
        body are views into a buffer that is used again when *done* has returned.  Nothing is called
        from within this call; from within *done* the next request may be sent.
        """
        ...

    def close(self) -> None:
        """Drop the connection; nothing is called any more.  Without effect after the first time."""
        ...


class Peers(Protocol):
    """The way to other brokers."""

    def connect(
        self,
        endpoint: Endpoint,
        client_id: str,
        timeout_ms: int,
        opened: Callable[[PeerConnection | NoAnswer], None],
    ) -> Cancel:
        """Connect to *endpoint*, and call *opened* once: with NoAnswer when nobody answers there in
        *timeout_ms*.

        *client_id* is how this end names itself.  Cancelled, *opened* is not called.
        """
        ...


class Journal(Protocol):
    """Lines for people: `server.log` and `state-change.log`."""

    def state_change(self, line: StateChangeLine) -> None: ...

    def info(self, message: str) -> None: ...

    def warning(self, message: str) -> None: ...

    def error(self, message: str) -> None: ...


class Chance(Protocol):
    """What is drawn by lot."""

    def below(self, bound: int) -> int:
        """A number from 0 to *bound* - 1."""
        ...

    def unique_id(self) -> bytes:
        """16 random bytes, which nobody has drawn before."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """All that a broker's APIs have around them."""

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
    chance: Chance
    settings: ApiSettings
    authorizer: Authorizer | None = None
    """None: everybody may do everything."""
