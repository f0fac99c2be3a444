"""Errors of single records: which records of a refused batch were invalid.

Only checked when a batch was refused: nothing reads single records before.

Source: Kafka's LogValidator, whose messages producers show to people.
"""

from itertools import islice
from typing import Final, NamedTuple

from cluster.formats.record_batch import parse_header
from cluster.formats.records import record_times
from cluster.model.ids import TopicPartition
from cluster.storage.errors import RecordsWithoutKey
from cluster.storage.log_config import LogConfig

MESSAGE: Final = "One or more records have been rejected"


SHOWN_MAX: Final = 3
"""How many record errors the message of a batch repeats."""


class RecordError(NamedTuple):
    """What is wrong with one record; *place* counts from 0 in the batch."""

    place: int
    message: str


def timestamp_errors(
    records: memoryview, config: LogConfig, wall_ms: int
) -> tuple[RecordError, ...]:
    """Return the records whose timestamps are too far from now, of a batch that was looked into."""
    earliest = wall_ms - config.timestamp_before_max_ms
    latest = wall_ms + config.timestamp_after_max_ms
    return tuple(
        RecordError(
            index,
            f"Timestamp {record.timestamp} of message with offset {record.offset} is out of range. "
            f"The timestamp should be within [{earliest}, {latest}]",
        )
        for index, record in enumerate(record_times(records, parse_header(records)))
        if not earliest <= record.timestamp <= latest
    )


def key_errors(error: RecordsWithoutKey, partition: TopicPartition) -> tuple[RecordError, ...]:
    """Return the records without a key, of a batch for a compacted *partition*."""
    message = f"Compacted topic cannot accept message without key in topic partition {partition}."
    return tuple(RecordError(place, message) for place in error.places)


def message_of(errors: tuple[RecordError, ...]) -> str:
    """Return the message for a whole batch with invalid records."""
    shown = (f"RecordError(batchIndex={one.place}, message='{one.message}')" for one in errors)
    return (
        f"{MESSAGE} due to {len(errors)} record errors in total, and only showing the first three"
        f" errors at most: [{', '.join(islice(shown, SHOWN_MAX))}]"
    )
