"""Produce: what became of each batch that a producer sent?

Source: Kafka's KafkaApis.handleProduceRequest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias, cast

from cluster.api.leader_hints import HINTED_ERRORS, LeaderHints
from cluster.broker.handling import Cancel, Peer, Reply
from cluster.broker.ports import Ports
from cluster.broker.replica_manager.appending import (
    NO_ACKS,
    Appended,
    Appender,
    Refusal,
)
from cluster.broker.replica_manager.delayed_produce import ProducePartitionStatus, await_appends
from cluster.broker.replica_manager.leader_flush import flush
from cluster.broker.replica_manager.partitions import Partitions
from cluster.broker.replica_manager.record_work import RecordCheck, RecordWorks
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import INTERNAL_TOPICS
from cluster.storage.errors import HeavyBatch, LegacyMessages
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.leaders import LeaderIdAndEpoch
from cluster.wire.messages.produce import (
    BatchIndexAndErrorMessage,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)

NO_ERROR: Final = ErrorCode.NONE
NO_OFFSET: Final = -1
BATCH_VERSION: Final = 3
"""The first version of the request that may have nothing but batches of magic 2."""
ONLY_BATCHES: Final = Refusal(
    ErrorCode.INVALID_RECORD,
    f"Produce requests from version {BATCH_VERSION} on may only have batches of magic 2.",
)
ZSTD_VERSION: Final = 7
"""The first version of the request whose senders know zstd."""
HINT_VERSION: Final = 10
ADMIN_CLIENT: Final = "__admin_client"
"""Who may write what is the brokers' own to write."""


class Unchecked:
    """A batch whose records are checked, or converted, on a thread before it is appended."""

    __slots__ = ("index", "outcome", "records", "topic")

    def __init__(self, topic: str, index: int, records: bytearray) -> None:
        self.topic = topic
        self.index = index
        self.records = records
        self.outcome: PartitionProduceResponse | ProducePartitionStatus | None = None


Outcome: TypeAlias = PartitionProduceResponse | ProducePartitionStatus | Unchecked
"""What is known of a batch: its answer, or where that will be found."""
Outcomes: TypeAlias = Sequence[tuple[str, Sequence[Outcome]]]


@dataclass(frozen=True, slots=True)
class Produces:
    """Appends what producers send."""

    ports: Ports
    partitions: Partitions
    appender: Appender
    record_work: RecordWorks
    hints: LeaderHints

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        body = cast(ProduceRequest, request.body)
        acks, takes_zstd = body.acks, request.api_version >= ZSTD_VERSION
        append = self.appender.append
        topics: list[tuple[str, list[Outcome]]] = []
        waits: list[ProducePartitionStatus] = []
        unchecked: list[Unchecked] = []
        for topic, parts in body.topic_data:
            outcomes: list[Outcome] = []
            if is_closed(topic, request.client_id):
                topics.append((topic, [refused(index, closed_to(topic)) for index, _ in parts]))
                continue
            for index, records in parts:
                batch = records if isinstance(records, memoryview) else None
                try:
                    outcome = append(topic, index, batch, acks, takes_zstd)
                except HeavyBatch as error:
                    assert batch is not None
                    if isinstance(error, LegacyMessages) and request.api_version >= BATCH_VERSION:
                        outcomes.append(refused(index, ONLY_BATCHES))
                        continue
                    one = Unchecked(topic, index, bytearray(batch))
                    unchecked.append(one)
                    outcomes.append(one)
                else:
                    outcomes.append(self.answer_or_wait(index, outcome, acks, waits))
            topics.append((topic, outcomes))
        if not unchecked and not waits:
            self.answer(request, peer, reply, topics)
            return None
        waiting = WaitingProduce(self, request, peer, reply, topics, waits)
        return waiting.check(unchecked) if unchecked else waiting.finish()

    def answer_or_wait(
        self,
        index: int,
        result: Appended | Refusal,
        acks: int,
        waits: list[ProducePartitionStatus],
    ) -> PartitionProduceResponse | ProducePartitionStatus:
        """Return the answer, or what has to be waited for before it goes out, added to *waits*."""
        if isinstance(result, Refusal):
            return refused(index, result)
        if acks == NO_ACKS:
            if result.outcome.needs_flush:
                flush(self.ports, result.hosted)
        elif result.must_wait(acks):
            wait = ProducePartitionStatus(result, acks)
            waits.append(wait)
            return wait
        return appended(result, NO_ERROR)

    def answer(self, request: RequestFrame, peer: Peer, reply: Reply, topics: Outcomes) -> None:
        if cast(ProduceRequest, request.body).acks == NO_ACKS:
            answer_nothing(topics, reply)
        else:
            reply(self._response_of(request.api_version, peer, topics))

    def _response_of(self, version: int, peer: Peer, topics: Outcomes) -> ProduceResponse:
        """Return the answers; from HINT_VERSION on with the leader where this broker is not it."""
        responses: list[TopicProduceResponse] = []
        hints: list[LeaderIdAndEpoch] = []
        for topic, outcomes in topics:
            answers: list[PartitionProduceResponse] = []
            for outcome in outcomes:
                answer = answer_of(outcome)
                if (
                    answer.error_code is not NO_ERROR
                    and version >= HINT_VERSION
                    and answer.error_code in HINTED_ERRORS
                ):
                    hint = self.hints.current_leader(topic, answer.partition_index)
                    hints.append(hint)
                    answer = answer._replace(current_leader=hint)
                answers.append(answer)
            responses.append(TopicProduceResponse(topic, answers))
        if not hints:
            return ProduceResponse(responses)
        endpoints = self.hints.endpoints_of(hints, peer.listener)
        return ProduceResponse(responses, node_endpoints=endpoints)


