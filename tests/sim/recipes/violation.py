"""What can go wrong in a simulated election, by name."""

from enum import Enum, auto


class Kind(Enum):
    TWO_LEADERS = auto()
    """Two contenders lead at one time."""
    OLD_WRITE = auto()
    """A write of an earlier leadership was carried out behind one of a later."""
    EPOCH_FELL = auto()
    """A leadership has an epoch that is not higher than that of the one before."""
    ORPHAN = auto()
    """A znode is left that belongs to no contender, in a session that lives on."""
    NO_LEADER = auto()
    """Nothing breaks any more, and no contender leads."""
    ASSERTION = auto()
    ERROR = auto()


class Violation(Exception):
    """The story ends here."""

    def __init__(self, kind: Kind, text: str) -> None:
        super().__init__(f"{kind.name}: {text}")
        self.kind = kind
