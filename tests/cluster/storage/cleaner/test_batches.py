"""What is left of batches whose times and offsets are unusual, or cannot be."""

import pytest

from cluster.formats.record_batch import CorruptBatchError, parse_header, whole_batches
from cluster.formats.records import records_of
from cluster.storage.cleaner.batches import LegacyMessage
from cluster.storage.cleaner.compaction import Compaction, CompactionRules
from tests.cluster.formats.messages import message
from tests.cluster.storage.batches import (
    BASE_TIMESTAMP_AT,
    CODECS,
    LAST_OFFSET_DELTA_AT,
    MAX_TIMESTAMP_AT,
    START_MS,
    gzipped,
    sealed,
)
from tests.cluster.storage.cleaner.keyed import Keyed, keyed_batch

LAST_MS = 2**63 - 1
FIRST_MS = -(2**63)


def compacted(content: bytes, wall_ms: int) -> bytes:
    rules = CompactionRules(0, 24 * 100, 10_000, 0.9, wall_ms, 1000, (), ())
    compaction = Compaction(rules)
    compaction.index(content)
    compaction.begin_cleaning()
    return compaction.clean(content, keeps_legacy_tombstones=True).content


@pytest.mark.parametrize("base_ms", [LAST_MS, 2**62, 0, FIRST_MS])
@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_times_at_the_ends_of_64_bits_stay_as_they_are(base_ms: int, codec: str) -> None:
    """A tombstone is counted from its horizon then, which is further away than 64 bits count."""
    records = [Keyed(b"a", b"old"), Keyed(b"a", b"new"), Keyed(b"b", None, START_MS + 5)]
    batch = keyed_batch(records, 0, codec=codec)
    batch[BASE_TIMESTAMP_AT : BASE_TIMESTAMP_AT + 8] = base_ms.to_bytes(8, signed=True)
    batch[MAX_TIMESTAMP_AT : MAX_TIMESTAMP_AT + 8] = base_ms.to_bytes(8, signed=True)
    before = bytes(sealed(batch))

    first = compacted(before, START_MS)
    second = compacted(first, START_MS + 500)

    assert first == second
    expected = list(records_of(before, parse_header(before)))[1:]
    ((_, header),) = whole_batches(first)
    assert header.has_delete_horizon
    assert expected == list(records_of(first, header))
    assert max(record.timestamp for record in expected) == header.max_timestamp


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("offsets", [(0, 2, 1), (1, 1, 2), (2**40, 2), (-5, 2), (0, 1, 2**63 - 1)])
def test_a_wrapper_whose_offsets_cannot_be_is_corrupt(magic: int, offsets: tuple[int, ...]) -> None:
    """By them a record would be dropped for one that comes before it."""
    inner = b"".join(message(b"v", offset=one, key=b"k", magic=magic) for one in offsets)
    batch = message(gzipped(inner), offset=2, magic=magic, attributes=CODECS["gzip"][0])

    with pytest.raises(CorruptBatchError, match="offsets up to 2 are not in order"):
        LegacyMessage(batch, parse_header(batch))


@pytest.mark.parametrize("last_offset_delta", [0, 2])
def test_a_record_stays_whose_offset_its_batch_does_not_have(last_offset_delta: int) -> None:
    """It is looked for by its key: no other one would be left of it."""
    stray = keyed_batch([Keyed(b"a", b"v"), Keyed(b"b", b"v"), Keyed(b"c", b"v")], 5)
    stray[LAST_OFFSET_DELTA_AT : LAST_OFFSET_DELTA_AT + 4] = last_offset_delta.to_bytes(4)
    after = bytes(keyed_batch([Keyed(b"a", b"new")], 8))

    left = compacted(bytes(sealed(stray)) + after, START_MS)

    found = [
        (record.key, record.value)
        for position, header in whole_batches(left)
        for record in records_of(left[position : position + header.size], header)
    ]
    assert found == [(b"b", b"v"), (b"c", b"v"), (b"a", b"new")]
