"""Elections of leaders, from a look at the cluster to the result of each partition.

Which partitions are meant has been understood already.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from cluster.model import fault as subjects
from cluster.model.fault import Thing
from cluster.model.ids import TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import ElectionAdmin, Made, Partly
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import ExitCode, InProgressError, KadminError
from kadmin.execute.change import Change, Notices, Question, Step
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.execute.waiting import wait
from kadmin.plan.election import (
    NO_PARTITION,
    ElectionPlan,
    ElectionType,
    PartitionElection,
    Prospect,
    all_partitions,
    in_batches,
    loss_warnings,
    plan_election,
    state_subject,
)
from kadmin.plan.election_results import PartitionResult, Result, pending_results, results_of
from kadmin.plan.topic_refusals import LISTED_BY, NoSuchTopic
from kadmin.wording import SHOWN_MAX, counted_partitions, listed, verb_of

SHOWN_THINGS = (Thing.BROKER, Thing.TOPIC, Thing.PARTITION_STATE)
"""What elections are planned from; damage of it is shown to the operator."""


class ElectionUnderWay(InProgressError):
    """A request of another client exists where there is room for one only."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        super().__init__(
            f"another election is under way for {counted_partitions(partitions)};"
            " nothing was written",
            hint="run the command again when it is over; 'kadmin controller' shows whether there is"
            " a controller that does it",
        )
        self.partitions = tuple(partitions)


class StillElecting(InProgressError):
    """The controller has been asked, and is not done."""

    def __init__(
        self, partitions: Sequence[TopicPartition], timeout_s: float, *, has_controller: bool
    ) -> None:
        why = (
            f"asked for, but after {timeout_s:g} s the election is still going on for"
            if has_controller
            else "asked for, but no controller is active: when there is one, it elects the leaders"
            " of"
        )
        super().__init__(
            f"{why} {counted_partitions(partitions)}",
            hint=f"{shown_by(partitions)} who leads; running the command again is safe",
        )
        self.partitions = tuple(partitions)


class NotElected(KadminError):
    """Some partitions did not get the leader that was asked for."""

    exit_code = ExitCode.FOUND

    def __init__(
        self,
        partitions: Sequence[TopicPartition],
        unknown_topics: Collection[str] = (),
        missing: Sequence[TopicPartition] = (),
    ) -> None:
        known = [each for each in partitions if each.topic not in unknown_topics]
        text = f"{len(partitions)} replica(s) could not be elected"
        if missing:
            more = ", …" if len(missing) > SHOWN_MAX else ""
            verb = verb_of(missing, "does")
            text += f"; {listed(missing[:SHOWN_MAX])}{more} {verb} not exist"
        super().__init__(
            text,
            hint=f"{shown_by(known)} replicas and ISR" if known else LISTED_BY,
        )
        self.partitions = tuple(partitions)


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectionRequest:
    """Elections of *kind* for *partitions*, None for all partitions that need one."""

    kind: ElectionType
    partitions: Sequence[TopicPartition] | None
    timeout_s: float
    is_dry_run: bool = False


