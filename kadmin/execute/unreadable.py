"""The refusal of a change that depends on something which cannot be understood."""

from collections.abc import Collection

from cluster.model.fault import Fault, Subject
from cluster.model.snapshot import ClusterSnapshot
from kadmin.errors import RefusedError


class Unreadable(RefusedError):
    """The state that a change depends on cannot be decoded, so nothing is changed."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(
            f"nothing is changed, since this cannot be understood: {fault}",
            hint=f"look at {fault.where} with zookeeper-shell"
            if fault.where.startswith("/")
            else None,
        )


def refuse_unreadable(snapshot: ClusterSnapshot, subjects: Collection[Subject]) -> None:
    """Refuse a change that depends on one of *subjects* that *snapshot* had to leave out.

    Raises:
        Unreadable: it is there, but damaged; to the snapshot it looks as if it were missing.
    """
    for fault in snapshot.faults:
        if fault.subject in subjects:
            raise Unreadable(fault)
