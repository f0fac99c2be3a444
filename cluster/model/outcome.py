"""The outcome of a guarded write, which names the versions that it was planned from.

The controller, brokers and tools share it, whatever they write to.  Expected conflicts are values.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from cluster.model.ids import NEVER_READ, ZkVersion


@dataclass(frozen=True, slots=True)
class Committed:
    """The whole change was made.

    *zk_version* is that of the last written node, where the reply contains it.
    """

    zk_version: ZkVersion = field(default=NEVER_READ, compare=False)


@dataclass(frozen=True, slots=True)
class FenceMoved:
    """Nothing was changed: the controller has changed since the fence was read."""


class ConflictKind(Enum):
    """The cause of a conflict; the value completes a sentence that begins with the subject."""

    VERSION = "was changed in between"
    EXISTS = "is there already"
    MISSING = "is not there, or its parent is not"
    CHILDREN = "has children"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Nothing was changed: *subject* has changed since the plan.

    In ZooKeeper it is a path, from brokers it is in their words.
    """

    subject: str
    kind: ConflictKind

    def __str__(self) -> str:
        return f"{self.subject} {self.kind.value}"


Outcome: TypeAlias = Committed | FenceMoved | Conflict
