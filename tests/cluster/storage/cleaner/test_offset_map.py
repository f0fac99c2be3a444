"""The offset map beside a dictionary."""

import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.storage.cleaner.offset_map import ENTRY_SIZE, NOT_FOUND, OffsetMap, Table
from tests.support.examples import example_count

# Of lengths around that up to which keys are kept whole, and keys that are others but for zeros.
KEYS = st.binary(max_size=20) | st.integers(0, 17).map(bytes)


@settings(max_examples=example_count(100), deadline=None)
@given(
    st.lists(st.tuples(KEYS, st.integers(1, 2**62)), max_size=40),
    st.lists(KEYS),
    st.sampled_from([0, 1000, 10_000]),
)
def test_each_key_has_its_last_offset(
    puts: list[tuple[bytes, int]], others: list[bytes], latest_size_max: int
) -> None:
    known = OffsetMap(len({key for key, _ in puts}) + 1, latest_size_max)
    expected: dict[bytes, int] = {}

    for key, offset in puts:
        known.put([key, key], [offset - 1, offset])
        expected[key] = offset

    keys = [*expected, *others]
    found = [expected.get(key, NOT_FOUND) for key in keys]
    assert found == known.get(keys)
    assert len(expected) <= known.size_max
    assert len(expected) == known.size
    assert found == known.get(keys)


def test_a_key_is_never_taken_for_the_digest_of_another() -> None:
    long = bytes(range(100))
    known = Table(100)
    known.put({long: 7})
    entry = bytes(known._entries).strip(b"\0")
    assert len(entry) == ENTRY_SIZE

    assert NOT_FOUND == known.get(entry)
    assert NOT_FOUND == known.get(entry[:-1])


def test_a_map_takes_no_more_memory_than_it_may() -> None:
    """It is made in the loop of the broker, which would stand still meanwhile if it filled it."""
    size_max = 2**20
    tracemalloc.start()
    try:
        offset_map = OffsetMap(2**20, size_max)
        _, peak_of_none = tracemalloc.get_traced_memory()
        for first in range(0, 30_000, 100):
            offsets = range(first, first + 100)
            offset_map.put([b"key-%08d" % number for number in offsets], offsets)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak_of_none < 2**16
    assert peak < size_max
    assert [2999, 29_999, NOT_FOUND] == offset_map.get([b"key-00002999", b"key-00029999", b"other"])
    offset_map.close()