class WaitingProduce:
    """A request with batches that are checked on a thread first, or waited for afterwards."""

    __slots__ = ("_api", "_cancel", "_peer", "_reply", "_request", "_topics", "_waits")

    def __init__(
        self,
        api: "Produces",
        request: RequestFrame,
        peer: Peer,
        reply: Reply,
        topics: Outcomes,
        waits: list[ProducePartitionStatus],
    ) -> None:
        self._api = api
        self._request = request
        self._peer = peer
        self._reply = reply
        self._topics = topics
        self._waits = waits
        self._cancel: Cancel | None = None

    def check(self, unchecked: list[Unchecked]) -> Cancel:
        """Have *unchecked* checked and appended, and then wait."""
        checks = [(one, self._check_of(one)) for one in unchecked]
        self._api.record_work.add(
            [(check, partial(self._checked, unchecked, one, check)) for one, check in checks]
        )
        return self._end

    def _check_of(self, one: Unchecked) -> RecordCheck:
        hosted = self._api.partitions.find_index(one.topic, one.index)
        assert hosted is not None, "it has just been looked at"
        return RecordCheck(one.records, hosted.log.config, self._api.ports.clock.wall_ms())

    def _checked(self, unchecked: list[Unchecked], one: Unchecked, check: RecordCheck) -> None:
        body = cast(ProduceRequest, self._request.body)
        outcome: Appended | Refusal
        if check.error is not None:
            outcome = self._api.appender.refused(one.topic, one.index, check.error, check.size)
        else:
            outcome = self._api.appender.append(
                one.topic,
                one.index,
                memoryview(check.records),
                body.acks,
                self._request.api_version >= ZSTD_VERSION,
                has_checked_records=True,
            )
            if check.is_converted and isinstance(outcome, Appended):
                base_offset, last_offset = outcome.outcome[:2]
                outcome.hosted.stats.produce_conversions += last_offset - base_offset + 1
        # The batch is let go when it was looked at.
        one.records = bytearray()
        one.outcome = self._api.answer_or_wait(one.index, outcome, body.acks, self._waits)
        unchecked.remove(one)
        if not unchecked:
            self._cancel = self.finish()

    def finish(self) -> Cancel | None:
        """Answer, as soon as nothing is waited for."""
        if not self._waits:
            self._answer()
            return None
        timeout_ms = cast(ProduceRequest, self._request.body).timeout_ms
        return await_appends(self._api.ports, self._waits, timeout_ms, self._answer)

    def _answer(self) -> None:
        self._api.answer(self._request, self._peer, self._reply, self._topics)

    def _end(self) -> None:
        """Append all the same what was sent when the connection has ended."""
        if self._cancel is not None:
            self._cancel()


def is_closed(topic: str, client_id: str | None) -> bool:
    """Return whether only brokers write to *topic*, which their coordinators read back."""
    return topic in INTERNAL_TOPICS and client_id != ADMIN_CLIENT


def closed_to(topic: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, f"Cannot append to internal topic {topic}")


def answer_nothing(topics: Outcomes, reply: Reply) -> None:
    """End the connection on an error: a producer with acks=0 receives no answer."""
    for topic, outcomes in topics:
        for answer in map(answer_of, outcomes):
            if answer.error_code != NO_ERROR:
                error = ErrorCode(answer.error_code).name
                partition = f"{topic}-{answer.partition_index}"
                reply.close(f"produce to {partition} failed, and acks=0 knows no answer: {error}")
                return
    reply(None)


def answer_of(outcome: Outcome | None) -> PartitionProduceResponse:
    """Return what is answered for a batch, now that all is known."""
    if isinstance(outcome, PartitionProduceResponse):
        return outcome
    if isinstance(outcome, ProducePartitionStatus):
        return appended(outcome.appended, outcome.outcome)
    assert outcome is not None, "the batch was checked"
    return answer_of(outcome.outcome)


def appended(batch: Appended, error: ErrorCode) -> PartitionProduceResponse:
    hosted, outcome = batch
    return PartitionProduceResponse(
        hosted.partition.partition,
        error,
        outcome.base_offset,
        outcome.log_append_time_ms,
        outcome.log_start_offset,
    )


def refused(index: int, refusal: Refusal) -> PartitionProduceResponse:
    error, message, record_errors = refusal
    return PartitionProduceResponse(
        index,
        error,
        NO_OFFSET,
        record_errors=tuple(BatchIndexAndErrorMessage(*one) for one in record_errors),
        error_message=message,
    )
