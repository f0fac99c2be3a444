"""What can go wrong in a simulated world, by name."""

from enum import Enum, auto


class Kind(Enum):
    """What was violated; a test that takes a fence out names the one that it expects."""

    # What must never happen.
    CONTROLLER_EPOCH = auto()
    """The controller epoch was removed, jumped, or began twice."""
    ZOMBIE_CONTROLLER = auto()
    """Somebody who is not the newest controller wrote what only that may write."""
    STATE = auto()
    """A partition's state contradicts itself or its replicas."""
    LOST_UPDATE = auto()
    """A state was overwritten by somebody who did not know it."""
    UNCLEAN_ELECTION = auto()
    """A replica was elected that may lack records, and nobody had allowed that."""
    UNKNOWN_ORDER = auto()
    """A broker obeyed what does not stand in ZooKeeper."""
    STALE_ORDER = auto()
    """A broker went back to what it had been told before."""
    SECOND_LIFE = auto()
    """A broker that had been away leads on in the leader epoch of before."""
    DELETION = auto()
    """A topic or a log went that nobody wanted to go, or a topic that still has logs."""
    REASSIGNMENT = auto()
    """A partition lost replicas before others took their place, or forgot one that has its log."""
    SHUTDOWN = auto()
    """A broker was allowed to stop while it led what others could lead."""
    LOST_RECORD = auto()
    """What a client has read, what was acknowledged by all in sync, or what was flushed, is gone or
    is something else."""
    HIGH_WATERMARK = auto()
    """A high watermark fell while its leader lived."""

    # What must come right in the end.
    STUCK = auto()
    """Somebody still waits."""
    NO_CONTROLLER = auto()
    LEFTOVER = auto()
    """A notification, a request or a log is left that nobody takes up."""
    NOT_LED = auto()
    METADATA = auto()
    """A broker tells clients something else than what stands in ZooKeeper."""
    ROLE = auto()
    """A broker leads, follows or has something else than what stands in ZooKeeper."""
    REPLICAS = auto()
    """The replicas of a partition differ, or a part of them is not committed."""
    CONFIGS = auto()
    """A log is kept by other configs than those of its topic."""

    # What the code itself notices.
    ASSERTION = auto()
    ERROR = auto()
    """An exception that nobody expects."""


class Violation(Exception):
    """The story ends here."""

    def __init__(self, kind: Kind, text: str) -> None:
        super().__init__(f"{kind.name}: {text}")
        self.kind = kind


def violation_behind(error: BaseException | None) -> Violation | None:
    """The violation that *error* is, or that was being dealt with when it came up."""
    while error is not None and not isinstance(error, Violation):
        error = error.__context__
    return error
