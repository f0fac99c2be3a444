"""Sequences of requests, written down without a client.

A sequence is a generator: it yields requests that may be sent together, and is resumed with their
replies in the same order.  The runner decides how they are sent: a broker's loop, a tool that
waits, or a simulation.  A runner that has lost its session drops the sequence.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

from cluster.zk.requests import (
    Acl,
    AclRead,
    Children,
    Exists,
    GetAcl,
    GetChildren,
    GetData,
    GetMany,
    Lost,
    Many,
    Multi,
    MultiDone,
    MultiFailed,
    Refused,
    SingleRequest,
    Sync,
    ZkReply,
    ZkRequest,
)
from cluster.zk.znode import Znode

T = TypeVar("T")
Steps: TypeAlias = Generator[tuple[ZkRequest, ...], tuple[ZkReply, ...], T]


class Refusal(Exception):
    """ZooKeeper refuses a write, or a read that is indispensable."""


class Denied(Refusal):
    """The node at *path* may not be read."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


def run(steps: Steps[T], serve: Callable[[tuple[ZkRequest, ...]], tuple[ZkReply, ...]]) -> T:
    """Run *steps* with *serve*, which has the replies at once, and return their result."""
    replies: tuple[ZkReply, ...] | None = None
    while True:
        try:
            requests = next(steps) if replies is None else steps.send(replies)
        except StopIteration as end:
            result: T = end.value
            return result
        replies = serve(requests)


def read(
    requests: Iterable[Exists | GetData | GetMany[Any] | GetChildren | GetAcl | Sync],
) -> Steps[tuple[ZkReply, ...]]:
    """The reply to each of *requests*; those whose reply was lost are repeated."""
    return (yield from until_answered(tuple(requests)))


def write_each(requests: Iterable[Multi]) -> Steps[list[MultiDone | MultiFailed]]:
    """The reply to each of *requests*, which must be repeatable: lost ones are sent again.

    Raises:
        Refusal: ZooKeeper refuses one from this client.
    """
    replies = yield from until_answered(tuple(requests))
    return [multi_in(reply) for reply in replies]


def until_answered(requests: tuple[ZkRequest, ...]) -> Steps[tuple[ZkReply, ...]]:
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


def multi_in(reply: ZkReply) -> MultiDone | MultiFailed:
    """The result in the reply to a `Multi`, which was not lost; raises Refusal for a refusal."""
    if isinstance(reply, Refused):
        raise Refusal(reply.reason)
    assert isinstance(reply, MultiDone | MultiFailed)
    return reply


def read_node(path: str) -> Steps[Znode | None]:
    """The node at *path*; None when there is none.  Raises Refusal when it may not be read."""
    (node,) = yield from read_each((path,))
    return node


def read_each(paths: Iterable[str]) -> Steps[list[Znode | None]]:
    """The nodes at *paths*, in their order; None where there is none.

    Raises:
        Refusal: one may not be read.
    """
    paths = tuple(paths)
    replies = yield from read(map(GetData, paths))
    return [node_in(path, reply) for path, reply in zip(paths, replies, strict=True)]


def node_in(path: str, reply: ZkReply) -> Znode | None:
    """The node in the reply to a `GetData`; raises Denied for a refusal."""
    if isinstance(reply, Refused):
        raise Denied(path, reply.reason)
    assert reply is None or isinstance(reply, Znode)
    return reply


def items_in(request: GetMany[T], reply: ZkReply) -> Sequence[T | Refused | None]:
    """The items in the reply to *request*, path by path."""
    assert isinstance(reply, Many)
    return reply.items


def in_singles(requests: Iterable[ZkRequest]) -> tuple[SingleRequest, ...]:
    """*requests*, split so that each node is read by its own request; see `from_singles`."""
    singles: list[SingleRequest] = []
    for request in requests:
        if isinstance(request, GetMany):
            singles += map(GetData, request.paths)
        else:
            singles.append(request)
    return tuple(singles)


def from_singles(requests: Iterable[ZkRequest], replies: Sequence[ZkReply]) -> tuple[ZkReply, ...]:
    """The replies to *requests*, combined from those to `in_singles` of them.

    If the reply to one of many nodes was lost, all of them count as lost.
    """
    rest = iter(replies)
    return tuple(
        many_of(request, [next(rest) for _ in request.paths])
        if isinstance(request, GetMany)
        else next(rest)
        for request in requests
    )


def many_of(request: GetMany[T], replies: Sequence[ZkReply]) -> Many | Lost:
    """The reply to *request*, combined from the *replies* to its single reads."""
    if any(isinstance(reply, Lost) for reply in replies):
        return Lost()
    return Many([request.decode(one) if isinstance(one, Znode) else one for one in replies])


def read_acls(paths: Iterable[str]) -> Steps[list[Acl | None]]:
    """The ACLs of the nodes at *paths*, in their order; None where there is none.

    Raises:
        Refusal: one may not be read.
    """
    paths = tuple(paths)
    replies = yield from read(map(GetAcl, paths))
    return [acl_in(path, reply) for path, reply in zip(paths, replies, strict=True)]


def acl_in(path: str, reply: ZkReply) -> Acl | None:
    """The ACL in the reply to a `GetAcl`; raises Denied for a refusal."""
    if isinstance(reply, Refused):
        raise Denied(path, reply.reason)
    assert reply is None or isinstance(reply, AclRead)
    return None if reply is None else reply.acl


def read_children(path: str, *, is_watched: bool = False) -> Steps[tuple[str, ...]]:
    """The names below *path*, sorted; none for a node that does not exist.

    Raises:
        Refusal: they may not be read.
    """
    (reply,) = yield from read((GetChildren(path, is_watched),))
    return names_in(path, reply)


def read_paths_below(paths: Iterable[str]) -> Steps[list[str]]:
    """The paths of the children of *paths*, all read at once.

    Raises:
        Refusal: some may not be read.
    """
    paths = tuple(paths)
    replies = yield from read(GetChildren(path) for path in paths)
    return [
        f"{path}/{name}"
        for path, reply in zip(paths, replies, strict=True)
        for name in names_in(path, reply)
    ]


def names_in(path: str, reply: ZkReply) -> tuple[str, ...]:
    """The names in the reply to a `GetChildren`; raises Denied for a refusal."""
    if isinstance(reply, Refused):
        raise Denied(path, reply.reason)
    if reply is None:
        return ()
    assert isinstance(reply, Children)
    return tuple(sorted(reply.names))
