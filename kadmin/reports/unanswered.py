"""Things that an operator has named, and that could not be read: that is no success."""

from collections.abc import Collection, Sequence

from cluster.model.fault import Fault, Subject
from kadmin.errors import KadminError
from kadmin.wording import counted


class Unanswered(KadminError):
    """Something that was named is left out of the result, by *faults*."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        what = str(faults[0]) if len(faults) == 1 else f"{counted(len(faults), 'thing')} of them"
        super().__init__(f"what was named is left out of the result: {what}")
        self.faults = tuple(faults)


def require_answers(named: Collection[Subject], faults: Collection[Fault]) -> None:
    """Raise Unanswered if *faults* are about any of *named*."""
    found = [fault for fault in dict.fromkeys(faults) if fault.subject in named]
    if found:
        raise Unanswered(found)
