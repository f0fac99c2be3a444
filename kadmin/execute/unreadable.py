"""The refusal of a change that depends on a znode which cannot be understood."""

from collections.abc import Collection

from cluster.model.errors import CorruptZnodeError
from cluster.model.snapshot import ClusterSnapshot
from kadmin.errors import RefusedError


class Unreadable(RefusedError):
    """A znode to be changed cannot be understood, so nothing could be kept of it; or one that says
    whether there may be a change."""

    def __init__(self, fault: CorruptZnodeError) -> None:
        super().__init__(
            f"nothing is changed, since this cannot be understood: {fault}",
            hint=f"look at {fault.path} with zookeeper-shell",
        )


def refuse_unreadable(snapshot: ClusterSnapshot, paths: Collection[str]) -> None:
    """Refuse a change that depends on one of the znodes *paths* that *snapshot* had to leave out.

    Raises:
        Unreadable: it is there, but damaged; to the snapshot it looks as if it were missing.
    """
    for fault in snapshot.faults:
        if fault.path in paths:
            raise Unreadable(fault) from fault
