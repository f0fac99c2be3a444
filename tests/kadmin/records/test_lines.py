"""Are the records of an input found as they were meant, and the first bad line by its number?"""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.errors import UsageError
from kadmin.records import lines
from kadmin.records.lines import BadLine, LineForm, Reading, read_records, unescape
from kadmin.records.record import Record


def records_of(data: bytes, reading: Reading) -> list[tuple[int, Record]]:
    return list(read_records(io.BytesIO(data), "input", reading))


def values_of(data: bytes, form: LineForm = LineForm.VALUE) -> list[bytes | None]:
    return [record.value for _, record in records_of(data, Reading(form=form))]


@given(st.lists(st.binary(max_size=10).filter(lambda line: b"\n" not in line), max_size=5))
def test_every_line_is_a_value_with_its_number_and_the_last_needs_no_newline(
    wanted: list[bytes],
) -> None:
    text = b"".join(line + b"\n" for line in wanted)

    assert [*enumerate(wanted, 1)] == [
        (number, record.value) for number, record in records_of(text, Reading(form=LineForm.VALUE))
    ]
    if wanted and wanted[-1]:
        assert wanted == values_of(text[:-1])


def test_carriage_returns_and_bytes_that_are_no_text_are_left_alone() -> None:
    assert [b"a\r", b"\xff\x00"] == values_of(b"a\r\n\xff\x00\n")


def test_raw_input_is_one_record_whatever_it_holds() -> None:
    assert [b"a\nb\n"] == values_of(b"a\nb\n", LineForm.RAW)


def test_hexadecimal_lines_are_bytes() -> None:
    assert [b"\x00\xff", b""] == values_of(b"00ff\n\n", LineForm.HEX)


def test_key_and_value_are_parted_at_the_first_separator_and_the_marker_is_null() -> None:
    reading = Reading(form=LineForm.KEY_VALUE, separator=b"::", null_marker=b"NULL")

    assert [
        Record(key=b"k", value=b"v::w"),
        Record(key=b"", value=b""),
        Record(key=b"gone", value=None),
    ] == [record for _, record in records_of(b"k::v::w\n::\ngone::NULL\n", reading)]


def test_what_is_for_all_records_gives_way_to_what_they_bring() -> None:
    reading = Reading(form=LineForm.JSON, key=b"all", headers=(("h", b"all"),), partition=4)

    assert [
        Record(key=b"own", value=b"a", headers=(("x", b"1"),), partition=4),
        Record(key=b"all", value=b"b", headers=(("h", b"all"),), partition=4),
    ] == [
        record
        for _, record in records_of(
            b'{"key": "own", "value": "a", "headers": [{"name": "x", "value": "1"}]}\n'
            b'{"value": "b", "partition": 1}\n',
            reading,
        )
    ]


@pytest.mark.parametrize(
    ("form", "data", "reason"),
    [
        (
            LineForm.KEY_VALUE,
            b"k\tv\nno\n",
            r"line 2 of input: there is no separator '\\t' between",
        ),
        (LineForm.JSON, b"{}\n{}\nnull\n", "line 3 of input: it is no JSON object"),
        (LineForm.HEX, b"0\n", "line 1 of input: it is no hexadecimal number of whole bytes"),
        (LineForm.HEX, b"00\n\xff\n", "line 2 of input: it is no hexadecimal number"),
    ],
)
def test_bad_line_is_named_after_the_records_before_it_were_handed_out(
    form: LineForm, data: bytes, reason: str
) -> None:
    records = read_records(io.BytesIO(data), "input", Reading(form=form))
    handed_out: list[int] = []

    with pytest.raises(BadLine, match=reason) as refusal:
        handed_out.extend(number for number, _ in records)

    assert list(range(1, refusal.value.line)) == handed_out


@pytest.mark.parametrize("form", [LineForm.VALUE, LineForm.RAW])
def test_line_without_end_is_refused_before_it_fills_the_memory(
    form: LineForm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "RECORD_SIZE_MAX", 10)
    stream = io.BytesIO(b"x" * 1000)

    assert [b"x" * 10] == values_of(b"x" * 10 + b"\n")[:1]
    with pytest.raises(BadLine, match="line 1 of input: it is longer than 10 bytes"):
        list(read_records(stream, "input", Reading(form=form)))
    assert stream.tell() <= 12


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r"\t", b"\t"),
        (r"\x00\xff", b"\x00\xff"),
        (r"\\x41", rb"\x41"),
        (r"a\nb\0", b"a\nb\x00"),
        ("ü", "ü".encode()),
    ],
)
def test_escapes_are_bytes(text: str, meant: bytes) -> None:
    assert meant == unescape(text)


@pytest.mark.parametrize("text", ["\\", r"\q", r"\x4"])
def test_escape_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"'{text}': there is no '\\")):
        unescape(text)
