"""Produce: what became of each batch that a producer sent?

Source: Kafka's KafkaApis.handleProduceRequest.
"""

from functools import partial
from typing import Final, NamedTuple, cast

from cluster.broker.appending import NO_ACKS, NO_ERROR, Written, must_wait, refused
from cluster.broker.broker import Broker
from cluster.broker.delayed_produce import (
    DelayedProduce,
    ProducePartitionStatus,
    flush,
    unheard,
)
from cluster.broker.handling import Cancel, Peer, Reply
from cluster.broker.leader_hints import HINTED_ERRORS
from cluster.broker.ports import Ports
from cluster.broker.record_checks import RecordCheck
from cluster.model.error_codes import ErrorCode
from cluster.storage.log_config import LogConfig
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)

HINT_VERSION: Final = 10


def handle(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
    body = cast(ProduceRequest, request.body)
    acks = body.acks
    topics: list[TopicProduceResponse] = []
    waits: list[ProducePartitionStatus] = []
    unchecked: list[Unchecked] = []
    for topic, parts in body.topic_data:
        answers: list[PartitionProduceResponse] = []
        for index, records in parts:
            written = broker.appender.append(topic, index, records, acks, request.api_version)
            if isinstance(written, PartitionProduceResponse):
                answers.append(written)
            elif isinstance(written, Written):
                answers.append(written.answer)
                note_written(broker.ports, written, acks, answers, len(answers) - 1, waits)
            else:
                assert isinstance(records, memoryview)
                unchecked.append(
                    Unchecked(topic, index, bytearray(records), written, answers, len(answers))
                )
                answers.append(refused(index, ErrorCode.REQUEST_TIMED_OUT))
        topics.append(TopicProduceResponse(topic, answers))
    if unchecked:
        return CheckedProduce(broker, request, peer, reply, topics, waits, unchecked).begin()
    return finish(broker, request, peer, reply, topics, waits)


def note_written(
    ports: Ports,
    written: Written,
    acks: int,
    answers: list[PartitionProduceResponse],
    place: int,
    waits: list[ProducePartitionStatus],
) -> None:
    """Put the answer into its place, and note what has to be waited for before it goes out."""
    answers[place] = written.answer
    if acks == NO_ACKS:
        if written.needs_flush:
            flush(ports, written.hosted, unheard)
    elif must_wait(written, acks):
        wait = ProducePartitionStatus(written.hosted, written.end_offset, acks, answers, place)
        wait.is_flushing = written.needs_flush
        waits.append(wait)


def finish(
    broker: Broker,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
    topics: list[TopicProduceResponse],
    waits: list[ProducePartitionStatus],
) -> Cancel | None:
    """Answer, as soon as nothing is waited for."""
    body = cast(ProduceRequest, request.body)
    if body.acks == NO_ACKS:
        answer_nothing(topics, reply)
        return None
    if not waits:
        reply(response_of(broker, request.api_version, peer, topics))
        return None

    def answer() -> None:
        reply(response_of(broker, request.api_version, peer, topics))

    return DelayedProduce(broker.ports, waits, answer).begin(body.timeout_ms)


class Unchecked(NamedTuple):
    """A batch whose records are checked on a thread, and the place where its answer stands."""

    topic: str
    partition: int
    records: bytearray
    config: LogConfig
    answers: list[PartitionProduceResponse]
    place: int


class CheckedProduce:
    """A request with batches that are checked on a thread before they are written."""

    __slots__ = (
        "_broker",
        "_cancel",
        "_count",
        "_peer",
        "_reply",
        "_request",
        "_topics",
        "_unchecked",
        "_waits",
    )

    def __init__(
        self,
        broker: Broker,
        request: RequestFrame,
        peer: Peer,
        reply: Reply,
        topics: list[TopicProduceResponse],
        waits: list[ProducePartitionStatus],
        unchecked: list[Unchecked],
    ) -> None:
        self._broker = broker
        self._request = request
        self._peer = peer
        self._reply = reply
        self._topics = topics
        self._waits = waits
        self._unchecked = unchecked
        self._count = len(unchecked)
        self._cancel: Cancel | None = None

    def begin(self) -> Cancel:
        wall_ms = self._broker.ports.clock.wall_ms()
        self._broker.record_checks.add(
            RecordCheck(one.records, one.config, wall_ms, partial(self._checked, one))
            for one in self._unchecked
        )
        # Each is let go when it was looked at.
        self._unchecked.clear()
        return self._end

    def _checked(self, one: Unchecked, check: RecordCheck) -> None:
        body = cast(ProduceRequest, self._request.body)
        written: Written | PartitionProduceResponse | LogConfig
        if check.error is not None:
            written = refused(one.partition, check.error.error_code, str(check.error))
        else:
            written = self._broker.appender.append(
                one.topic,
                one.partition,
                memoryview(one.records),
                body.acks,
                self._request.api_version,
                has_checked_records=True,
            )
        assert not isinstance(written, LogConfig)
        if isinstance(written, Written):
            ports = self._broker.ports
            note_written(ports, written, body.acks, one.answers, one.place, self._waits)
        else:
            one.answers[one.place] = written
        self._count -= 1
        if self._count == 0:
            self._cancel = finish(
                self._broker, self._request, self._peer, self._reply, self._topics, self._waits
            )

    def _end(self) -> None:
        """The connection has ended: what was sent is written all the same."""
        if self._cancel is not None:
            self._cancel()


def answer_nothing(topics: list[TopicProduceResponse], reply: Reply) -> None:
    """The only way to tell a producer with acks=0 of an error is to end its connection."""
    for topic in topics:
        for answer in topic.partition_responses:
            if answer.error_code != NO_ERROR:
                error = ErrorCode(answer.error_code).name
                partition = f"{topic.name}-{answer.partition_index}"
                reply.close(f"produce to {partition} failed, and acks=0 knows no answer: {error}")
                return
    reply(None)


def response_of(
    broker: Broker, version: int, peer: Peer, topics: list[TopicProduceResponse]
) -> ProduceResponse:
    """The answers; from HINT_VERSION on with the leader where this broker is not it."""
    if version < HINT_VERSION:
        return ProduceResponse(topics)
    hinted = [
        topic._replace(
            partition_responses=[
                answer._replace(
                    current_leader=broker.leader_hints.current_leader(
                        topic.name, answer.partition_index
                    )
                )
                if answer.error_code in HINTED_ERRORS
                else answer
                for answer in topic.partition_responses
            ]
        )
        for topic in topics
    ]
    hints = [
        answer.current_leader
        for topic in hinted
        for answer in topic.partition_responses
        if answer.error_code in HINTED_ERRORS
    ]
    return ProduceResponse(
        hinted, node_endpoints=broker.leader_hints.endpoints_of(hints, peer.listener)
    )
