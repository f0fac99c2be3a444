"""The log end offsets of replicas, each read from its own broker.

ListOffsets with a debugging replica id asks a broker about its own replicas, leaders and followers
alike, on a separate socket: a client of kafka-python would ask leaders only.
"""

import socket
import struct
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import Final, cast

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_response, encode_request
from cluster.wire.errors import ProtocolError
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from kadmin.plan.offsets import LATEST

VERSION: Final = 1
"""Served by every release from 0.10.1 on."""
DEBUGGER: Final = -2
"""The replica id with which any replica returns its log end, committed or not."""
SIZE: Final = struct.Struct(">i")


def log_ends(
    asked: Mapping[BrokerId, tuple[tuple[str, int], Iterable[TopicPartition]]], timeout_s: float
) -> dict[BrokerId, dict[TopicPartition, int]]:
    """Read the log end offsets of replicas, by broker; *asked* has address and partitions of each.

    All brokers are asked at once.  One that does not answer within *timeout_s* is left out, and so
    is a replica for which it returns no offset.
    """
    if not asked:
        return {}
    with ThreadPoolExecutor(len(asked)) as pool:
        answers = {
            broker_id: pool.submit(ends_at, address, sorted(partitions), timeout_s)
            for broker_id, (address, partitions) in asked.items()
        }
    return {broker_id: answer.result() for broker_id, answer in answers.items()}


def ends_at(
    address: tuple[str, int], partitions: Iterable[TopicPartition], timeout_s: float
) -> dict[TopicPartition, int]:
    """Return the log end offsets at one broker of *partitions*, which are sorted; none without
    answer."""
    topics = [
        ListOffsetsTopic(
            topic, [ListOffsetsPartition(each.partition, timestamp=LATEST) for each in group]
        )
        for topic, group in groupby(partitions, key=lambda each: each.topic)
    ]
    request = ListOffsetsRequest(DEBUGGER, topics=topics)
    try:
        with socket.create_connection(address, timeout=timeout_s) as connection:
            buffers = encode_request(ApiKey.LIST_OFFSETS, VERSION, 0, "kadmin", request)
            connection.sendall(b"".join(cast("list[bytes]", buffers)))
            with connection.makefile("rb") as stream:
                (size,) = SIZE.unpack(stream.read(SIZE.size))
                frame = stream.read(size)
        body = decode_response(ListOffsetsResponse, VERSION, memoryview(frame)).body
    except (OSError, struct.error, ProtocolError):
        return {}
    return {
        TopicPartition(topic.name, part.partition_index): part.offset
        for topic in body.topics
        for part in topic.partitions
        if part.error_code == ErrorCode.NONE
    }
