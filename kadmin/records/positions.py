"""Positions: where in each partition does reading begin, and where does it end?

Understands what operators say of it, and asks the brokers for the offsets that this means.
"""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as Position

from kadmin.arguments.times import parse_time
from kadmin.errors import KadminError, UnreachableError, UsageError
from kadmin.records.client import PASSING, ROUND_S, ConnectionLog, answers

OFFSET_MAX: Final = 2**63 - 1


class Place(Enum):
    """The two places that every partition has."""

    EARLIEST = OFFSET_BEGINNING
    LATEST = OFFSET_END


@dataclass(frozen=True, slots=True)
class AtOffset:
    """From that offset on."""

    offset: int


@dataclass(frozen=True, slots=True)
class BeforeEnd:
    """So many records before the end, or all where there are fewer."""

    records: int


@dataclass(frozen=True, slots=True)
class AtTime:
    """From the first record that is not older, in ms since 1970; the end where there is none."""

    time_ms: int


Start = Place | AtOffset | BeforeEnd | AtTime


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What to read of a partition: from *start* on, before *end*; None for no end.

    *start* may be one of librdkafka's own numbers for the beginning and the end.
    """

    topic: str
    partition: int
    start: int
    end: int | None

    @property
    def is_empty(self) -> bool:
        return self.end is not None and self.start >= self.end


class NoSuchOffset(KadminError):
    """An offset that a partition has no more, or not yet."""

    def __init__(self, topic: str, partition: int, offset: int, first: int, end: int) -> None:
        super().__init__(
            f"there is no offset {offset} in {topic}-{partition}, which holds {first} to {end}"
            " (its end)",
            hint="--offset earliest, --offset latest, --offset -N and --offset TIME are everywhere",
        )


class NoLeader(UnreachableError):
    """A partition that has no leader for now."""

    def __init__(self, topic: str, partition: int) -> None:
        super().__init__(
            f"partition {topic}-{partition} has no leader, so its offsets are not known",
            hint=f"'kadmin topics --describe --topic {topic} --unavailable-partitions' shows all of"
            " them; --partition N reads one of the others",
        )


def parse_start(text: str, now_ms: int) -> Start:
    """Understand `earliest`, `latest`, an offset, `-N` for N records before the end, or a time.

    A time is `@` with ms since 1970, relative to *now_ms* (`-2h`), or as `parse_time` has it.

    Raises:
        UsageError: none of these.
    """
    word = text.strip()
    if word in ("earliest", "beginning"):
        return Place.EARLIEST
    if word in ("latest", "end"):
        return Place.LATEST
    match = re.fullmatch(r"([-@]?)(\d{1,19})", word)
    if match is not None and int(match[2]) <= OFFSET_MAX:
        number = int(match[2])
        if match[1] == "@":
            return AtTime(number)
        return BeforeEnd(number) if match[1] == "-" else AtOffset(number)
    try:
        return AtTime(max(0, parse_time(word, now_ms)))
    except UsageError as error:
        raise UsageError(
            f"'{text}' is no offset and no time",
            hint="earliest, latest, an offset, -N for the last N records, '2026-11-20 03:12',"
            " -2h, or @ and ms since 1970",
        ) from error


def find_spans(
    consumer: Consumer,
    partitions: Sequence[tuple[str, int]],
    start: Start,
    log: ConnectionLog,
    *,
    stops_at_end: bool,
    timeout_s: float,
) -> list[Span]:
    """Return what to read of *partitions*; with *stops_at_end*, up to where they end now.

    Raises:
        NoSuchOffset: an offset that one of them does not have.
        NoLeader: one of them has none.
        BrokersUnreachable, BrokersDenied: a leader did not answer, or refused.
    """

    def ask(offsets: Sequence[int]) -> list[int]:
        wanted = [
            Position(topic, partition, offset)
            for (topic, partition), offset in zip(partitions, offsets, strict=True)
        ]
        return offsets_of(consumer, wanted, log, timeout_s)

    def ask_all(offset: int) -> list[int]:
        return ask([offset] * len(partitions))

    needs_end = stops_at_end or isinstance(start, AtOffset | BeforeEnd)
    ends = ask_all(OFFSET_END) if needs_end else [OFFSET_END] * len(partitions)
    if isinstance(start, Place):
        starts = ask_all(start.value) if stops_at_end else [start.value] * len(partitions)
    elif isinstance(start, AtTime):
        starts = ask_all(start.time_ms)
        # Where nothing is that young, the answer is "the end".
        starts = [end if found < 0 else found for found, end in zip(starts, ends, strict=True)]
    else:
        firsts = ask_all(OFFSET_BEGINNING)
        if isinstance(start, BeforeEnd):
            starts = [
                max(first, end - start.records) for first, end in zip(firsts, ends, strict=True)
            ]
        else:
            for (topic, partition), first, end in zip(partitions, firsts, ends, strict=True):
                if not first <= start.offset <= end:
                    raise NoSuchOffset(topic, partition, start.offset, first, end)
            starts = [start.offset] * len(partitions)
    return [
        Span(topic=topic, partition=partition, start=begin, end=end if stops_at_end else None)
        for (topic, partition), begin, end in zip(partitions, starts, ends, strict=True)
    ]


def offsets_of(
    consumer: Consumer,
    wanted: list[Position],
    log: ConnectionLog,
    timeout_s: float,
    *,
    waits_for_leaders: bool = False,
) -> list[int]:
    """Return the offsets that the times of *wanted* mean, in its order; one request for each
    broker.

    While brokers fail over it asks again; for a partition without a leader only if it *waits for
    leaders*.  librdkafka hands the numbers that mean beginning and end on to the brokers, to which
    they mean the same.
    """
    passing = PASSING | {KafkaError.LEADER_NOT_AVAILABLE} if waits_for_leaders else PASSING
    deadline = time.monotonic() + timeout_s
    while True:
        left_s = max(0.01, deadline - time.monotonic())
        try:
            found = consumer.offsets_for_times(wanted, timeout=left_s)
        except KafkaException as failure:
            log.check()
            error = failure.args[0]
            refused = log.failure(error, f"the offsets of topic '{wanted[0].topic}'")
        else:
            failed = next((one for one in found if one.error is not None), None)
            if failed is None or failed.error is None:
                break
            error = failed.error
            refused = refusal_of(error, (failed.topic, failed.partition), log)
        if error.code() not in passing or log.are_all_down or time.monotonic() >= deadline:
            raise refused
        time.sleep(ROUND_S)
        answers(consumer, wanted[0].topic)  # Which brings the metadata up to date.
    by_place = {(position.topic, position.partition): position.offset for position in found}
    return [by_place[position.topic, position.partition] for position in wanted]


def refusal_of(error: KafkaError, partition: tuple[str, int], log: ConnectionLog) -> KadminError:
    """Return what *error* means, which came for the offset of *partition*."""
    if error.code() == KafkaError.LEADER_NOT_AVAILABLE:
        return NoLeader(*partition)
    return log.failure(error, f"the offsets of {partition[0]}-{partition[1]}")
