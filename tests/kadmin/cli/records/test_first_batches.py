"""Does a batch arrive that its broker cannot take yet, while it takes those behind it?

A leader that knows nothing of a producer takes any of its batches for the first one, so that what
it refused for the moment is behind what was sent later.
"""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_request, encode_response
from cluster.wire.messages.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from kadmin.local.ports import free_ports
from kadmin.local.zookeeper import ZooKeeperServer
from tests.support.brokers import running_broker
from tests.support.cli import done, kadmin
from tests.support.proxy import Conversation, Proxy, frames, hang_up, send, serving
from tests.support.zookeeper import make_chroot

pytestmark = [pytest.mark.zk, pytest.mark.clients]


class Refusal(Proxy):
    """Refuses the first batches for the broker, as often as it was told."""

    def __init__(self, target_port: int) -> None:
        super().__init__(("127.0.0.1", target_port))
        self.lock = threading.Lock()
        self.error = ErrorCode.NONE
        self.left = 0
        self.waits = False

    def refuse(self, error: ErrorCode, times: int, *, waits: bool = False) -> None:
        """Refuse batches *times* times; with *waits* each when the next one is here."""
        self.error, self.left, self.waits = error, times, waits

    def refuses(self, frame: bytes) -> bool:
        with self.lock:
            is_refused = self.left > 0 and ApiKey.PRODUCE == int.from_bytes(frame[4:6])
            self.left -= is_refused
            return is_refused

    def answer_to(self, frame: bytes) -> bytes:
        request = decode_request(memoryview(frame)[4:])
        assert isinstance(request.body, ProduceRequest)
        responses = [
            TopicProduceResponse(
                topic.name,
                [
                    PartitionProduceResponse(data.partition_index, self.error, -1)
                    for data in topic.partition_data
                ],
            )
            for topic in request.body.topic_data
        ]
        body = ProduceResponse(responses)
        (answer,) = encode_response(
            ApiKey.PRODUCE, request.api_version, request.correlation_id, body
        )
        assert isinstance(answer, bytes)
        return answer

    def conversation(self, client: socket.socket, server: socket.socket) -> Conversation:
        return WithRefusals(self, client, server)


class WithRefusals(Conversation):
    """One client's connection."""

    def __init__(self, refusal: Refusal, client: socket.socket, server: socket.socket) -> None:
        super().__init__(client, server)
        self.refusal = refusal

    def forward_requests(self) -> None:
        answer = b""
        for frame in frames(self.client):
            if answer:
                send(self.client, answer)
                answer = b""
            if not self.refusal.refuses(frame):
                send(self.server, frame)
            elif self.refusal.waits:
                answer = self.refusal.answer_to(frame)
            else:
                send(self.client, self.refusal.answer_to(frame))
        hang_up(self.client)
        hang_up(self.server)

    def request_passes(self, frame: bytes) -> bool:
        return True

    def answer_passes(self, frame: bytes) -> bool:
        return True


@pytest.fixture(scope="module")
def refusal(
    tmp_path_factory: pytest.TempPathFactory, zookeeper: ZooKeeperServer
) -> Iterator[Refusal]:
    """What stands between a broker and its clients."""
    (port,) = free_ports(1, "127.0.0.1")
    with serving(Refusal(port)) as refusal:
        settings = {
            "listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "advertised.listeners": f"PLAINTEXT://{refusal.address}",
        }
        directory = tmp_path_factory.mktemp("broker")
        with running_broker(directory, make_chroot(zookeeper), 1, settings):
            yield refusal


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(
    "error",
    [
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
    ],
)
def test_first_batches_that_are_refused_for_the_moment_arrive_before_the_others(
    refusal: Refusal, tmp_path: Path, error: ErrorCode, times: int
) -> None:
    topic = f"{error.name.lower()}-{times}"
    wire = ("--topic", topic, "--bootstrap-server", refusal.address)
    done("topics", "--create", *wire, "--partitions", "1", "--replication-factor", "1", "--yes")
    records = tmp_path / "records"
    records.write_text("".join(f"record {number}\n" for number in range(10)))

    refusal.refuse(error, times)
    outcome = kadmin("produce", *wire, "--file", str(records), "-X", "batch.num.messages=1")

    assert 0 == outcome.exit_code, outcome
    assert records.read_text() == done("consume", *wire, "--from-beginning", "--until-end")


def test_record_that_the_broker_may_have_skipped_is_told_where_several_are_sent_at_once(
    refusal: Refusal, tmp_path: Path
) -> None:
    wire = ("--topic", "several", "--bootstrap-server", refusal.address)
    done("topics", "--create", *wire, "--partitions", "1", "--replication-factor", "1", "--yes")
    records = tmp_path / "records"
    records.write_text("one\ntwo\nthree\n")
    refusal.refuse(ErrorCode.NOT_ENOUGH_REPLICAS, 1, waits=True)

    several = ("-X", "batch.num.messages=1", "-X", "max.in.flight.requests.per.connection=5")
    outcome = kadmin("produce", *wire, "--file", str(records), *several)

    assert 1 == outcome.exit_code
    assert (
        f"warning: line 1 of {records} was not delivered: a later record was taken, and nobody"
        in (outcome.stderr)
    )
    assert "1 of 3 records were not delivered" in outcome.stderr
    assert "two\nthree\n" == done("consume", *wire, "--from-beginning", "--until-end")
