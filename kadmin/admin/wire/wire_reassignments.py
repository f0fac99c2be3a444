"""Reassignments by brokers: `kadmin.admin.ports.ReassignmentAdmin`, by AlterPartitionReassignments.

The controller answers when a move has begun, and decides on each partition by itself.  Asking for
the same move once more changes nothing, so that a lost answer is followed by another request for
what has not begun.
"""

import time
from collections.abc import Callable, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from typing import Final

from kafka.errors import (
    NoReassignmentInProgressError,
    NotControllerError,
    RequestTimedOutError,
    for_code,
)
from kafka.protocol.admin import AlterPartitionReassignmentsRequest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed, Conflict, ConflictKind
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import PartitionAssignment
from kadmin.admin.ports import DirsAsked, Fence, LeaseKeeper, Outcome, Partly, Remaining
from kadmin.admin.wire.connection import (
    PAUSE_S,
    SILENCES,
    NoController,
    NotServed,
    WireConnection,
)
from kadmin.admin.wire.kept_throttles import KeptThrottles
from kadmin.admin.wire.log_dir_moves import ask_for_dirs, check_dirs_served
from kadmin.admin.wire.outcomes import refusal, words_of
from kadmin.admin.wire.snapshot import read_reassignments, read_snapshot
from kadmin.admin.wire.throttle_journal import JournalFile
from kadmin.admin.wire.wire_replicas import WireReplicas
from kadmin.admin.wire.wire_throttles import WireThrottles
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import UnreachableError
from kadmin.plan.log_dirs import LogDirs
from kadmin.plan.reassignment.dir_moves import DirMove
from kadmin.plan.reassignment.journal import ThrottleJournal
from kadmin.plan.reassignment.moves import Move, MovePlan

SINCE: Final = "2.4"
BY_ZOOKEEPER: Final = "kadmin reassign --zookeeper HOST:PORT works with every release"

PER_REQUEST: Final = 200
"""So many moves a controller begins well within the time that one waits for its answer; each takes
it a few round trips to ZooKeeper."""

LOOKS_MAX: Final = 20

ASKED_AGAIN: Final = (NotControllerError.errno, RequestTimedOutError.errno)
"""A broker that answers so is not the controller any more, or has not seen the end yet."""


class MovesUnanswered(UnreachableError):
    """The controller was asked for moves, and it is not known that all of them have begun."""

    def __init__(self, partitions: Sequence[TopicPartition], reason: str) -> None:
        super().__init__(
            f"the controller was asked to move {counted(partitions)}, and did not answer"
            f" ({reason}): whether it has begun is not known",
            hint="'kadmin reassign --list' shows what is moving; run the command again with"
            " --additional for the rest",
        )
        self.partitions = tuple(partitions)


