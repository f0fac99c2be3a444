"""Connections to other brokers: real sockets, brokers that answer, and some that misbehave."""

import asyncio
import select
import socket
from collections.abc import Awaitable, Callable, Coroutine
from struct import pack
from typing import Any

import pytest

from cluster.broker.handling import Peer, Reply
from cluster.broker.ports import Endpoint, NoAnswer
from cluster.runtime.network.peer_connection import SMALL_RESPONSES, PeerConnection
from cluster.runtime.network.peers import TcpPeers, ask
from cluster.runtime.network.transports import TRANSPORTS
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame, encode_response
from cluster.wire.framing import CHUNK_SIZE
from cluster.wire.messages.api_versions import ApiVersion, ApiVersionsResponse
from cluster.wire.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from tests.support.loop_time import pass_time, run_in_manual_time
from tests.support.serving import serving
from tests.support.waiting import OUTER_LIMIT_S, turns, until, wait_until

pytestmark = pytest.mark.sockets

TOLD = ApiVersionsResponse(
    api_keys=[
        ApiVersion(ApiKey.FETCH, 4, 11),
        ApiVersion(ApiKey.METADATA, 0, 4),
        ApiVersion(30_000, 0, 1),
    ]
)
LARGE = 10 * 1024 * 1024


def run(
    use: Callable[[TcpPeers], Coroutine[Any, Any, Any]],
    receive_buffer_size: int = -1,
    runner: Callable[[Coroutine[Any, Any, Any]], Any] = asyncio.run,
) -> Any:
    async def main() -> Any:
        loop, transport = asyncio.get_running_loop(), TRANSPORTS["PLAINTEXT"]
        peers = TcpPeers(loop, "PLAINTEXT", transport, receive_buffer_size)
        try:
            return await asyncio.wait_for(use(peers), OUTER_LIMIT_S)
        finally:
            peers.close()

    return runner(main())


async def connected(peers: TcpPeers, port: int, timeout_ms: int = 10_000) -> Any:
    """What `connect` ends in: a connection, or why there is none."""
    opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    endpoint = Endpoint("127.0.0.1", port)
    peers.connect(endpoint, "broker-1-fetcher-0", timeout_ms, opened.set_result)
    assert not opened.done()
    return await opened


def metadata(connection: PeerConnection, timeout_ms: int = 10_000) -> Awaitable[Any]:
    return ask(connection, ApiKey.METADATA, 4, MetadataRequest(None), timeout_ms)


class Handler:
    """Answers what it is asked, but holds fetches of 1 byte back; *size* of records each."""

    def __init__(self, size: int = 0) -> None:
        self.records = bytes(range(256)) * (size // 256)
        self.asked: list[RequestFrame] = []
        self.cancelled = 0

    def __call__(self, request: RequestFrame, peer: Peer, reply: Reply) -> Any:
        self.asked.append(request)
        if request.api_key is ApiKey.API_VERSIONS:
            reply(TOLD)
        elif request.api_key is ApiKey.METADATA:
            reply(MetadataResponse(cluster_id=request.client_id or ""))
        else:
            assert isinstance(request.body, FetchRequest)
            if request.body.min_bytes == 1:
                return self.cancel
            part = PartitionData(0, 0, 7, records=self.records)
            topics = [FetchableTopicResponse("orders", partitions=[part])]
            reply(FetchResponse(responses=topics))
        return None

    def cancel(self) -> None:
        self.cancelled += 1


def test_a_broker_is_asked_in_the_versions_that_it_says_it_serves() -> None:
    handler = Handler()

    async def use(peers: TcpPeers) -> None:
        connection = await connected(peers, server.port)
        assert 4 == connection.version(ApiKey.METADATA, newest=12)
        assert 3 == connection.version(ApiKey.METADATA, newest=3)
        assert 11 == connection.version(ApiKey.FETCH, newest=17)
        assert connection.version(ApiKey.FETCH, newest=3) is None
        assert connection.version(ApiKey.ALTER_PARTITION, newest=3) is None
        for _ in range(3):
            assert "broker-1-fetcher-0" == (await metadata(connection)).cluster_id
        assert connection.is_open

    with serving(handler) as server:
        run(use)

    assert [ApiKey.API_VERSIONS, *3 * [ApiKey.METADATA]] == [one.api_key for one in handler.asked]
    assert 0 == handler.asked[0].api_version


def test_large_responses_come_into_one_memory_and_are_not_copied() -> None:
    """The first ones make it grow; from then on it is the same, also after small responses."""
    handler = Handler(LARGE)
    memories: list[Any] = []
    body = FetchRequest(max_wait_ms=0, min_bytes=0)

    async def use(peers: TcpPeers) -> None:
        connection = await connected(peers, server.port)
        for round_ in range(4):
            answered = asyncio.Event()

            def take(answer: Any, answered: asyncio.Event = answered) -> None:
                records = answer.responses[0].partitions[0].records
                assert isinstance(records, memoryview)
                assert handler.records == records
                memories.append(records.obj)
                answered.set()

            connection.send(ApiKey.FETCH, 11, body, 10_000, take)
            await answered.wait()
            assert isinstance(await metadata(connection), MetadataResponse)
            assert len(memories) == round_ + 1

    with serving(handler) as server:
        run(use)

    assert memories[1] is memories[2] is memories[3]
    assert len(memories[3]) < 3 * LARGE


def test_the_memory_of_large_responses_is_given_back_after_many_small_ones() -> None:
    async def use(peers: TcpPeers) -> None:
        connection = await connected(peers, server.port)
        body = FetchRequest(max_wait_ms=0, min_bytes=0)
        await ask(connection, ApiKey.FETCH, 11, body, 10_000)
        for _ in range(SMALL_RESPONSES - 1):
            await metadata(connection)
        assert len(connection._reader._buffer) >= LARGE
        await metadata(connection)
        assert len(connection._reader._buffer) == CHUNK_SIZE

    with serving(Handler(LARGE)) as server:
        run(use)


def test_a_request_may_be_larger_than_what_the_kernel_takes_at_once() -> None:
    handler = Handler()
    names = [f"{number:01000}" for number in range(20_000)]
    body = MetadataRequest([MetadataRequestTopic(name=name) for name in names])

    async def use(peers: TcpPeers) -> None:
        connection = await connected(peers, server.port)
        answer = await ask(connection, ApiKey.METADATA, 4, body, 15_000)
        assert isinstance(answer, MetadataResponse)

    with serving(handler, request_size_max=2**30) as server:
        run(use)

    asked = handler.asked[-1].body
    assert isinstance(asked, MetadataRequest)
    assert asked.topics is not None
    assert names == [topic.name for topic in asked.topics]


def test_what_the_kernel_keeps_of_what_comes_may_be_limited() -> None:
    """The kernel takes twice what it is told, for its own needs."""

    async def size(peers: TcpPeers) -> Any:
        transport: Any = (await connected(peers, server.port))._transport
        return transport._socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)

    with serving(Handler()) as server:
        assert 2 * 10_000 == run(size, receive_buffer_size=10_000)
        assert 2 * 10_000 < run(size)


