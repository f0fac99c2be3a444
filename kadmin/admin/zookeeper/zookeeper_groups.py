"""The groups of old consumers, which are in ZooKeeper: `kadmin.admin.ports.GroupAdmin`, by reads
and writes of znodes, and by brokers for the logs.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from cluster.coordination.consumer_groups import (
    delete_group,
    read_group_names,
    read_group_offsets,
    read_groups,
    write_group_offsets,
)
from cluster.coordination.consumer_offsets import can_keep
from cluster.model.consumer import OldGroup
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import TopicPartition
from cluster.model.outcome import Committed, Conflict, ConflictKind
from cluster.zk import paths
from cluster.zk.steps import Steps, read, read_children
from kadmin.admin.answers import Answers, GroupAnswers, GroupList
from kadmin.admin.ports import Fence, LogTeller, Outcome, Partly
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.snapshot import decoding_topics, topics_in
from kadmin.admin.zookeeper.topic_names import read_topic_names
from kadmin.admin.zookeeper.transaction import KRaftOwnsCluster, read_fence, write
from kadmin.errors import RefusedError, UsageError
from kadmin.plan.groups.changes import (
    GroupDeletionPlan,
    GroupPlan,
    OffsetDeletionPlan,
    ResetPlan,
)
from kadmin.plan.groups.group import DEAD, EMPTY, STABLE, ZOOKEEPER, Group, ListedGroup, Member
from kadmin.plan.groups.lag import Logs, Position
from kadmin.plan.offsets import FoundOffset
from kadmin.wording import first_listed

HOST: Final = re.compile(r"(.+)-\d+-[0-9a-f]{1,8}")
"""What follows the name of its group in the id that a consumer gives itself."""


class OldConsumersEnd(RefusedError):
    """Groups that live in ZooKeeper are to be changed, and their cluster leaves it."""

    def __init__(self, kraft_controller_epoch: int) -> None:
        super().__init__(
            "a KRaft controller owns this cluster"
            f" (/controller: kraftControllerEpoch={kraft_controller_epoch}), and groups that keep"
            " their offsets in ZooKeeper end with it",
            hint="copy their offsets to the brokers: kadmin groups migrate-offsets"
            " --from-zookeeper --group NAME",
        )


class ZooKeeperGroups:
    """The `GroupAdmin` of a ZooKeeper session; *brokers* have the logs, and *warn* takes what of
    the groups cannot be understood, each once."""

    def __init__(
        self, connection: Connection, brokers: LogTeller, warn: Callable[[str], None]
    ) -> None:
        self.connection = connection
        self.brokers = brokers
        self.warn = warn
        self.warned: set[str] = set()

    def listing(self) -> GroupList:
        names = self.connection.read(read_group_names())
        return GroupList(
            groups=tuple(
                ListedGroup(
                    name=name, protocol_type="", state=None, type=ZOOKEEPER, coordinator=None
                )
                for name in names
            ),
            silent={},
        )

    def describe(self, names: Iterable[str]) -> GroupAnswers[Group]:
        names = tuple(names)
        wrong = [name for name in names if not self.can_keep(name)]
        if wrong:
            raise UsageError(
                f"ZooKeeper has no place for a group called {wrong[0]!r}",
                hint="its name is that of a znode: no '/', and not '.' or '..'",
            )
        found = self.connection.read(read_groups(names))
        self.warn_of(found.faults)
        return GroupAnswers(
            found={name: group_of(name, found.groups.get(name)) for name in names}, unanswered={}
        )

    def committed(self, names: Iterable[str]) -> GroupAnswers[Mapping[TopicPartition, int]]:
        found = self.connection.read(read_group_offsets(names))
        self.warn_of(found.faults)
        return GroupAnswers(found=found.offsets, unanswered={})

    def warn_of(self, faults: Iterable[CorruptZnodeError]) -> None:
        for fault in faults:
            if str(fault) not in self.warned:
                self.warned.add(str(fault))
                self.warn(f"left out: {fault}")

    def logs(self, partitions: Iterable[TopicPartition], *, with_starts: bool) -> Logs:
        return self.brokers.logs(partitions, with_starts=with_starts)

    def offsets_at(
        self, partitions: Iterable[TopicPartition], time_ms: int
    ) -> Answers[FoundOffset]:
        return self.brokers.offsets_at(partitions, time_ms)

    def record_times(self, positions: Iterable[Position]) -> Mapping[Position, int | None]:
        return self.brokers.record_times(positions)

    def can_keep(self, name: str) -> bool:
        return can_keep(name)

    def topic_partitions(self) -> Sequence[TopicPartition]:
        return self.connection.read(read_partitions(self.connection.settings.connect))

    def fence(self) -> Fence:
        try:
            return read_fence(self.connection)
        except KRaftOwnsCluster as error:
            raise OldConsumersEnd(error.kraft_controller_epoch) from error

    def write(self, fence: Fence, plan: GroupPlan) -> Outcome:
        """Write what *plan* means for one group after the other, each whole or not at all.

        A group that has changed since it was planned is refused, and no other plan is made.
        """
        self.connection.budget.renew()
        match plan:
            case ResetPlan():
                moves = {move.partition: (move.before, move.after) for move in plan.changes}
                return self.change_offsets(fence, plan.group, moves)
            case OffsetDeletionPlan():
                gone = {each: (offset, None) for each, offset in plan.offsets.items()}
                return self.change_offsets(fence, plan.group, gone)
            case GroupDeletionPlan():
                return self.delete(fence, plan)

    def change_offsets(
        self,
        fence: Fence,
        group: str,
        changes: Mapping[TopicPartition, tuple[int | None, int | None]],
    ) -> Outcome:
        change = partial(write_group_offsets, group=group, changes=changes)
        outcome = write(self.connection, fence, change)
        if isinstance(outcome, Conflict):
            return Partly(dict.fromkeys(changes, self.reason_of(group, outcome)))
        return outcome

    def delete(self, fence: Fence, plan: GroupDeletionPlan) -> Outcome:
        kept = {}
        for name, offsets in plan.offsets.items():
            change = partial(delete_group, group=name, offsets=offsets)
            outcome = write(self.connection, fence, change)
            if isinstance(outcome, Conflict):
                kept[name] = self.reason_of(name, outcome)
            elif outcome != Committed():
                # Another controller: those that are deleted already are found so next time.
                return outcome
        return Partly(kept) if kept else Committed()

    def reason_of(self, group: str, conflict: Conflict) -> str:
        """Why nothing of *group* was written."""
        if conflict.kind is not ConflictKind.CHILDREN:
            return f"{conflict}; nothing of the group was written"
        if conflict.subject == paths.consumer_ids(group):
            members = self.connection.read(read_children(conflict.subject))
            return f"the group has members: {first_listed(members)}"
        return f"{conflict.subject} has children that no consumer makes"


def group_of(name: str, group: OldGroup | None) -> Group:
    if group is None:
        return Group(name=name, state=DEAD, assignor="", coordinator=None)
    owned: dict[str, list[TopicPartition]] = {each: [] for each in group.consumer_ids}
    for partition, thread in sorted(group.owners.items()):
        # One that is not registered has just left: its nodes go one by one.
        owned.setdefault(thread.consumer_id, []).append(partition)
    members = tuple(
        Member(id=each, client_id="", host=host_of(name, each), assigned=tuple(partitions))
        for each, partitions in owned.items()
    )
    return Group(
        name=name,
        state=STABLE if members else EMPTY,
        assignor="",
        coordinator=None,
        members=members,
    )


def host_of(group: str, consumer_id: str) -> str:
    """The host in the id of a consumer; empty where it was named by `consumer.id`."""
    match = HOST.fullmatch(consumer_id.removeprefix(f"{group}_"))
    return "" if match is None else match[1]


def read_partitions(cluster: str) -> Steps[list[TopicPartition]]:
    """All partitions of topics that can be read.

    Raises:
        NoClusterHere: there is no `/brokers/topics` at *cluster*.
    """
    names = (yield from read_topic_names(cluster)).names
    request = decoding_topics(names)
    (reply,) = yield from read((request,))
    return [
        TopicPartition(topic, number)
        for topic, assignment in topics_in(names, request, reply, []).items()
        for number in sorted(assignment.partitions)
    ]
