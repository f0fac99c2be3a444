"""An election as others see it: its leader, and the contenders behind it."""

from dataclasses import dataclass

from cluster.recipes.fair import LEADER, queue_of
from cluster.zk.requests import GetChildren, GetData
from cluster.zk.steps import Steps, names_in, node_in, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """A contender's znode; *identity* is what it calls itself, "" for one that does not.

    Once it leads, *epoch* is that of its leadership.
    """

    node: str
    identity: str
    session_id: int
    epoch: int
    since_ms: int
    is_leader: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectionView:
    """*participants* are in the order in which they lead; the waiting ones of an unfair election
    have no znode.
    """

    path: str
    is_fair: bool
    participants: tuple[Participant, ...]

    @property
    def leader(self) -> Participant | None:
        return next((each for each in self.participants if each.is_leader), None)


def read_election(path: str) -> Steps[ElectionView | None]:
    """Read the election at *path*; None where there is no znode.

    Raises:
        Denied: a znode may not be read.
    """
    (reply,) = yield from read((GetChildren(path),))
    if reply is None:
        return None
    names = names_in(path, reply)
    is_fair = LEADER not in names
    nodes = [f"{path}/{name}" for name in (queue_of(names) if is_fair else (LEADER,))]
    replies = yield from read(map(GetData, nodes))
    # A contender may have gone since: the next one leads then.
    found = [
        node
        for each, reply in zip(nodes, replies, strict=True)
        if (node := node_in(each, reply)) is not None
    ]
    return ElectionView(
        path=path,
        is_fair=is_fair,
        participants=tuple(
            Participant(
                node=node.path,
                identity=identity_in(node.data or b"", is_fair=is_fair),
                session_id=node.ephemeral_owner,
                epoch=node.czxid,
                since_ms=node.ctime_ms,
                is_leader=place == 0,
            )
            for place, node in enumerate(found)
        ),
    )


def identity_in(data: bytes, *, is_fair: bool) -> str:
    text = data.decode(errors="replace")
    return text if is_fair else text.partition(" ")[2]
