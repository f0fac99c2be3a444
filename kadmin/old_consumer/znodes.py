"""What an old consumer reads and writes in ZooKeeper, as sequences of requests.

All of one sequence is in one session, and ends with it: so no other consumer can have what a
session has claimed while it writes, and the server refuses the offsets of a consumer whose session
is over.  That is the fence.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from cluster.coordination.consumer_offsets import parents_of
from cluster.model.consumer import ConsumerRegistration
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NEVER_READ, TopicPartition, ZkVersion
from cluster.zk import paths
from cluster.zk.consumers import (
    decode_consumer,
    decode_consumer_offset,
    encode_consumer,
    encode_consumer_offset,
    encode_consumer_owner,
)
from cluster.zk.requests import (
    Check,
    Children,
    Create,
    Delete,
    Exists,
    GetChildren,
    Lost,
    Multi,
    MultiDone,
    MultiFailed,
    Operation,
    SetData,
)
from cluster.zk.steps import Steps, multi_in, read, read_each, write_each
from cluster.zk.topics import decode_assignment
from kadmin.old_consumer.assignors import ASSIGNORS, Assignment, UnequalSubscriptions
from kadmin.old_consumer.subscriptions import UnknownPattern, streams_of, threads_by_topic

JUST_MADE: Final = ZkVersion(0)
"""The version of owners and members, which are never changed."""

ATTEMPTS_MAX: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """This member of *group*, in one session: every session has a consumer id of its own."""

    group: str
    consumer_id: str
    registration: ConsumerRegistration
    strategy: str = "range"

    @property
    def path(self) -> str:
        return paths.consumer(self.group, self.consumer_id)


class Position(NamedTuple):
    """The *offset* to go on from, None where the group has none; *zk_version* is its znode's."""

    offset: int | None
    zk_version: ZkVersion


Positions: TypeAlias = Mapping[TopicPartition, Position]


@dataclass(frozen=True, slots=True)
class Claimed:
    """These partitions are this member's, from there on."""

    positions: Positions


@dataclass(frozen=True, slots=True)
class InTheWay:
    """*partition* was still *owner*'s, so nothing is claimed; None if that one is gone by now."""

    partition: TopicPartition
    owner: str | None


@dataclass(frozen=True, slots=True)
class Hopeless:
    """The group cannot be shared with this member, for that *reason*."""

    reason: str


Outcome: TypeAlias = Claimed | InTheWay | Hopeless


def register(me: Me) -> Steps[None]:
    """Make this member known to the others."""
    yield from make_parents([me.path, paths.consumer_owners(me.group) + "/_"])
    data = encode_consumer(me.registration)
    # Sent again after a lost reply it exists already: no other member has this id.
    yield from write_each([Multi((Create(me.path, data, is_ephemeral=True),))])


def watched(me: Me, topics: Iterable[str]) -> list[str]:
    """Return the nodes whose change means a rebalance."""
    return [
        paths.consumer_ids(me.group),
        paths.BROKER_IDS,
        paths.TOPICS,
        *(paths.topic(topic) for topic in topics),
    ]


def claim(me: Me) -> Steps[Outcome]:
    """Claim what is this member's by what all members have registered, all of it or nothing."""
    try:
        assignment = yield from assigned(me)
    except UnequalSubscriptions:
        return Hopeless("roundrobin shares only topics that all members read with as many threads")
    except UnknownPattern as error:
        return Hopeless(str(error))
    except CorruptZnodeError as error:
        return Hopeless(str(error))
    mine = {
        partition: thread
        for partition, thread in assignment.items()
        if thread.consumer_id == me.consumer_id
    }
    owners = {one: paths.consumer_owner(me.group, one) for one in mine}
    yield from make_parents([*owners.values(), *(offset_path(me, one) for one in mine)])
    yield from write_each(
        Multi((Create(owners[one], encode_consumer_owner(thread), is_ephemeral=True),))
        for one, thread in mine.items()
    )
    owned = yield from owned_of(me, mine)
    for one in mine:
        if one not in owned:
            yield from give_up(me, owned)
            (node,) = yield from read_each([owners[one]])
            owner = (
                None if node is None or node.data is None else node.data.decode("utf-8", "replace")
            )
            return InTheWay(one, owner)
    # Only behind the claims: up to its release an owner commits.
    return Claimed((yield from read_positions(me, mine)))


