"""Hints from watches: which hint follows from a watch that fired."""

from typing import Final

from cluster.controller.events import (
    BrokersChanged,
    ControllerChanged,
    DeletionRequested,
    Hint,
    IsrChangesNotified,
    LogDirsFailed,
    PreferredElectionRequested,
    ReassignmentRequested,
    TopicsChanged,
    TopicsWritten,
)
from cluster.zk import paths

HINTS: Final[dict[str, Hint]] = {
    paths.CONTROLLER: ControllerChanged(),
    paths.BROKER_IDS: BrokersChanged(),
    paths.TOPICS: TopicsChanged(),
    paths.DELETE_TOPICS: DeletionRequested(),
    paths.REASSIGN_PARTITIONS: ReassignmentRequested(),
    paths.ISR_CHANGES: IsrChangesNotified(),
    paths.LOG_DIR_EVENTS: LogDirsFailed(),
    paths.PREFERRED_ELECTION: PreferredElectionRequested(),
}


def hint_of(path: str) -> Hint | None:
    """The hint for a watch that fired on *path*; None for a path that no request watches."""
    hint = HINTS.get(path)
    if hint is not None:
        return hint
    parent, _, name = path.rpartition("/")
    if parent == paths.BROKER_IDS:
        return BrokersChanged()
    return TopicsWritten((name,)) if parent == paths.TOPICS else None
