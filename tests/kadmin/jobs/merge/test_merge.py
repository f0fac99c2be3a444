import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from kadmin.jobs.merge.calls import Call, Keep
from kadmin.jobs.merge.clocks import Clock, TimeRange
from kadmin.jobs.merge.slices import Order
from tests.kadmin.jobs.merge import reference
from tests.kadmin.jobs.merge.logs import START, contents, head, merged, write_sources
from tests.kadmin.jobs.merge.reference import parse

SOURCES = st.lists(st.lists(contents(), min_size=1, max_size=3), min_size=1, max_size=3)
SIZES = st.sampled_from([1, 60, 400, 5000])


@settings(max_examples=150)
@given(sources=SOURCES, slice_bytes=SIZES, part_bytes=SIZES, packed=st.booleans())
@example(sources=[[head(0) + b"\n"] * 3] * 3, slice_bytes=1, part_bytes=1, packed=False)
def test_any_split_into_files_parts_and_slices_merges_to_the_total_order(
    sources: list[list[bytes]], slice_bytes: int, part_bytes: int, packed: bool
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        found = write_sources(Path(directory), sources, packed=packed)
        data, _ = merged(found, slice_bytes=slice_bytes, part_bytes=part_bytes)

    assert reference.merge(sources) == data


@settings(max_examples=100)
@given(sources=SOURCES, slice_bytes=SIZES, part_bytes=SIZES)
def test_order_of_files_is_never_broken_where_that_is_asked_for(
    sources: list[list[bytes]], slice_bytes: int, part_bytes: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        found = write_sources(Path(directory), sources)
        data, _ = merged(found, slice_bytes=slice_bytes, part_bytes=part_bytes, order=Order.FILE)

    assert reference.merge(sources, keeps_file_order=True) == data


@settings(max_examples=50)
@given(sources=SOURCES, slice_bytes=SIZES, offset_ms=st.integers(-4000, 4000))
def test_a_clock_offset_moves_the_lines_of_its_source_alone(
    sources: list[list[bytes]], slice_bytes: int, offset_ms: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        found = write_sources(Path(directory), sources)
        clocks = {"0": Clock(shifts_ms=(offset_ms,))}
        data, _ = merged(found, slice_bytes=slice_bytes, part_bytes=60, clocks=clocks)

    assert reference.merge(sources, offsets_ms={0: offset_ms}) == data
