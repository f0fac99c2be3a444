"""Do brokers tell how far their logs reach, and does silence cost little?"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_request, encode_response
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from kadmin.admin.wire.log_ends import log_ends
from kadmin.local.ports import free_ports

pytestmark = pytest.mark.sockets

LOOPBACK = "127.0.0.1"
ONE, TWO, THREE = BrokerId(1), BrokerId(2), BrokerId(3)


@contextmanager
def broker(ends: dict[tuple[str, int], int]) -> Iterator[tuple[str, int]]:
    """A broker that knows the *ends* of replicas, and that it was asked by a debugger."""

    def serve(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, connection.makefile("rb") as stream:
            size = int.from_bytes(stream.read(4))
            request = decode_request(memoryview(stream.read(size)))
            body: Any = request.body
            assert (ApiKey.LIST_OFFSETS, -2) == (request.api_key, body.replica_id)
            topics = [
                ListOffsetsTopicResponse(
                    topic.name,
                    [
                        ListOffsetsPartitionResponse(
                            part.partition_index, offset=ends[topic.name, part.partition_index]
                        )
                        if (topic.name, part.partition_index) in ends
                        else ListOffsetsPartitionResponse(
                            part.partition_index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                        )
                        for part in topic.partitions
                    ],
                )
                for topic in body.topics
            ]
            answer = encode_response(
                request.api_key,
                request.api_version,
                request.correlation_id,
                ListOffsetsResponse(topics=topics),
            )
            for buffer in answer:
                assert isinstance(buffer, bytes)
                connection.sendall(buffer)

    with socket.create_server((LOOPBACK, 0)) as listening:
        thread = Thread(target=serve, args=[listening])
        thread.start()
        yield (LOOPBACK, listening.getsockname()[1])
        thread.join()


def partitions(*names: tuple[str, int]) -> list[TopicPartition]:
    return [TopicPartition(*name) for name in names]


def test_each_broker_tells_of_its_own_replicas() -> None:
    asked = partitions(("b", 0), ("a", 1), ("b", 7), ("a", 0))
    with broker({("a", 0): 5, ("a", 1): 6, ("b", 0): 7}) as one, broker({("a", 0): 3}) as two:
        found = log_ends({ONE: (one, asked), TWO: (two, partitions(("a", 0)))}, 5)

    first, second, third = partitions(("a", 0), ("a", 1), ("b", 0))
    assert {ONE: {first: 5, second: 6, third: 7}, TWO: {first: 3}} == found


def test_who_is_silent_hangs_up_or_is_not_there_costs_no_more_than_the_time_limit() -> None:
    asked = partitions(("a", 0))
    (free,) = free_ports(1, LOOPBACK)
    with socket.create_server((LOOPBACK, 0)) as silent:
        found = log_ends(
            {
                ONE: (silent.getsockname(), asked),
                TWO: (silent.getsockname(), asked),
                THREE: ((LOOPBACK, free), asked),
            },
            0.3,
        )

    assert {ONE: {}, TWO: {}, THREE: {}} == found


def test_an_answer_that_is_none_tells_nothing() -> None:
    for answer in (b"", bytes(3), b"HTTP/1.1 400 Bad Request\r\n\r\n", bytes([0, 0, 0, 4, 0, 0])):
        with socket.create_server((LOOPBACK, 0)) as listening:
            thread = Thread(target=say, args=[listening, answer])
            thread.start()
            found = log_ends({ONE: (listening.getsockname(), partitions(("a", 0)))}, 5)
            thread.join()

        assert {ONE: {}} == found


def say(listening: socket.socket, answer: bytes) -> None:
    connection, _ = listening.accept()
    with connection:
        connection.recv(1000)
        connection.sendall(answer)
        connection.shutdown(socket.SHUT_WR)


def test_nobody_is_asked_for_nothing() -> None:
    assert {} == log_ends({}, 1)
