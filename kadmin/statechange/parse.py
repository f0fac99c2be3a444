"""The plain parser of one line: exact, slow, and the reference for all others.

`typed` says the same of whole columns.  Knows neither files nor order.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Final

from kadmin.statechange.columns import (
    SAID_COLUMNS,
    ColumnType,
    Shape,
    StateChange,
    TopicPartition,
)
from kadmin.statechange.grammar import Matched, items, match_message, match_prefix
from kadmin.statechange.kinds import Kind, Level, Role
from kadmin.statechange.language import PATTERNS

Values = Mapping[str, str]
"""What a line says: texts by the names of their placeholders."""

Read = Callable[[str, Values], Any]
"""What a text says in a column, beside the other values of its line; None for nothing."""

PREFIX_CHARS_MAX: Final = 256
"""How far a collector (docker compose, kubectl, grep) may push a line's date to the right."""

DATE: Final = r"\[([0-9]{4})-([0-9]{2})-([0-9]{2}) ([0-9]{2}):([0-9]{2}):([0-9]{2}),([0-9]{3})\]"
LONGEST_HEAD: Final = len("[2026-11-20 03:04:05,678] TRACE ")
HEAD: Final = re.compile(rf"{DATE}(?: +({'|'.join(Level)})(?: +|$))?")
PREFIXED_HEAD: Final = re.compile(rf"{DATE} +({'|'.join(Level)}) +")
LOGGER: Final = re.compile(r"\s+[(\[]state\.change\.logger[^()\[\]]*[)\]]\Z")

# Layouts of others put a thread, a class or a place in the source before or after the message.
LAST_WORD: Final = re.compile(r"\s+[(\[][^\s()\[\]]+[)\]]\Z")
LOG_PREFIX: Final = re.compile(
    r"\[(?:Controller|Broker) id=|(?<![^\s])(?:Controller [0-9]+ epoch |Broker [0-9]+ )"
)

EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()
DAYS_IN_400_YEARS: Final = 146_097

EXCEPTION: Final = re.compile(r"\s*(?:Caused by: )?([\w$]+(?:\.[\w$]+)+(?:: .*)?)", re.DOTALL)
"""The first line of a stack trace, or of a cause further down."""

INTEGER: Final = re.compile(PATTERNS[Shape.INTEGER])
BROKER_ID: Final = re.compile(r"brokerId=(-?[0-9]+)")


def parse_line(text: str) -> StateChange:
    """Say what the line *text* means; one that is not understood has kind `other`.

    A line without a date is a `continuation`, with the exception it names as *error*.  Tolerates
    a collector's prefix, CRLF, layouts without the logger's name, and any text at all.
    """
    line = text.rstrip("\r\n")
    found = find_head(line)
    if found is None:
        named = EXCEPTION.fullmatch(line)
        return StateChange(
            text=text,
            message=line,
            kind=Kind.CONTINUATION,
            error=named[1] if named is not None else None,
        )
    head, time_ms = found
    level = Level(head[8]) if head[8] is not None else None
    message = LOGGER.sub("", line[head.end() :])
    matched = match_anywhere(message)
    if matched is None:
        return unknown(text, message, time_ms, level)
    return known(text, message, time_ms, level, matched)


def find_head(line: str) -> tuple[re.Match[str], int] | None:
    """The date and the level of a line that has them, and the time that the date means."""
    head = HEAD.match(line)
    if head is None:
        # A date behind other text is a line's own only when its level follows.
        head = PREFIXED_HEAD.search(line, 0, PREFIX_CHARS_MAX + LONGEST_HEAD)
    time_ms = milliseconds(head) if head is not None else None
    return (head, time_ms) if head is not None and time_ms is not None else None


def milliseconds(head: re.Match[str]) -> int | None:
    """The time of a head, or None for a day or an hour that no calendar has."""
    year, month, day, hour, minute, second, ms = (int(head[group]) for group in range(1, 8))
    if hour > 23 or minute > 59 or second > 59:
        return None
    try:
        # The calendar repeats every 400 years; Python's begins with the year 1, not 0.
        days = date(2000 + year % 400, month, day).toordinal() - EPOCH_ORDINAL
    except ValueError:
        return None
    days += (year // 400 - 5) * DAYS_IN_400_YEARS
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + ms


def match_anywhere(message: str) -> Matched | None:
    """What *message* says, or the part of it that another layout left of Kafka's own."""
    shorter = LAST_WORD.sub("", message)
    for candidate in (message, shorter):
        matched = match_message(candidate)
        if matched is not None:
            return matched
    prefix = LOG_PREFIX.search(message)
    if prefix is None or prefix.start() == 0:
        return None
    return match_message(message[prefix.start() :]) or match_message(shorter[prefix.start() :])


def unknown(text: str, message: str, time_ms: int, level: Level | None) -> StateChange:
    prefixed = match_prefix(message)
    if prefixed is None:
        return StateChange(
            text=text, message=message, kind=Kind.OTHER, time_ms=time_ms, level=level
        )
    broker = integer(prefixed.values.get("broker"))
    role = prefixed.prefix.role
    return StateChange(
        text=text,
        message=message,
        kind=Kind.OTHER,
        time_ms=time_ms,
        level=level,
        role=role,
        broker=broker,
        controller_id=broker if role is Role.CONTROLLER else None,
        controller_epoch=integer(prefixed.values.get("controller_epoch")),
    )


def known(
    text: str,
    message: str,
    time_ms: int,
    level: Level | None,
    matched: Matched,
) -> StateChange:
    template = matched.template
    said: dict[str, Any] = template.implied | read_values(matched.values)
    said |= {name: said.get("broker") for name in template.writer_columns}
    return StateChange(text=text, message=message, time_ms=time_ms, level=level, **said)


def integer(text: str | None) -> int | None:
    return None if text is None else int(text)


def read_values(values: Values) -> dict[str, Any]:
    """The values of columns that stand in *values*; of several for one, its first placeholder's."""
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
    """The ids of brokers that are listed with their epochs."""
    return tuple(int(number) for number in BROKER_ID.findall(text))


def single_integer(text: str) -> int | None:
    """The only member of a list; several are none, but stand in the message."""
    numbers = INTEGER.findall(text)
    return int(numbers[0]) if len(numbers) == 1 else None


def error_of_code(text: str) -> str | None:
    return f"error_code={text}" if int(text) != 0 else None


def first_error(text: str) -> str | None:
    """The first error code of a list's items that is not 0."""
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
