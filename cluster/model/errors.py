"""What can go wrong in the domain, whoever asks?"""

from cluster.model.ids import ZkVersion


class ClusterError(Exception):
    """Root of the domain's errors."""


class CorruptZnodeError(ClusterError):
    """A znode whose data is not what its path promises."""

    def __init__(self, path: str, zk_version: ZkVersion, reason: str) -> None:
        super().__init__(f"{path} (zkVersion {zk_version}): {reason}")
        self.path = path
        self.zk_version = zk_version
        self.reason = reason
