"""The plain parser of one line: exact, slow, and the reference for all others.

`typed` yields the same in whole columns.  Files and order are not known here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from kadmin.statechange.collectors import unwrapped
from kadmin.statechange.columns import (
    SAID_COLUMNS,
    ColumnType,
    Shape,
    StateChange,
    TopicPartition,
)
from kadmin.statechange.grammar import Matched, items, match_message, match_prefix
from kadmin.statechange.kinds import Kind, Role
from kadmin.statechange.language import PATTERNS
from kadmin.statechange.layouts import Head, messages
from kadmin.statechange.wrapped_heads import find_head

Values = Mapping[str, str]
"""The values of a line: texts by the names of their placeholders."""

Read = Callable[[str, Values], Any]
"""Parses a text for a column, given the other values of its line; None for no value."""

EXCEPTION: Final = re.compile(r"\s*(?:Caused by: )?([\w$]+(?:\.[\w$]+)+(?:: .*)?)", re.DOTALL)
"""The first line of a stack trace, or of a cause further down."""

INTEGER: Final = re.compile(PATTERNS[Shape.INTEGER])
BROKER_ID: Final = re.compile(r"brokerId=(-?[0-9]+)")


def parse_line(text: str) -> StateChange:
    """Say what the line *text* means; one that is not understood has kind `other`.

    A line without a date is a `continuation`, with the exception it names as *error*.  Takes every
    layout and whatever collectors wrap around (see `collectors`), and any text at all.
    """
    line = text.rstrip("\r\n")
    head = find_head(line)
    if head is None:
        message = unwrapped(line).text
        named = EXCEPTION.fullmatch(message)
        return StateChange(
            text=text,
            message=message,
            kind=Kind.CONTINUATION,
            error=named[1] if named is not None else None,
        )
    for message in messages(head):
        matched = match_message(message)
        if matched is not None:
            return known(text, message, head, matched)
    return unknown(text, head)


def unknown(text: str, head: Head) -> StateChange:
    shown, prefixed = next(messages(head), ""), None
    for message in messages(head):
        prefixed = match_prefix(message)
        if prefixed is not None:
            shown = message
            break
    change = StateChange(
        text=text,
        message=shown.rstrip(),
        kind=Kind.OTHER,
        time_ms=head.time_ms,
        level=head.level,
        error=head.error,
    )
    if prefixed is None:
        return change
    broker = integer(prefixed.values.get("broker"))
    role = prefixed.prefix.role
    return replace(
        change,
        role=role,
        broker=broker,
        controller_id=broker if role is Role.CONTROLLER else None,
        controller_epoch=integer(prefixed.values.get("controller_epoch")),
    )


def known(text: str, message: str, head: Head, matched: Matched) -> StateChange:
    template = matched.template
    said: dict[str, Any] = {"error": head.error} | template.implied | read_values(matched.values)
    said |= {name: said.get("broker") for name in template.writer_columns}
    return StateChange(text=text, message=message, time_ms=head.time_ms, level=head.level, **said)


def integer(text: str | None) -> int | None:
    return None if text is None else int(text)


def read_values(values: Values) -> dict[str, Any]:
    """Return the values of columns that stand in *values*; of several for one, its first
    placeholder's."""
    found: dict[str, Any] = {}
    for attribute, readers in COLUMN_READERS:
        for name, read in readers:
            if name in values:
                value = read(values[name], values)
                if value is not None:
                    found[attribute] = value
                    break
    return found


def partition(text: str) -> TopicPartition:
    """Read `[topic,0]` or `topic-0`; a topic may hold dashes, so the last one counts."""
    if text.endswith("]"):
        topic, _, number = text[1:-1].rpartition(",")
    else:
        topic, _, number = text.rpartition("-")
    return topic, int(number)


def partitions(text: str) -> tuple[TopicPartition, ...]:
    named = re.finditer(r"([^ ,]+)-([0-9]{1,18})(?:,|\Z)", text)
    return tuple((found[1], int(found[2])) for found in named)


def partitions_of_items(text: str) -> tuple[TopicPartition, ...]:
    found = [item.groupdict() for item in items(text)]
    return tuple((item["topic"], int(item["index"])) for item in found if "topic" in item)


def integers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in INTEGER.findall(text))


def broker_ids(text: str) -> tuple[int, ...]:
    """Return the ids of brokers that are listed with their epochs."""
    return tuple(int(number) for number in BROKER_ID.findall(text))


def single_integer(text: str) -> int | None:
    """Return the only member of a list; several are none, but stand in the message."""
    numbers = INTEGER.findall(text)
    return int(numbers[0]) if len(numbers) == 1 else None


def error_of_code(text: str) -> str | None:
    return f"error_code={text}" if int(text) != 0 else None


def first_error(text: str) -> str | None:
    """Return the first error code of a list's items that is not 0."""
    codes = (item["code"] for item in items(text))
    return next((error_of_code(code) for code in codes if int(code) != 0), None)


READERS: Final[Mapping[tuple[ColumnType, Shape], Read]] = {
    (ColumnType.INTEGER, Shape.INTEGER): lambda text, _: int(text),
    (ColumnType.INTEGER, Shape.NUMBERS): lambda text, _: single_integer(text),
    (ColumnType.INTEGERS, Shape.NUMBERS): lambda text, _: integers(text),
    (ColumnType.INTEGERS, Shape.BROKER_EPOCHS): lambda text, _: broker_ids(text),
    (ColumnType.WORD, Shape.STATE): lambda text, _: text,
    (ColumnType.WORD, Shape.TRANSITION): lambda text, _: text,
    (ColumnType.TEXT, Shape.TEXT): lambda text, _: text,
    (ColumnType.TEXT, Shape.CODE): lambda text, _: error_of_code(text),
    (ColumnType.TEXT, Shape.ITEMS): lambda text, _: first_error(text),
    (ColumnType.PARTITIONS, Shape.PARTITION): lambda text, _: (partition(text),),
    (ColumnType.PARTITIONS, Shape.PARTITIONS): lambda text, _: partitions(text),
    (ColumnType.PARTITIONS, Shape.TOPIC): lambda text, values: ((text, int(values["index"])),),
    # Read with the topic that stands beside it.
    (ColumnType.PARTITIONS, Shape.INDEX): lambda _, __: None,
    (ColumnType.PARTITIONS, Shape.ITEMS): lambda text, _: partitions_of_items(text),
}
"""How a column of a type reads a placeholder of a shape; there are no other pairs."""

COLUMN_READERS: Final = tuple(
    (
        column.attribute,
        tuple((name, READERS[column.type, shape]) for name, shape in column.placeholders.items()),
    )
    for column in SAID_COLUMNS
    if column.placeholders
)
