"""A znode: the result of reading one path."""

from typing import NamedTuple

from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NEVER_READ, ZkVersion


class Znode(NamedTuple):
    """A znode as it was read; *data* is None for null data.

    Times are the server's, in ms since 1970; *ephemeral_owner* is the session, 0 for none; *czxid*
    and *mzxid* are the ensemble's transactions that created the node and wrote it last.  A tuple
    where other values are frozen dataclasses: a describe makes one for every partition, and a
    tuple takes a quarter of the time.
    """

    path: str
    data: bytes | None
    zk_version: ZkVersion = NEVER_READ
    czxid: int = 0
    ctime_ms: int = 0
    mtime_ms: int = 0
    ephemeral_owner: int = 0
    mzxid: int = 0

    def corrupt(self, reason: str) -> CorruptZnodeError:
        return CorruptZnodeError(self.path, self.zk_version, reason)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[-1]
