"""Errors of single records: which records of a refused batch were the wrong ones?

Only asked when a batch was refused: nothing looks at single records before.

Source: Kafka's LogValidator, whose messages producers show to people.
"""

from typing import Final, NamedTuple

from cluster.formats.record_batch import parse_header
from cluster.formats.records import record_times
from cluster.storage.log_config import LogConfig

MESSAGE: Final = "One or more records have been rejected"


class RecordError(NamedTuple):
    """What is wrong with one record; *place* counts from 0 in the batch."""

    place: int
    message: str


def timestamp_errors(
    records: memoryview, config: LogConfig, wall_ms: int
) -> tuple[RecordError, ...]:
    """The records whose timestamps are too far from now, of a batch that was looked into."""
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
