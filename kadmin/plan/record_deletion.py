"""The deletion of records: which ones of each partition are deleted, and which stay.

Pure: offsets from brokers in, a plan out.  Records can only be deleted from the beginning of a
partition.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from cluster.model.ids import TopicPartition
from kadmin.errors import ExitCode, InProgressError, KadminError
from kadmin.plan.offsets import LATEST, FoundOffset
from kadmin.wording import counted_partitions, listed


@dataclass(frozen=True, slots=True)
class BeforeOffset:
    """What comes before *offset*, in every partition; `LATEST` is where each ends."""

    offset: int


@dataclass(frozen=True, slots=True)
class BeforeTime:
    """What comes before the first record that is not older, in ms since 1970: all of it where
    there is none."""

    time_ms: int


@dataclass(frozen=True, slots=True)
class BeforeOffsets:
    """What comes before the offset of each partition, and of no other; `LATEST` as above."""

    offsets: Mapping[TopicPartition, int]


Wanted: TypeAlias = BeforeOffset | BeforeTime | BeforeOffsets


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDeletion:
    """What comes before the offset *before* of a partition that holds *start* to *end*, which is
    exclusive."""

    partition: TopicPartition
    start: int
    before: int
    end: int

    @property
    def count(self) -> int:
        """How many offsets go, and so how many records at most; 0 where they have gone already."""
        return max(0, self.before - self.start)

    @property
    def kept_count(self) -> int:
        return self.end - max(self.before, self.start)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionPlan:
    """In order of partition; only those from which something goes are asked for."""

    deletions: tuple[RecordDeletion, ...]

    @property
    def deleting(self) -> tuple[RecordDeletion, ...]:
        return tuple(each for each in self.deletions if each.count > 0)

    @property
    def count(self) -> int:
        return sum(each.count for each in self.deletions)


class Result(StrEnum):
    """What has become of a partition, an interface for scripts."""

    DELETED = "deleted"
    NOTHING = "nothing"
    PENDING = "pending"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionResult:
    """*low_watermark* is the first offset now, None where it was not returned."""

    deletion: RecordDeletion
    result: Result
    low_watermark: int | None
    reason: str = ""


class UnfitOffsets(KadminError):
    """Offsets that partitions do not have; *problems* are all of them."""

    def __init__(self, problems: Sequence[str], hint: str) -> None:
        super().__init__("nothing is deleted: " + listed(problems, "; "), hint=hint)
        self.problems = tuple(problems)


class NotDeleted(KadminError):
    """Leaders refused to delete records of some partitions."""

    exit_code = ExitCode.FAILED

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        super().__init__(
            f"the records of {counted_partitions(partitions)} could not be deleted",
            hint="the result has the reasons; running the command again is safe",
        )
        self.partitions = tuple(partitions)


class StillDeleting(InProgressError):
    """Leaders have deleted the records, and some follower has not yet."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        super().__init__(
            "deleted by their leaders, and not by all replicas yet:"
            f" {counted_partitions(partitions)}",
            hint="replicas follow by themselves; 'kadmin log-dirs --by replica' shows them",
        )
        self.partitions = tuple(partitions)


def befores(
    wanted: BeforeOffset | BeforeOffsets,
    partitions: Sequence[TopicPartition],
) -> dict[TopicPartition, int]:
    """Return the offset before which records of each of *partitions* are to go, `LATEST` for its
    end."""
    if isinstance(wanted, BeforeOffset):
        return dict.fromkeys(partitions, wanted.offset)
    return {partition: wanted.offsets[partition] for partition in partitions}


def befores_in_time(found: Mapping[TopicPartition, FoundOffset]) -> dict[TopicPartition, int]:
    """Return the same for a time, of which *found* has the first record that is not older."""
    return {
        partition: LATEST if first.offset is None else first.offset
        for partition, first in found.items()
    }


def plan_deletion(
    before: Mapping[TopicPartition, int],
    starts: Mapping[TopicPartition, FoundOffset],
    ends: Mapping[TopicPartition, FoundOffset],
    unanswered: Mapping[TopicPartition, str],
) -> DeletionPlan:
    """Plan to delete what comes *before* those offsets; later records are in no plan, also with
    `LATEST`.

    Raises:
        UnfitOffsets: a partition has not so many records, or is *unanswered*, for a reason.
    """
    problems = [f"{partition}: {reason}" for partition, reason in sorted(unanswered.items())]
    deletions = []
    for partition in sorted(before.keys() - unanswered.keys()):
        start, end = starts[partition].offset, ends[partition].offset
        assert start is not None, partition
        assert end is not None, partition
        offset = end if before[partition] == LATEST else before[partition]
        if offset > end:
            problems.append(f"{partition} ends at {end}, before offset {offset}")
        deletions.append(RecordDeletion(partition=partition, start=start, before=offset, end=end))
    if problems:
        raise UnfitOffsets(problems, "kadmin offsets --count shows the offsets that exist")
    return DeletionPlan(deletions=tuple(deletions))


def results_of(
    plan: DeletionPlan,
    starts: Mapping[TopicPartition, FoundOffset],
    refused: Mapping[TopicPartition, str],
) -> list[DeletionResult]:
    """Return the results of *plan* by *starts*, which were read after it was written.

    A leader may have deleted records itself although it could not confirm that all replicas have.
    """
    results = []
    for each in plan.deletions:
        found = starts.get(each.partition)
        now = None if found is None else found.offset
        reason = refused.get(each.partition, "")
        if each.count == 0:
            result = Result.NOTHING
        elif each.partition not in refused:
            result = Result.DELETED
        elif now is not None and now >= each.before:
            result = Result.PENDING
        else:
            result = Result.FAILED
        results.append(
            DeletionResult(deletion=each, result=result, low_watermark=now, reason=reason)
        )
    return results