def test_an_address_where_nobody_listens_is_told_with_the_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    assert NoAnswer("Connection refused") == run(lambda peers: connected(peers, port))


@pytest.mark.parametrize("endpoint", [("no.such.host.invalid", 9092), ("x" * 70, 9092), ("", -7)])
def test_an_address_that_is_none_is_told_as_well(endpoint: tuple[str, int]) -> None:
    async def use(peers: TcpPeers) -> Any:
        opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        peers.connect(Endpoint(*endpoint), "1", 10_000, opened.set_result)
        return await opened

    assert isinstance(run(use), NoAnswer)


def test_a_broker_that_does_not_say_what_it_serves_is_waited_for_no_longer_than_asked() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        answer = run(lambda peers: connected(peers, port, timeout_ms=50))

    assert answer in (
        NoAnswer("it cannot be reached in time"),
        NoAnswer("no response came in time"),
    )


def test_a_broker_that_refuses_to_say_what_it_serves_is_told() -> None:
    def refuse(request: RequestFrame, peer: Peer, reply: Reply) -> None:
        reply(ApiVersionsResponse(error_code=35))

    with serving(refuse) as server:
        answer = run(lambda peers: connected(peers, server.port))

        assert server.connection_count == 0
    assert NoAnswer("it does not say what it serves, but error 35") == answer


def test_a_request_without_a_response_in_time_ends_the_connection() -> None:
    """Also one with less time than the one before, whose timer is still set."""
    handler = Handler()

    async def use(peers: TcpPeers) -> None:
        connection = await connected(peers, server.port)
        await metadata(connection, timeout_ms=60_000)
        body = FetchRequest(max_wait_ms=0, min_bytes=1)
        answering = asyncio.ensure_future(ask(connection, ApiKey.FETCH, 11, body, 100))
        await until(lambda: len(handler.asked) == 3, what="the fetch")
        await pass_time(0.099)
        assert not answering.done()
        await pass_time(0.002)
        assert NoAnswer("no response came in time") == await answering
        assert not connection.is_open
        assert NoAnswer("no response came in time") == await metadata(connection)

    with serving(handler) as server:
        run(use, runner=run_in_manual_time)
        wait_until(lambda: handler.cancelled == 1, what="the end of the connection")


def test_a_time_out_counts_from_its_own_request_on() -> None:
    handler = Handler()

    async def use(peers: TcpPeers) -> None:
        connection = await connected(peers, server.port)
        for _ in range(4):
            assert isinstance(await metadata(connection, timeout_ms=300), MetadataResponse)
            await pass_time(0.1)

    with serving(handler) as server:
        run(use, runner=run_in_manual_time)


def test_a_response_that_came_while_the_loop_was_busy_is_in_time() -> None:
    async def use(peers: TcpPeers) -> Any:
        connection = await connected(peers, server.port)
        answering = asyncio.ensure_future(metadata(connection, timeout_ms=100))
        await turns(1)
        # This holds the loop up, until the response is there.
        transport: Any = connection._transport
        select.select([transport._socket], [], [], OUTER_LIMIT_S)
        await pass_time(0.3)
        return await answering

    with serving(Handler()) as server:
        assert isinstance(run(use, runner=run_in_manual_time), MetadataResponse)


