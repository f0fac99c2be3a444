"""Lines of input: which records stand in a stream of bytes?

Knows no broker.  Every record comes with the number of its line, so that what fails can be found.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import BinaryIO, Final

from kadmin.errors import KadminError, UsageError
from kadmin.records.record import Headers, Record
from kadmin.records.text_json import NotARecord, parse_record

RECORD_SIZE_MAX: Final = 100 * 1024 * 1024
"""In bytes, of a line or of a whole raw input; a broker takes 1 MB by default."""

ESCAPES: Final = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"0": b"\0", b"\\": b"\\"}


class LineForm(StrEnum):
    """What a line of the input holds; `raw` input is one record, whatever it holds."""

    VALUE = "value"
    KEY_VALUE = "key-value"
    JSON = "json"
    HEX = "hex"
    RAW = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How records are read: *separator* stands between key and value of `key-value` lines.

    A key or value that is the *null_marker* is null.  *key*, *headers* and *partition* are for all
    records that bring none of their own.
    """

    form: LineForm
    separator: bytes = b"\t"
    null_marker: bytes | None = None
    key: bytes | None = None
    headers: Headers = ()
    partition: int | None = None


class BadLine(KadminError):
    """A line that holds no record; those before it have been handed out."""

    def __init__(self, source: str, line: int, reason: str, hint: str | None = None) -> None:
        super().__init__(f"line {line} of {source}: {reason}", hint=hint)
        self.line = line


def unescape(text: str) -> bytes:
    r"""Return the bytes that *text* means, in which `\t`, `\n`, `\r`, `\0`, `\\` and `\xHH` are one
    byte.

    Raises:
        UsageError: a backslash before anything else.
    """

    def meant(match: re.Match[bytes]) -> bytes:
        code = match[1]
        if code in ESCAPES:
            return ESCAPES[code]
        if len(code) == 3:
            return bytes([int(code[1:], 16)])
        raise UsageError(
            f"'{text}': there is no '\\{code.decode(errors='replace')}'",
            hint=r"use \t, \n, \r, \0, \xHH, and \\ for a backslash",
        )

    data = text.encode("utf-8", "surrogateescape")
    return re.sub(rb"\\(x[0-9a-fA-F]{2}|.|$)", meant, data, flags=re.DOTALL)


def read_records(stream: BinaryIO, source: str, reading: Reading) -> Iterator[tuple[int, Record]]:
    """Return every record of *stream* with the number of its line, from 1; *source* names it in
    errors.

    A newline ends a line, and the last one needs none.  An empty line is an empty value.

    Raises:
        BadLine: when it is that line's turn.
    """
    if reading.form is LineForm.RAW:
        value = stream.read(RECORD_SIZE_MAX + 1)
        check_size(value, source, 1)
        yield 1, common(Record(value=value), reading)
        return
    parse = parser_of(reading)
    number = 0
    while line := stream.readline(RECORD_SIZE_MAX + 2):
        number += 1
        if line.endswith(b"\n"):
            line = line[:-1]
        check_size(line, source, number)
        try:
            record = parse(line)
        except NotARecord as error:
            raise BadLine(source, number, str(error), hint_for(reading.form)) from error
        yield number, record


def check_size(data: bytes, source: str, line: int) -> None:
    if len(data) > RECORD_SIZE_MAX:
        raise BadLine(source, line, f"it is longer than {RECORD_SIZE_MAX} bytes")


def hint_for(form: LineForm) -> str | None:
    if form is LineForm.KEY_VALUE:
        return r"--key-separator names what stands between key and value, '\t' unless said"
    if form is LineForm.JSON:
        return "the form is that of 'kadmin consume --format json'"
    return None


def parser_of(reading: Reading) -> Callable[[bytes], Record]:
    """Return what makes a record of a line; it raises NotARecord."""
    if reading.form is LineForm.JSON:
        return lambda line: common(parse_record(line), reading)
    if reading.form is LineForm.HEX:
        return lambda line: common(Record(value=hex_bytes(line)), reading)
    if reading.form is LineForm.KEY_VALUE:
        return lambda line: common(key_and_value(line, reading), reading)
    return lambda line: common(Record(value=marked(line, reading)), reading)


def common(record: Record, reading: Reading) -> Record:
    """Return *record* with what is for all records that bring none of their own."""
    if reading.key is None and not reading.headers and reading.partition is None:
        return record
    return replace(
        record,
        key=reading.key if record.key is None else record.key,
        headers=record.headers or reading.headers,
        partition=record.partition if reading.partition is None else reading.partition,
    )


def marked(data: bytes, reading: Reading) -> bytes | None:
    return None if data == reading.null_marker else data


def key_and_value(line: bytes, reading: Reading) -> Record:
    key, separator, value = line.partition(reading.separator)
    if not separator:
        shown = repr(reading.separator)[1:]
        raise NotARecord(f"there is no separator {shown} between key and value")
    return Record(key=marked(key, reading), value=marked(value, reading))


def hex_bytes(line: bytes) -> bytes:
    try:
        return bytes.fromhex(line.decode("ascii"))
    except (UnicodeDecodeError, ValueError) as error:
        raise NotARecord("it is no hexadecimal number of whole bytes") from error
