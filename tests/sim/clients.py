"""Clients of a simulated cluster: they ask brokers as anybody does, over the wire.

What they are told they do not forget: `history` knows all that was ever read.
"""

from collections.abc import Callable
from random import Random
from typing import Any, Final

from cluster.broker.configs.alter_config_ops import Operation
from cluster.broker.handling import Peer
from cluster.formats.record_batch import parse_header, whole_batches
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER_EPOCH, BrokerId, TopicPartition
from cluster.model.topic_id import topic_id_text
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.configs import (
    IncrementalAlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from cluster.wire.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from cluster.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from cluster.wire.messages.log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from cluster.wire.messages.metadata import MetadataRequest
from cluster.wire.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from cluster.wire.messages.reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from cluster.wire.messages.topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    DeleteTopicState,
)
from tests.sim.batches import batch_of
from tests.sim.history import Incarnation
from tests.sim.network import ask
from tests.sim.surroundings import Surroundings

PEER: Final = Peer("127.0.0.1", 50_000, "PLAINTEXT")
TIMEOUT_MS: Final = 500
ACTS_MS: Final = 300
"""How long a client wants to wait until a topic is there."""
EARLIEST: Final = -2
TOPIC: Final = 2
"""Kafka's number of that type of resource."""
CONFIGS: Final[tuple[dict[str, str], ...]] = (
    {},
    {},
    {"flush.messages": "1"},
    {"flush.messages": "2"},
    {"flush.ms": "50"},
    {"segment.bytes": "300"},
    {"min.insync.replicas": "2"},
)
PRODUCE_VERSIONS: Final = (3, 7, 9, 11)
FETCHES_MAX: Final = 4
TRIES: Final = 3
PAUSE_MS: Final = 700
STEADY_PAUSE_MS: Final = 40