def test_a_connection_that_is_ended_while_idle_is_known_to_be_over() -> None:
    async def use(peers: TcpPeers) -> None:
        connection = await connected(peers, server.port)
        await asyncio.to_thread(server.call, server.server.close)
        await until(lambda: not connection.is_open, what="the end")
        answers: list[Any] = []
        connection.send(ApiKey.METADATA, 4, MetadataRequest(None), 1000, answers.append)
        assert not answers
        await turns(1)
        assert [NoAnswer("it has ended the connection")] == answers

    with serving(Handler()) as server:
        run(use)


def test_after_its_close_nothing_is_called_any_more() -> None:
    handler = Handler()
    answers: list[Any] = []

    async def use(peers: TcpPeers) -> None:
        connection = await connected(peers, server.port)
        body = FetchRequest(max_wait_ms=0, min_bytes=1)
        connection.send(ApiKey.FETCH, 11, body, 50, answers.append)
        connection.close()
        connection.close()
        assert not connection.is_open
        await pass_time(1)
        await until(lambda: server.connection_count == 0, what="the end at the other side")
        await pass_time(1)

    with serving(handler) as server:
        run(use, runner=run_in_manual_time)

    assert not answers


def test_a_connection_attempt_that_is_cancelled_leaves_nothing_open() -> None:
    """In any turn of the loop until it would have been opened, and just when it is."""
    opened: list[Any] = []

    async def use(peers: TcpPeers) -> None:
        turn_count, opened_count = 0, 0
        while opened_count < 3:
            endpoint = Endpoint("127.0.0.1", server.port)
            cancel = peers.connect(endpoint, "1", 10_000, opened.append)
            for _ in range(turn_count):
                await turns(1)
                if opened:
                    break
            is_opened = bool(opened)
            cancel()
            cancel()
            await turns(3)
            assert is_opened == bool(opened)
            if is_opened:
                opened.pop().close()
                opened_count += 1
            # One more at first; by a share where the machine takes many for each step.
            turn_count += 1 + turn_count // 20
        await until(lambda: server.connection_count == 0, what="the end of all")
        assert not opened

    with serving(Handler()) as server:
        run(use)


def test_the_orderly_end_ends_connections_and_attempts() -> None:
    called: list[Any] = []

    async def use(peers: TcpPeers) -> None:
        connection = await connected(peers, server.port)
        body = FetchRequest(max_wait_ms=0, min_bytes=1)
        connection.send(ApiKey.FETCH, 11, body, 50, called.append)
        peers.connect(Endpoint("127.0.0.1", server.port), "1", 1000, called.append)
        peers.close()
        assert not connection.is_open
        await pass_time(2)
        await until(lambda: server.connection_count == 0, what="the end at the other side")
        await pass_time(2)

    with serving(Handler()) as server:
        run(use, runner=run_in_manual_time)

    assert not called


def answer_to(correlation_id: int, cluster_id: str = "c") -> bytes:
    body = MetadataResponse(cluster_id=cluster_id)
    return b"".join(encode_response(ApiKey.METADATA, 4, correlation_id, body))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (answer_to(3), "it has answered request 3 again"),
        (answer_to(2) + answer_to(2), "it has answered what nobody asked"),
        (pack(">i", -1), "a frame of -1 bytes, where 0 to 104857600 are allowed"),
        (pack(">i", 2**31 - 1), "a frame of 2147483647 bytes, where 0 to 104857600 are allowed"),
        (pack(">ih", 2, 0), "a response without a header"),
        (pack(">ii", 4, 2), "MetadataResponse v4: it ends too early"),
        (b"", "it has ended the connection"),
        (answer_to(2)[:-1], "it has ended the connection"),
    ],
)
def test_what_is_no_response_ends_the_connection_with_a_reason(answer: bytes, reason: str) -> None:
    async def misbehave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        told = encode_response(ApiKey.API_VERSIONS, 0, 1, TOLD)
        writer.write(b"".join(told))  # type: ignore[arg-type]
        await reader.read(1000)
        writer.write(answer)
        writer.close()

    async def use(peers: TcpPeers) -> Any:
        server = await asyncio.start_server(misbehave, "127.0.0.1", 0)
        connection = await connected(peers, server.sockets[0].getsockname()[1])
        answer = await metadata(connection)
        assert not connection.is_open
        server.close()
        return answer

    assert NoAnswer(reason) == run(use)


def test_a_mistake_of_who_is_told_goes_to_the_loop_and_leaves_the_connection_as_it_is() -> None:
    async def use(peers: TcpPeers) -> None:
        mistakes: list[Any] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: mistakes.append(context["exception"]))
        connection = await connected(peers, server.port)

        def fail(answer: Any) -> None:
            raise ValueError("ours")

        connection.send(ApiKey.METADATA, 4, MetadataRequest(None), 1000, fail)
        await until(lambda: bool(mistakes), what="the mistake")
        assert "ours" == str(mistakes[0])
        assert isinstance(await metadata(connection), MetadataResponse)

    with serving(Handler()) as server:
        run(use)
