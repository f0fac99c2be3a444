"""What can go wrong among simulated old consumers, by name."""

from enum import Enum, auto


class Kind(Enum):
    SKIPPED = auto()
    """An offset is committed behind a record that no member has read."""
    READ_TWICE = auto()
    """A record is read again, though the member that read it has ended in order, or lives on."""
    NOT_OWNED = auto()
    """A member whose session is live reads a partition that is not its own."""
    STUCK = auto()
    """Faults are over, and not everything is read and committed."""
    FAILED = auto()
    """A member gave up."""
    CONFUSED = auto()
    """A member took the result of something else than it waited for."""


class Violation(Exception):
    """The story ends here."""

    def __init__(self, kind: Kind, text: str) -> None:
        super().__init__(f"{kind.name}: {text}")
        self.kind = kind
