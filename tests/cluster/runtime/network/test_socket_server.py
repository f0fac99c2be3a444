"""Sockets under load and under attack: limits, order, slow readers, halves and garbage.

What a connection does, it does over TLS as it does over plain TCP.
"""

import contextlib
import logging
import os
import random
import resource
import socket
import struct
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cluster.broker.authorizer import ANONYMOUS
from cluster.broker.handling import Cancel, Peer, Reply
from cluster.broker.line_limit import LINES_MAX
from cluster.model.address_limits import ConnectionLimits
from cluster.model.broker import Endpoint
from cluster.model.file_slice import FileSlice
from cluster.runtime.disk.files import Disk
from cluster.runtime.errors import CannotListen
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame, decode_response
from cluster.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from cluster.wire.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from cluster.wire.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.support.certificates import Authority
from tests.support.serving import RawClient, Running, request_bytes, serving
from tests.support.waiting import wait_until

pytestmark = pytest.mark.sockets

WAIT_MS = 60_000

Serve = Callable[..., AbstractContextManager[Running]]


class Answering:
    """A handler: metadata at once, a fetch when a test says so, a produce as its acks want it."""

    def __init__(self) -> None:
        self.parked: list[Reply] = []
        self.cancelled = 0
        self.produced: list[bytes] = []

    def __call__(self, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        body: Any = request.body
        if request.api_key == ApiKey.FETCH:
            self.parked.append(reply)
            return self.cancel
        if request.api_key == ApiKey.PRODUCE:
            self.produced.append(bytes(body.topic_data[0].partition_data[0].records))
            reply(None)
            return None
        reply(metadata(body.topics[0].name))
        return None

    def cancel(self) -> None:
        self.cancelled += 1


def metadata(name: str) -> MetadataResponse:
    return MetadataResponse(cluster_id=name)


def asking(name: str) -> MetadataRequest:
    return MetadataRequest([MetadataRequestTopic(name=name)])


def ask(client: RawClient, name: str) -> str | None:
    answer = client.ask(ApiKey.METADATA, 4, asking(name), MetadataResponse)
    assert isinstance(answer, MetadataResponse)
    return answer.cluster_id


def produce(size: int) -> ProduceRequest:
    records = random.Random(size).randbytes(size)
    return ProduceRequest(
        None, 0, 1000, [TopicProduceData("t", [PartitionProduceData(0, records)])]
    )


def slice_answer(path: Path, size: int, count: int = 1) -> tuple[FetchResponse, Any]:
    """An answer with *count* times the first *size* bytes of the file at *path*."""
    file = path.open("rb")
    partitions = [
        PartitionData(partition_index=number, records=FileSlice(file, 0, size))
        for number in range(count)
    ]
    return FetchResponse(responses=[FetchableTopicResponse("t", partitions=partitions)]), file


@pytest.fixture(params=["PLAINTEXT", "SSL"])
def serve(request: pytest.FixtureRequest) -> Serve:
    """`serving`, without encryption or with it."""
    if request.param == "PLAINTEXT":
        return serving
    return partial(serving, authority=request.getfixturevalue("authority"))


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"), "tests")


@pytest.fixture
def answering() -> Answering:
    return Answering()


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Callable[[], str]:
    caplog.set_level(logging.INFO)
    return lambda: caplog.text


def test_requests_sent_in_one_go_are_answered_in_their_order(
    serve: Serve, answering: Answering
) -> None:
    names = [f"topic{number}" for number in range(300)]
    with serve(answering) as running, running.client() as client:
        client.socket.sendall(
            b"".join(
                request_bytes(ApiKey.METADATA, 4, number, asking(name))
                for number, name in enumerate(names)
            )
        )
        answers = [decode_response(MetadataResponse, 4, client.receive_frame()) for _ in names]

    assert [(number, name) for number, name in enumerate(names)] == [
        (answer.correlation_id, answer.body.cluster_id) for answer in answers
    ]


def test_a_request_behind_one_that_is_parked_waits_for_its_turn(
    serve: Serve, answering: Answering
) -> None:
    with serve(answering) as running, running.client() as client:
        client.send(ApiKey.FETCH, 11, FetchRequest(max_wait_ms=WAIT_MS))
        client.send(ApiKey.METADATA, 4, asking("second"))
        wait_until(lambda: len(answering.parked) == 1, what="the fetch")
        with running.client() as other:
            assert ask(other, "unhindered") == "unhindered"
        running.call(lambda: answering.parked[0](FetchResponse()))
        first = decode_response(FetchResponse, 11, client.receive_frame())
        second = decode_response(MetadataResponse, 4, client.receive_frame())

    assert (1, 2) == (first.correlation_id, second.correlation_id)


def test_an_answer_that_comes_twice_or_too_late_does_nothing(
    serve: Serve, answering: Answering
) -> None:
    with serve(answering) as running, running.client() as client:
        client.send(ApiKey.FETCH, 11, FetchRequest(max_wait_ms=WAIT_MS))
        wait_until(lambda: len(answering.parked) == 1, what="the fetch")
        for _ in range(2):
            running.call(lambda: answering.parked[0](FetchResponse()))
        running.call(lambda: answering.parked[0].close("too late"))
        client.receive_frame()

        assert ask(client, "still there") == "still there"


def test_a_client_that_leaves_takes_its_parked_request_along(
    serve: Serve, answering: Answering
) -> None:
    with serve(answering) as running:
        with running.client() as client:
            client.send(ApiKey.FETCH, 11, FetchRequest(max_wait_ms=WAIT_MS))
            wait_until(lambda: len(answering.parked) == 1, what="the fetch")
        wait_until(lambda: answering.cancelled == 1, what="the cancellation")
        running.call(lambda: answering.parked[0](FetchResponse()))

        assert running.connection_count == 0


def test_requests_that_want_no_answer_get_none(serve: Serve, answering: Answering) -> None:
    with serve(answering) as running, running.client() as client:
        for size in (1, 70_000, 300_000):
            client.send(ApiKey.PRODUCE, 8, produce(size))

        assert ask(client, "next") == "next"
    assert [1, 70_000, 300_000] == [len(records) for records in answering.produced]
    assert answering.produced[2] == random.Random(300_000).randbytes(300_000)


def test_a_request_may_come_byte_by_byte(serve: Serve, answering: Answering) -> None:
    with serve(answering) as running, running.client() as client:
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in request_bytes(ApiKey.METADATA, 4, 1, asking("slowly")):
            client.socket.sendall(bytes([byte]))
        answer = decode_response(MetadataResponse, 4, client.receive_frame())

    assert answer.body.cluster_id == "slowly"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (struct.pack(">i", 1024 * 1024 + 1), "a frame of 1048577 bytes"),
        (struct.pack(">i", 2**31 - 1), "a frame of 2147483647 bytes"),
        (struct.pack(">i", -1), "a frame of -1 bytes"),
        (b"GET / HTTP/1.1\r\n\r\n", "a frame of 1195725856 bytes"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "a frame of 369295618 bytes"),
        (struct.pack(">i", 0), "a request without a header"),
        (struct.pack(">ihhi", 8, 999, 0, 1), "api key 999 in version 0 is not served"),
        (struct.pack(">ihhi", 8, 3, 99, 1), "api key 3 in version 99 is not served"),
        (struct.pack(">ihhih", 10, 3, 4, 1, 2000), "ends too early"),
        (struct.pack(">ihhihi", 14, 3, 4, 1, -1, 2**31 - 1), "closing"),
    ],
)
def test_what_is_no_request_ends_its_connection_with_one_line_that_names_the_peer(
    serve: Serve, answering: Answering, log: Callable[[], str], sent: bytes, said: str
) -> None:
    with serve(answering) as running, running.client() as client:
        with running.client() as hostile:
            host, port = hostile.socket.getsockname()
            hostile.socket.sendall(sent)
            assert hostile.is_closed()

        assert ask(client, "unharmed") == "unharmed"
    assert said.lower() in log().lower()
    assert log().count(f"{host}:{port} to PLAINTEXT: ") == 1


