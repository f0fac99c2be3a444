"""Lines with marks for a terminal, and lines that are counted."""

import re

import numpy as np
import pyarrow as pa
import pytest

from kadmin.jobs.merge.output.counted_text import Marks, counted_text, marked_text
from kadmin.jobs.merge.output.rows import Rows

DATE = "[2026-11-20 03:12:04,117]"
MARKS = Marks(
    reset="</>",
    time="<time>",
    source="<source>",
    partition="<partition>",
    levels={"ERROR": "<error>"},
    kinds={"continuation": "<trace>", "partition-state": "<state>"},
)
CHANGED = "Changed partition {} state from NewPartition to OnlinePartition (state.change.logger)"


def rows(*records: str | bytes) -> Rows:
    """Records of sources `1` and `10` in turn."""
    count = len(records)
    texts = [text.encode() if isinstance(text, str) else text for text in records]
    return Rows(
        records=pa.array([text + b"\n" for text in texts], pa.large_binary()),
        times=np.zeros(count, np.int64),
        sources=np.arange(count) % 2,
        files=np.zeros(count, np.int64),
        first_lines=np.ones(count, np.int64),
        source_names=("1", "10"),
        file_names=("a", "b"),
    )


def marked(*records: str | bytes, shows_source: bool = False, marks: Marks = MARKS) -> list[str]:
    formatted = marked_text(marks, shows_source=shows_source)(rows(*records))
    return b"".join(map(bytes, formatted.pieces)).decode().splitlines()


def test_time_and_partition_are_set_off_and_the_rest_is_marked_by_kind():
    line = f"{DATE} TRACE [Controller id=1 epoch=7] " + CHANGED.format("orders-1")
    (shown,) = marked(line)

    assert shown.startswith(f"<time>{DATE}</><state> TRACE [Controller id=1 epoch=7] Changed ")
    assert "partition </><partition>orders-1</><state> state from" in shown
    assert line == re.sub("<[^>]*>", "", shown)


def test_a_grave_level_marks_more_than_the_kind_and_traces_are_told_from_lines():
    shown = marked(f"{DATE} ERROR something (state.change.logger)\njava.lang.Error: x\n\tat y")

    assert f"<time>{DATE}</><error> ERROR something (state.change.logger)</>" == shown[0]
    assert ["<trace>java.lang.Error: x</>", "<trace>\tat y</>"] == shown[1:]


def test_the_old_spelling_of_a_partition_and_a_prefix_are_known():
    (shown,) = marked(
        f"kafka-1 | {DATE} TRACE Controller 1 epoch 7 changed partition [orders,1] "
        "state from NewPartition to OnlinePartition (state.change.logger)"
    )

    assert shown.startswith(f"<time>kafka-1 | {DATE}</>")
    assert "<partition>[orders,1]</>" in shown


def test_sources_are_of_one_width():
    shown = marked("x", "y", shows_source=True)

    assert ["<source> 1</> <trace>x</>", "<source>10</> <trace>y</>"] == shown


def test_a_terminal_is_not_sent_what_it_would_obey():
    assert ["<trace>red \ufffd[31m\tx \ufffd</>"] == marked(b"red \x1b[31m\tx \xff\r")


def test_without_marks_nothing_is_added():
    none = Marks(reset="", time="", source="", partition="", levels={}, kinds={})
    line = f"{DATE} TRACE [Controller id=1 epoch=7] " + CHANGED.format("orders-1")

    assert [line] == marked(line, marks=none)


@pytest.mark.parametrize("shows_source", [False, True])
def test_counted_lines_are_as_they_are_and_counted(shows_source):
    formatted = counted_text(shows_source=shows_source)(
        rows(f"{DATE} INFO new\n\tat x", f"{DATE} WARN")
    )
    front = [b"1\t", b"1\t", b"10\t"] if shows_source else [b""] * 3

    assert [
        each + line
        for each, line in zip(
            front, [f"{DATE} INFO new".encode(), b"\tat x", f"{DATE} WARN".encode()], strict=True
        )
    ] == b"".join(map(bytes, formatted.pieces)).splitlines()
    assert {
        "level:-": 1,
        "level:INFO": 1,
        "level:WARN": 1,
        "kind:continuation": 1,
        "kind:other": 2,
    } == formatted.counts
