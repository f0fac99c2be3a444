import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.statechange.lines import SCAN_BYTES, UNDATED, head_times, line_ends
from kadmin.statechange.parse import parse_line
from tests.kadmin.jobs.merge import reference
from tests.kadmin.jobs.merge.logs import contents, head


def times_of(content: bytes) -> list[int | None]:
    block = np.frombuffer(content, np.uint8)
    ends = line_ends(block)
    starts = np.concatenate([np.zeros(1, np.int64), ends])[: len(ends)]
    times = head_times(block, starts, ends).tolist()
    return [None if time == UNDATED else time for time in times]


def expected_times(content: bytes) -> list[int | None]:
    return [reference.time_of(line) for line in content.split(b"\n")[:-1]]


@pytest.mark.slow
@given(contents())
def test_times_are_those_of_the_reference(content: bytes) -> None:
    assert expected_times(content) == times_of(content)


@pytest.mark.slow
@given(st.datetimes(), st.integers(0, 24), st.integers(0, 255))
def test_with_one_wrong_byte_a_date_is_what_the_line_alone_says(
    time: object, position: int, byte: int
) -> None:
    """None, another one, or one of another layout."""
    date = bytearray(f"[{time:%Y-%m-%d %H:%M:%S},{123:03d}]".zfill(25).encode())
    date[position] = byte
    content = bytes(date) + b" INFO x"
    texts = [line.decode(errors="replace") for line in content.split(b"\n")]

    assert [parse_line(text).time_ms for text in texts] == times_of(content + b"\n")


@pytest.mark.parametrize(
    ("date", "is_one"),
    [
        ("[2024-02-29 23:59:59,999]", True),
        ("[2026-02-29 00:00:00,000]", False),
        ("[1900-02-29 00:00:00,000]", False),
        ("[2000-02-29 00:00:00,000]", True),
        ("[2026-04-31 00:00:00,000]", False),
        ("[2026-13-01 00:00:00,000]", False),
        ("[2026-00-01 00:00:00,000]", False),
        ("[2026-01-00 00:00:00,000]", False),
        ("[2026-01-01 24:00:00,000]", False),
        ("[2026-01-01 00:60:00,000]", False),
        ("[2026-01-01 00:00:60,000]", False),
        ("[0000-12-31 23:59:59,999]", False),
        ("[0001-01-01 00:00:00,000]", True),
        ("[9999-12-31 23:59:59,999]", True),
        ("(2026-01-01 00:00:00,000)", False),
        ("[2026-01-01T00:00:00,000]", False),
        ("[2026-01-01 00:00:00.000]", False),
    ],
)
def test_only_days_and_times_that_there_are_make_a_date(date: str, is_one: bool) -> None:
    assert [is_one] == [time is not None for time in times_of(f"{date} x\n".encode())]


def test_a_prefix_may_be_as_long_as_a_path_but_not_longer() -> None:
    near = b"a" * 256 + head(0, b"INFO x") + b"\n"
    far = b"a" * 257 + head(0, b"INFO x") + b"\n"

    assert [reference.time_of(head(0)), None] == times_of(near + far)


def test_newlines_are_found_at_the_edges_of_what_is_scanned_at_once() -> None:
    content = bytearray(b"x" * (2 * SCAN_BYTES + 1))
    edges = [0, SCAN_BYTES - 1, SCAN_BYTES, 2 * SCAN_BYTES - 1, 2 * SCAN_BYTES]
    for edge in edges:
        content[edge] = ord("\n")

    found = line_ends(np.frombuffer(content, np.uint8))

    assert [edge + 1 for edge in edges] == found.tolist()
