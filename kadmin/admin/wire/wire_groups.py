"""Groups by brokers: `kadmin.admin.ports.GroupAdmin`, by the requests about groups and offsets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final

from kafka.errors import (
    GroupIdNotFoundError,
    InvalidGroupIdError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from kafka.protocol.admin import DeleteGroupsRequest, DescribeGroupsRequest, ListGroupsRequest
from kafka.protocol.consumer import (
    OffsetCommitRequest,
    OffsetDeleteRequest,
    OffsetFetchRequest,
)

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed
from cluster.wire.codec import decode_payload
from cluster.wire.errors import ProtocolError
from cluster.wire.messages.consumer_protocol import ConsumerProtocolAssignment
from kadmin.admin.answers import Answers, GroupAnswers, GroupList
from kadmin.admin.ports import Fence, Outcome, Partly
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.consumer_group_describe import describe_consumer_groups
from kadmin.admin.wire.coordinators import PASSING, Coordinators, chunks
from kadmin.admin.wire.leaders import by_topic, leaders_in
from kadmin.admin.wire.offsets import read_offsets
from kadmin.admin.wire.outcomes import words_of
from kadmin.admin.wire.record_times import read_record_times
from kadmin.plan.groups.changes import (
    GroupDeletionPlan,
    GroupPlan,
    OffsetDeletionPlan,
    ResetPlan,
)
from kadmin.plan.groups.group import (
    CONSUMER_PROTOCOLS,
    DEAD,
    OLD_NAMES,
    Coordinator,
    Group,
    ListedGroup,
    Member,
)
from kadmin.plan.groups.lag import Logs, Position
from kadmin.plan.offsets import EARLIEST, LATEST, FoundOffset

GROUPS_MAX: Final = 500
"""So many groups are asked about at once: a broker builds each answer in memory, and so do we."""

SEVERAL_GROUPS_SINCE: Final = 8
ALL_TOPICS_SINCE: Final = 2
OFFSET_FETCH_MAX: Final = 9
"""Newer versions name topics by ids, which older brokers do not know."""
OFFSET_COMMIT_MAX: Final = 9
NO_GENERATION: Final = -1
NO_OFFSET: Final = -1
NO_TOPIC: Final = 3


class WireGroups:
    """The `GroupAdmin` of a connection to brokers."""

    def __init__(self, connection: WireConnection) -> None:
        self.connection = connection
        self.coordinators = Coordinators(connection)
        self._leaders: Mapping[TopicPartition, BrokerId] = {}
        """As they were when the logs were read; who leads no more refuses, and is looked for."""

    def listing(self) -> GroupList:
        brokers = {
            BrokerId(each["node_id"]): None for each in self.connection.metadata([])["brokers"]
        }
        answers, silent = self.connection.ask_all({each: ListGroupsRequest() for each in brokers})
        found: dict[str, ListedGroup] = {}
        for broker, answer in answers.items():
            if answer.error_code:
                silent[broker] = words_of(answer.error_code)
                continue
            for each in answer.groups:
                if each.protocol_type in CONSUMER_PROTOCOLS:
                    found[each.group_id] = listed_group(each, broker)
        # The broker that lists a group coordinates it: no FindCoordinator is needed.
        self.coordinators.known |= {
            name: each.coordinator for name, each in found.items() if each.coordinator is not None
        }
        return GroupList(groups=tuple(found[name] for name in sorted(found)), silent=silent)

    def describe(self, names: Iterable[str]) -> GroupAnswers[Group]:
        addresses = {
            BrokerId(each["node_id"]): Coordinator(
                id=BrokerId(each["node_id"]), host=each["host"], port=each["port"]
            )
            for each in self.connection.metadata([])["brokers"]
        }

        def ask(broker: BrokerId, wanted: Sequence[str]) -> Iterator[tuple[str, int, Group]]:
            unknown = Coordinator(id=broker, host="", port=-1)
            coordinator = addresses.get(broker, unknown)
            for some in chunks(wanted, GROUPS_MAX):
                request = DescribeGroupsRequest(groups=some)
                answers = {
                    each.group_id: described_group(each, coordinator)
                    for each in self.connection.ask(request, broker).groups
                }
                dead = [
                    name
                    for name, (code, group) in answers.items()
                    if code == 0 and group.state == DEAD
                ]
                found = describe_consumer_groups(self.connection, broker, dead, coordinator)
                answers |= {name: (code, group) for name, code, group in found}
                for name, (code, group) in answers.items():
                    yield name, code, group

        return self.coordinators.ask(names, ask)

    def committed(self, names: Iterable[str]) -> GroupAnswers[Mapping[TopicPartition, int]]:
        version = self.connection.version_of(OffsetFetchRequest) or 1
        asked_max = GROUPS_MAX if version >= SEVERAL_GROUPS_SINCE else 1
        topics = None if version >= ALL_TOPICS_SINCE else self.topics_to_ask()

        def ask(
            broker: BrokerId, wanted: Sequence[str]
        ) -> Iterator[tuple[str, int, Mapping[TopicPartition, int]]]:
            for some in chunks(wanted, asked_max):
                answer = self.connection.ask(offset_fetch(some, topics, version), broker)
                if version >= SEVERAL_GROUPS_SINCE:
                    for each in answer.groups:
                        yield each.group_id, *offsets_in(each)
                else:
                    yield some[0], *offsets_in(answer)

        return self.coordinators.ask(names, ask)

    def topics_to_ask(self) -> list[tuple[str, list[int]]]:
        """All partitions of all topics: before 0.10.2 each has to be named."""
        return [
            (each["name"], [part["partition_index"] for part in each["partitions"]])
            for each in self.connection.metadata(None)["topics"]
        ]

    def logs(self, partitions: Iterable[TopicPartition], *, with_starts: bool) -> Logs:
        wanted = set(partitions)
        names = sorted({each.topic for each in wanted})
        topics = self.connection.metadata(names)["topics"] if names else []
        return self.logs_in(topics, wanted, with_starts=with_starts)

    def logs_in(
        self,
        topics: Sequence[Mapping[str, Any]],
        wanted: Set[TopicPartition],
        *,
        with_starts: bool,
    ) -> Logs:
        """Return the logs of the partitions *wanted*, of whose topics *topics* is the metadata."""
        undescribed = {
            topic["name"]: words_of(topic["error_code"])
            for topic in topics
            if topic["error_code"] not in (0, NO_TOPIC)
        }
        existing = {
            TopicPartition(topic["name"], part["partition_index"])
            for topic in topics
            for part in topic["partitions"]
        }
        unknown = {each: undescribed[each.topic] for each in wanted if each.topic in undescribed}
        there = (wanted & existing) - unknown.keys()
        self._leaders = leaders = leaders_in(topics)
        starts = (
            read_offsets(self.connection, there, EARLIEST, leaders).found if with_starts else {}
        )
        # The ends after the starts, and after what was committed: no log ends before either.
        ends = read_offsets(self.connection, there, LATEST, leaders)
        return Logs(
            ends={
                each: found.offset for each, found in ends.found.items() if found.offset is not None
            },
            starts={
                each: found.offset for each, found in starts.items() if found.offset is not None
            },
            gone=frozenset(wanted - existing - unknown.keys()),
            unknown={**unknown, **ends.unanswered},
        )

    def record_times(self, positions: Iterable[Position]) -> Mapping[Position, int | None]:
        wanted = list(positions)
        is_known = all(each.partition in self._leaders for each in wanted)
        return read_record_times(self.connection, wanted, self._leaders if is_known else None)

    def offsets_at(
        self, partitions: Iterable[TopicPartition], time_ms: int
    ) -> Answers[FoundOffset]:
        return read_offsets(self.connection, partitions, time_ms)

    def can_keep(self, name: str) -> bool:
        return True

    def topic_partitions(self) -> list[TopicPartition]:
        return [
            TopicPartition(topic["name"], part["partition_index"])
            for topic in self.connection.metadata(None)["topics"]
            for part in topic["partitions"]
        ]

    def fence(self) -> Fence:
        return self.connection.fence()

    def write(self, fence: Fence, plan: GroupPlan) -> Outcome:
        """Coordinators compare nothing with a plan: what they refuse is its outcome."""
        self.connection.budget.renew()
        match plan:
            case ResetPlan():
                refused = self.commit(plan)
                return Partly(refused) if refused else Committed()
            case OffsetDeletionPlan():
                refused = self.delete_offsets(plan)
                return Partly(refused) if refused else Committed()
            case GroupDeletionPlan():
                kept = self.delete(plan.groups)
                return Partly(kept) if kept else Committed()

    def commit(self, plan: ResetPlan) -> dict[TopicPartition, str]:
        """Commit for a group that has no members, which its coordinator sees to; returns what it
        refused."""
        offsets = {move.partition: move.after for move in plan.changes}
        if not offsets:
            return {}
        topic_of = OffsetCommitRequest.OffsetCommitRequestTopic
        request = OffsetCommitRequest(
            group_id=plan.group,
            generation_id_or_member_epoch=NO_GENERATION,
            member_id="",
            topics=[
                topic_of(
                    name=name,
                    partitions=[
                        topic_of.OffsetCommitRequestPartition(
                            partition_index=number,
                            committed_offset=offsets[TopicPartition(name, number)],
                            committed_metadata="",
                        )
                        for number in numbers
                    ],
                )
                for name, numbers in by_topic(offsets).items()
            ],
            max_version=OFFSET_COMMIT_MAX,
        )
        return self.change(plan.group, offsets, request)

    def delete_offsets(self, plan: OffsetDeletionPlan) -> dict[TopicPartition, str]:
        if not plan.offsets:
            return {}
        if not self.connection.serves(OffsetDeleteRequest):
            raise NotServed(
                self.connection.settings.bootstrap,
                "the deletion of offsets",
                "2.4",
                "kadmin groups --delete takes a whole group",
            )
        topic_of = OffsetDeleteRequest.OffsetDeleteRequestTopic
        request = OffsetDeleteRequest(
            group_id=plan.group,
            topics=[
                topic_of(
                    name=name,
                    partitions=[
                        topic_of.OffsetDeleteRequestPartition(partition_index=number)
                        for number in numbers
                    ],
                )
                for name, numbers in by_topic(plan.offsets).items()
            ],
        )
        return self.change(plan.group, plan.offsets, request)

    def change(
        self, group: str, partitions: Iterable[TopicPartition], request: object
    ) -> dict[TopicPartition, str]:
        """Send *request* about *partitions* to the coordinator of *group*; returns what it refused,
        with the reason.

        A coordinator that has just become one is asked again: it has changed nothing then.
        """

        def ask(
            broker: BrokerId, _names: Sequence[str]
        ) -> Iterator[tuple[str, int, dict[TopicPartition, str]]]:
            answer = self.connection.ask(request, broker)
            codes = {
                TopicPartition(topic.name, part.partition_index): part.error_code
                for topic in answer.topics
                for part in topic.partitions
            }
            if whole := getattr(answer, "error_code", 0):
                codes = dict.fromkeys(partitions, whole)
            passing = next((code for code in codes.values() if code in PASSING), 0)
            refused = {each: change_words(code) for each, code in codes.items() if code}
            yield group, passing, refused

        answers = self.coordinators.ask([group], ask)
        if group in answers.found:
            return answers.found[group]
        return dict.fromkeys(partitions, answers.unanswered[group])

    def delete(self, names: Sequence[str]) -> dict[str, str]:
        """Delete groups; returns those that are kept, with the reason."""
        if not self.connection.serves(DeleteGroupsRequest):
            raise NotServed(
                self.connection.settings.bootstrap,
                "the deletion of groups",
                "1.1",
                "offsets of a group without members expire there by themselves",
            )

        def ask(broker: BrokerId, wanted: Sequence[str]) -> Iterator[tuple[str, int, None]]:
            for some in chunks(wanted, GROUPS_MAX):
                request = DeleteGroupsRequest(groups_names=some)
                for each in self.connection.ask(request, broker).results:
                    # A group that is gone already is what was wanted.
                    is_gone = each.error_code == GroupIdNotFoundError.errno
                    yield each.group_id, 0 if is_gone else each.error_code, None

        return dict(self.coordinators.ask(names, ask).unanswered)


def listed_group(answer: Any, broker: BrokerId) -> ListedGroup:
    return ListedGroup(
        name=answer.group_id,
        protocol_type=answer.protocol_type,
        state=OLD_NAMES.get(answer.group_state, answer.group_state) or None,
        # In Kafka's own words, which differ in case between releases.
        type=answer.group_type.capitalize() or None,
        coordinator=broker,
    )


def described_group(answer: Any, coordinator: Coordinator) -> tuple[int, Group]:
    """The code of the error, and the group; one that its coordinator does not know is Dead."""
    is_unknown = answer.error_code == GroupIdNotFoundError.errno
    return 0 if is_unknown else answer.error_code, group_of(answer, coordinator)


def group_of(answer: Any, coordinator: Coordinator) -> Group:
    state = answer.group_state or DEAD
    return Group(
        name=answer.group_id,
        state=OLD_NAMES.get(state, state),
        assignor=answer.protocol_data,
        protocol_type=answer.protocol_type,
        coordinator=coordinator,
        members=tuple(member_of(each) for each in answer.members),
    )


def member_of(answer: Any) -> Member:
    return Member(
        id=answer.member_id,
        client_id=answer.client_id,
        host=answer.client_host,
        instance_id=answer.group_instance_id,
        assigned=assigned_in(bytes(answer.member_assignment or b"")),
    )


def assigned_in(data: bytes) -> tuple[TopicPartition, ...] | None:
    """The partitions of an assignment, none while a group rebalances; None where it is not in
    Kafka's own protocol."""
    if not data:
        return ()
    try:
        found = decode_payload(ConsumerProtocolAssignment, data)
    except ProtocolError:
        return None
    return tuple(
        sorted(
            TopicPartition(topic.topic, number)
            for topic in found.assigned_partitions
            for number in topic.partitions
        )
    )


def offset_fetch(
    names: Sequence[str], topics: Sequence[tuple[str, Sequence[int]]] | None, version: int
) -> OffsetFetchRequest:
    group_of = OffsetFetchRequest.OffsetFetchRequestGroup
    if version >= SEVERAL_GROUPS_SINCE:
        groups = [group_of(group_id=name, topics=None) for name in names]
        return OffsetFetchRequest(groups=groups, max_version=OFFSET_FETCH_MAX)
    return OffsetFetchRequest(group_id=names[0], topics=topics)


def change_words(code: int) -> str:
    """Why a coordinator refuses a change; that it knows no member without a name means that there
    are others."""
    if code in (UnknownMemberIdError.errno, RebalanceInProgressError.errno):
        return "the group has members again"
    if code == InvalidGroupIdError.errno:
        return "brokers delete nothing of a group with an empty name but all of it, by --delete"
    return words_of(code)


def offsets_in(answer: Any) -> tuple[int, dict[TopicPartition, int]]:
    """The error code of a group, and what it has committed."""
    return answer.error_code, {
        TopicPartition(topic.name, part.partition_index): part.committed_offset
        for topic in answer.topics
        for part in topic.partitions
        if part.error_code == 0 and part.committed_offset != NO_OFFSET
    }
