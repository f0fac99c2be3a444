"""Requests of ZooKeeper and their replies.

Which requests of ZooKeeper are used, and what comes back?

Values only, without a client.  Requests that are handed over together may be pipelined, and reach
the server in their order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from cluster.model.ids import MATCH_ANY, NEVER_READ, ZkVersion
from cluster.zk.znode import Znode

Item = TypeVar("Item", covariant=True)


@dataclass(frozen=True, slots=True)
class Exists:
    """Answered by whether the node is there; a watch is armed in either case."""

    path: str
    is_watched: bool = False


@dataclass(frozen=True, slots=True)
class GetData:
    """Answered by a `Znode`, or None when the node is not there, and then no watch is armed."""

    path: str
    is_watched: bool = False


@dataclass(frozen=True, slots=True)
class GetMany(Generic[Item]):
    """The data of many nodes; answered by `Many`, and no watch is armed.

    *decode* makes of each node what is wanted of it.  Whoever carries the request out calls it,
    maybe while more is on its way, and maybe again: it depends on its argument alone.
    """

    paths: Sequence[str]
    decode: Callable[[Znode], Item]


@dataclass(frozen=True, slots=True)
class Many:
    """For each path, in their order, what was decoded; None where there is no node, `Refused`
    where it may not be read."""

    items: Sequence[Any]


@dataclass(frozen=True, slots=True)
class GetChildren:
    """Answered by `Children`, or None when the node is not there, and then no watch is armed."""

    path: str
    is_watched: bool = False


@dataclass(frozen=True, slots=True)
class Children:
    names: tuple[str, ...]


class AclEntry(NamedTuple):
    """Who may do what: *permissions* are ZooKeeper's bits, *identity* is as *scheme* writes it."""

    permissions: int
    scheme: str
    identity: str


Acl: TypeAlias = tuple[AclEntry, ...]

EVERYTHING: Final = 31
"""All permissions: to read, write, create, delete and administer."""

OPEN_ACL: Final = (AclEntry(EVERYTHING, "world", "anyone"),)


@dataclass(frozen=True, slots=True)
class GetAcl:
    """Answered by `AclRead`, or None when the node is not there."""

    path: str


@dataclass(frozen=True, slots=True)
class AclRead:
    acl: Acl


@dataclass(frozen=True, slots=True)
class Sync:
    """Answered by True, once the server has seen all that was written before.

    A server of an ensemble may lag behind the one that took a write.
    """


@dataclass(frozen=True, slots=True)
class Check:
    """Writes nothing; the node has to be there in this version."""

    path: str
    expected_zk_version: ZkVersion

    def __post_init__(self) -> None:
        assert self.expected_zk_version != NEVER_READ


@dataclass(frozen=True, slots=True)
class Create:
    """The parent has to be there, or to be created before; *data* None is null data.

    A *sequential* node gets a number from ZooKeeper behind its name.
    """

    path: str
    data: bytes | None = None
    is_ephemeral: bool = False
    is_sequential: bool = False
    acl: Acl = OPEN_ACL


@dataclass(frozen=True, slots=True)
class SetData:
    path: str
    data: bytes
    expected_zk_version: ZkVersion

    def __post_init__(self) -> None:
        assert self.expected_zk_version != NEVER_READ


@dataclass(frozen=True, slots=True)
class Delete:
    path: str
    expected_zk_version: ZkVersion = MATCH_ANY

    def __post_init__(self) -> None:
        assert self.expected_zk_version != NEVER_READ


Operation: TypeAlias = Check | Create | SetData | Delete


@dataclass(frozen=True, slots=True)
class Multi:
    """All of it or nothing; answered by `MultiDone` or `MultiFailed`."""

    operations: tuple[Operation, ...]


class ZkError(Enum):
    NO_NODE = auto()
    NODE_EXISTS = auto()
    BAD_VERSION = auto()
    NOT_EMPTY = auto()


@dataclass(frozen=True, slots=True)
class MultiDone:
    """*zk_versions* are those after each operation; NEVER_READ where there is none."""

    zk_versions: tuple[ZkVersion, ...]


@dataclass(frozen=True, slots=True)
class MultiFailed:
    """*index* is that of the first operation that could not be done."""

    index: int
    error: ZkError


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection broke before the reply, but not the session; a write may have landed."""


@dataclass(frozen=True, slots=True)
class Refused:
    """ZooKeeper will not do it, whatever the node's state: no permission, for example."""

    reason: str


SingleRequest: TypeAlias = Exists | GetData | GetChildren | GetAcl | Sync | Multi
"""What one request to a server is made of, whatever its release."""

ZkRequest: TypeAlias = SingleRequest | GetMany[Any]
ZkReply: TypeAlias = (
    bool | Znode | Children | Many | AclRead | MultiDone | MultiFailed | Lost | Refused | None
)
