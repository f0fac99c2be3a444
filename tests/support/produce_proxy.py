"""What if a leader refuses batches for the moment, or takes its time to answer?

A proxy between a producer and its broker, which counts the batches that are under way.
"""

import socket
import threading

from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_request, encode_response
from cluster.wire.messages.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from tests.support.proxy import Conversation, Proxy, frames, hang_up, send

HELD_COUNT = 2


class ProduceProxy(Proxy):
    """Forwards every connection to *target_port* of this machine."""

    def __init__(self, target_port: int) -> None:
        super().__init__(("127.0.0.1", target_port))
        self.lock = threading.Lock()
        self.error = ErrorCode.NONE
        self.left = self.passing = 0
        self.waits = False
        self.released = threading.Event()
        self.hold(0)

    def refuse(self, error: ErrorCode, times: int, *, after: int = 0, waits: bool = False) -> None:
        """Answer *times* batches in the broker's place, behind *after* that it gets.

        With *waits* each is answered when another one is here.
        """
        self.error, self.left, self.waits, self.passing = error, times, waits, after

    def hold(self, seconds: float) -> None:
        """Keep the answers to the next two batches for so long, each, or until `release`."""
        self.released.clear()
        self.holding_s = seconds
        self.under_way = 0
        self.answered = 0
        self.most_under_way = [0] * (HELD_COUNT + 1)
        """So many batches at once before the first answer, before the second, and later."""

    def release(self) -> None:
        self.released.set()

    def begins(self) -> None:
        """A batch goes to the broker."""
        with self.lock:
            self.under_way += 1
            stage = min(self.answered, HELD_COUNT)
            self.most_under_way[stage] = max(self.most_under_way[stage], self.under_way)

    def ends(self) -> None:
        """The answer to a batch is here; returns when it may be handed on."""
        if self.answered < HELD_COUNT:
            self.released.wait(self.holding_s)
        with self.lock:
            self.under_way -= 1
            self.answered += 1

    def refuses(self) -> bool:
        with self.lock:
            is_refused = self.left > 0 and self.passing == 0
            self.passing -= self.passing > 0
            self.left -= is_refused
            return is_refused

    def refusal_of(self, frame: bytes) -> bytes:
        request = decode_request(memoryview(frame)[4:])
        assert isinstance(request.body, ProduceRequest)
        topics = [
            TopicProduceResponse(
                topic.name,
                [
                    PartitionProduceResponse(data.partition_index, self.error, -1)
                    for data in topic.partition_data
                ],
            )
            for topic in request.body.topic_data
        ]
        version, number = request.api_version, request.correlation_id
        (answer,) = encode_response(ApiKey.PRODUCE, version, number, ProduceResponse(topics))
        assert isinstance(answer, bytes)
        return answer

    def conversation(self, client: socket.socket, server: socket.socket) -> Conversation:
        return ThroughProxy(self, client, server)


class ThroughProxy(Conversation):
    """One client's connection through *proxy*."""

    def __init__(self, proxy: ProduceProxy, client: socket.socket, server: socket.socket) -> None:
        super().__init__(client, server)
        self.proxy = proxy
        self.numbers: set[bytes] = set()
        """Of the batches that the broker has."""

    def forward_requests(self) -> None:
        refusal = b""
        for frame in frames(self.client):
            if refusal:
                send(self.client, refusal)
                refusal = b""
            if ApiKey.PRODUCE != int.from_bytes(frame[4:6]):
                send(self.server, frame)
            elif not self.proxy.refuses():
                self.numbers.add(frame[8:12])
                self.proxy.begins()
                send(self.server, frame)
            elif self.proxy.waits:
                refusal = self.proxy.refusal_of(frame)
            else:
                send(self.client, self.proxy.refusal_of(frame))
        hang_up(self.client)
        hang_up(self.server)

    def request_passes(self, frame: bytes) -> bool:
        return True

    def answer_passes(self, frame: bytes) -> bool:
        if frame[4:8] in self.numbers:
            self.numbers.discard(frame[4:8])
            self.proxy.ends()
        return True
