"""Deletions of records, from a look at the partitions to the result of each.

Which partitions and offsets are meant has been understood already.
"""

from collections.abc import Sequence

from cluster.model.ids import TopicPartition
from kadmin.admin.ports import Made, Partly, RecordAdmin
from kadmin.arguments.topics import TopicSelection
from kadmin.execute.change import Change, Question, Step
from kadmin.plan.offsets import EARLIEST, LATEST, partitions_of
from kadmin.plan.record_deletion import (
    BeforeOffsets,
    BeforeTime,
    DeletionPlan,
    DeletionResult,
    NotDeleted,
    Result,
    StillDeleting,
    Wanted,
    befores,
    befores_in_time,
    plan_deletion,
    results_of,
)


class RecordDeletions(Change[DeletionPlan]):
    """One run: what is *wanted* of the partitions *numbers*, None for all, of *selection*.

    Where *wanted* names the partitions itself, only these are meant.  *results* are in order of
    partition, and there are none before anything was written.
    """

    def __init__(
        self,
        admin: RecordAdmin,
        selection: TopicSelection,
        numbers: frozenset[int] | None,
        wanted: Wanted,
    ) -> None:
        super().__init__(admin)
        self.admin = admin
        self.selection = selection
        self.numbers = numbers
        self.wanted = wanted
        self.results: list[DeletionResult] = []

    def steps(self) -> list[Step[DeletionPlan]]:
        return [Step(plan=self.plan(), replan=self.plan)]

    def plan(self) -> DeletionPlan:
        """Plan from the offsets as they are now.

        Raises:
            UnfitOffsets: some partitions do not have what is wanted.
            NoSuchTopic, NoSuchPartition: something is named that is not there.
        """
        snapshot = self.admin.snapshot(self.selection)
        wanted = self.wanted
        unanswered: dict[TopicPartition, str] = {}
        partitions = partitions_of(snapshot, snapshot.topics, self.numbers, self.selection.named)
        if isinstance(wanted, BeforeOffsets):
            there = frozenset(partitions)
            partitions = [each for each in wanted.offsets if each in there]
            gone = wanted.offsets.keys() - there
            unanswered |= dict.fromkeys(gone, "there is no such partition")
        if isinstance(wanted, BeforeTime):
            found = self.admin.offsets(partitions, wanted.time_ms)
            before = befores_in_time(found.found)
            unanswered |= found.unanswered
        else:
            before = befores(wanted, partitions)
        starts = self.admin.offsets(before, EARLIEST)
        # Behind the others, so that no partition ends before what was found in it.
        ends = self.admin.offsets(before, LATEST)
        return plan_deletion(
            before, starts.found, ends.found, {**unanswered, **starts.unanswered, **ends.unanswered}
        )

    def question(self, plans: Sequence[DeletionPlan]) -> Question | None:
        """Return the question before records are deleted; None where none is."""
        count = sum(plan.count for plan in plans)
        if count == 0:
            return None
        partitions = sum(len(plan.deleting) for plan in plans)
        records = "this record" if count == 1 else f"these {count:,} records"
        where = "one partition" if partitions == 1 else f"{partitions} partitions"
        return Question(f"Delete {records} of {where} for good?")

    def settle(self, plan: DeletionPlan, made: Made) -> None:
        """See where the partitions of *plan* begin now."""
        refused = made.refused if isinstance(made, Partly) else {}
        starts = self.admin.offsets([each.partition for each in plan.deletions], EARLIEST)
        self.results = results_of(plan, starts.found, refused)

    def partitions_with(self, result: Result) -> Sequence[TopicPartition]:
        return [each.deletion.partition for each in self.results if each.result is result]

    def check(self) -> None:
        """Raise unless the records of all partitions are gone.

        Raises:
            NotDeleted: some are not.
            StillDeleting: some follower has them yet.
        """
        failed = self.partitions_with(Result.FAILED)
        if failed:
            raise NotDeleted(failed)
        pending = self.partitions_with(Result.PENDING)
        if pending:
            raise StillDeleting(pending)