class Client:
    """One client, with one request at a time."""

    def __init__(self, world: Surroundings, random: Random) -> None:
        self._world = world
        self._random = random
        self._peer = PEER._replace(port=random.randrange(1 << 16))

    def ask(
        self,
        broker_id: BrokerId,
        asked: tuple[ApiKey, int, tuple[Any, ...]],
        on_answer: Callable[[Any], None],
        tries: int = TRIES,
    ) -> None:
        """Ask, again where no answer comes, and go on with the answer."""

        def answered(answer: Any | None) -> None:
            if answer is not None:
                on_answer(answer)
            elif tries > 1:
                self.ask(broker_id, asked, on_answer, tries - 1)

        delay_ms = self._random.randint(1, 10)
        ask(self._world, broker_id, asked, self._peer, TIMEOUT_MS, answered, delay_ms=delay_ms)

    def ask_any(
        self, asked: tuple[ApiKey, int, tuple[Any, ...]], on_answer: Callable[[Any], None]
    ) -> None:
        self.ask(self._random.choice(self._world.broker_ids), asked, on_answer)

    # Topics

    def ask_controller(self, asked: tuple[ApiKey, int, tuple[Any, ...]]) -> None:
        """Ask whoever some broker takes for the controller; what comes of it is seen elsewhere."""

        def told(answer: Any) -> None:
            if answer.controller_id in self._world.broker_ids:
                self.ask(answer.controller_id, asked, ignore)

        self.ask_any((ApiKey.METADATA, 9, MetadataRequest([])), told)

    def create_topic(self, topic: str) -> None:
        configs = self._random.choice(CONFIGS)
        replica_count = self._random.choice((1, 1, 2, len(self._world.broker_ids)))
        asked = CreatableTopic(
            topic,
            self._random.randint(1, 3),
            replica_count,
            configs=[CreatableTopicConfig(*one) for one in configs.items()],
        )
        self.ask_controller((ApiKey.CREATE_TOPICS, 7, CreateTopicsRequest([asked], ACTS_MS)))

    def create_partitions(self, topic: str) -> None:
        asked = CreatePartitionsTopic(topic, self._random.randint(2, 4), None)
        body = CreatePartitionsRequest([asked], ACTS_MS, False)
        self.ask_controller((ApiKey.CREATE_PARTITIONS, 3, body))

    def delete_topic(self, topic: str) -> None:
        body = DeleteTopicsRequest([DeleteTopicState(topic)], timeout_ms=ACTS_MS)
        self.ask_controller((ApiKey.DELETE_TOPICS, 6, body))

    def elect_leaders(self, topic: str) -> None:
        """Preferred ones, or such that lack records, in a topic or in all."""
        is_unclean = self._random.random() < 0.2
        topics = None
        if self._random.random() < 0.2:
            topics = [TopicPartitions(topic, [0, self._random.randrange(3)])]
        body = ElectLeadersRequest(int(is_unclean), topics, ACTS_MS)
        self.ask_controller((ApiKey.ELECT_LEADERS, self._random.choice((1, 2)), body))

    def reassign(self, topic: str) -> None:
        """Move a partition, which may not be there, or give that up."""
        brokers = self._world.broker_ids
        target = self._random.sample(brokers, self._random.randint(1, len(brokers)))
        is_given_up = self._random.random() < 0.3
        partition = ReassignablePartition(
            self._random.randrange(3), None if is_given_up else tuple(target)
        )
        body = AlterPartitionReassignmentsRequest(ACTS_MS, [ReassignableTopic(topic, [partition])])
        self.ask_controller((ApiKey.ALTER_PARTITION_REASSIGNMENTS, 0, body))

    def alter_configs(self, topic: str) -> None:
        """Set one config of a topic, or take one back."""
        name, value = self._random.choice(
            [one for configs in CONFIGS for one in configs.items()]
            + [("unclean.leader.election.enable", "true")]
        )
        is_set = self._random.random() < 0.7
        operation = Operation.SET if is_set else Operation.DELETE
        config = IncrementalAlterableConfig(name, operation, value if is_set else None)
        resource = IncrementalAlterConfigsResource(TOPIC, topic, [config])
        body = IncrementalAlterConfigsRequest([resource], False)
        self.ask_any((ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, body), ignore)

    def move_log(self, broker_id: BrokerId, partition: TopicPartition, path: str) -> None:
        """Have a broker's log of a partition in another of its directories."""
        topic = AlterReplicaLogDirTopic(partition.topic, [partition.partition])
        body = AlterReplicaLogDirsRequest([AlterReplicaLogDir(path, [topic])])
        version = self._random.choice((1, 2))
        self.ask(broker_id, (ApiKey.ALTER_REPLICA_LOG_DIRS, version, body), ignore)

    # Records

    def produce_and_read(self, rounds: int) -> None:
        """Find a leader, send it a few batches, read the partition from its beginning; again."""
        if rounds > 1:
            pause_ms = self._random.randint(1, PAUSE_MS)
            self._world.after(pause_ms, lambda: self.produce_and_read(rounds - 1))

        def told(answer: Any) -> None:
            led = [
                (TopicPartition(topic.name, one.partition_index), BrokerId(one.leader_id))
                for topic in answer.topics
                for one in topic.partitions
                if one.leader_id in self._world.broker_ids
            ]
            if led:
                partition, leader = self._random.choice(led)
                self._produce(partition, leader, self._random.randint(1, 3))

        version = self._random.choice((4, 9, 12))
        self.ask_any((ApiKey.METADATA, version, MetadataRequest(None)), told)

    def _produce(self, partition: TopicPartition, leader: BrokerId, count: int) -> None:
        def go_on() -> None:
            if count > 1:
                self._produce(partition, leader, count - 1)
            else:
                self._list_offsets(partition, leader)

        acks = self._random.choice((-1, -1, -1, 0, 1))
        self._send_batch(partition, leader, acks, go_on, tries=1 if acks == 0 else TRIES)
        if acks == 0:
            # Nobody answers that.
            self._world.after(20, go_on)

    def _send_batch(
        self,
        partition: TopicPartition,
        leader: BrokerId,
        acks: int,
        go_on: Callable[[], None] = lambda: None,
        *,
        tries: int,
    ) -> None:
        """Send a batch that nobody has sent before, and *go_on* with the answer."""
        value = b"%d" % self._world.next_value()
        batch = batch_of(value, self._world.clock.wall_ms())
        part = PartitionProduceData(partition.partition, batch)
        topic_id, stops = self._topic_id(leader, partition), self._world.history.machine_stops
        leader_epoch = self._leader_epoch(leader, partition)
        data = [TopicProduceData(partition.topic, [part])]
        body = ProduceRequest(None, acks, ACTS_MS, data)

        def answered(answer: Any) -> None:
            (topic,) = answer.responses
            (one,) = topic.partition_responses
            code = ErrorCode(one.error_code)
            self._world.tell(
                leader, "produced", f"{partition} acks={acks} {code.name} at {one.base_offset}"
            )
            is_known = topic_id == self._topic_id(leader, partition)
            is_sure = is_known and stops == self._world.history.machine_stops
            if topic_id is not None and acks == -1 and code is ErrorCode.NONE and is_sure:
                of = Incarnation(topic_id_text(topic_id), partition)
                header = parse_header(batch)
                self._world.history.on_acknowledged(of, leader_epoch, one.base_offset, header)
            go_on()

        asked = (ApiKey.PRODUCE, self._random.choice(PRODUCE_VERSIONS), body)
        self.ask(leader, asked, answered, tries=tries)

    def produce_steadily(self, topic: str, until_ms: int) -> None:
        """Send batches to all partitions of a topic, without waiting for what becomes of each."""
        leaders: dict[TopicPartition, BrokerId] = {}

        def told(answer: Any) -> None:
            for found in answer.topics:
                for one in found.partitions:
                    if found.name == topic and one.leader_id in self._world.broker_ids:
                        partition = TopicPartition(topic, one.partition_index)
                        leaders[partition] = BrokerId(one.leader_id)

        def send() -> None:
            if self._world.now_ms >= until_ms:
                return
            # Some of what is asked for is old: leaders have moved since.
            if not leaders or self._random.random() < 0.2:
                version = self._random.choice((4, 9, 12))
                self.ask_any((ApiKey.METADATA, version, MetadataRequest(None)), told)
            else:
                partition = self._random.choice(tuple(leaders))
                self._send_batch(partition, leaders[partition], -1, tries=1)
            self._world.after(self._random.randint(1, STEADY_PAUSE_MS), send)

        send()

    def _list_offsets(self, partition: TopicPartition, leader: BrokerId) -> None:
        part = ListOffsetsPartition(partition.partition, timestamp=EARLIEST)
        body = ListOffsetsRequest(-1, topics=[ListOffsetsTopic(partition.topic, [part])])

        def answered(answer: Any) -> None:
            (topic,) = answer.topics
            (one,) = topic.partitions
            if one.error_code == ErrorCode.NONE:
                self._fetch(partition, leader, one.offset, FETCHES_MAX)

        self.ask(leader, (ApiKey.LIST_OFFSETS, 7, body), answered)

    def _fetch(self, partition: TopicPartition, leader: BrokerId, offset: int, count: int) -> None:
        topic_id, stops = self._topic_id(leader, partition), self._world.history.machine_stops
        leader_epoch = self._leader_epoch(leader, partition)
        if topic_id is None:
            return
        part = FetchPartition(
            partition=partition.partition,
            fetch_offset=offset,
            partition_max_bytes=self._random.choice((1, 200, 1 << 20)),
        )
        uses_id = self._random.random() < 0.5
        body = FetchRequest(
            max_wait_ms=self._random.randint(0, 100),
            min_bytes=1,
            topics=[FetchTopic(partition.topic, topic_id, [part])],
        )

        def answered(answer: Any) -> None:
            # The name may be that of another topic by now, and a machine may have stopped since.
            if topic_id != self._topic_id(leader, partition):
                return
            if stops != self._world.history.machine_stops:
                return
            assert answer.error_code == ErrorCode.NONE
            for topic in answer.responses:
                for one in topic.partitions:
                    if one.error_code == ErrorCode.NONE:
                        found(one)

        def found(one: Any) -> None:
            headers = [header for _, header in whole_batches(one.records or b"")]
            of = Incarnation(topic_id_text(topic_id), partition)
            text = f"{partition} from {offset}: {len(headers)} batches"
            self._world.tell(leader, "fetched", text)
            self._world.history.on_read(of, leader_epoch, headers, one.high_watermark)
            if headers and count > 1:
                self._fetch(partition, leader, headers[-1].next_offset, count - 1)

        self.ask(leader, (ApiKey.FETCH, 15 if uses_id else 12, body), answered)

    def _topic_id(self, leader: BrokerId, partition: TopicPartition) -> bytes | None:
        """The id of the topic that the leader has now; None when it has none."""
        hosted = self._world.process_of(leader).broker.partitions.find(partition)
        return None if hosted is None else hosted.topic_id

    def _leader_epoch(self, leader: BrokerId, partition: TopicPartition) -> int:
        """That which it has now: an answer that comes later is of this epoch, or of a later one."""
        hosted = self._world.process_of(leader).broker.partitions.find(partition)
        return NO_LEADER_EPOCH if hosted is None else hosted.replica.leader_epoch


def ignore(answer: Any) -> None:
    """What has become of it, the invariants see."""
