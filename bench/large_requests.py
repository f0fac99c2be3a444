"""The cost of one client's huge request for the others on the same broker.

    python -m bench.large_requests [--elements 1000000] [--only WORD…]

For each API a request with so many elements, then frames that are never finished.  Meanwhile
another client requests the metadata of one topic again and again: a row has its longest wait, and
the broker's peak of memory.  Goals: 200 ms, and memory that does not grow with the number of
elements.
"""

import argparse
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.broker_servers import Broker, our_command, running
from bench.broker_wire import create_topic
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import encode_request
from cluster.wire.messages.configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from cluster.wire.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from cluster.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from cluster.wire.messages.log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from cluster.wire.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from cluster.wire.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from cluster.wire.messages.producers import DescribeProducersRequest, TopicRequest
from cluster.wire.messages.reassignments import (
    AlterPartitionReassignmentsRequest,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
    ReassignablePartition,
    ReassignableTopic,
)
from cluster.wire.messages.stop_replica import (
    StopReplicaPartitionState,
    StopReplicaRequest,
    StopReplicaTopicState,
)
from cluster.wire.messages.topics import (
    CreatableTopic,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
    CreateTopicsRequest,
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
    DeleteTopicsRequest,
    DeleteTopicState,
)
from cluster.wire.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from kadmin.local.zookeeper import start_server

TOPIC: Final = "orders"
PARTITIONS: Final = 3
ANSWER_S_MAX: Final = 60.0
PAUSE_S: Final = 0.002
AFTERWARDS_S: Final = 0.5
EPOCH: Final = 1000
"""Epoch of the controller that the attacker claims to be."""
UNFINISHED: Final = {"12 unfinished frames of 90 MB": (12, 90), "200 of 10 MB": (200, 10)}
UNFINISHED_S: Final = 15.0

Frame = bytes
Attack = Callable[[int], tuple[ApiKey, int, tuple[Any, ...]]]


def numbered(count: int) -> list[str]:
    return [f"t{number}" for number in range(count)]


def broker_one() -> Sequence[UpdateMetadataBroker]:
    return [UpdateMetadataBroker(id=1, v0_host="localhost", v0_port=1)]


