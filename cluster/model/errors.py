"""Errors of the domain."""

from cluster.model.ids import NEVER_READ, ZkVersion


class ClusterError(Exception):
    """Root of the domain's errors."""


class CorruptZnodeError(ClusterError):
    """A znode whose data does not fit its path, or that may not be read (then NEVER_READ)."""

    def __init__(self, path: str, zk_version: ZkVersion, reason: str) -> None:
        version = "" if zk_version == NEVER_READ else f" (zkVersion {zk_version})"
        super().__init__(f"{path}{version}: {reason}")
        self.path = path
        self.zk_version = zk_version
        self.reason = reason


def may_not_be_read(path: str) -> CorruptZnodeError:
    """The error for a znode that an ACL hides: it is neither absent nor sound."""
    return CorruptZnodeError(path, NEVER_READ, "may not be read by this user")
