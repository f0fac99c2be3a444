"""The latest record of each key in the replicas of a log that was compacted: has each replica it?

The cleaner of each broker works on its own, so that replicas may rightly lack records of each
other, but never the latest one of a key, unless that is a tombstone.  Of each replica all keys are
read, in as many passes as their number needs: each holds the keys with some of the hashes.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from cluster.formats.record_batch import CorruptBatchError
from kadmin.segments.replica_log import ReplicaLog
from kadmin.segments.transactions import InTransaction
from kadmin.segments.values import Damage, DamageKind, Rows

KEYS_MAX: Final = 4 << 20
"""So many keys of all replicas together are held at once, at 17 bytes each, and thrice that while
they are sorted."""

PENDING_MIN: Final = 1 << 16
"""So many records at least are gathered before they are sorted in."""

LATEST: Final = np.dtype([("hash", "i8"), ("offset", "i8"), ("kind", "i1")])

VALUE: Final = 0
TOMBSTONE: Final = 1
OPEN: Final = 2
"""Of a transaction that is not decided: the cleaner does not come that far."""

HARMLESS: Final = frozenset(
    (
        DamageKind.INDEX_MISMATCH,
        DamageKind.TIME_INDEX_MISMATCH,
        DamageKind.TXN_INDEX_MISMATCH,
        DamageKind.CORRUPT_CHECKPOINT,
        DamageKind.TORN_TAIL,
    )
)
"""Damage by which no record is missing amid a log."""

Markers = Mapping[int, Sequence[tuple[int, bool]]]
"""Of each producer, the offsets of its markers, and whether they abort."""


class Missing(NamedTuple):
    """A replica that lacks what the one *having* has: the latest records of so many *keys*."""

    name: str
    having: str
    offset: int
    """That of the first one."""
    keys: int


def note_missing(
    replicas: Mapping[str, ReplicaLog],
    start: int,
    end: int,
    cleaned_offset: int,
    keys_max: int = KEYS_MAX,
) -> None:
    """Note as damage where a replica lacks the latest record of a key, from *start* on, below
    *end*; no cleaner came farther than *cleaned_offset*."""
    sound = {
        name: log
        for name, log in replicas.items()
        if HARMLESS.issuperset(one.kind for one in log.damage)
    }
    if len(sound) < 2:
        return
    cleaned_offset = min(cleaned_offset, max(log.log_end_offset for log in sound.values()))
    found: dict[tuple[str, str], Missing] = {}
    for tables in passes(sound, keys_max):
        for one, other in permutations(sound, 2):
            # What a log that ends before could have on is not known: a later tombstone, perhaps.
            if sound[one].log_end_offset < cleaned_offset:
                continue
            offsets = lacking(tables[one], tables[other], start, end)
            if len(offsets):
                before = found.get((other, one), Missing(other, one, end, 0))
                offset = min(before.offset, int(offsets.min()))
                found[other, one] = before._replace(offset=offset, keys=before.keys + len(offsets))
    for name in sound:
        of_it = [each for each in found.values() if each.name == name]
        if of_it:
            first = min(of_it, key=lambda each: each.offset)
            sound[name].damage.append(damage_of(sound[name], first))


def damage_of(log: ReplicaLog, missing: Missing) -> Damage:
    """Return the damage of *log*, in the segment where the record should be."""
    number = max(
        (n for n, each in enumerate(log.segments) if each.base_offset <= missing.offset), default=0
    )
    others = f", and those of {missing.keys - 1:,} other keys" if missing.keys > 1 else ""
    reason = f"the latest record of a key is missing, which replica {missing.having} has{others}"
    kind = DamageKind.LATEST_RECORD_MISSING
    return Damage(kind, log.segments[number].name, 0, missing.offset, reason)


def lacking(
    mine: npt.NDArray[np.void], theirs: npt.NDArray[np.void], start: int, end: int
) -> npt.NDArray[np.int64]:
    """Return the offsets of my latest records that the other replica lacks, and has to have.

    It may have a later record of the key instead.  It need not have a tombstone, unless it still
    has what that deletes.
    """
    at = np.minimum(np.searchsorted(theirs["hash"], mine["hash"]), max(len(theirs) - 1, 0))
    has_key = theirs["hash"][at] == mine["hash"] if len(theirs) else np.zeros(len(mine), np.bool_)
    latest = np.where(has_key, theirs["offset"][at] if len(theirs) else -1, -1)
    offsets = mine["offset"]
    is_wanted = mine["kind"] == VALUE
    is_wanted |= (mine["kind"] == TOMBSTONE) & (latest >= start)
    missing: npt.NDArray[np.int64] = offsets[
        is_wanted & (start <= offsets) & (offsets < end) & (latest < offsets)
    ]
    return missing


def passes(
    replicas: Mapping[str, ReplicaLog], keys_max: int
) -> Iterator[dict[str, npt.NDArray[np.void]]]:
    """Yield the latest records of each replica, by hash, some of the hashes at a time."""
    markers = markers_of(replicas)
    todo = [(1, 0)]
    while todo:
        modulus, rest = todo.pop()
        tables: dict[str, npt.NDArray[np.void]] = {}
        for name, log in replicas.items():
            tables[name] = np.empty(0, LATEST)
            pending: list[tuple[int, int, int]] = []
            for record in keyed(log, markers):
                if record[0] & (modulus - 1) != rest:
                    continue
                pending.append(record)
                if len(pending) < max(min(PENDING_MIN, keys_max), len(tables[name]) // 16):
                    continue
                tables[name], pending = with_latest(tables[name], pending), []
                while sum(map(len, tables.values())) > keys_max:
                    todo.append((2 * modulus, rest + modulus))
                    modulus *= 2
                    tables = {
                        each: table[table["hash"] & (modulus - 1) == rest]
                        for each, table in tables.items()
                    }
            tables[name] = with_latest(tables[name], pending)
        yield tables


def with_latest(
    table: npt.NDArray[np.void], pending: Sequence[tuple[int, int, int]]
) -> npt.NDArray[np.void]:
    """Return *table* with later records, in the order of hashes."""
    joined = np.concatenate([table, np.array(pending, LATEST)])
    joined = joined[np.argsort(joined["hash"], kind="stable")]
    is_latest = np.ones(len(joined), np.bool_)
    is_latest[:-1] = joined["hash"][:-1] != joined["hash"][1:]
    return joined[is_latest]


def keyed(log: ReplicaLog, markers: Markers) -> Iterator[tuple[int, int, int]]:
    """Yield hash of the key, offset and kind of each record that is not aborted, in order."""
    for row in log.rows:
        is_open = False
        if row["transaction"] != InTransaction.NOTHING:
            if row["transaction"] != InTransaction.RECORDS:
                continue
            own = markers.get(int(row["producer_id"]), ())
            at = bisect_right(own, (int(row["last_offset"]), True))
            is_open = at == len(own)
            if not is_open and own[at][1]:
                continue
        if row["record_count"] == 0:
            continue
        try:
            for record in log.records(row):
                if record.key is not None:
                    kind = TOMBSTONE if record.value is None else VALUE
                    yield hash(record.key), record.offset, OPEN if is_open else kind
        except CorruptBatchError as error:
            log.note_unreadable(row, error.reason)


def markers_of(replicas: Mapping[str, ReplicaLog]) -> Markers:
    """Return the markers that any of the replicas has: a cleaner may have taken some of them."""
    found: defaultdict[int, set[tuple[int, bool]]] = defaultdict(set)
    for log in replicas.values():
        for row in marker_rows(log.rows):
            is_abort = bool(row["transaction"] == InTransaction.ABORT)
            found[int(row["producer_id"])].add((int(row["base_offset"]), is_abort))
    return {producer_id: sorted(markers) for producer_id, markers in found.items()}


def marker_rows(rows: Rows) -> Rows:
    return rows[np.isin(rows["transaction"], (InTransaction.COMMIT, InTransaction.ABORT))]
