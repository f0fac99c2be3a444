"""What must never happen, judged by what clients were answered and by what the log has."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from cluster.group.answers import Answer, CommitAnswer, JoinAnswer, SyncAnswer
from cluster.group.requests import CommitOffsets, JoinGroup, Request, SyncGroup
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import GroupMetadataValue, OffsetCommitKey
from cluster.model.ids import LeaderEpoch, TopicPartition
from tests.sim.groups.log import Batch
from tests.sim.groups.violation import Kind, Violation

if TYPE_CHECKING:
    from tests.sim.groups.broker import Broker
    from tests.sim.groups.client import Consumer
    from tests.sim.groups.world import World

NOTHING = -1


class Commit(NamedTuple):
    """Who committed a value: every value is committed once."""

    group_id: str
    member_id: str
    instance_id: str | None
    generation: int


class Acknowledged(NamedTuple):
    """How far up in the log a partition's acknowledged commits are."""

    epoch: LeaderEpoch
    log_offset: int


class Oracle:
    def __init__(self, world: World) -> None:
        self._world = world
        self.commits: dict[int, Commit] = {}
        self._log_offsets: dict[int, list[int]] = {}
        """Where each value is in the log, or was before that was cut; a request may come twice."""
        self._acknowledged: dict[tuple[str, TopicPartition], list[Acknowledged]] = defaultdict(list)
        self._leaders: dict[tuple[str, LeaderEpoch, int], str] = {}
        self._assignments: dict[tuple[str, int], dict[str, bytes]] = defaultdict(dict)
        self._stored: list[tuple[int, str, GroupMetadataValue]] = []
        """The generations in the log, in its order."""
        self.read_count = 0
        self.acknowledged_count = 0
        self.generations: set[tuple[str, int]] = set()

    # The log.

    def on_append(self, batch: Batch) -> None:
        for key, value in batch.records:
            if isinstance(value, GroupMetadataValue):
                self._stored.append((batch.offset, key.group, value))
            elif isinstance(key, OffsetCommitKey) and value is not None:
                assert not isinstance(value, GroupMetadataValue)
                self._log_offsets.setdefault(value.offset, []).append(batch.offset)
                self._check_author(key.group, self.commits[value.offset])

    def on_truncate(self, log_end: int) -> None:
        self._stored = [one for one in self._stored if one[0] < log_end]

    def _check_author(self, group_id: str, commit: Commit) -> None:
        """A commit stands in the log behind no later generation, nor one without its member."""
        stored = self._stored_last(group_id)
        if commit.generation < 0 or stored is None:
            return
        if stored.generation > commit.generation:
            raise Violation(Kind.OLD_GENERATION, f"{commit} after {stored.generation}")
        if stored.generation < commit.generation:
            return
        known = {one.member_id for one in stored.members}
        instances = {one.group_instance_id for one in stored.members} - {None}
        if commit.member_id not in known and commit.instance_id not in instances:
            raise Violation(Kind.UNKNOWN_MEMBER, f"{commit}, known are {sorted(known)}")

    # Answers.

    def on_answer(self, broker: Broker, request: Request, answer: Answer) -> None:
        match answer:
            case JoinAnswer(error=ErrorCode.NONE):
                assert isinstance(request, JoinGroup)
                if not answer.skip_assignment:
                    self._check_leader(broker, request, answer)
            case SyncAnswer(error=ErrorCode.NONE):
                assert isinstance(request, SyncGroup)
                self._check_assignment(request, answer)
            case CommitAnswer():
                assert isinstance(request, CommitOffsets)
                self._acknowledge(broker, request, answer)

    def _check_leader(self, broker: Broker, request: JoinGroup, answer: JoinAnswer) -> None:
        """Only one member is told that it leads, in each generation of each coordinator."""
        if answer.leader_id != answer.member_id:
            return
        epoch = broker.known_epoch
        who = request.group_instance_id or answer.member_id
        key = (request.group_id, epoch, answer.generation)
        if self._leaders.setdefault(key, who) != who:
            raise Violation(Kind.TWO_LEADERS, f"{key}: {self._leaders[key]} and {who}")

    def _check_assignment(self, request: SyncGroup, answer: SyncAnswer) -> None:
        """Each member has one assignment in a generation, and no partition is in two of them."""
        key = (request.group_id, request.generation)
        self.generations.add(key)
        given = self._assignments[key]
        who = request.group_instance_id or request.member_id
        if given.setdefault(who, answer.assignment) != answer.assignment:
            raise Violation(Kind.TWO_ASSIGNMENTS, f"{key}: {who}")
        mine = partitions_in(answer.assignment)
        for other, assignment in given.items():
            if other != who and mine & partitions_in(assignment):
                raise Violation(Kind.TWO_OWNERS, f"{key}: {who} and {other}")

    def _acknowledge(self, broker: Broker, request: CommitOffsets, answer: CommitAnswer) -> None:
        for partition, error in answer.errors.items():
            if error is ErrorCode.NONE:
                self.acknowledged_count += 1
                value = request.offsets[partition].offset
                if value not in self._log_offsets:
                    raise Violation(Kind.LOST_COMMIT, f"{value} is not in the log")
                acknowledged = Acknowledged(broker.known_epoch, min(self._log_offsets[value]))
                self._acknowledged[request.group_id, partition].append(acknowledged)

    def on_read(self, epoch: LeaderEpoch, group_id: str, found: dict[TopicPartition, int]) -> None:
        """A coordinator gives what it, or one before it, has acknowledged, or something later."""
        for partition, value in found.items():
            self.read_count += 1
            log_offset = NOTHING if value < 0 else max(self._log_offsets[value])
            for one in self._acknowledged[group_id, partition]:
                if one.epoch <= epoch and one.log_offset > log_offset:
                    text = f"{group_id} {partition}: {value} at {log_offset}, {one} is gone"
                    raise Violation(Kind.LOST_COMMIT, text)

    def check_owners(self, consumer: Consumer) -> None:
        """No other member of the generation still owns what this one was given.

        A coordinator that has been replaced may have begun a generation of the same number, which
        never got into the log: its members are none of this one.  And who missed the generation
        before may still believe in what it had: the coordinator has taken it away then.
        """
        numbers = [one.generation for _, name, one in self._stored if name == consumer.group_id]
        stored = self._stored_last(consumer.group_id)
        if stored is None or stored.generation != consumer.generation:
            return
        before = max((one for one in numbers if one < stored.generation), default=-1)
        members = {one.member_id for one in stored.members}
        for other in self._world.consumers:
            is_member = other.group_id == consumer.group_id and other.member_id in members
            is_of_now = other.generation == consumer.generation and other.owned_in >= before
            both = consumer.owned & other.owned
            if other is not consumer and is_member and is_of_now and both:
                raise Violation(Kind.TWO_OWNERS, f"{consumer} and {other}: {set(both)}")

    def _stored_last(self, group_id: str) -> GroupMetadataValue | None:
        found = (one for _, name, one in reversed(self._stored) if name == group_id)
        return next(found, None)


def partitions_in(assignment: bytes) -> frozenset[int]:
    return frozenset(int(one) for one in assignment.split(b",") if one)
