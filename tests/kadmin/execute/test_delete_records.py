"""Deletions of records, carried out: by leaders that refuse, die, or are slow."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from cluster.model.ids import TopicPartition
from cluster.model.outcome import Committed
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.answers import Answers
from kadmin.admin.ports import Fence, Outcome, Partly
from kadmin.arguments.topics import TopicSelection
from kadmin.execute.change import carry_out
from kadmin.execute.delete_records import RecordDeletions
from kadmin.plan.offsets import EARLIEST, LATEST, FoundOffset
from kadmin.plan.record_deletion import (
    BeforeOffset,
    BeforeOffsets,
    BeforeTime,
    DeletionPlan,
    NotDeleted,
    Result,
    StillDeleting,
    UnfitOffsets,
    Wanted,
)
from tests.kadmin.builders import brokers, cluster, topic

T0, T1, T2 = (TopicPartition("t", number) for number in range(3))
NO_LEADER = "it has no leader"


@dataclass
class Admin:
    """The topic t: partition → [first offset, end]; records are as old as their offsets.

    The leaders of *refuse* say no, those of *slow* that it took too long, those of *dead* nothing.
    """

    logs: dict[TopicPartition, list[int]]
    refuse: frozenset[TopicPartition] = frozenset()
    slow: frozenset[TopicPartition] = frozenset()
    dead: frozenset[TopicPartition] = frozenset()
    written: list[DeletionPlan] = field(default_factory=list)

    def snapshot(self, selection: TopicSelection) -> ClusterSnapshot:
        return cluster(brokers("0"), topic("t", " ".join("0" for _ in self.logs)))

    def offsets(self, partitions: Iterable[TopicPartition], moment: int) -> Answers[FoundOffset]:
        wanted = set(partitions)
        return Answers(
            found={each: self.at(each, moment) for each in wanted - self.dead},
            unanswered=dict.fromkeys(wanted & self.dead, NO_LEADER),
        )

    def at(self, partition: TopicPartition, moment: int) -> FoundOffset:
        first, end = self.logs[partition]
        if moment < 0:
            return FoundOffset({EARLIEST: first, LATEST: end}[moment], None)
        return FoundOffset(max(first, moment) if moment < end else None, None)

    def fence(self) -> Fence:
        return Fence(mark=None)

    def write(self, fence: Fence, plan: DeletionPlan) -> Outcome:
        self.written.append(plan)
        for each in plan.deleting:
            if each.partition not in self.refuse:
                self.logs[each.partition][0] = each.before
        refused = dict.fromkeys(self.refuse, "no") | dict.fromkeys(self.slow, "slow")
        return Partly(refused) if refused else Committed()


def run(admin: Admin, wanted: Wanted, numbers: frozenset[int] | None = None) -> RecordDeletions:
    deletions = RecordDeletions(admin, TopicSelection(wanted=("t",)), numbers, wanted)
    for _ in carry_out(deletions):
        pass
    return deletions


def test_what_is_before_an_offset_goes_and_twice_is_once() -> None:
    admin = Admin({T0: [0, 9], T1: [5, 9], T2: [0, 9]})

    first = run(admin, BeforeOffset(4), frozenset({0, 1}))
    again = run(admin, BeforeOffset(4), frozenset({0, 1}))

    assert {T0: [4, 9], T1: [5, 9], T2: [0, 9]} == admin.logs
    assert [Result.DELETED, Result.NOTHING] == [each.result for each in first.results]
    assert [4, 5] == [each.low_watermark for each in first.results]
    assert [Result.NOTHING, Result.NOTHING] == [each.result for each in again.results]
    assert () == admin.written[1].deleting
    first.check()
    again.check()


def test_what_is_before_a_time_goes_and_all_where_everything_is() -> None:
    admin = Admin({T0: [0, 9], T1: [5, 20], T2: [0, 3]})

    run(admin, BeforeTime(7)).check()

    assert {T0: [7, 9], T1: [7, 20], T2: [3, 3]} == admin.logs


def test_a_file_means_its_own_partitions_alone() -> None:
    admin = Admin({T0: [0, 9], T1: [5, 20]})

    run(admin, BeforeOffsets({T1: LATEST})).check()

    assert {T0: [0, 9], T1: [20, 20]} == admin.logs


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        (BeforeOffset(10), "t-0 ends at 9, before offset 10"),
        (BeforeOffsets({T0: 1, T2: 1}), "t-2: there is no such partition"),
        (BeforeOffsets({T0: 1, T1: 1}), f"t-1: {NO_LEADER}"),
        (BeforeTime(1), f"t-1: {NO_LEADER}"),
    ],
)
def test_nothing_is_deleted_where_a_part_cannot_be(wanted: Wanted, problem: str) -> None:
    admin = Admin({T0: [0, 9], T1: [0, 20]}, dead=frozenset({T1}))

    with pytest.raises(UnfitOffsets) as refused:
        run(admin, wanted)

    assert problem in refused.value.problems
    assert ([], [0, 9]) == (admin.written, admin.logs[T0])


def test_who_refuses_is_told_and_the_others_delete() -> None:
    admin = Admin({T0: [0, 9], T1: [0, 9]}, refuse=frozenset({T1}))

    deletions = run(admin, BeforeOffset(4))

    assert [(Result.DELETED, 4), (Result.FAILED, 0)] == [
        (each.result, each.low_watermark) for each in deletions.results
    ]
    with pytest.raises(NotDeleted, match="1 partition: t-1 could not be deleted"):
        deletions.check()


def test_who_waits_for_a_replica_has_deleted_itself() -> None:
    admin = Admin({T0: [0, 9], T1: [0, 9]}, slow=frozenset({T0}))

    deletions = run(admin, BeforeOffset(4))

    assert [Result.PENDING, Result.DELETED] == [each.result for each in deletions.results]
    with pytest.raises(StillDeleting):
        deletions.check()
