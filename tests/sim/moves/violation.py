"""What can go wrong in a supervised run, by name."""

from enum import Enum, auto


class Kind(Enum):
    ELSEWHERE = auto()
    """A partition ends neither as planned nor as before."""
    THROTTLE_LEFT = auto()
    """A throttle of the run stays."""
    THROTTLE_LOST = auto()
    """An operator's own throttle is gone."""
    TWO_WRITERS = auto()
    """A supervisor writes that has been replaced."""
    OVERWRITTEN = auto()
    """A partition is moved that another client has moved since the plan."""
    NOT_IN_SYNC = auto()
    """A move is given up, and none of the replicas that stay is in sync."""
    WRONG_STATE = auto()
    """The journal has an end that the cluster does not show."""
    STUCK = auto()
    """Nothing fails any more, and the run does not end."""
    ERROR = auto()


class Violation(Exception):
    """The story ends here."""

    def __init__(self, kind: Kind, text: str) -> None:
        super().__init__(f"{kind.name}: {text}")
        self.kind = kind
