"""One attempt to lead: its requests to ZooKeeper, which differ by the kind of election."""

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from cluster.zk.requests import (
    Check,
    Create,
    Lost,
    Multi,
    MultiFailed,
    Sync,
    ZkError,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import Refusal, Steps, multi_in, read, write_each


class MixedElection(Exception):
    """The election at *path* has fair contenders and unfair ones: both would have a leader."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass(frozen=True, slots=True)
class Absent:
    """This attempt has no znode, and may create one."""


@dataclass(frozen=True, slots=True)
class Behind:
    """Another contender is before this one; its znode is watched."""

    path: str


@dataclass(frozen=True, slots=True)
class First:
    """This attempt's znode is the leader's."""


Place: TypeAlias = Absent | Behind | First


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """The leader's znode, its epoch, and the checks that pass as long as it leads."""

    node: str
    epoch: int
    fence: tuple[Check, ...]


class Attempt(Protocol):
    """A contender in one session, until it has led or given up; never used again after that.

    Whatever it writes can be found by a unique id, so that no lost reply leaves a znode behind.
    """

    def look(self) -> Steps[Place]:
        """Find this attempt's place, and watch the znode that it waits for."""
        ...

    def enter(self) -> Steps[None]:
        """Try to create this attempt's znode; the next look shows whether it is there."""
        ...

    def confirm(self) -> Steps[Grant | None]:
        """Ask the ensemble's leader whether this attempt leads; None if it does not.

        The requests go out together, so that the answer is younger than when they were sent.
        """
        ...

    def withdraw(self) -> Steps[None]:
        """Remove what this attempt has created, and nothing else."""
        ...


def ask_together(requests: tuple[ZkRequest, ...]) -> Steps[tuple[ZkReply, ...]]:
    """The replies to *requests*, all of one sending."""
    while True:
        replies = yield requests
        if not any(isinstance(reply, Lost) for reply in replies):
            return replies


def create_parents(path: str) -> Steps[None]:
    """Create the persistent znode at *path*, and those above it, where they are missing.

    Raises:
        Refusal: ZooKeeper refuses it, or there is no chroot.
    """
    names = path.strip("/").split("/")
    for count in range(1, len(names) + 1):
        above = "/" + "/".join(names[:count])
        (result,) = yield from write_each((Multi((Create(above),)),))
        if isinstance(result, MultiFailed) and result.error is not ZkError.NODE_EXISTS:
            raise Refusal(f"{above}: {result.error.name}")


def create_below(path: str, request: Multi) -> Steps[None]:
    """Send *request*, which creates a znode below *path*; create that first if it is missing.

    It is not repeated, whatever becomes of it.
    """

    (reply,) = yield (request,)
    if isinstance(reply, Lost):
        # Another server, which may lag behind, answers the next read.
        yield from read((Sync(),))
        return
    result = multi_in(reply)
    if isinstance(result, MultiFailed) and result.error is ZkError.NO_NODE:
        yield from create_parents(path)
