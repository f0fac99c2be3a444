"""The controller's client of ZooKeeper, and its handling of damaged nodes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId
from cluster.zk.requests import GetData, GetMany, Refused, ZkReply
from cluster.zk.steps import Steps, items_in, read
from cluster.zk.znode import Znode

T = TypeVar("T")

MANY: Final = 10
"""From this number of nodes on, nodes are read together if no watch is wanted."""


@dataclass(slots=True, kw_only=True)
class Client:
    """A broker as a client of ZooKeeper; its shell keeps the session and the default up to date.

    *wall_ms* reads the machine's clock, *report* receives each node that could not be decoded.
    *allows_unclean* is `unclean.leader.election.enable` for topics without an override.
    """

    broker_id: BrokerId
    wall_ms: Callable[[], int]
    report: Callable[[CorruptZnodeError], None]
    session_id: int | None = None
    allows_unclean: bool = False


def read_nodes(
    client: Client, paths: Iterable[str], *, is_watched: bool = False
) -> Steps[dict[str, Znode]]:
    """The existing nodes, by path; one that may not be read is reported and left out."""
    paths = tuple(paths)
    replies: Sequence[ZkReply]
    if is_watched or len(paths) < MANY:
        replies = yield from read(GetData(path, is_watched) for path in paths)
    else:
        request = GetMany(paths, unchanged)
        (reply,) = yield from read((request,))
        replies = items_in(request, reply)
    nodes = {}
    for path, reply in zip(paths, replies, strict=True):
        if isinstance(reply, Refused):
            client.report(Znode(path, None).corrupt(reply.reason))
        elif reply is not None:
            assert isinstance(reply, Znode)
            nodes[path] = reply
    return nodes


def unchanged(node: Znode) -> Znode:
    """Reports damage once, which a decoder must not do."""
    return node


def decoded(client: Client, decode: Callable[[Znode], T], node: Znode | None) -> T | None:
    """The value of *node*, None for no node; a damaged one is reported and counts as missing."""
    if node is None:
        return None
    try:
        return decode(node)
    except CorruptZnodeError as error:
        client.report(error)
        return None
