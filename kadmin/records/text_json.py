"""Lines of JSON: how does a record stand in one, whatever bytes it holds?

The same fields are written by consuming and understood by producing, so that one may be piped into
the other.  Bytes that are UTF-8 stand as they are, others in base64 under a name of their own:
`value` or `value_base64`.  Knows no topic's content.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kadmin.records.record import Headers, Record

FIELDS: Final = frozenset(
    (
        *("topic", "partition", "offset", "timestamp", "timestamp_type", "leader_epoch"),
        *("headers", "key", "key_base64", "value", "value_base64"),
    )
)


class NotARecord(ValueError):
    """A line of JSON that is no record; the text is the reason, without the line number."""


def bytes_fields(name: str, data: bytes | None) -> dict[str, str | None]:
    """Return *data* under the *name* that it can have."""
    if data is None:
        return {name: None}
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": b64encode(data).decode()}


def header_object(name: str, value: bytes | None) -> dict[str, str | None]:
    return {"name": name, **bytes_fields("value", value)}


def parse_record(line: bytes) -> Record:
    """Return the record that stands in *line*; a missing key or value is null.

    Topic, offset, leader epoch and kind of timestamp are those of where it came from; they count
    for nothing.

    Raises:
        NotARecord: it is no JSON object, or one with other fields or values of other kinds.
    """
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise NotARecord(f"it is no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise NotARecord("it is no JSON object")
    unknown = sorted(fields.keys() - FIELDS)
    if unknown:
        raise NotARecord(f"unknown field '{unknown[0]}'")
    return Record(
        value=bytes_of(fields, "value"),
        key=bytes_of(fields, "key"),
        headers=headers_of(fields.get("headers")),
        partition=whole_number(fields, "partition", 0, 2**31 - 1),
        # librdkafka takes a zero for "now", which is not what was said.
        timestamp_ms=whole_number(fields, "timestamp", 1, 2**63 - 1),
    )


def bytes_of(fields: Mapping[str, Any], name: str) -> bytes | None:
    plain, encoded = fields.get(name), fields.get(f"{name}_base64")
    if plain is not None and encoded is not None:
        raise NotARecord(f"'{name}' and '{name}_base64' are both given")
    if encoded is not None:
        try:
            return b64decode(encoded, validate=True)
        except (TypeError, ValueError) as error:
            raise NotARecord(f"'{name}_base64' is no base64") from error
    if plain is None:
        return None
    if not isinstance(plain, str):
        raise NotARecord(f"'{name}' is no string")
    return text_bytes(name, plain)


def text_bytes(name: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise NotARecord(f"'{name}' holds half a character (a lone surrogate)") from error


def headers_of(given: object) -> Headers:
    if given is None:
        return ()
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise NotARecord("'headers' is no list")
    return tuple(map(header_of, given))


def header_of(given: object) -> tuple[str, bytes | None]:
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        raise NotARecord("a header is no object with a 'name'")
    text_bytes("name", given["name"])
    return given["name"], bytes_of(given, "value")


def whole_number(fields: Mapping[str, Any], name: str, least: int, most: int) -> int | None:
    number = fields.get(name)
    if number is None:
        return None
    if type(number) is not int or not least <= number <= most:
        raise NotARecord(f"'{name}' is no whole number from {least} to {most}")
    return number
