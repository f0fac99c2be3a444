"""How is a sequence of requests written down without a client?

A sequence is a generator: it yields requests that may go out together, and is resumed with their
replies in the same order.  A shell that has lost its session drops it.
"""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId
from cluster.zk.requests import (
    Children,
    Exists,
    GetChildren,
    GetData,
    Lost,
    Refused,
    ZkReply,
    ZkRequest,
)
from cluster.zk.znode import Znode

T = TypeVar("T")
Steps: TypeAlias = Generator[tuple[ZkRequest, ...], tuple[ZkReply, ...], T]


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Who asks, in which session.

    *allows_unclean* is what topics without a config of their own have for
    `unclean.leader.election.enable`.  *report* is told of each node that could not be understood.
    """

    broker_id: BrokerId
    session_id: int
    allows_unclean: bool
    report: Callable[[CorruptZnodeError], None]


class Refusal(Exception):
    """ZooKeeper refuses a read without which nothing can be answered."""


def read(requests: Iterable[Exists | GetData | GetChildren]) -> Steps[tuple[ZkReply, ...]]:
    """The reply to each of *requests*; those whose reply was lost are asked again."""
    requests = tuple(requests)
    if not requests:
        return ()
    replies = list((yield requests))
    while True:
        lost = [index for index, reply in enumerate(replies) if isinstance(reply, Lost)]
        if not lost:
            return tuple(replies)
        again = yield tuple(requests[index] for index in lost)
        for index, reply in zip(lost, again, strict=True):
            replies[index] = reply


def read_children(path: str, *, is_watched: bool = False) -> Steps[tuple[str, ...]]:
    """The names below *path*, sorted; none for a node that is not there.

    Raises:
        Refusal: they may not be seen.
    """
    (reply,) = yield from read((GetChildren(path, is_watched),))
    return names_in(path, reply)


def read_paths_below(paths: Iterable[str]) -> Steps[list[str]]:
    """The paths of the children of *paths*, all of which are asked for at once.

    Raises:
        Refusal: some may not be seen.
    """
    paths = tuple(paths)
    replies = yield from read(GetChildren(path) for path in paths)
    return [
        f"{path}/{name}"
        for path, reply in zip(paths, replies, strict=True)
        for name in names_in(path, reply)
    ]


def names_in(path: str, reply: ZkReply) -> tuple[str, ...]:
    """What the reply to a `GetChildren` says; raises Refusal for a refusal."""
    if isinstance(reply, Refused):
        raise Refusal(f"{path}: {reply.reason}")
    if reply is None:
        return ()
    assert isinstance(reply, Children)
    return tuple(sorted(reply.names))


def read_nodes(
    client: Client, paths: Iterable[str], *, is_watched: bool = False
) -> Steps[dict[str, Znode]]:
    """The nodes that are there, by path; one that may not be seen is reported and left out."""
    paths = tuple(paths)
    replies = yield from read(GetData(path, is_watched) for path in paths)
    nodes = {}
    for path, reply in zip(paths, replies, strict=True):
        if isinstance(reply, Refused):
            client.report(Znode(path, None).corrupt(reply.reason))
        elif reply is not None:
            assert isinstance(reply, Znode)
            nodes[path] = reply
    return nodes


def decoded(client: Client, decode: Callable[[Znode], T], node: Znode | None) -> T | None:
    """The value of *node*, None for no node; a damaged one is reported and counts as none."""
    if node is None:
        return None
    try:
        return decode(node)
    except CorruptZnodeError as error:
        client.report(error)
        return None