def test_garbage_of_many_connections_of_one_address_is_a_few_lines_and_their_number(
    serve: Serve, answering: Answering, log: Callable[[], str]
) -> None:
    with serve(answering) as running:
        for _ in range(LINES_MAX + 15):
            with running.client() as hostile:
                hostile.socket.sendall(struct.pack(">i", -1))
                assert hostile.is_closed()

    assert log().count("Closing the connection of 127.0.0.1:") == LINES_MAX
    assert log().count("and 15 more in") == 1


def test_what_was_asked_before_the_garbage_is_answered(serve: Serve, answering: Answering) -> None:
    with serve(answering) as running, running.client() as client:
        requests = [request_bytes(ApiKey.METADATA, 4, n, asking("x")) for n in range(3)]
        client.socket.sendall(b"".join(requests) + struct.pack(">i", -1))
        answers = [decode_response(MetadataResponse, 4, client.receive_frame()) for _ in requests]

        assert [0, 1, 2] == [answer.correlation_id for answer in answers]
        assert client.is_closed()


def test_a_client_that_asks_for_unknown_api_versions_is_told_which_there_are(
    serve: Serve,
    answering: Answering,
) -> None:
    with serve(answering) as running, running.client() as client:
        frame = struct.pack(">hhih", ApiKey.API_VERSIONS, 9, 7, -1)
        client.socket.sendall(struct.pack(">i", len(frame)) + frame)
        refusal = decode_response(ApiVersionsResponse, 0, client.receive_frame())
        assert (refusal.correlation_id, refusal.body.error_code) == (7, 35)

        assert ask(client, "goes on") == "goes on"


