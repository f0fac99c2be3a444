"""What can go wrong in a simulated group, by name."""

from enum import Enum, auto


class Kind(Enum):
    TWO_LEADERS = auto()
    """Two members of a generation were told that they lead."""
    TWO_ASSIGNMENTS = auto()
    """A member was given different assignments in one generation."""
    TWO_OWNERS = auto()
    """Two members have a partition in one generation."""
    OLD_GENERATION = auto()
    """A commit of an older generation was taken."""
    UNKNOWN_MEMBER = auto()
    """A commit of who is no member was taken."""
    LOST_COMMIT = auto()
    """A commit that was answered is not read back."""
    STUCK = auto()
    """Somebody still waits."""
    NOT_STABLE = auto()
    """All members of a group are alive, and it is not stable."""
    ASSERTION = auto()
    ERROR = auto()


class Violation(Exception):
    """The story ends here."""

    def __init__(self, kind: Kind, text: str) -> None:
        super().__init__(f"{kind.name}: {text}")
        self.kind = kind
