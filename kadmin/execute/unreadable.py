"""The refusal of a change that depends on something which cannot be understood."""

from collections.abc import Collection

from cluster.model.fault import Fault, Subject
from cluster.model.snapshot import ClusterSnapshot
from kadmin.errors import RefusedError


class Unreadable(RefusedError):
    """The state that a change, or an answer, depends on cannot be decoded."""

    def __init__(self, fault: Fault, *, is_read: bool = False) -> None:
        outcome = "there is no answer" if is_read else "nothing is changed"
        super().__init__(
            f"{outcome}, since this cannot be understood: {fault}",
            hint=f"look at {fault.where} with zookeeper-shell"
            if fault.where.startswith("/")
            else None,
        )


def refuse_unreadable(
    snapshot: ClusterSnapshot, subjects: Collection[Subject], *, is_read: bool = False
) -> None:
    """Refuse a change, or an answer where it *is_read*, that depends on one of *subjects* that
    *snapshot* had to leave out.

    Raises:
        Unreadable: it is there, but damaged; to the snapshot it looks as if it were missing.
    """
    for fault in snapshot.faults:
        if fault.subject in subjects:
            raise Unreadable(fault, is_read=is_read)
