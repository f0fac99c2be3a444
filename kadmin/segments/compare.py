"""Comparison of the replicas of one partition: whether they are equal, and if not, why.

Compared are the records that all have committed: below the least high watermark, from the highest
log start offset on.  Identical batches are equal without a look at their records; where batches
differ, the records decide, so that other borders of batches or another codec make no difference.
An offset that only some have is no difference: it is either damage, reported for the replica that
lacks it, or compaction, which has to leave the latest record of each key.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cluster.formats.record_batch import NO_LEADER_EPOCH, CorruptBatchError
from cluster.formats.records import Record
from kadmin.segments.latest_records import note_missing
from kadmin.segments.replica_log import IDENTITY, ReplicaLog
from kadmin.segments.values import Rows


class Verdict(StrEnum):
    """What is true of a partition, the worst first."""

    DIFFER = "differ"
    DAMAGED = "damaged"
    UNREADABLE = "unreadable"
    SINGLE = "single"
    """There is one replica only: it is sound by itself, and nothing was compared."""
    UNCOMPARED = "uncompared"
    """There are records, and none of them was compared: all were beyond where it began or ended."""
    LAGGING = "lagging"
    UNREPLICATED = "unreplicated"
    """There is one replica only, as all brokers show: it is sound by itself, and that is all."""
    EQUAL = "equal"


class Cause(StrEnum):
    """Why replicas differ."""

    NOT_TRUNCATED = "not_truncated"
    """The offset was written in another leader epoch: some kept what they had to cut off."""
    CORRUPTION = "corruption"
    """The same leader epoch, in which one leader wrote one record there."""
    LEADER_EPOCHS = "leader_epochs"
    """The same record, which was not written twice, under two leader epochs."""
    UNKNOWN = "unknown"
    """Messages of the old formats, without leader epochs: it may be either."""


class Side(NamedTuple):
    """Replicas that have the same at the first divergent offset."""

    replicas: tuple[str, ...]
    leader_epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Where replicas part from each other for the first time, and what each side has there."""

    offset: int
    cause: Cause
    sides: tuple[Side, ...]
    """The largest first."""
    suspects: tuple[str, ...]
    """The replicas that are wrong, if that is known; else none."""
    has_majority: bool
    """Whether more than half of the replicas are on the first side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What came of comparing the replicas of a partition."""

    verdict: Verdict
    start_offset: int
    end_offset: int
    """Compared were the offsets from the start on, without the end."""
    lagging: tuple[str, ...]
    divergence: Divergence | None
    is_thinned: bool = False
    """Whether a cleaner has left other batches in one replica than in another, and their keys were
    not compared."""


def compare(
    replicas: Mapping[str, ReplicaLog],
    *,
    has_unreadable: bool = False,
    has_all_replicas: bool = False,
    cleaned_offset: int = 0,
    is_deep: bool = False,
) -> Comparison:
    """Compare the replicas of a partition, of which there is at least one, by their names.

    *has_unreadable* if there are others that could not be read, *has_all_replicas* if no broker is
    missing that could have one.  Where a cleaner was, below *cleaned_offset*, the latest record of
    each key is looked for if it *is_deep*.
    """
    start = max(log.log_start_offset for log in replicas.values())
    marks = [log.high_watermark for log in replicas.values() if log.high_watermark is not None]
    ends = [log.log_end_offset for log in replicas.values()]
    end = min(marks) if marks else min(ends)
    # A high watermark beyond its own log shows what that log lacks, not how far the others should
    # be.
    reached = [
        min(log.high_watermark, log.log_end_offset)
        for log in replicas.values()
        if log.high_watermark is not None
    ]
    target = max(reached) if reached else max(ends)
    divergence = first_divergence(replicas, start, end)
    is_thinned = cleaned_offset > start and are_thinned(replicas, start, end)
    if is_thinned and is_deep:
        note_missing(replicas, start, end, cleaned_offset)
    lagging = tuple(name for name, log in replicas.items() if log.log_end_offset < target)
    return Comparison(
        verdict=verdict_of(
            len(replicas),
            divergence,
            lagging,
            has_damage=any(log.damage for log in replicas.values()),
            has_unreadable=has_unreadable,
            has_all_replicas=has_all_replicas,
            is_uncompared=end <= start < max(ends),
        ),
        start_offset=min(start, end),
        end_offset=end,
        lagging=lagging,
        divergence=divergence,
        is_thinned=is_thinned and not is_deep,
    )