class Elections(Change[ElectionPlan]):
    """The elections of *request*.

    *results* grows as they are carried out, in order of partition once all are.
    """

    def __init__(self, admin: ElectionAdmin, request: ElectionRequest, notices: Notices) -> None:
        super().__init__(admin)
        self.admin = admin
        self.request = request
        self.kind = request.kind
        self.notices = notices
        self.results: dict[TopicPartition, PartitionResult] = {}
        self.planned_count = self.asked_count = 0
        self.unknown_topics: frozenset[str] = frozenset()

    def steps(self) -> list[Step[ElectionPlan]]:
        """Plan all elections, in batches, from one look at the cluster.

        Raises:
            ElectionUnderWay: there is no room for another one now; a dry run only warns.
            Unreadable: what is known of one of the partitions is damaged.
        """
        try:
            self.refuse_while_under_way()
        except ElectionUnderWay as error:
            if not self.request.is_dry_run:
                raise
            self.notices.warn(error.message)
        snapshot = self.snapshot(self.request.partitions)
        for fault in snapshot.faults:
            if fault.subject.thing in SHOWN_THINGS:
                self.notices.warn(f"left out: {fault}")
        right_count = 0
        if self.request.partitions is None:
            found = plan_election(snapshot, self.kind, all_partitions(snapshot))
            elections = [each for each in found if each.prospect is not Prospect.VALID]
            right_count = len(found) - len(elections)
        else:
            self.warn_of_unknown_topics(snapshot, self.request.partitions)
            elections = plan_election(snapshot, self.kind, self.request.partitions)
            if self.request.is_dry_run:
                self.note_results(
                    PartitionResult(election=each, result=Result.FAILED)
                    for each in elections
                    if each.reason == NO_PARTITION
                )
        batches = in_batches(elections)
        self.planned_count = sum(election.prospect is Prospect.MOVES for election in elections)
        plans = [self.plan_of(snapshot, batch) for batch in batches]
        plans[0] = replace(plans[0], right_count=right_count)
        return [
            Step(plan=plan, replan=partial(self.replan, batch))
            for plan, batch in zip(plans, batches, strict=True)
        ]

    def warn_of_unknown_topics(
        self, snapshot: ClusterSnapshot, partitions: Sequence[TopicPartition]
    ) -> None:
        """Say which topics of *partitions* there are not, and which may have been meant."""
        topics = dict.fromkeys(partition.topic for partition in partitions)
        self.unknown_topics = frozenset(topics) - snapshot.topics.keys()
        for name in topics:
            if name in self.unknown_topics:
                try:
                    TopicSelection(wanted=(name,)).require(self.all_topics)
                except NoSuchTopic as error:
                    self.notices.warn(f"{error.message}: {error.hint}")

    @cached_property
    def all_topics(self) -> Collection[str]:
        return self.admin.snapshot(TopicSelection()).topics

    def replan(self, batch: Sequence[PartitionElection]) -> ElectionPlan:
        """Return the same partitions as they are now."""
        self.refuse_while_under_way()
        partitions = [election.partition for election in batch]
        snapshot = self.snapshot(partitions)
        return self.plan_of(snapshot, plan_election(snapshot, self.kind, partitions))

    def refuse_while_under_way(self) -> None:
        under_way = self.admin.under_way()
        if under_way:
            raise ElectionUnderWay(under_way)

    def snapshot(self, partitions: Sequence[TopicPartition] | None) -> ClusterSnapshot:
        """Read what elections of *partitions* are planned from; None for all partitions.

        Raises:
            Unreadable: what is known of one that is named is damaged.
        """
        if partitions is None:
            everything = self.admin.snapshot(TopicSelection())
            refuse_unreadable(everything, {subjects.TOPICS})
            return everything
        snapshot = self.read_topics(partitions)
        topics = {subjects.topic(partition.topic) for partition in partitions}
        refuse_unreadable(snapshot, topics | set(map(state_subject, partitions)))
        return snapshot

    def read_topics(self, partitions: Sequence[TopicPartition]) -> ClusterSnapshot:
        """Return a snapshot with the topics of *partitions*, which may be none."""
        topics = tuple(dict.fromkeys(partition.topic for partition in partitions))
        return self.admin.snapshot(TopicSelection(wanted=topics), with_topics=bool(topics))

    def plan_of(
        self, snapshot: ClusterSnapshot, elections: Iterable[PartitionElection]
    ) -> ElectionPlan:
        plan = ElectionPlan(kind=self.kind, elections=tuple(elections))
        if not plan.losing:
            return plan
        live_replicas = {
            partition: [
                broker
                for broker in snapshot.topics[partition.topic]
                .assignment.partitions[partition.partition]
                .replicas
                if broker in snapshot.brokers
            ]
            for partition in (election.partition for election in plan.losing)
        }
        return ElectionPlan(
            kind=plan.kind,
            elections=plan.elections,
            end_offsets=self.admin.end_offsets(live_replicas),
        )

    def warnings(self, plan: ElectionPlan) -> Iterable[str]:
        return loss_warnings(plan)

    def question(self, plans: Sequence[ElectionPlan]) -> Question | None:
        """Return the question before unclean elections; None where there is none."""
        count = sum(len(plan.moving) for plan in plans)
        if self.kind is not ElectionType.UNCLEAN or count == 0:
            return None
        losing = sum(len(plan.losing) for plan in plans)
        if count == 1:
            return Question(f"Elect this leader{' at the cost of records' if losing else ''}?")
        return Question(f"Elect these {count} leaders, {losing} of them at the cost of records?")

    def settle(self, plan: ElectionPlan, made: Made) -> None:
        """Wait until the controller has gone through *plan*, and note what has come of it.

        Raises:
            StillElecting: it has not when the time is over.
        """
        self.note_results(pending_results(plan))
        if not plan.moving:
            return
        refused = made.refused if isinstance(made, Partly) else {}
        waited = wait(
            self.admin.not_elected,
            [election for election in plan.moving if election.partition not in refused],
            timeout_s=self.request.timeout_s,
            tell=lambda: self.notices.note(
                "it is asked for; waiting until the controller has done it"
                " (to stop waiting undoes nothing)"
            ),
            progress=lambda left: self.tell_count(self.asked_count + len(plan.moving) - len(left)),
        )
        left = frozenset(election.partition for election in waited.items)
        partitions = [election.partition for election in plan.elections]
        seen = plan_election(self.read_topics(partitions), self.kind, partitions)
        self.note_results(results_of(plan, seen, refused, left))
        pending = self.partitions_with(Result.PENDING)
        if pending:
            raise StillElecting(
                pending, self.request.timeout_s, has_controller=waited.has_controller
            )
        self.asked_count += len(plan.moving)
        if self.asked_count < self.planned_count:
            self.tell_count(self.asked_count)

    def tell_count(self, over_count: int) -> None:
        self.notices.note(f"{over_count} of {self.planned_count} elections are over")

    def note_results(self, results: Iterable[PartitionResult]) -> None:
        self.results |= {result.election.partition: result for result in results}

    def partitions_with(self, result: Result) -> list[TopicPartition]:
        return sorted(
            partition for partition, found in self.results.items() if found.result is result
        )

    def check(self) -> None:
        """Raise NotElected if some partition did not get its leader, or does not exist."""
        failed = self.partitions_with(Result.FAILED)
        if failed:
            missing = [
                each for each in failed if self.results[each].election.reason == NO_PARTITION
            ]
            raise NotElected(failed, self.unknown_topics, missing)


def shown_by(partitions: Sequence[TopicPartition]) -> str:
    topics = ",".join(sorted({partition.topic for partition in partitions})[:SHOWN_MAX])
    return f"'kadmin topics --describe --topic {topics}' shows"