ATTACKS: Final[dict[str, Attack]] = {
    "Metadata, unknown topics": lambda n: (
        ApiKey.METADATA,
        9,
        MetadataRequest(
            [MetadataRequestTopic(name=name) for name in numbered(n)],
            allow_auto_topic_creation=False,
        ),
    ),
    "Metadata, and make them": lambda n: (
        ApiKey.METADATA,
        9,
        MetadataRequest([MetadataRequestTopic(name=name) for name in numbered(n)]),
    ),
    "ListOffsets, one partition": lambda n: (
        ApiKey.LIST_OFFSETS,
        7,
        ListOffsetsRequest(-1, 0, [ListOffsetsTopic(TOPIC, [ListOffsetsPartition(0, -1, -1)] * n)]),
    ),
    "ListOffsets, a time": lambda n: (
        ApiKey.LIST_OFFSETS,
        7,
        ListOffsetsRequest(-1, 0, [ListOffsetsTopic(TOPIC, [ListOffsetsPartition(0, -1, 5)] * n)]),
    ),
    "ListOffsets, topics": lambda n: (
        ApiKey.LIST_OFFSETS,
        7,
        ListOffsetsRequest(-1, 0, [ListOffsetsTopic(name, ()) for name in numbered(n)]),
    ),
    "Fetch, unknown partitions": lambda n: (
        ApiKey.FETCH,
        12,
        FetchRequest(
            session_epoch=-1,
            topics=[FetchTopic("unknown", partitions=[FetchPartition(p) for p in range(n)])],
        ),
    ),
    "Fetch, a session of them": lambda n: (
        ApiKey.FETCH,
        12,
        FetchRequest(
            session_epoch=0,
            topics=[FetchTopic("unknown", partitions=[FetchPartition(p) for p in range(n)])],
        ),
    ),
    "Fetch, one again and again": lambda n: (
        ApiKey.FETCH,
        12,
        FetchRequest(
            session_epoch=-1,
            max_wait_ms=500,
            min_bytes=1,
            topics=[FetchTopic(TOPIC, partitions=[FetchPartition(0, 0, 0)] * n)],
        ),
    ),
    "Fetch, forget": lambda n: (
        ApiKey.FETCH,
        12,
        FetchRequest(session_epoch=-1, topics=[FetchTopic(name) for name in numbered(n)]),
    ),
    "Produce, empty partitions": lambda n: (
        ApiKey.PRODUCE,
        9,
        ProduceRequest(
            None, -1, 1000, [TopicProduceData(TOPIC, [PartitionProduceData(0, None)] * n)]
        ),
    ),
    "DescribeConfigs, one topic": lambda n: (
        ApiKey.DESCRIBE_CONFIGS,
        4,
        DescribeConfigsRequest(
            [DescribeConfigsResource(2, TOPIC, None)] * n,
            include_synonyms=True,
            include_documentation=True,
        ),
    ),
    "DescribeConfigs, unlike keys": lambda n: (
        ApiKey.DESCRIBE_CONFIGS,
        4,
        DescribeConfigsRequest(
            [DescribeConfigsResource(4, "1", [name]) for name in numbered(n)],
            include_synonyms=True,
            include_documentation=True,
        ),
    ),
    "DescribeConfigs, topics": lambda n: (
        ApiKey.DESCRIBE_CONFIGS,
        4,
        DescribeConfigsRequest([DescribeConfigsResource(2, name, None) for name in numbered(n)]),
    ),
    "IncrementalAlterConfigs": lambda n: (
        ApiKey.INCREMENTAL_ALTER_CONFIGS,
        1,
        IncrementalAlterConfigsRequest(
            [IncrementalAlterConfigsResource(2, name, ()) for name in numbered(n)]
        ),
    ),
    "OffsetForLeaderEpoch": lambda n: (
        ApiKey.OFFSET_FOR_LEADER_EPOCH,
        4,
        OffsetForLeaderEpochRequest(
            -1, [OffsetForLeaderTopic(TOPIC, [OffsetForLeaderPartition(0, -1, 0)] * n)]
        ),
    ),
    "DeleteRecords": lambda n: (
        ApiKey.DELETE_RECORDS,
        2,
        DeleteRecordsRequest([DeleteRecordsTopic(TOPIC, [DeleteRecordsPartition(0, 0)] * n)], 1000),
    ),
    "CreateTopics": lambda n: (
        ApiKey.CREATE_TOPICS,
        7,
        CreateTopicsRequest(
            [CreatableTopic(name, 1, 1) for name in numbered(n)],
            timeout_ms=1000,
            validate_only=True,
        ),
    ),
    "CreateTopics, one of many": lambda n: (
        ApiKey.CREATE_TOPICS,
        7,
        CreateTopicsRequest([CreatableTopic("many", n * 10, 1)], timeout_ms=1, validate_only=True),
    ),
    "CreatePartitions": lambda n: (
        ApiKey.CREATE_PARTITIONS,
        3,
        CreatePartitionsRequest([CreatePartitionsTopic(name, 5, None) for name in numbered(n)]),
    ),
    "CreatePartitions, very many": lambda n: (
        ApiKey.CREATE_PARTITIONS,
        3,
        CreatePartitionsRequest([CreatePartitionsTopic(TOPIC, n * 10, None)], 1, True),
    ),
    "DeleteTopics": lambda n: (
        ApiKey.DELETE_TOPICS,
        6,
        DeleteTopicsRequest([DeleteTopicState(name) for name in numbered(n)], timeout_ms=1),
    ),
    "DescribeLogDirs": lambda n: (
        ApiKey.DESCRIBE_LOG_DIRS,
        4,
        DescribeLogDirsRequest([DescribableLogDirTopic(name, [1]) for name in numbered(n)]),
    ),
    "DescribeLogDirs, tiny": lambda n: (
        ApiKey.DESCRIBE_LOG_DIRS,
        4,
        DescribeLogDirsRequest([DescribableLogDirTopic("", ())] * n * 10),
    ),
    "DescribeProducers": lambda n: (
        ApiKey.DESCRIBE_PRODUCERS,
        0,
        DescribeProducersRequest([TopicRequest(TOPIC, [0] * n)]),
    ),
    "DescribeProducers, 20 million": lambda n: (
        ApiKey.DESCRIBE_PRODUCERS,
        0,
        DescribeProducersRequest([TopicRequest(TOPIC, range(n * 20))]),
    ),
    "UpdateMetadata": lambda n: (
        ApiKey.UPDATE_METADATA,
        7,
        UpdateMetadataRequest(
            1,
            False,
            EPOCH,
            topic_states=[
                UpdateMetadataTopicState(
                    "told",
                    b"1" * 16,
                    [UpdateMetadataPartitionState("told", p, EPOCH, 1, 1) for p in range(n)],
                )
            ],
            live_brokers=broker_one(),
        ),
    ),
    "LeaderAndIsr, stale": lambda n: (
        ApiKey.LEADER_AND_ISR,
        5,
        LeaderAndIsrRequest(1, False, 1, topic_states=led_elsewhere(n)),
    ),
    "LeaderAndIsr": lambda n: (
        ApiKey.LEADER_AND_ISR,
        5,
        LeaderAndIsrRequest(1, False, EPOCH, topic_states=led_elsewhere(n)),
    ),
    "ElectLeaders, partitions of one topic": lambda n: (
        ApiKey.ELECT_LEADERS,
        2,
        ElectLeadersRequest(0, [TopicPartitions("told", range(n))], 1000),
    ),
    "AlterPartitionReassignments": lambda n: (
        ApiKey.ALTER_PARTITION_REASSIGNMENTS,
        0,
        AlterPartitionReassignmentsRequest(
            topics=[ReassignableTopic("told", [ReassignablePartition(p, (1,)) for p in range(n)])]
        ),
    ),
    "ListPartitionReassignments": lambda n: (
        ApiKey.LIST_PARTITION_REASSIGNMENTS,
        0,
        ListPartitionReassignmentsRequest(
            topics=[ListPartitionReassignmentsTopics("told", range(n))]
        ),
    ),
    "StopReplica": lambda n: (
        ApiKey.STOP_REPLICA,
        3,
        StopReplicaRequest(
            1,
            False,
            EPOCH,
            topic_states=[
                StopReplicaTopicState("told", [StopReplicaPartitionState(p) for p in range(n)])
            ],
        ),
    ),
}