def are_thinned(replicas: Mapping[str, ReplicaLog], start: int, end: int) -> bool:
    """Return whether any replica has batches that another one lacks."""
    return any(
        len(rows)
        for one, other in pairwise(replicas.values())
        for rows in differing(within(one.rows, start, end), within(other.rows, start, end))
    )


def verdict_of(
    replica_count: int,
    divergence: Divergence | None,
    lagging: Sequence[str],
    *,
    has_damage: bool,
    has_unreadable: bool,
    has_all_replicas: bool,
    is_uncompared: bool,
) -> Verdict:
    """Return the verdict on so many replicas that were read.

    *has_unreadable* if there are others, *has_all_replicas* if there cannot be any, *is_uncompared*
    if they have records, and none of these was compared.
    """
    if divergence is not None:
        return Verdict.DIFFER
    if has_damage:
        return Verdict.DAMAGED
    if has_unreadable:
        return Verdict.UNREADABLE
    if replica_count == 1:
        return Verdict.UNREPLICATED if has_all_replicas else Verdict.SINGLE
    if lagging:
        return Verdict.LAGGING
    return Verdict.UNCOMPARED if is_uncompared else Verdict.EQUAL


def first_divergence(replicas: Mapping[str, ReplicaLog], start: int, end: int) -> Divergence | None:
    found = [
        offset
        for one, other in combinations(replicas.values(), 2)
        if (offset := first_difference(one, other, start, end)) is not None
    ]
    return explained(replicas, min(found)) if found else None


def first_difference(one: ReplicaLog, other: ReplicaLog, start: int, end: int) -> int | None:
    """Return the first offset at which two replicas have different records, or leader epochs of
    them."""
    suspects = differing(within(one.rows, start, end), within(other.rows, start, end))
    mine = entries(one, suspects[0], start, end)
    theirs = entries(other, suspects[1], start, end)
    my, their = next(mine, None), next(theirs, None)
    emptied = first_emptied(*suspects, start, end)
    while my is not None and their is not None:
        if emptied is not None and emptied < max(my.offset, their.offset):
            return emptied
        if my.offset < their.offset:
            my = next(mine, None)
        elif my.offset > their.offset:
            their = next(theirs, None)
        elif my.differs_from(their):
            return my.offset
        else:
            my, their = next(mine, None), next(theirs, None)
    return emptied


def first_emptied(one: Rows, other: Rows, start: int, end: int) -> int | None:
    """Return the first offset of a batch that compaction left without records, and that has
    another leader epoch on each side."""
    _, mine, theirs = np.intersect1d(
        one["base_offset"], other["base_offset"], assume_unique=True, return_indices=True
    )
    my, their = one[mine], other[theirs]
    is_it = (my["record_count"] == 0) & (my["crc"] == their["crc"])
    is_it &= (my["last_offset"] == their["last_offset"]) & (start <= my["base_offset"])
    is_it &= (my["base_offset"] < end) & (my["leader_epoch"] != their["leader_epoch"])
    return int(my["base_offset"][is_it][0]) if np.any(is_it) else None


def within(rows: Rows, start: int, end: int) -> Rows:
    """Return the batches that have offsets from *start* on, below *end*."""
    first = int(np.searchsorted(rows["last_offset"], start))
    behind = int(np.searchsorted(rows["base_offset"], end))
    return rows[first : max(first, behind)]


