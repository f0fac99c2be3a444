"""One line that two shippers have, and lines that are two."""

import json
from pathlib import Path

import pytest

from kadmin.jobs.merge.inputs.sources import Source
from kadmin.jobs.merge.slices.plan import Order
from tests.kadmin.jobs.merge.logs import head, merged, write_sources

LINE = head(0, b"INFO [Controller id=1 epoch=7] Changed partition t-0 (state.change.logger)")
OTHER = head(0, b"INFO [Controller id=2 epoch=7] Changed partition t-0 (state.change.logger)")
NAMELESS = head(0, b"INFO Changed partition t-0 (state.change.logger)")
SHIPPED = json.dumps({"@timestamp": "2026-11-21T00:00:00Z", "message": LINE.decode()}).encode()


@pytest.mark.parametrize(
    ("sources", "kept", "repeated"),
    [
        ([[LINE], [LINE]], [LINE], 1),
        ([[LINE, LINE], [LINE, LINE, OTHER]], [LINE, LINE, OTHER], 2),
        ([[LINE], [SHIPPED]], [LINE], 1),
        ([[SHIPPED], [LINE], [LINE]], [SHIPPED], 2),
        ([[b"[pod/kafka-0] " + LINE], [b"broker1  | " + LINE]], [b"[pod/kafka-0] " + LINE], 1),
        ([[LINE, b"\tat x"], [LINE, b"\tat x"]], [LINE, b"\tat x"], 2),
        ([[LINE, b"\tat x"], [LINE, b"\tat y"]], [LINE, b"\tat x", LINE, b"\tat y"], 0),
        ([[NAMELESS], [NAMELESS]], [NAMELESS, NAMELESS], 0),
        ([[LINE], [OTHER]], [LINE, OTHER], 0),
    ],
    ids=[
        *("equal", "twice in each", "JSON", "three", "collectors", "trace", "other trace"),
        *("without a writer", "of two writers"),
    ],
)
def test_a_line_of_two_sources_is_merged_once(
    tmp_path: Path, sources: list[list[bytes]], kept: list[bytes], repeated: int
) -> None:
    found = written(tmp_path, sources)
    for sizes in ({}, {"slice_bytes": 1, "part_bytes": 1}):
        data, summary = merged(found, **sizes)

        assert kept == data.splitlines()
        assert repeated == summary.duplicate_lines
        assert len(kept) == sum(source.kept_lines for source in summary.sources)

    data, summary = merged(found, keeps_duplicates=True)

    assert len(kept) + repeated == len(data.splitlines())
    assert 0 == summary.duplicate_lines


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("wrap", [b"", b"kafka-1  | "], ids=["plain", "prefixed"])
def test_it_does_not_matter_how_slices_divide_a_millisecond(
    tmp_path: Path, order: Order, wrap: bytes
) -> None:
    lines = [LINE.replace(b"t-0", b"t-%d" % number) for number in range(12)]
    sources = [lines[:9], [wrap + line for line in lines], [wrap + line for line in lines[3:]]]
    found = written(tmp_path, sources)

    for slice_bytes in (1, 300, 1000):
        data, summary = merged(found, slice_bytes=slice_bytes, part_bytes=1, order=order)

        assert lines[:9] + [wrap + line for line in lines[9:]] == data.splitlines()
        assert 18 == summary.duplicate_lines


def written(directory: Path, sources: list[list[bytes]]) -> tuple[Source, ...]:
    files = [[b"".join(line + b"\n" for line in lines)] for lines in sources]
    return write_sources(directory, files)
