"""The offset map beside a dictionary."""

import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.storage.cleaner.offset_map import ENTRY_SIZE, NOT_FOUND, OffsetMap
from tests.support.examples import example_count

# Of lengths around that up to which keys are kept whole, and keys that are others but for zeros.
KEYS = st.binary(max_size=20) | st.integers(0, 17).map(bytes)


@settings(max_examples=example_count(100), deadline=None)
@given(st.lists(st.tuples(KEYS, st.integers(0, 2**62)), max_size=40), st.lists(KEYS))
def test_each_key_has_its_last_offset(puts: list[tuple[bytes, int]], others: list[bytes]) -> None:
    known = OffsetMap(len({key for key, _ in puts}) + 1)
    expected: dict[bytes, int] = {}

    for key, offset in puts:
        known.put(key, offset)
        expected[key] = offset

    assert len(expected) == known.size
    for key in (*expected, *others):
        assert expected.get(key, NOT_FOUND) == known.get(key)


def test_a_key_is_never_taken_for_the_digest_of_another() -> None:
    long = bytes(range(100))
    known = OffsetMap(100)
    known.put(long, 7)
    entry = bytes(known._entries).strip(b"\0")
    assert len(entry) == ENTRY_SIZE

    assert NOT_FOUND == known.get(entry)
    assert NOT_FOUND == known.get(entry[:-1])


def test_a_map_takes_no_memory_before_it_fills() -> None:
    """It is made in the loop of the broker, which would stand still meanwhile."""
    tracemalloc.start()
    try:
        offset_map = OffsetMap(2**20)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 2**16
    offset_map.put(b"key", 7)
    assert (7, NOT_FOUND) == (offset_map.get(b"key"), offset_map.get(b"other"))
    offset_map.close()
