"""Faults: how does in a document look what had to be left out of it?"""

from collections.abc import Iterable

from cluster.model.fault import Fault


def fault_bodies(faults: Iterable[Fault]) -> list[dict[str, object]]:
    """Return the field `faults` of a document: what is missing in it, and why.

    The version is null of what may not be read.
    """
    return [
        {"path": fault.where, "zk_version": fault.version, "reason": fault.reason}
        for fault in faults
    ]