def led_elsewhere(count: int) -> Sequence[LeaderAndIsrTopicState]:
    """Partitions without a replica on the broker."""
    states = [
        LeaderAndIsrPartitionState(
            topic_name="told",
            partition_index=index,
            controller_epoch=EPOCH,
            leader=7,
            leader_epoch=1,
            isr=(7,),
            replicas=(7,),
        )
        for index in range(count)
    ]
    return [LeaderAndIsrTopicState("told", b"1" * 16, states)]


@dataclass(slots=True)
class Outcome:
    """*ended_s* is None where nothing arrived in time; *answered* is the size of the answer."""

    answered: int = 0
    ended_s: float | None = None


def frame_of(attack: Attack, count: int) -> Frame:
    key, version, body = attack(count)
    return b"".join(map(bytes, encode_request(key, version, 7, "large", body)))  # type: ignore[arg-type]


def send(port: int, frame: Frame, outcome: Outcome) -> None:
    """Send *frame* and read the answer, or the end of the connection."""
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(ANSWER_S_MAX)
        try:
            client.sendall(frame)
            wanted = 4
            while outcome.answered < wanted:
                piece = client.recv(1024 * 1024)
                if not piece:
                    break
                if outcome.answered == 0:
                    wanted = 4 + struct.unpack_from(">i", piece)[0]
                outcome.answered += len(piece)
        except TimeoutError:
            return
        except OSError:
            pass
    outcome.ended_s = time.perf_counter() - began


@contextmanager
def unfinished(port: int, count: int, megabytes: int) -> Iterator[None]:
    """Frames without their last byte; each on a connection of its own."""
    announced = struct.pack(">ihhih", megabytes * 1_000_000, 3, 9, 7, -1)
    piece = bytes(1_000_000)
    waiting: dict[socket.socket, int] = {}
    stop = threading.Event()

    def push() -> None:
        while not stop.is_set():
            for client, left in list(waiting.items()):
                try:
                    if left > 0:
                        waiting[client] -= client.send(piece[:left])
                except BlockingIOError:
                    pass
                except OSError:
                    del waiting[client]
            time.sleep(PAUSE_S)

    for _ in range(count):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(announced)
        client.setblocking(False)
        waiting[client] = megabytes * 1_000_000 - len(announced)
    pusher = threading.Thread(target=push)
    pusher.start()
    try:
        yield
    finally:
        stop.set()
        pusher.join()
        for client in waiting:
            client.close()


