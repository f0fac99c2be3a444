"""Produce: what became of each batch that a producer sent?

One batch for each partition is checked, stamped and written; nothing looks at single records.

Source: Kafka's KafkaApis.handleProduceRequest and ReplicaManager.appendRecords.
"""

from typing import Final, NamedTuple, cast

from cluster.broker.context import Context
from cluster.broker.delayed_produce import ALL_ACKS, DelayedProduce, ProducePartitionStatus
from cluster.broker.handling import Cancel, Peer, Reply
from cluster.broker.leader_hints import HINTED_ERRORS, current_leader, endpoints_of
from cluster.broker.partitions import HostedPartition
from cluster.broker.record_errors import MESSAGE, timestamp_errors
from cluster.model.error_codes import ErrorCode
from cluster.model.record_batch import CorruptBatchError
from cluster.storage.errors import InvalidTimestamp, LogError
from cluster.wire.codec import RequestFrame
from cluster.wire.fields import Records
from cluster.wire.messages.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)

NO_ACKS: Final = 0
LEADER_ACKS: Final = 1

NO_ERROR: Final = ErrorCode.NONE
NO_OFFSET: Final = -1
ZSTD: Final = 4
ZSTD_VERSION: Final = 7
"""The first version of the request whose senders know zstd."""
CODEC_AT: Final = 22
"""Of a batch: the byte with its codec, in the lowest three bits."""
HINT_VERSION: Final = 10


class Written(NamedTuple):
    """A batch that is in the leader's log."""

    hosted: HostedPartition
    answer: PartitionProduceResponse
    end_offset: int
    needs_flush: bool


def handle(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
    body = cast(ProduceRequest, request.body)
    acks = body.acks
    topics: list[TopicProduceResponse] = []
    waits: list[ProducePartitionStatus] = []
    for topic, parts in body.topic_data:
        answers: list[PartitionProduceResponse] = []
        for index, records in parts:
            written = append(context, topic, index, records, acks, request.api_version)
            if isinstance(written, PartitionProduceResponse):
                answers.append(written)
                continue
            answers.append(written.answer)
            if acks != NO_ACKS and must_wait(written, acks):
                place = len(answers) - 1
                wait = ProducePartitionStatus(
                    written.hosted, written.end_offset, acks, answers, place
                )
                wait.is_flushing = written.needs_flush
                waits.append(wait)
        topics.append(TopicProduceResponse(topic, answers))
    if acks == NO_ACKS:
        answer_nothing(topics, reply)
        return None
    if not waits:
        reply(response_of(context, request.api_version, peer, topics))
        return None

    def answer() -> None:
        reply(response_of(context, request.api_version, peer, topics))

    return DelayedProduce(context.ports, waits, answer).begin(body.timeout_ms)


def must_wait(written: Written, acks: int) -> bool:
    if written.needs_flush:
        return True
    return acks == ALL_ACKS and written.hosted.replica.high_watermark < written.end_offset


def append(
    context: Context, topic: str, index: int, records: Records | None, acks: int, version: int
) -> Written | PartitionProduceResponse:
    """Write one partition's batch; else the answer says why not."""
    if acks not in (NO_ACKS, LEADER_ACKS, ALL_ACKS):
        return refused(index, ErrorCode.INVALID_REQUIRED_ACKS)
    hosted = context.partitions.led(topic, index)
    if isinstance(hosted, ErrorCode):
        return refused(index, hosted)
    if not isinstance(records, memoryview):
        return refused(index, ErrorCode.INVALID_RECORD, "there are no records")
    if version < ZSTD_VERSION and len(records) > CODEC_AT and records[CODEC_AT] & 7 == ZSTD:
        return refused(index, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
    replica = hosted.replica
    if acks == ALL_ACKS and replica.is_under_min_isr:
        return refused(index, ErrorCode.NOT_ENOUGH_REPLICAS)
    log = hosted.log
    try:
        outcome = log.append(records, replica.state.leader_epoch, context.ports.clock.now_ms())
    except InvalidTimestamp as error:
        wrong = timestamp_errors(records, log.config, context.ports.clock.now_ms())
        answer = refused(index, error.error_code, MESSAGE if wrong else str(error))
        return answer._replace(record_errors=wrong)
    except LogError as error:
        return refused(index, error.error_code, str(error))
    except CorruptBatchError as error:
        return refused(index, ErrorCode.CORRUPT_MESSAGE, str(error))
    replica.advance_high_watermark(log.log_end_offset, len(records))
    answer = PartitionProduceResponse(
        index,
        NO_ERROR,
        outcome.base_offset,
        outcome.log_append_time_ms,
        outcome.log_start_offset,
    )
    return Written(hosted, answer, outcome.last_offset + 1, outcome.needs_flush)


def refused(index: int, error: ErrorCode, message: str | None = None) -> PartitionProduceResponse:
    return PartitionProduceResponse(index, error, NO_OFFSET, error_message=message)


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
    context: Context, version: int, peer: Peer, topics: list[TopicProduceResponse]
) -> ProduceResponse:
    """The answers; from HINT_VERSION on with the leader where this broker is not it."""
    if version < HINT_VERSION:
        return ProduceResponse(topics)
    hinted = [
        topic._replace(
            partition_responses=[
                answer._replace(
                    current_leader=current_leader(context, topic.name, answer.partition_index)
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
    return ProduceResponse(hinted, node_endpoints=endpoints_of(context, hints, peer.listener))
