"""How do znodes look in a document that had to be left out of it?"""

from collections.abc import Iterable

from cluster.model.errors import CorruptZnodeError


def fault_bodies(faults: Iterable[CorruptZnodeError]) -> list[dict[str, object]]:
    """The field `faults` of a document: what is missing in it, and why."""
    return [
        {"path": fault.path, "zk_version": fault.zk_version, "reason": fault.reason}
        for fault in faults
    ]
