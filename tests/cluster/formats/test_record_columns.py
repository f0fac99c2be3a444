"""Records as columns, beside the records that `cluster.formats.records` reads."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.formats.record_batch import HEADER_SIZE, CorruptBatchError, parse_header
from cluster.formats.record_columns import record_columns
from cluster.formats.records import records_of
from tests.cluster.storage.batches import START_MS
from tests.cluster.storage.cleaner.keyed import Keyed, keyed_batch
from tests.support.examples import example_count

PARTS = st.none() | st.binary(max_size=3) | st.sampled_from([bytes(63), bytes(64), bytes(9000)])
RECORDS = st.lists(
    st.builds(
        Keyed,
        PARTS,
        PARTS,
        st.integers(-(2**40), 2**40).map(lambda delta: START_MS + delta)
        | st.integers(-9000, 9000).map(lambda delta: START_MS + delta),
    ),
    min_size=1,
    max_size=200,
)


@settings(max_examples=example_count(60), deadline=None)
@given(RECORDS, st.booleans())
def test_columns_are_those_of_the_records(records: list[Keyed], has_headers: bool) -> None:
    headers = [(b"name", b"value")] if has_headers else []
    batch = bytes(keyed_batch(records, 0, headers=headers))
    header = parse_header(batch)
    body = batch[HEADER_SIZE:]

    columns = record_columns(body, len(records))

    assert len(body) == columns.ends[-1]
    assert [one.key or b"" for one in records] == columns.keys
    assert [at for at, one in enumerate(records) if one.key is None] == columns.keyless
    assert [at for at, one in enumerate(records) if one.value is None] == columns.tombstones
    assert [one.offset for one in records_of(batch, header)] == columns.offset_deltas


@settings(max_examples=example_count(60), deadline=None)
@given(st.data())
def test_damage_is_found_or_harmless(data: st.DataObject) -> None:
    """Any other error than this one would end the cleaner."""
    batch = keyed_batch([Keyed(b"k", b"v", START_MS + number) for number in range(70)], 0)
    body = bytearray(batch[HEADER_SIZE:])
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(body)))

    try:
        columns = record_columns(bytes(body[:cut]), 70)
    except CorruptBatchError:
        return
    assert columns.ends[-1] == cut


@pytest.mark.parametrize("body", [b"", b"\x00", b"\x80" * 12, b"\x0c\x00\x00\x00\x01\x01"])
def test_what_ends_too_early_is_damage(body: bytes) -> None:
    with pytest.raises(CorruptBatchError):
        record_columns(body, 1)