def assigned(me: Me) -> Steps[Assignment]:
    """Return who gets which partition, as every member computes it.

    Raises:
        UnequalSubscriptions, UnknownPattern, CorruptZnodeError: that cannot be known.
    """
    ids, names = yield from read(
        [GetChildren(paths.consumer_ids(me.group)), GetChildren(paths.TOPICS)]
    )
    consumer_ids = ids.names if isinstance(ids, Children) else ()
    topics = sorted(names.names) if isinstance(names, Children) else []
    nodes = yield from read_each(paths.consumer(me.group, one) for one in consumer_ids)
    members = {
        consumer_id: decode_consumer(node)
        for consumer_id, node in zip(consumer_ids, nodes, strict=True)
        if node is not None
    }
    threads = threads_by_topic(members, topics)
    mine = streams_of(me.consumer_id, me.registration, topics)
    # Round robin is over the topics of all members, as each of them has to be.
    wanted = [topic for topic in topics if topic in (mine if me.strategy == "range" else threads)]
    found = yield from read_each(paths.topic(topic) for topic in wanted)
    partitions = {
        topic: sorted(decode_assignment(node).partitions)
        for topic, node in zip(wanted, found, strict=True)
        if node is not None
    }
    return ASSIGNORS[me.strategy](partitions, threads)


def read_positions(me: Me, partitions: Iterable[TopicPartition]) -> Steps[Positions]:
    """Return where the group is, damaged offsets as none."""
    partitions = list(partitions)
    nodes = yield from read_each(offset_path(me, one) for one in partitions)
    found = {}
    for one, node in zip(partitions, nodes, strict=True):
        try:
            offset = None if node is None else decode_consumer_offset(node)
        except CorruptZnodeError:
            offset = None
        found[one] = Position(offset, NEVER_READ if node is None else node.zk_version)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """The positions after a commit, and the partitions that are not this member's any more."""

    positions: Positions
    lost: Sequence[TopicPartition]


def commit(me: Me, positions: Positions, *, releases: bool = False) -> Steps[Committed]:
    """Write the offsets of *positions*, each only while this member owns its partition; with
    *releases*, give the partitions away in the same transactions.

    Offsets that others have written meanwhile are overwritten: the owner knows better.
    """
    left, done, lost = dict(positions), dict(positions), []
    for _ in range(ATTEMPTS_MAX):
        replies = yield from sent_once(
            Multi(operations(me, one, position, releases=releases))
            for one, position in left.items()
        )
        again = []
        for one, reply in zip(left, replies, strict=True):
            if not isinstance(reply, MultiDone):
                again.append(one)
            elif left[one].offset is not None:
                done[one] = left[one]._replace(zk_version=reply.zk_versions[1])
        if not again:
            break
        # A release that landed unseen must not be sent again: the next owner's znode has the same
        # version.
        owned = yield from owned_of(me, again)
        lost += [one for one in again if one not in owned]
        now = yield from read_positions(me, owned)
        left = {one: left[one]._replace(zk_version=now[one].zk_version) for one in owned}
    return Committed(
        positions={one: position for one, position in done.items() if one not in lost}, lost=lost
    )


def sent_once(requests: Iterable[Multi]) -> Steps[list[MultiDone | MultiFailed | None]]:
    """Return the result of each of *requests*, None where the reply was lost."""
    requests = tuple(requests)
    if not requests:
        return []
    replies = yield requests
    return [None if isinstance(reply, Lost) else multi_in(reply) for reply in replies]


def owned_of(me: Me, partitions: Iterable[TopicPartition]) -> Steps[list[TopicPartition]]:
    """Return which of *partitions* a thread of this member owns."""
    partitions = list(partitions)
    nodes = yield from read_each(paths.consumer_owner(me.group, one) for one in partitions)
    prefix = f"{me.consumer_id}-".encode()
    return [
        one
        for one, node in zip(partitions, nodes, strict=True)
        if node is not None and (node.data or b"").rpartition(b"-")[0] + b"-" == prefix
    ]


def operations(
    me: Me, partition: TopicPartition, position: Position, *, releases: bool
) -> tuple[Operation, ...]:
    owner = paths.consumer_owner(me.group, partition)
    found: list[Operation] = [Check(owner, JUST_MADE)]
    if position.offset is not None:
        path, data = offset_path(me, partition), encode_consumer_offset(position.offset)
        found.append(
            Create(path, data)
            if position.zk_version == NEVER_READ
            else SetData(path, data, position.zk_version)
        )
    if releases:
        found.append(Delete(owner, JUST_MADE))
    return tuple(found)


def give_up(me: Me, partitions: Iterable[TopicPartition]) -> Steps[None]:
    """Delete what this member owns of *partitions*, of which it has read nothing."""
    nothing = Position(None, NEVER_READ)
    yield from commit(me, dict.fromkeys(partitions, nothing), releases=True)


def leave(me: Me, positions: Positions) -> Steps[Committed]:
    """Commit and release *positions*, then leave the group."""
    committed = yield from commit(me, positions, releases=True)
    yield from write_each([Multi((Delete(me.path, JUST_MADE),))])
    return committed


def make_parents(nodes: Iterable[str]) -> Steps[None]:
    parents = parents_of(nodes)
    there = yield from read(map(Exists, parents))
    for path, is_there in zip(parents, there, strict=True):
        if not is_there:
            # One by one: each needs the one above it.  Others may be faster.
            yield from write_each([Multi((Create(path),))])


def offset_path(me: Me, partition: TopicPartition) -> str:
    return paths.consumer_offset(me.group, partition)
