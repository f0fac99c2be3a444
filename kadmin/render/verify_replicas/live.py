"""Replicas that brokers serve: how is it said how far their comparison is?

The lines are those of kafka-replica-verification of 3.6 and later.
"""

from datetime import datetime

from cluster.model.ids import TopicPartition
from kadmin.jobs.verify_live import Report
from kadmin.segments.live import Mismatch
from kadmin.wording import amount, counted


def started_line(now_ms: int) -> str:
    return f"{stamp(now_ms)}: verification process is started"


def report_line(now_ms: int, report: Report) -> str:
    return (
        f"{stamp(now_ms)}: max lag is {report.lag} for partition {report.worst} at offset"
        f" {report.position} among {report.partition_count} partitions"
    )


def mismatch_line(now_ms: int, partition: TopicPartition, mismatch: Mismatch) -> str:
    (one, other), (offset, other_offset) = mismatch.replicas, mismatch.last_offsets
    if offset != other_offset:
        return (
            f"{stamp(now_ms)}: partition {partition}: replica {one}'s offset {offset} doesn't match"
            f" replica {other}'s offset {other_offset}"
        )
    checksum, other_checksum = mismatch.checksums
    return (
        f"{stamp(now_ms)}: partition {partition} has unmatched checksum at offset {offset};"
        f" replica {one}'s checksum {checksum}; replica {other}'s checksum {other_checksum}"
    )


def stamp(now_ms: int) -> str:
    """Return a moment as Kafka's tool writes it, on this machine's clock."""
    moment = datetime.fromtimestamp(now_ms // 1000)
    return f"{moment:%Y-%m-%d %H:%M:%S},{now_ms % 1000:03}"


def started_note(partition_count: int) -> str:
    return f"reading the replicas of {counted(partition_count, 'partition')}; Ctrl-C ends it"


def progress_note(report: Report) -> str:
    """Return how far it is, and how long the rest takes at the pace so far."""
    rate = report.size_bytes / max(report.elapsed_s, 0.001)
    text = (
        f"{report.done_offsets:,} of {report.total_offsets:,} offsets compared,"
        f" {amount(report.size_bytes)} read, {amount(rate)}/s"
    )
    if report.worst is not None:
        text += f", largest lag {report.lag} ({report.worst})"
    left = report.total_offsets - report.done_offsets
    if left and report.done_offsets:
        left_s = report.elapsed_s * left / report.done_offsets
        text += f", about {left_s:.0f} s left"
    return text