class Bystander:
    """A client with small requests, and how long it waited."""

    def __init__(self, port: int) -> None:
        self._frame = frame_of(
            lambda _: (ApiKey.METADATA, 9, MetadataRequest([MetadataRequestTopic(name=TOPIC)])), 1
        )
        self._client = socket.create_connection(("127.0.0.1", port))
        self._client.settimeout(ANSWER_S_MAX)
        self.worst_s = 0.0

    def __enter__(self) -> "Bystander":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self) -> None:
        began = time.perf_counter()
        self._client.sendall(self._frame)
        head = self._client.recv(4, socket.MSG_WAITALL)
        self._client.recv(struct.unpack(">i", head)[0], socket.MSG_WAITALL)
        self.worst_s = max(self.worst_s, time.perf_counter() - began)
        time.sleep(PAUSE_S)

    def ask_while(self, is_on: Callable[[], bool]) -> None:
        """Send requests; give up without an answer in ANSWER_S_MAX."""
        while is_on():
            try:
                self.ask()
            except TimeoutError:
                self.worst_s = ANSWER_S_MAX
                return


def ask_beside(
    port: int, frame: Frame, afterwards_s: float = AFTERWARDS_S
) -> tuple[Outcome, float]:
    """Send *frame*, and small requests during and after it; returns its outcome and the longest
    wait.
    """
    outcome = Outcome()
    with Bystander(port) as bystander:
        bystander.ask()
        bystander.worst_s = 0.0
        attacker = threading.Thread(target=send, args=(port, frame, outcome))
        attacker.start()
        bystander.ask_while(attacker.is_alive)
        until = time.perf_counter() + afterwards_s
        if bystander.worst_s < ANSWER_S_MAX:
            bystander.ask_while(lambda: time.perf_counter() < until)
    return outcome, bystander.worst_s


def forget_peak(broker: Broker) -> None:
    Path(f"/proc/{broker.process.pid}/clear_refs").write_text("5")


def report(title: str, asked: int, outcome: Outcome, worst_s: float, broker: Broker) -> None:
    took = "-" if outcome.ended_s is None else f"{outcome.ended_s:.1f}"
    print(
        f"{title:32} {asked / 1e6:8.1f} {outcome.answered / 1e6:8.1f} {took:>7}"
        f" {worst_s * 1000:9.0f} {broker.peak_mib():9.0f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    options = parser.parse_args()

    def is_wanted(title: str) -> bool:
        return not options.only or any(word.lower() in title.lower() for word in options.only)

    print(
        f"{'':32} {'asked MB':>8} {'told MB':>8} {'s':>7} {'wait ms':>9} {'peak MiB':>9}",
        flush=True,
    )
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        zookeeper = start_server(directory / "zookeeper")
        stack.callback(zookeeper.kill)
        for number, title in enumerate([*filter(is_wanted, [*ATTACKS, *UNFINISHED])]):
            connect = f"{zookeeper.connect}/{number}"
            with running("ours", our_command, connect, directory / str(number)) as broker:
                create_topic(broker.wire(), TOPIC, PARTITIONS)
                if title in ATTACKS:
                    frame = frame_of(ATTACKS[title], options.elements)
                    forget_peak(broker)
                    outcome, worst_s = ask_beside(broker.port, frame)
                    report(title, len(frame), outcome, worst_s, broker)
                    if worst_s >= ANSWER_S_MAX:
                        broker.process.kill()
                    continue
                with (
                    unfinished(broker.port, *UNFINISHED[title]),
                    Bystander(broker.port) as bystander,
                ):
                    until = time.perf_counter() + UNFINISHED_S
                    bystander.ask_while(lambda until=until: time.perf_counter() < until)  # type: ignore[misc]
                    count, megabytes = UNFINISHED[title]
                    report(title, count * megabytes * 10**6, Outcome(), bystander.worst_s, broker)


if __name__ == "__main__":
    main()
