"""Forms of a record that was read: how does it look as bytes, in each of them?

The fields of text stand in the order and words of Kafka's console consumer.  Knows neither where
they go nor when they came.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_LOG_APPEND_TIME, Message

from kadmin.records.record import Headers
from kadmin.records.text_json import bytes_fields, header_object


class RecordForm(StrEnum):
    """What is written of a record; `raw` is the bytes of its value, one after the other."""

    VALUE = "value"
    KEY_VALUE = "key-value"
    JSON = "json"
    HEX = "hex"
    RAW = "raw"


class Field(StrEnum):
    """A part of a record that text can show; those that are shown stand in this order."""

    TIMESTAMP = "timestamp"
    PARTITION = "partition"
    OFFSET = "offset"
    EPOCH = "epoch"
    HEADERS = "headers"
    KEY = "key"
    VALUE = "value"


FORM_FIELDS: Final = {
    RecordForm.VALUE: frozenset((Field.VALUE,)),
    RecordForm.KEY_VALUE: frozenset((Field.KEY, Field.VALUE)),
}
TIME_NAMES: Final = {
    TIMESTAMP_CREATE_TIME: ("CreateTime", "create_time"),
    TIMESTAMP_LOG_APPEND_TIME: ("LogAppendTime", "log_append_time"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How records are written; *fields*, *separator*, *ending* and *null* are for text only."""

    form: RecordForm = RecordForm.VALUE
    fields: frozenset[Field] = FORM_FIELDS[RecordForm.VALUE]
    separator: bytes = b"\t"
    ending: bytes = b"\n"
    null: bytes = b"null"


def writer_of(writing: Writing) -> Callable[[Sequence[Message]], bytes]:
    """Return what makes the bytes of a batch of records."""
    if writing.form is RecordForm.RAW:
        return lambda batch: b"".join(message.value() or b"" for message in batch)
    if writing.form is RecordForm.HEX:
        return lambda batch: b"".join(
            (message.value() or b"").hex().encode() + b"\n" for message in batch
        )
    if writing.form is RecordForm.JSON:
        return lambda batch: b"".join(json_line(message) for message in batch)
    if writing.fields == FORM_FIELDS[RecordForm.VALUE]:
        return lambda batch: values(batch, writing)
    parts = [text_part(field, writing) for field in Field if field in writing.fields]
    return lambda batch: b"".join(
        writing.separator.join([part(message) for part in parts]) + writing.ending
        for message in batch
    )


def values(batch: Sequence[Message], writing: Writing) -> bytes:
    null, ending = writing.null, writing.ending
    found = [message.value() for message in batch]
    return b"".join([(null if value is None else value) + ending for value in found])


def text_part(field: Field, writing: Writing) -> Callable[[Message], bytes]:
    """Return what makes the text of *field*, as Kafka's console consumer has it."""

    def or_null(data: bytes | None) -> bytes:
        return writing.null if data is None else data

    def header_text(message: Message) -> bytes:
        headers = headers_of(message)
        if not headers:
            return b"NO_HEADERS"
        return b",".join(name.encode() + b":" + or_null(value) for name, value in headers)

    match field:
        case Field.TIMESTAMP:
            return timestamp_text
        case Field.PARTITION:
            return lambda message: b"Partition:%d" % number(message.partition())
        case Field.OFFSET:
            return lambda message: b"Offset:%d" % number(message.offset())
        case Field.EPOCH:
            return lambda message: b"Epoch:%d" % number(message.leader_epoch())
        case Field.HEADERS:
            return header_text
        case Field.KEY:
            return lambda message: or_null(message.key())
        case Field.VALUE:
            return lambda message: or_null(message.value())


def number(known: int | None) -> int:
    """Return *known*, or -1 as Kafka has it."""
    return -1 if known is None else known


def headers_of(message: Message) -> Headers:
    """Return the headers of *message* in their order."""
    headers: Any = message.headers()
    return tuple(headers or ())


def timestamp_text(message: Message) -> bytes:
    kind, time_ms = message.timestamp()
    if kind not in TIME_NAMES:
        return b"NO_TIMESTAMP"
    return f"{TIME_NAMES[kind][0]}:{time_ms}".encode()


def json_line(message: Message) -> bytes:
    """Return all of *message* in one line, as `text_json` understands it again."""
    kind, time_ms = message.timestamp()
    fields = {
        "topic": message.topic(),
        "partition": message.partition(),
        "offset": message.offset(),
        "timestamp": time_ms if kind in TIME_NAMES else None,
        "timestamp_type": TIME_NAMES[kind][1] if kind in TIME_NAMES else None,
        "leader_epoch": message.leader_epoch(),
        "headers": [header_object(name, value) for name, value in headers_of(message)],
        **bytes_fields("key", message.key()),
        **bytes_fields("value", message.value()),
    }
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"