def differing(one: Rows, other: Rows) -> tuple[Rows, Rows]:
    """Return the batches of each that the other does not have."""
    _, mine, theirs = np.intersect1d(
        one["base_offset"], other["base_offset"], assume_unique=True, return_indices=True
    )
    is_same = np.ones(len(mine), bool)
    for name in IDENTITY:
        is_same &= one[name][mine] == other[name][theirs]
    return left_out(one, mine[is_same]), left_out(other, theirs[is_same])


def left_out(rows: Rows, numbers: npt.NDArray[np.intp]) -> Rows:
    is_left = np.ones(len(rows), bool)
    is_left[numbers] = False
    return rows[is_left]


class Entry(NamedTuple):
    """A record, and the leader epoch of its batch."""

    offset: int
    leader_epoch: int
    record: Record

    @property
    def content(self) -> tuple[object, ...]:
        record = self.record
        return record.timestamp, record.key, record.value, record.headers

    def differs_from(self, other: "Entry") -> bool:
        return self.content != other.content or has_other_epoch(
            self.leader_epoch, other.leader_epoch
        )


def has_other_epoch(one: int, other: int) -> bool:
    """Return whether the leader epochs differ; messages of the old formats have none."""
    return one != other and NO_LEADER_EPOCH not in (one, other)


def entries(log: ReplicaLog, rows: Rows, start: int, end: int) -> Iterator[Entry]:
    """Return the records of *rows* from *start* on, below *end*.

    What cannot be read has no records: it is noted as damage where all records are looked at.
    """
    for row in rows:
        leader_epoch = int(row["leader_epoch"])
        try:
            for record in log.records(row):
                if start <= record.offset < end:
                    yield Entry(record.offset, leader_epoch, record)
        except CorruptBatchError as error:
            log.note_unreadable(row, error.reason)


def explained(replicas: Mapping[str, ReplicaLog], offset: int) -> Divergence:
    """Return who has what at *offset*, and why."""
    found: dict[tuple[int, tuple[object, ...]], list[str]] = {}
    for name, log in replicas.items():
        rows = within(log.rows, offset, offset + 1)
        for entry in entries(log, rows, offset, offset + 1):
            found.setdefault((entry.leader_epoch, entry.content), []).append(name)
    if not found:
        for name, log in replicas.items():
            for row in within(log.rows, offset, offset + 1):
                found.setdefault((int(row["leader_epoch"]), ()), []).append(name)
    ordered = sorted(found.items(), key=lambda side: (-len(side[1]), side[1]))
    sides = tuple(Side(tuple(names), leader_epoch) for (leader_epoch, _), names in ordered)
    contents = {content for _, content in found}
    epochs = {side.leader_epoch for side in sides} - {NO_LEADER_EPOCH}
    cause = Cause.CORRUPTION
    if len(contents) == 1:
        cause = Cause.LEADER_EPOCHS
    elif len(epochs) > 1:
        cause = Cause.NOT_TRUNCATED
    elif NO_LEADER_EPOCH in {side.leader_epoch for side in sides}:
        cause = Cause.UNKNOWN
    has_majority = 2 * len(sides[0].replicas) > len(replicas)
    return Divergence(
        offset=offset,
        cause=cause,
        sides=sides,
        suspects=suspects_of(cause, sides, has_majority=has_majority),
        has_majority=has_majority,
    )


def suspects_of(cause: Cause, sides: Sequence[Side], *, has_majority: bool) -> tuple[str, ...]:
    """Return the wrong replicas: those with an older epoch, else those outside of the majority.

    None without epochs: the majority may have kept what an older leader wrote.
    """
    if cause is Cause.NOT_TRUNCATED:
        newest = max(side.leader_epoch for side in sides)
        return tuple(name for side in sides if side.leader_epoch < newest for name in side.replicas)
    if not has_majority or cause is Cause.UNKNOWN:
        return ()
    return tuple(name for side in sides[1:] for name in side.replicas)
