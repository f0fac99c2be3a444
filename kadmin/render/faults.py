"""Faults: how do znodes look in a document that had to be left out of it?"""

from collections.abc import Iterable

from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NEVER_READ


def fault_bodies(faults: Iterable[CorruptZnodeError]) -> list[dict[str, object]]:
    """The field `faults` of a document: what is missing in it, and why.

    The version is null of a znode that may not be read.
    """
    return [
        {
            "path": fault.path,
            "zk_version": None if fault.zk_version == NEVER_READ else fault.zk_version,
            "reason": fault.reason,
        }
        for fault in faults
    ]
