"""The lease of throttles in ZooKeeper: where does it stand, and how is it kept?"""

from dataclasses import replace
from typing import Final

from cluster.model.ids import NEVER_READ
from cluster.zk.requests import Create, Delete, Operation, SetData
from cluster.zk.steps import Steps, read_each, read_node
from kadmin.admin.zookeeper.packing import MAGIC, BadPacking, packed, unpacked
from kadmin.admin.zookeeper.transaction import LEASE_PATH
from kadmin.errors import RefusedError
from kadmin.named_file import SIZE_MAX
from kadmin.plan.reassignment.journal import (
    BadJournal,
    ThrottleJournal,
    journal_text,
    parse_journal,
)

OWN_PATH: Final = "/kadmin"
JOURNAL_PATH: Final = LEASE_PATH
PLAIN_MAX_BYTES: Final = 500_000
"""A longer journal is packed: that of 30,000 partitions that move would not fit into a znode."""


class JournalUnreadable(RefusedError):
    """It is unknown which throttles are an operator's own."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"cannot tell which throttles reassignments have set: {JOURNAL_PATH}: {reason};"
            " no throttle was changed",
            hint=f"look at {JOURNAL_PATH} with zookeeper-shell; without it all throttles count as"
            " your own",
        )


def read_journal() -> Steps[ThrottleJournal]:
    """Read the journal; an empty one where there is none.

    Raises:
        JournalUnreadable: it is damaged.
    """
    node = yield from read_node(JOURNAL_PATH)
    if node is None:
        return ThrottleJournal()
    try:
        journal = parse_journal(plain(node.data or b"").decode())
    except (BadJournal, BadPacking, UnicodeDecodeError) as error:
        raise JournalUnreadable(str(error)) from error
    return replace(journal, zk_version=node.zk_version)


def journal_writes(journal: ThrottleJournal) -> Steps[list[Operation]]:
    """Return what has to be written so that *journal* is kept; nothing for an empty one that is
    not."""
    if not journal.entries:
        is_kept = journal.zk_version != NEVER_READ
        return [Delete(JOURNAL_PATH, journal.zk_version)] if is_kept else []
    text = journal_text(journal).encode()
    data = text if len(text) <= PLAIN_MAX_BYTES else packed(text)
    if journal.zk_version != NEVER_READ:
        return [SetData(JOURNAL_PATH, data, journal.zk_version)]
    (parent,) = yield from read_each((OWN_PATH,))
    above: list[Operation] = [] if parent is not None else [Create(OWN_PATH)]
    return [*above, Create(JOURNAL_PATH, data)]


def plain(data: bytes) -> bytes:
    return unpacked(data, SIZE_MAX) if data.startswith(MAGIC) else data
