"""What do tests need of a real broker: its process, and what controllers and clients say to it?"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicState,
)
from cluster.wire.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from cluster.wire.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataResponse,
    UpdateMetadataTopicState,
)
from tests.cluster.storage.batches import batch
from tests.support.checkout import CHECKOUT
from tests.support.evidence import command_text, record, watch
from tests.support.forked_brokers import ForkedBroker, fork_broker
from tests.support.serving import RawClient
from tests.support.waiting import OUTER_LIMIT_S, wait_until

CONTROLLER_EPOCH: Final = 1000
"""Of the controller that tests pretend to be: a broker heeds it more than a real one beside it."""
PORT: Final = re.compile(r"started in .* serves PLAINTEXT://127\.0\.0\.1:(\d+)")


class Broker:
    """A broker's process, and the port that it serves."""

    def __init__(
        self, process: "ForkedBroker | subprocess.Popen[str]", directory: Path, broker_id: int
    ) -> None:
        self.process = process
        self.directory = directory
        self.broker_id = broker_id
        self.port = -1

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def data(self) -> Path:
        return self.directory / "data"

    def log(self, name: str = "server.log") -> str:
        return (self.directory / "logs" / name).read_text()

    def client(self) -> RawClient:
        return RawClient(self.port)

    def kill(self) -> None:
        """End the process as `kill -9` does."""
        self.process.kill()
        self.process.wait(OUTER_LIMIT_S)

    def terminate(self) -> int:
        """Ask for the orderly end, and return the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(OUTER_LIMIT_S)


def write_properties(
    directory: Path, connect: str, broker_id: int = 1, settings: Mapping[str, str] | None = None
) -> Path:
    """Write the server.properties of a broker that keeps everything in *directory*."""
    directory.mkdir(parents=True, exist_ok=True)
    values = {
        "broker.id": str(broker_id),
        "listeners": "PLAINTEXT://127.0.0.1:0",
        "log.dirs": str(directory / "data"),
        "kafka.logs.dir": str(directory / "logs"),
        "zookeeper.connect": connect,
        "log.index.size.max.bytes": "65536",
        **(settings or {}),
    }
    path = directory / "server.properties"
    path.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    return path


def command(properties: Path) -> list[str]:
    return [sys.executable, "-m", "cluster.runtime.broker", str(properties)]


def run_to_end(properties: Path) -> "subprocess.CompletedProcess[str]":
    """Run a broker that is expected to give up by itself."""
    watch(properties.parent)
    done = subprocess.run(
        command(properties),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=OUTER_LIMIT_S,
        check=False,
    )
    streams = {"stdout": done.stdout, "stderr": done.stderr}
    record(lambda: command_text(command(properties), done.returncode, **streams))
    return done


def spawn(
    properties: Path, environment: Mapping[str, str] | None = None
) -> "subprocess.Popen[str]":
    """Start a broker without waiting for anything; *environment* adds to ours."""
    watch(properties.parent)
    with (properties.parent / "stderr").open("w") as stderr:
        return subprocess.Popen(
            command(properties),
            cwd=CHECKOUT,
            env={**os.environ, **(environment or {})},
            stderr=stderr,
            text=True,
        )


def start_broker(
    directory: Path, connect: str, broker_id: int = 1, settings: Mapping[str, str] | None = None
) -> Broker:
    """Start a broker and wait until it says that it serves; the caller ends it."""
    properties = write_properties(directory, connect, broker_id, settings)
    watch(directory)
    with (
        # The address of a socket holds about 100 bytes, and a test's own directory may be longer.
        tempfile.TemporaryDirectory(prefix="kadmin-", dir="/tmp") as short,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told,
    ):
        notified = Path(short) / "notify"
        told.bind(str(notified))
        told.setblocking(False)
        with (directory / "stderr").open("w") as stderr:
            environment = {**os.environ, "NOTIFY_SOCKET": str(notified)}
            process = fork_broker(properties, environment, stderr)
        broker = Broker(process, directory, broker_id)

        def serves() -> bool:
            assert process.poll() is None, "it has ended"
            with suppress(BlockingIOError):
                return told.recv(100) == b"READY=1"
            return False

        try:
            wait_until(serves, what="a broker that serves")
            broker.port = int(PORT.findall(broker.log())[-1])
        except (AssertionError, IndexError) as error:
            broker.kill()
            raise AssertionError((directory / "stderr").read_text()) from error
    return broker


@contextmanager
def running_broker(
    directory: Path, connect: str, broker_id: int = 1, settings: Mapping[str, str] | None = None
) -> Iterator[Broker]:
    """A broker that is gone at the end, in whatever way."""
    broker = start_broker(directory, connect, broker_id, settings)
    try:
        yield broker
    finally:
        with suppress(ProcessLookupError):
            broker.process.send_signal(signal.SIGCONT)
        broker.kill()


# A controller's words.


def lead(
    port: int,
    broker_id: int,
    topics: Mapping[str, int],
    *,
    leader_epoch: int = 0,
    broker_epoch: int = -1,
) -> Sequence[int]:
    """Let the broker at *port* lead all partitions of *topics*, each with its partition count.

    Without *broker_epoch* as a controller of Kafka before 2.2 does.  Returns the error codes of the
    partitions.
    """
    endpoint = UpdateMetadataEndpoint(port, "127.0.0.1", "PLAINTEXT", 0)
    metadata = UpdateMetadataRequest(
        controller_id=broker_id,
        controller_epoch=CONTROLLER_EPOCH,
        broker_epoch=broker_epoch,
        topic_states=[
            UpdateMetadataTopicState(
                topic,
                partition_states=[
                    UpdateMetadataPartitionState(
                        "",
                        index,
                        CONTROLLER_EPOCH,
                        broker_id,
                        leader_epoch,
                        [broker_id],
                        0,
                        [broker_id],
                    )
                    for index in range(count)
                ],
            )
            for topic, count in topics.items()
        ],
        live_brokers=[UpdateMetadataBroker(broker_id, endpoints=[endpoint])],
    )
    order = LeaderAndIsrRequest(
        controller_id=broker_id,
        controller_epoch=CONTROLLER_EPOCH,
        broker_epoch=broker_epoch,
        topic_states=[
            LeaderAndIsrTopicState(
                topic,
                partition_states=[
                    LeaderAndIsrPartitionState(
                        partition_index=index,
                        controller_epoch=CONTROLLER_EPOCH,
                        leader=broker_id,
                        leader_epoch=leader_epoch,
                        isr=[broker_id],
                        replicas=[broker_id],
                        is_new=leader_epoch == 0,
                    )
                    for index in range(count)
                ],
            )
            for topic, count in topics.items()
        ],
    )
    with RawClient(port) as client:
        updated = client.ask(ApiKey.UPDATE_METADATA, 6, metadata, UpdateMetadataResponse)
        assert updated.error_code == 0
        obeyed = client.ask(ApiKey.LEADER_AND_ISR, 4, order, LeaderAndIsrResponse)
    assert obeyed.error_code == 0
    return [partition.error_code for partition in obeyed.partition_errors]


# A client's words.


def produce(
    client: RawClient, topic: str, index: int = 0, *, acks: int = 1, **content: Any
) -> PartitionProduceResponse:
    """Send one batch (see `batch` for its content) and wait for the answer."""
    body = produce_request(topic, index, acks=acks, **content)
    answer = client.ask(ApiKey.PRODUCE, 8, body, ProduceResponse)
    return answer.responses[0].partition_responses[0]  # type: ignore[no-any-return]


def produce_request(topic: str, index: int = 0, *, acks: int = 1, **content: Any) -> ProduceRequest:
    data = [PartitionProduceData(index, batch(**content))]
    return ProduceRequest(None, acks, 5000, [TopicProduceData(topic, data)])


def fetch(client: RawClient, topic: str, index: int = 0, offset: int = 0) -> bytes:
    """All batches from *offset* on, as far as one answer goes."""
    wanted = FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=2**30)
    body = FetchRequest(max_wait_ms=0, min_bytes=0, topics=[FetchTopic(topic, partitions=[wanted])])
    answer = client.ask(ApiKey.FETCH, 11, body, FetchResponse)
    found = answer.responses[0].partitions[0]
    assert found.error_code == 0
    return bytes(found.records)
