"""Requests to ZooKeeper and their replies.

Values only, without a client.  Requests that are sent together may be pipelined, and reach the
server in their order.
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
    """The reply is whether the node exists; a watch is armed in either case."""

    path: str
    is_watched: bool = False


@dataclass(frozen=True, slots=True)
class GetData:
    """The reply is a `Znode`, or None without a watch when the node does not exist."""

    path: str
    is_watched: bool = False


@dataclass(frozen=True, slots=True)
class GetMany(Generic[Item]):
    """The data of many nodes; the reply is `Many`, and no watch is armed.

    *decode* turns each node into the wanted value.  The client calls it, possibly while more
    replies are arriving, and possibly again: it must depend on its argument alone.
    """

    paths: Sequence[str]
    decode: Callable[[Znode], Item]


@dataclass(frozen=True, slots=True)
class Many:
    """For each path, in their order, the decoded value; None where there is no node, `Refused`
    where it may not be read.
    """

    items: Sequence[Any]


@dataclass(frozen=True, slots=True)
class GetChildren:
    """The reply is `Children`, or None without a watch when the node does not exist."""

    path: str
    is_watched: bool = False


@dataclass(frozen=True, slots=True)
class Children:
    names: tuple[str, ...]


class AclEntry(NamedTuple):
    """Who may do what: *permissions* are ZooKeeper's bits, *identity* is in the form of
    *scheme*.
    """

    permissions: int
    scheme: str
    identity: str


Acl: TypeAlias = tuple[AclEntry, ...]

EVERYTHING: Final = 31
"""All permissions: to read, write, create, delete and administer."""

OPEN_ACL: Final = (AclEntry(EVERYTHING, "world", "anyone"),)


@dataclass(frozen=True, slots=True)
class GetAcl:
    """The reply is `AclRead`, or None when the node does not exist."""

    path: str


@dataclass(frozen=True, slots=True)
class AclRead:
    acl: Acl


@dataclass(frozen=True, slots=True)
class Sync:
    """The reply is True, once the server has all earlier writes.

    A server of an ensemble may lag behind the one that accepted a write.
    """


@dataclass(frozen=True, slots=True)
class Check:
    """Writes nothing; the node must exist in this version."""

    path: str
    expected_zk_version: ZkVersion

    def __post_init__(self) -> None:
        assert self.expected_zk_version != NEVER_READ


@dataclass(frozen=True, slots=True)
class Create:
    """The parent must exist, or be created before; *data* None is null data.

    ZooKeeper appends a number to the name of a *sequential* node.
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
    """All of it or nothing; the reply is `MultiDone` or `MultiFailed`."""

    operations: tuple[Operation, ...]


class ZkError(Enum):
    NO_NODE = auto()
    NODE_EXISTS = auto()
    BAD_VERSION = auto()
    NOT_EMPTY = auto()


@dataclass(frozen=True, slots=True)
class MultiDone:
    """*zk_versions* are those after each operation; NEVER_READ where it has none."""

    zk_versions: tuple[ZkVersion, ...]


@dataclass(frozen=True, slots=True)
class MultiFailed:
    """*index* is that of the first operation that failed."""

    index: int
    error: ZkError


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection broke before the reply, but not the session; a write may have succeeded."""


@dataclass(frozen=True, slots=True)
class Refused:
    """ZooKeeper refuses it, whatever the node's state: no permission, for example."""

    reason: str


SingleRequest: TypeAlias = Exists | GetData | GetChildren | GetAcl | Sync | Multi
"""The requests that a server of any release supports one by one."""

ZkRequest: TypeAlias = SingleRequest | GetMany[Any]
ZkReply: TypeAlias = (
    bool | Znode | Children | Many | AclRead | MultiDone | MultiFailed | Lost | Refused | None
)