def test_a_mistake_in_a_handler_ends_the_connection_and_nothing_else(serve: Serve) -> None:
    told: list[dict[str, Any]] = []

    def failing(request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        if request.api_key == ApiKey.API_VERSIONS:
            raise RuntimeError("a mistake")
        reply(metadata("fine"))
        return None

    with serve(failing) as running, running.client() as client:
        running.call(lambda: running.loop.set_exception_handler(lambda _, what: told.append(what)))
        with running.client() as other:
            other.send(ApiKey.API_VERSIONS, 2, ApiVersionsRequest())
            assert other.is_closed()
        assert ask(client, "anything") == "fine"
        wait_until(lambda: len(told) == 1, what="the loop to be told")
        assert str(told[0]["exception"]) == "a mistake"


def test_an_answer_without_a_form_ends_the_connection(serve: Serve) -> None:
    told: list[dict[str, Any]] = []

    def wrong(request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        reply(MetadataResponse(controller_id=2**40))
        return None

    with serve(wrong) as running, running.client() as client:
        running.call(lambda: running.loop.set_exception_handler(lambda _, what: told.append(what)))
        client.send(ApiKey.METADATA, 4, asking("a"))

        assert client.is_closed()
        wait_until(lambda: len(told) == 1, what="the loop to be told")
        assert "MetadataResponse v4" in str(told[0]["exception"])


def test_a_handler_is_told_who_a_transport_has_found_its_peer_to_be(authority: Authority) -> None:
    def who(request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        reply(metadata(peer.principal))
        return None

    with serving(who, authority=authority) as running:
        with running.client("client.test") as client:
            named = ask(client, "who")
        with running.client() as client:
            unnamed = ask(client, "who")

    assert named is not None
    assert named.startswith("User:organizationName=trustme")
    assert unnamed == ANONYMOUS


# Limits.


def test_no_more_connections_of_one_address_than_allowed(
    answering: Answering, log: Callable[[], str]
) -> None:
    with serving(answering, per_address_max=2) as running:
        clients = [RawClient(running.port) for _ in range(3)]
        assert clients[2].is_closed()
        assert [ask(client, "in") for client in clients[:2]] == ["in", "in"]
        clients[0].close()
        wait_until(lambda: running.connection_count == 1, what="one to leave")
        with RawClient(running.port) as next_one:
            assert ask(next_one, "next") == "next"
        for client in clients:
            client.close()

    assert "there are 2 from there, which is its limit" in log()


def test_an_address_may_have_a_limit_of_its_own(answering: Answering) -> None:
    options: dict[str, Any] = {"per_address_max": 0, "address_overrides": {"127.0.0.1": 1}}
    with serving(answering, **options) as running, RawClient(running.port) as client:
        with RawClient(running.port) as second:
            assert second.is_closed()
        assert ask(client, "in") == "in"


def test_above_the_limit_of_all_connections_clients_wait_until_one_leaves(
    answering: Answering, log: Callable[[], str]
) -> None:
    with serving(answering, count_max=1) as running:
        first = RawClient(running.port)
        assert ask(first, "in") == "in"
        with RawClient(running.port) as second:
            second.send(ApiKey.METADATA, 4, asking("waited"))
            assert running.connection_count == 1
            first.close()
            answer = decode_response(MetadataResponse, 4, second.receive_frame())

    assert answer.body.cluster_id == "waited"
    assert "max.connections=1" in log()


def plain(listener: str) -> Endpoint:
    return Endpoint(listener=listener, security_protocol="PLAINTEXT", host="127.0.0.1", port=0)


def test_above_the_limit_of_a_listener_its_clients_wait_and_no_others(
    answering: Answering, log: Callable[[], str]
) -> None:
    with serving(answering) as running:
        both = [plain("PLAINTEXT"), plain("SECOND")]
        ports = running.call(lambda: running.server.bind(both))
        running.call(lambda: running.server.limit(ConnectionLimits(1000, 1000, {}, {"SECOND": 1})))
        first = RawClient(ports["SECOND"])
        assert ask(first, "in") == "in"
        with RawClient(ports["SECOND"]) as second, RawClient(ports["PLAINTEXT"]) as other:
            second.send(ApiKey.METADATA, 4, asking("waited"))
            assert ask(other, "by another") == "by another"
            assert running.connection_count == 2
            first.close()
            answer = decode_response(MetadataResponse, 4, second.receive_frame())
            with RawClient(ports["SECOND"]) as third:
                third.send(ApiKey.METADATA, 4, asking("let in"))
                running.call(
                    lambda: running.server.limit(ConnectionLimits(1000, 1000, {}, {"SECOND": 2}))
                )
                let_in = decode_response(MetadataResponse, 4, third.receive_frame())

    assert ("waited", "let in") == (answer.body.cluster_id, let_in.body.cluster_id)
    assert "listener SECOND for now: there are max.connections=1" in log()


def test_listeners_that_go_end_their_connections_and_those_that_stay_keep_port_and_connections(
    answering: Answering,
) -> None:
    with serving(answering) as running, RawClient(running.port) as client:
        ports = running.call(lambda: running.server.bind([plain("PLAINTEXT"), plain("SECOND")]))
        assert running.port == ports["PLAINTEXT"]
        with RawClient(ports["SECOND"]) as second:
            assert ask(second, "in") == "in"
            taken = replace(plain("THIRD"), port=ports["SECOND"])
            with pytest.raises(CannotListen):
                running.call(lambda: running.server.bind([plain("PLAINTEXT"), taken]))
            assert ask(second, "still") == "still"
            moved = [replace(plain("PLAINTEXT"), port=running.port)]
            assert (
                ports["PLAINTEXT"] == running.call(lambda: running.server.bind(moved))["PLAINTEXT"]
            )
            assert second.is_closed()
        assert ask(client, "stays") == "stays"


def test_clients_leave_a_broker_the_descriptors_that_it_needs_for_its_files(
    answering: Answering, log: Callable[[], str]
) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    with contextlib.ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 120, before[1]))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        running = stack.enter_context(serving(answering))
        first = stack.enter_context(RawClient(running.port))
        clients = [stack.enter_context(RawClient(running.port))]
        while is_served(clients[-1]):
            clients.append(stack.enter_context(RawClient(running.port)))
        for _ in range(5):
            stack.enter_context(open(os.devnull))
        assert ask(first, "in") == "in"
        for client in clients:
            client.close()
        wait_until(lambda: running.connection_count == 1, what="all to leave")
        assert is_served(stack.enter_context(RawClient(running.port)))

    assert "the other files that may be open are the broker's own" in log()


def is_served(client: RawClient) -> bool:
    """Whether a client that asks gets something."""
    try:
        client.send(ApiKey.METADATA, 4, asking("in"))
    except ConnectionError:
        return False
    return not client.is_closed()


def test_idle_connections_are_closed_and_waiting_ones_are_not(
    answering: Answering, log: Callable[[], str]
) -> None:
    with (
        serving(answering, idle_ms_max=300) as running,
        RawClient(running.port) as waiting,
        RawClient(running.port) as idle,
    ):
        waiting.send(ApiKey.FETCH, 11, FetchRequest(max_wait_ms=WAIT_MS))
        wait_until(lambda: len(answering.parked) == 1, what="the fetch")
        assert idle.is_closed()
        running.call(lambda: answering.parked[0](FetchResponse()))
        decode_response(FetchResponse, 11, waiting.receive_frame())
        assert waiting.is_closed()
        assert running.call(lambda: running.server.quotas.expired_count) == 2

    assert "it is idle for 300 ms" in log()


def test_half_a_request_does_not_keep_a_connection_open_for_ever(
    serve: Serve, answering: Answering
) -> None:
    with serve(answering, idle_ms_max=300) as running, running.client() as half:
        half.socket.sendall(struct.pack(">ih", 100, 3))

        assert half.is_closed()


def test_large_requests_wait_while_others_hold_the_memory(
    serve: Serve, answering: Answering
) -> None:
    large = request_bytes(ApiKey.PRODUCE, 8, 1, produce(400_000))
    with (
        serve(answering, queued_size_max=300_000) as running,
        running.client() as first,
        running.client() as second,
    ):
        first.socket.sendall(large[:200_000])
        wait_until(lambda: running.call(lambda: running.memory.is_full), what="memory")
        second.socket.sendall(request_bytes(ApiKey.METADATA, 4, 1, asking("small")))
        assert decode_response(MetadataResponse, 4, second.receive_frame()).correlation_id == 1
        second.socket.sendall(large[:100_000])
        wait_until(
            lambda: running.call(lambda: len(running.memory._waiting)) == 1,
            what="the second large request to wait",
        )
        first.socket.sendall(large[200_000:])
        second.socket.sendall(large[100_000:])
        assert ask(second, "after") == "after"
        assert ask(first, "after") == "after"

        assert running.call(lambda: running.memory.allocated_bytes) == 0
    assert len(answering.produced) == 2


def test_what_a_connection_held_is_free_when_it_is_lost(serve: Serve, answering: Answering) -> None:
    large = request_bytes(ApiKey.PRODUCE, 8, 1, produce(400_000))
    with serve(answering, queued_size_max=300_000) as running:
        with running.client() as client:
            client.socket.sendall(large[:200_000])
            wait_until(lambda: running.call(lambda: running.memory.is_full), what="memory")
        wait_until(
            lambda: running.call(lambda: running.memory.allocated_bytes) == 0,
            what="the memory to be given back",
        )


def test_idle_connections_hold_no_buffers(serve: Serve, answering: Answering) -> None:
    with serve(answering) as running:
        clients = [running.client() for _ in range(50)]
        for client in clients:
            assert ask(client, "x") == "x"
        readers = running.call(
            lambda: [connection._reader for connection in running.server._connections]
        )
        for client in clients:
            client.close()

    assert readers == [None] * 50


# Sending.


def test_ranges_of_files_are_sent_between_the_bytes_around_them(
    serve: Serve, answering: Answering, tmp_path: Path
) -> None:
    path = tmp_path / "segment"
    path.write_bytes(random.Random(1).randbytes(3_000_000))
    with serve(answering) as running, running.client() as client:
        client.send(ApiKey.FETCH, 11, FetchRequest(max_wait_ms=WAIT_MS))
        wait_until(lambda: len(answering.parked) == 1, what="the fetch")
        body, file = slice_answer(path, 2_500_000, count=5)
        running.call(lambda: answering.parked[0](body))
        answer = decode_response(FetchResponse, 11, client.receive_frame())
        file.close()

    received = [bytes(p.records) for p in answer.body.responses[0].partitions]  # type: ignore[arg-type]
    assert received == [path.read_bytes()[:2_500_000]] * 5


def test_a_slow_reader_holds_up_nobody_and_gets_everything(
    serve: Serve, answering: Answering, tmp_path: Path
) -> None:
    path = tmp_path / "segment"
    path.write_bytes(random.Random(2).randbytes(100_000))
    with serve(answering, send_buffer_size=50_000) as running, running.client() as slow:
        slow.send(ApiKey.FETCH, 11, FetchRequest(max_wait_ms=WAIT_MS))
        slow.send(ApiKey.METADATA, 4, asking("behind"))
        wait_until(lambda: len(answering.parked) == 1, what="the fetch")
        body, file = slice_answer(path, 100_000, count=20)
        running.call(lambda: answering.parked[0](body))
        with running.client() as other:
            for number in range(100):
                assert ask(other, str(number)) == str(number)
        answer = decode_response(FetchResponse, 11, slow.receive_frame())
        behind = decode_response(MetadataResponse, 4, slow.receive_frame())
        file.close()

    partitions = answer.body.responses[0].partitions
    assert all(bytes(part.records) == path.read_bytes() for part in partitions)  # type: ignore[arg-type]
    assert behind.body.cluster_id == "behind"


def test_a_client_that_never_reads_its_answer_is_idle_in_the_end(
    serve: Serve, answering: Answering, tmp_path: Path
) -> None:
    path = tmp_path / "segment"
    path.write_bytes(bytes(1_000_000))
    with serve(answering, idle_ms_max=300) as running, running.client() as client:
        client.send(ApiKey.FETCH, 11, FetchRequest(max_wait_ms=WAIT_MS))
        wait_until(lambda: len(answering.parked) == 1, what="the fetch")
        body, file = slice_answer(path, 1_000_000, count=30)
        running.call(lambda: answering.parked[0](body))
        wait_until(lambda: running.connection_count == 0, what="the end")
        file.close()


def test_a_file_that_is_shorter_than_promised_ends_the_connection(
    serve: Serve, answering: Answering, log: Callable[[], str], tmp_path: Path
) -> None:
    path = tmp_path / "segment"
    path.write_bytes(bytes(10_000))
    with serve(answering) as running, running.client() as client:
        client.send(ApiKey.FETCH, 11, FetchRequest(max_wait_ms=WAIT_MS))
        wait_until(lambda: len(answering.parked) == 1, what="the fetch")
        body, file = slice_answer(path, 20_000)
        running.call(lambda: answering.parked[0](body))
        with pytest.raises(AssertionError, match="bytes early"):
            client.receive_frame()
        file.close()

    assert "a file ends at 10000, 10000 bytes early" in log()


def test_records_that_are_deleted_before_they_are_all_read_end_the_connection(
    serve: Serve, answering: Answering, log: Callable[[], str], tmp_path: Path
) -> None:
    path = tmp_path / "segment"
    path.write_bytes(bytes(1_000_000))
    with serve(answering, send_buffer_size=50_000) as running, running.client() as client:
        client.send(ApiKey.FETCH, 11, FetchRequest(max_wait_ms=WAIT_MS))
        wait_until(lambda: len(answering.parked) == 1, what="the fetch")
        file = Disk().open(str(path))
        parts = [PartitionData(part, records=FileSlice(file, 0, 1_000_000)) for part in range(30)]
        body = FetchResponse(responses=[FetchableTopicResponse("t", partitions=parts)])
        running.call(lambda: answering.parked[0](body))
        running.call(file.close)
        with pytest.raises(AssertionError, match="bytes early"):
            client.receive_frame()

    assert "the records that it reads were deleted meanwhile" in log()


def test_random_bytes_at_random_times_leave_a_server_that_serves(answering: Answering) -> None:
    seed = int.from_bytes(os.urandom(4))
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails.
    lot = random.Random(seed)
    valid = request_bytes(ApiKey.METADATA, 4, 1, asking("x" * 40))
    with serving(answering) as running:
        for _ in range(100):
            with RawClient(running.port) as client, contextlib.suppress(ConnectionError):
                damaged = bytearray(valid * lot.randint(1, 5))
                for _ in range(lot.randint(0, 4)):
                    damaged[lot.randrange(len(damaged))] = lot.randrange(256)
                client.socket.sendall(damaged[: lot.randint(1, len(damaged))])
        with RawClient(running.port) as client:
            assert ask(client, "alive") == "alive"
            wait_until(lambda: running.connection_count == 1, what="the others' end")