class WireReassignments:
    """The `ReassignmentAdmin` of a connection to brokers.

    *warn* takes a sentence for the operator.  The lease of throttles is kept by *lease* where that
    reaches ZooKeeper, else in a file.  Where it *leaves_out_silent* brokers, those that do not
    answer have no throttle.

    Raises:
        NotServed: the brokers are too old.
    """

    def __init__(
        self,
        connection: WireConnection,
        warn: Callable[[str], None],
        lease: LeaseKeeper | None = None,
        *,
        leaves_out_silent: bool = False,
    ) -> None:
        if not connection.serves(AlterPartitionReassignmentsRequest):
            bootstrap = connection.settings.bootstrap
            raise NotServed(bootstrap, "reassignments", SINCE, BY_ZOOKEEPER)
        self.connection = connection
        self.replicas = WireReplicas(connection)
        self.journal_file = JournalFile(self.cluster_id())
        self.kept_throttles = KeptThrottles(connection, self.journal_file, lease)
        self.configs = WireThrottles(
            connection, warn, self.kept_throttles.is_kept, leaves_out_silent=leaves_out_silent
        )
        # The target of each partition that was seen moving: a broker may learn of the end later
        # than the controller lists no reassignment.
        self.expected: dict[TopicPartition, tuple[BrokerId, ...]] = {}

    @property
    def takes_one_request(self) -> bool:
        return False

    def cluster_id(self) -> str:
        return str(self.connection.metadata([])["cluster_id"])

    def snapshot(
        self, selection: TopicSelection, *, with_states: bool = True, with_configs: bool = False
    ) -> ClusterSnapshot:
        """Read the snapshot, with states in any case.

        A newly elected controller may list reassignments before it has received, as a broker, the
        metadata of the topics; without these a partition that moves would seem not to exist.
        """
        for attempt in range(LOOKS_MAX):
            if attempt:
                self.connection.budget.pause(PAUSE_S)
            ongoing = read_reassignments(self.connection)
            snapshot = self.look(selection, ongoing, with_configs=with_configs)
            self.expected |= {partition: part.target for partition, part in ongoing.items()}
            arrived = self.expected.keys() - ongoing.keys()
            moving = selection.select({partition.topic for partition in ongoing})
            if all(topic in snapshot.topics for topic in moving) and all(
                self.is_where_expected(snapshot, partition) for partition in arrived
            ):
                break
        # A partition that is elsewhere after all this time was reassigned again by another client.
        self.expected = {partition: self.expected[partition] for partition in ongoing}
        targets = {partition: part.target for partition, part in ongoing.items()}
        return replace(snapshot, moving=targets)

    def look(
        self,
        selection: TopicSelection,
        ongoing: Mapping[TopicPartition, PartitionAssignment],
        *,
        with_configs: bool = False,
    ) -> ClusterSnapshot:
        """Read topics from the controller, which of all brokers is the first to have its own
        changes."""
        controller = BrokerId(self.connection.controller())
        return read_snapshot(
            self.connection,
            selection,
            ongoing=ongoing,
            broker=controller,
            with_configs=with_configs,
        )

    def is_where_expected(self, snapshot: ClusterSnapshot, partition: TopicPartition) -> bool:
        """Return whether the broker of *snapshot* knows the new assignment of *partition*; also
        True for a partition that it lacks."""
        part = assignment_of(snapshot, partition)
        return part is None or part.replicas == self.expected[partition]

    def waves(self, plan: MovePlan) -> Sequence[MovePlan]:
        """Return *plan* as one: the controller accepts all moves at once.

        Raises:
            NotServed: log directories are asked for, and the brokers take none.
        """
        if plan.dir_moves:
            check_dirs_served(self.connection)
        return [plan] if plan.asked or plan.dir_moves else []

    def log_dirs(self, partitions: Sequence[TopicPartition] | None) -> LogDirs | None:
        return self.replicas.log_dirs(partitions)

    def end_offsets(
        self, replicas: Mapping[TopicPartition, Sequence[BrokerId]]
    ) -> Mapping[TopicPartition, Mapping[BrokerId, int]]:
        return self.replicas.end_offsets(replicas)

    def move_dirs(self, moves: Sequence[DirMove]) -> DirsAsked:
        check_dirs_served(self.connection)
        self.connection.budget.renew()
        return ask_for_dirs(self.connection, moves)

    def journal(self) -> ThrottleJournal:
        return self.kept_throttles.read()

    def fence(self) -> Fence:
        return self.connection.fence()

    def write_journal(self, fence: Fence, journal: ThrottleJournal) -> Outcome:
        return self.kept_throttles.write(journal)

    def write(self, fence: Fence, plan: MovePlan) -> Outcome:
        """Ask for the moves, a few hundred at once; one that is to go back to where it came from is
        given up."""
        conflict = self.conflict_with(plan)
        if conflict is not None:
            return conflict
        refused: dict[TopicPartition, str] = {}
        asked = plan.asked
        for start in range(0, len(asked), PER_REQUEST):
            refused |= self.begin(asked[start : start + PER_REQUEST])
        return Partly(refused) if refused else Committed()

    def conflict_with(self, plan: MovePlan) -> Conflict | None:
        """Return what is not as *plan* was made from, of what it asks for."""
        snapshot = self.snapshot(TopicSelection(wanted=tuple(plan.before)))
        for name, before in plan.before.items():
            topic = snapshot.topics.get(name)
            if topic is None or topic.assignment.topic_id != before.topic_id:
                return Conflict(f"topic '{name}'", ConflictKind.MISSING)
        for move in plan.asked:
            if assignment_of(snapshot, move.partition) != move.before:
                return Conflict(str(move.partition), ConflictKind.VERSION)
        return None

    def begin(self, moves: Sequence[Move]) -> Mapping[TopicPartition, str]:
        """Have *moves* begun, and return those that the controller refuses, with its reasons.

        Raises:
            MovesUnanswered: it is not known whether all have begun.
            KadminError: it refuses to hear of any.
        """
        budget = self.connection.budget
        budget.renew()
        end_s = budget.end_s()
        left = moves
        refused: Mapping[TopicPartition, str] = {}
        has_asked = False
        while left:
            if has_asked:
                budget.pause(PAUSE_S)
            try:
                refused = self.ask(left, is_first=not has_asked)
                break
            except (*SILENCES, NotControllerError, UnreachableError) as error:
                reason = str(error) or type(error).__name__
            has_asked = True
            is_over = time.monotonic() >= end_s
            with suppress(*SILENCES, UnreachableError):
                left = self.not_begun(left)
            if is_over and left:
                raise MovesUnanswered([move.partition for move in left], reason)
        begun = (move for move in moves if move.partition not in refused)
        self.expected |= {move.partition: move.target.replicas for move in begun}
        return refused

    def ask(self, moves: Sequence[Move], *, is_first: bool) -> dict[TopicPartition, str]:
        """Ask for *moves* once, and return those that are refused, with the reasons.

        Raises:
            KafkaError: no broker answered, or one that is not the controller.
            KadminError: all are refused.
        """
        request = AlterPartitionReassignmentsRequest(
            timeout_ms=self.connection.timeout_ms,
            topics=[
                (topic, [(move.partition.partition, replicas_to_ask(move)) for move in group])
                for topic, group in groupby(moves, key=lambda move: move.partition.topic)
            ],
        )
        answer = self.connection.send(request, self.connection.controller())
        if answer.error_code in ASKED_AGAIN:
            raise for_code(answer.error_code)()
        if answer.error_code != 0:
            what = f"move {counted(moves)}"
            raise refusal(answer.error_code, what, answer.error_message)
        # What was given up by the request whose answer was lost is given up.
        fine = (0,) if is_first else (0, NoReassignmentInProgressError.errno)
        return {
            TopicPartition(topic.name, part.partition_index): part.error_message
            or words_of(part.error_code)
            for topic in answer.responses
            for part in topic.partitions
            if part.error_code not in fine
        }

    def not_begun(self, moves: Sequence[Move]) -> list[Move]:
        """Return those of *moves* that are neither done nor on their way."""
        ongoing = read_reassignments(self.connection)
        topics = tuple({move.partition.topic: None for move in moves})
        snapshot = self.look(TopicSelection(wanted=topics), ongoing)
        left = []
        for move in moves:
            part = assignment_of(snapshot, move.partition)
            if part is None or part.target != move.target.replicas:
                left.append(move)
        return left

    def not_moved(self, moves: Sequence[Move]) -> Remaining[Move]:
        self.connection.budget.renew()
        try:
            ongoing = read_reassignments(self.connection)
        except NoController:
            return Remaining(items=moves, has_controller=False)
        return Remaining(
            items=[move for move in moves if move.partition in ongoing], has_controller=True
        )


def assignment_of(
    snapshot: ClusterSnapshot, partition: TopicPartition
) -> PartitionAssignment | None:
    topic = snapshot.topics.get(partition.topic)
    return None if topic is None else topic.assignment.partitions.get(partition.partition)


def replicas_to_ask(move: Move) -> list[int] | None:
    """Return the target; None cancels a running move, and starts no new one if it is
    done by now."""
    replicas = move.target.replicas
    gives_up = move.before.is_reassigning and replicas == move.before.origin
    return None if gives_up else list(replicas)


def counted(partitions: Sized) -> str:
    return f"{len(partitions)} partition{'' if len(partitions) == 1 else 's'}"
