"""A broker's APIs with the simulated disk, a clock moved by hand, and a cluster in memory.

Requests and answers go through the codec, so what a test sees is what a client would.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from cluster.api.dispatch import SERVED, Dispatch
from cluster.broker.authorizer import Authorizer
from cluster.broker.broker import Broker
from cluster.broker.handling import Cancel, Peer, Steps, run
from cluster.broker.ports import ApiSettings, DiskSpace, Peers, Ports
from cluster.controller.requests import (
    ControlledShutdownReply,
    ControllerReply,
    ControllerRequest,
)
from cluster.model.api_error import ApiError
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition, ZkVersion
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.log_config import LogConfig
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_request, decode_response, encode_request, encode_response
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrLiveLeader,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicState,
)
from cluster.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from cluster.wire.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from cluster.wire.schema import response_schema
from cluster.zk.configs import entity_path
from tests.cluster.storage.batches import batch
from tests.sim.disk import SimDisk
from tests.sim.network import joined
from tests.sim.ports import START_MS, SimClock, SimJournal, SimMemory, SimRegistration
from tests.sim.schedule import Schedule

ME = BrokerId(1)
EPOCH = BrokerEpoch(50)
PEER = Peer("127.0.0.1", 50_000, "PLAINTEXT")
TOPIC_ID = bytes(range(16))
NEVER = object()


class Clock(SimClock):
    """Moved by hand."""

    def __init__(self) -> None:
        self.schedule = Schedule()
        super().__init__(self.schedule)

    def advance(self, by_ms: int) -> None:
        until_ms = self.schedule.now_ms + by_ms
        while self.schedule.run_next(until_ms):
            pass
        self.schedule.now_ms = until_ms


class Answer:
    """What came back; `body` is NEVER until something does, and None for "no answer"."""

    def __init__(
        self, key: ApiKey, version: int, on_given: Callable[[], None] = lambda: None
    ) -> None:
        self._key = key
        self._version = version
        self._on_given = on_given
        self.body: Any = NEVER
        self.closed: str | None = None
        self.cancel: Cancel | None = None

    @property
    def is_waiting(self) -> bool:
        return self.body is NEVER and self.closed is None

    def __call__(self, body: Any) -> None:
        assert self.is_waiting
        self.body = body if body is None else sent(self._key, self._version, body)
        self._on_given()

    def in_turns(self, steps: Steps) -> None:
        assert self.is_waiting
        body = run(steps)
        if body is not None:
            self(body)

    def close(self, reason: str) -> None:
        assert self.is_waiting
        self.closed = reason
        self._on_given()


def sent(key: ApiKey, version: int, body: Any) -> Any:
    """*body* as the other side gets it, file slices read from their files."""
    frame = memoryview(joined(encode_response(key, version, 7, body)))[4:]
    return decode_response(response_schema(key).message, version, frame).body


@dataclass
class Store:
    """A cluster in memory.  Outcomes wait until `World.settle`."""

    topics: dict[str, dict[int, PartitionAssignment]] = field(default_factory=dict)
    configs: dict[str, Any] = field(default_factory=dict)
    """The overrides of each topic, and of brokers by their path, or the `ApiError` of reading them.
    """
    deleted: list[str] = field(default_factory=list)
    waiting: deque[Callable[[], None]] = field(default_factory=deque)
    consumer_offsets: dict[str, dict[TopicPartition, Any]] = field(default_factory=dict)
    """What groups keep in ZooKeeper."""
    next_producer_id: int = 0
    isrs: list[Mapping[TopicPartition, PartitionState]] = field(default_factory=list)
    """What was asked to be written, newest last."""
    failure: ApiError | None = None

    def create_topic(self, topic, topic_id, layout, configs, done) -> None:
        def act() -> None:
            if self.failure is not None:
                done(self.failure)
            elif topic in self.topics:
                done(ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"topic '{topic}' already exists"))
            else:
                self.topics[topic] = {
                    index: PartitionAssignment(replicas) for index, replicas in layout.items()
                }
                self.configs[topic] = dict(configs)
                done(ApiError())

        self.waiting.append(act)

    def check_new_topics(self, topics, done) -> None:
        def act() -> None:
            there = ErrorCode.TOPIC_ALREADY_EXISTS
            taken = {one: ApiError(there, f"topic '{one}' already exists") for one in self.topics}
            done(self.failure or {one: taken.get(one, ApiError()) for one in topics})

        self.waiting.append(act)

    def delete_topic(self, topic, done) -> None:
        def act() -> None:
            self.deleted.append(topic)
            done(self.failure or ApiError())

        self.waiting.append(act)

    def add_partitions(self, topic, add, done) -> None:
        def act() -> None:
            layout = add(self.topics[topic])
            if isinstance(layout, ApiError):
                done(layout)
                return
            for index, replicas in layout.items():
                self.topics[topic][index] = PartitionAssignment(replicas)
            done(ApiError())

        self.waiting.append(act)

    def alter_configs(self, entity, change, done) -> None:
        name = place_of(entity)

        def act() -> None:
            after = change(self.configs.get(name, {}))
            if not isinstance(after, ApiError):
                self.configs[name] = dict(after)
                after = ApiError()
            done(self.failure or after)

        self.waiting.append(act)

    def read_overrides(self, entity, done) -> None:
        self.waiting.append(lambda: done(self.failure or self.configs.get(place_of(entity), {})))

    def read_topic_overrides(self, topics, done) -> None:
        def act() -> None:
            done(self.failure or {topic: self.configs.get(topic, {}) for topic in topics})

        self.waiting.append(act)

    def write_isrs(self, states, done) -> None:
        self.isrs.append(states)

        def act() -> None:
            done(
                self.failure
                or {
                    partition: state._replace(zk_version=ZkVersion(state.zk_version + 1))
                    for partition, state in states.items()
                }
            )

        self.waiting.append(act)

    def write_consumer_offsets(self, group, offsets, done) -> None:
        def act() -> None:
            if self.failure is None:
                self.consumer_offsets.setdefault(group, {}).update(offsets)
            done(self.failure or ApiError())

        self.waiting.append(act)

    def read_consumer_offsets(self, group, partitions, done) -> None:
        def act() -> None:
            kept = self.consumer_offsets.get(group, {})
            done(self.failure or {one: kept[one] for one in partitions if one in kept})

        self.waiting.append(act)

    def take_producer_ids(self, done) -> None:
        def act() -> None:
            if self.failure is not None:
                done(self.failure)
                return
            first = self.next_producer_id
            self.next_producer_id += 3
            done(range(first, first + 3))

        self.waiting.append(act)


def place_of(entity: Entity) -> str:
    """Where a `Store` has the configs of *entity*."""
    is_topic = entity.kind is EntityKind.TOPICS
    return str(entity.name) if is_topic else entity_path(ConfigEntity(entity))


class Journal(SimJournal):
    @property
    def text(self) -> list[str]:
        return [str(line) for line in self.lines]


class Disks:
    """Flushes wait until `World.finish_flushes`, other work until `World.settle`."""

    def __init__(self) -> None:
        self.waiting: deque[Callable[[], None]] = deque()
        self.flushes: list[tuple[Any, Callable[[Any], None]]] = []

    def flush(self, log, done) -> None:
        self.flushes.append((log, done))

    def do(self, work, done) -> None:
        self.waiting += (work, done)

    def space(self, directory) -> DiskSpace:
        return DiskSpace(1000, 400)


class Controller:
    def __init__(self) -> None:
        self.requests: list[ControllerRequest] = []
        self.reply: ControllerReply = ControlledShutdownReply(ErrorCode.NOT_CONTROLLER)
        self.heard_of: list[tuple[int, int]] = []
        self.refusal = ErrorCode.NOT_CONTROLLER

    def submit(self, request, done) -> None:
        self.requests.append(request)
        done(self.reply)

    def refusal_of(self, broker_id, broker_epoch) -> ErrorCode:
        self.heard_of.append((broker_id, broker_epoch))
        return self.refusal


class RandomStream:
    def __init__(self) -> None:
        self._numbers = count(1)

    def below(self, bound: int) -> int:
        return 0

    def unique_id(self) -> bytes:
        return next(self._numbers).to_bytes(16, "big")


class NoPeers:
    """Nobody else is there, and nobody says so."""

    def connect(self, endpoint, client_id, timeout_ms, opened) -> Cancel:
        return lambda: None


class World:
    """One broker of a cluster; see `network` for several that ask one another."""

    def __init__(
        self,
        settings: ApiSettings | None = None,
        *,
        disk: SimDisk | None = None,
        directories: Sequence[str] = ("/data",),
        unopened: int = 0,
        authorizer: Authorizer | None = None,
        broker_id: BrokerId = ME,
        clock: Clock | None = None,
        peers: Peers | None = None,
    ) -> None:
        """*unopened*: how many of the logs on *disk* cannot be opened."""
        self.broker_id = broker_id
        self.clock = clock or Clock()
        self.store = Store()
        self.journal = Journal()
        self.disks = Disks()
        self.memory = SimMemory()
        self.controller = Controller()
        self.registration = SimRegistration(broker_id, EPOCH)
        self.files = disk or SimDisk()
        self.logs = LogManager.open(self.files, directories, broker_id, "the-cluster")
        problems = [one.problem for one in self.logs.load(lambda topic: LogConfig(), START_MS)]
        assert unopened == len(problems) - problems.count(None)
        self.broker = Broker(
            Ports(
                clock=self.clock,
                registration=self.registration,
                logs=self.logs,
                files=self.files,
                disks=self.disks,
                memory=self.memory,
                store=self.store,
                controller=self.controller,
                peers=peers or NoPeers(),
                journal=self.journal,
                random_stream=RandomStream(),
                settings=settings or ApiSettings(),
                authorizer=authorizer,
            )
        )
        self.dispatch = Dispatch(self.broker)
        self._answers: list[Answer] = []

    def restarted(self) -> "World":
        """The broker after an orderly end, with what is on its disk."""
        self.logs.close(self.clock.now_ms(), EPOCH)
        return World(disk=self.files)

    def ask(
        self,
        key: ApiKey,
        body: Any,
        version: int | None = None,
        peer: Peer = PEER,
        on_given: Callable[[], None] = lambda: None,
    ) -> Answer:
        """Send a request, by default in the newest version that is served."""
        version = SERVED[key].highest if version is None else version
        buffers = encode_request(key, version, 7, "test", body)
        frame = bytearray(joined(buffers))
        request = decode_request(memoryview(frame)[4:], SERVED)
        answer = Answer(key, version, on_given)
        answer.cancel = self.dispatch.handle(request, peer, answer)
        self._answers.append(answer)
        # The buffer is somebody else's from here on.
        frame[:] = bytes(len(frame))
        return answer

    def ask_now(self, key: ApiKey, body: Any, version: int | None = None) -> Any:
        """Send a request that is answered without waiting, but for the cluster and its turn."""
        answer = self.ask(key, body, version)
        self.settle()
        self.clock.advance(0)
        self.settle()
        assert answer.body is not NEVER
        return answer.body

    def end_connections(self) -> None:
        for answer in self._answers:
            if answer.is_waiting and answer.cancel is not None:
                answer.cancel()

    def end_sessions(self) -> None:
        for session_id in tuple(self.broker.fetch_sessions._sessions):
            self.broker.fetch_sessions.end(session_id)

    @property
    def watcher_count(self) -> int:
        """How many requests and sessions are told of what happens to partitions."""
        replicas = [hosted.replica for hosted in self.broker.partitions]
        return sum(len(one._watchers) + len(one._end_watchers) for one in replicas)

    def settle(self) -> None:
        for waiting in (self.store.waiting, self.disks.waiting):
            while waiting:
                waiting.popleft()()

    def finish_flushes(self, error: Any = None) -> None:
        flushes, self.disks.flushes = self.disks.flushes, []
        for log, done in flushes:
            if error is None:
                log.flush(self.clock.now_ms())
            done(error)

    # What a controller does.

    def tell_all(
        self,
        topics: Mapping[str, Mapping[int, Sequence[int]]],
        *,
        brokers: Iterable[int] = (0, 1, 2),
        leaders: Mapping[tuple[str, int], int] | None = None,
        controller: int = ME,
        controller_epoch: int = 1,
        broker_epoch: int = EPOCH,
        ids: Mapping[str, bytes] | None = None,
        version: int = 8,
        rack: str | None = None,
        racks: Mapping[int, str] | None = None,
    ) -> Any:
        """UpdateMetadata: each partition with its replicas; the first one leads, unless said.

        *rack* is that of all brokers that *racks* does not name.
        """
        states = [
            UpdateMetadataTopicState(
                topic,
                (ids or {}).get(topic, TOPIC_ID),
                [
                    UpdateMetadataPartitionState(
                        topic,
                        index,
                        controller_epoch,
                        (leaders or {}).get((topic, index), replicas[0]),
                        leader_epoch=0,
                        isr=replicas,
                        replicas=replicas,
                    )
                    for index, replicas in partitions.items()
                ],
            )
            for topic, partitions in topics.items()
        ]
        live = [
            UpdateMetadataBroker(
                id=broker,
                v0_host=f"host{broker}",
                v0_port=9092,
                endpoints=[UpdateMetadataEndpoint(9092, f"host{broker}", "PLAINTEXT", 0)],
                rack=(racks or {}).get(broker, rack),
            )
            for broker in brokers
        ]
        body = UpdateMetadataRequest(
            controller_id=controller,
            controller_epoch=controller_epoch,
            broker_epoch=broker_epoch,
            topic_states=states if version >= 5 else (),
            ungrouped_partition_states=()
            if version >= 5
            else [one for state in states for one in state.partition_states],
            live_brokers=live,
        )
        return self.ask_now(ApiKey.UPDATE_METADATA, body, version)

    def order(
        self,
        topic: str,
        index: int = 0,
        *,
        leader: int = ME,
        leader_epoch: int = 0,
        isr: Sequence[int] | None = None,
        replicas: Sequence[int] = (ME,),
        controller_epoch: int = 1,
        broker_epoch: int = EPOCH,
        topic_id: bytes = TOPIC_ID,
        is_new: bool = True,
        version: int = 7,
    ) -> LeaderAndIsrResponse:
        """LeaderAndIsr for one partition."""
        state = LeaderAndIsrPartitionState(
            topic_name=topic,
            partition_index=index,
            controller_epoch=controller_epoch,
            leader=leader,
            leader_epoch=leader_epoch,
            isr=replicas if isr is None else isr,
            partition_epoch=leader_epoch,
            replicas=replicas,
            is_new=is_new,
        )
        body = LeaderAndIsrRequest(
            controller_id=ME,
            controller_epoch=controller_epoch,
            broker_epoch=broker_epoch,
            topic_states=[LeaderAndIsrTopicState(topic, topic_id, [state])] if version >= 2 else (),
            ungrouped_partition_states=() if version >= 2 else [state],
            live_leaders=[LeaderAndIsrLiveLeader(leader, "host", 9092)],
        )
        body = self.ask_now(ApiKey.LEADER_AND_ISR, body, version)
        assert isinstance(body, LeaderAndIsrResponse)
        return body

    def lead(self, topic: str = "orders", *, partitions: int = 1, **said: Any) -> None:
        """Make this broker the leader of a topic's partitions, as clients know it, too."""
        replicas = said.setdefault("replicas", (self.broker_id,))
        layout = dict.fromkeys(range(partitions), replicas)
        leaders = {(topic, index): self.broker_id for index in layout}
        ids = {topic: said.get("topic_id", TOPIC_ID)}
        assert self.tell_all({topic: layout}, leaders=leaders, ids=ids).error_code == 0
        for index in layout:
            answer = self.order(topic, index, leader=self.broker_id, **said)
            assert answer.error_code == 0
            assert answer.topics[0].partition_errors[0].error_code == 0

    # What a producer does.

    def produce(
        self,
        records: bytes | bytearray | None = None,
        topic: str = "orders",
        index: int = 0,
        *,
        acks: int = -1,
        timeout_ms: int = 1000,
        version: int | None = None,
    ) -> Answer:
        records = batch(1) if records is None else records
        data = [TopicProduceData(topic, [PartitionProduceData(index, bytes(records))])]
        return self.ask(ApiKey.PRODUCE, ProduceRequest(None, acks, timeout_ms, data), version)

    def produced(self, *args: Any, **kwargs: Any) -> Any:
        """The answer for the only partition of a `produce` that is answered at once."""
        return only_part(self.produce(*args, **kwargs))


def only_topic(answer: Answer) -> Any:
    """Of an answer to produce or fetch: its only topic."""
    assert answer.body is not NEVER
    (topic,) = answer.body.responses
    return topic


def only_part(answer: Answer) -> Any:
    """Of an answer to produce or fetch: its only partition."""
    topic = only_topic(answer)
    (part,) = topic.partitions if hasattr(topic, "partitions") else topic.partition_responses
    return part


def versions(key: ApiKey) -> list[int]:
    """The versions that are served of an API."""
    return list(SERVED[key])
