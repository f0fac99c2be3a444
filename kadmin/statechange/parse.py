"""What does one line of a state-change.log say?

The plain reference: one line at a time, exact, slow.  `typed` says the same of whole columns.
Knows neither files nor order.
"""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from kadmin.statechange.grammar import Understood, hear, items, understand
from kadmin.statechange.kinds import Kind, Level, Role
from kadmin.statechange.language import PATTERNS, Shape

TopicPartition = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """What a line says; None for what it does not say, or what was not understood.

    *time_ms* is the writer's wall clock as if it were UTC, in ms since 1970.  *message* stands
    between the level and the logger's name; *text* is the whole line.  *broker* is the one that
    wrote the line, also where it is the controller; at a leader's start it is the *leader* as well.
    *partitions* are all that the line names, in its order, and empty where it names none; an empty
    *isr* was said to be empty.
    """

    text: str
    message: str
    kind: Kind
    time_ms: int | None = None
    level: Level | None = None
    role: Role | None = None
    broker: int | None = None
    controller_id: int | None = None
    controller_epoch: int | None = None
    partitions: tuple[TopicPartition, ...] = field(default=())
    from_state: str | None = None
    to_state: str | None = None
    leader: int | None = None
    isr: tuple[int, ...] | None = None
    leader_epoch: int | None = None
    zk_version: int | None = None
    correlation_id: int | None = None
    peer_broker: int | None = None
    error: str | None = None


PREFIX_CHARS_MAX: Final = 256
"""How far a collector (docker compose, kubectl, grep) may push a line's date to the right."""

DATE: Final = r"\[([0-9]{4})-([0-9]{2})-([0-9]{2}) ([0-9]{2}):([0-9]{2}):([0-9]{2}),([0-9]{3})\]"
LONGEST_HEAD: Final = len("[2026-11-20 03:04:05,678] TRACE ")
HEAD: Final = re.compile(rf"{DATE}(?: +({'|'.join(Level)})(?: +|$))?")
PREFIXED_HEAD: Final = re.compile(rf"{DATE} +({'|'.join(Level)}) +")
LOGGER: Final = re.compile(r"\s+[(\[]state\.change\.logger[^()\[\]]*[)\]]\Z")

# Layouts of others put a thread, a class or a place in the source before or after the message.
LAST_WORD: Final = re.compile(r"\s+[(\[][^\s()\[\]]+[)\]]\Z")
SPEAKER: Final = re.compile(
    r"\[(?:Controller|Broker) id=|(?<![^\s])(?:Controller [0-9]+ epoch |Broker [0-9]+ )"
)

EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()
DAYS_IN_400_YEARS: Final = 146_097

EXCEPTION: Final = re.compile(r"\s*(?:Caused by: )?([\w$]+(?:\.[\w$]+)+(?:: .*)?)", re.DOTALL)
"""The first line of a stack trace, or of a cause further down."""

INTEGER: Final = re.compile(PATTERNS[Shape.INTEGER])
BROKER_EPOCH: Final = re.compile(r"brokerId=(-?[0-9]+)")


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
    understood = understand_anywhere(message)
    if understood is None:
        return unknown(text, message, time_ms, level)
    return known(text, message, time_ms, level, understood)


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


def understand_anywhere(message: str) -> Understood | None:
    """What *message* says, or the part of it that another layout left of Kafka's own."""
    shorter = LAST_WORD.sub("", message)
    for candidate in (message, shorter):
        understood = understand(candidate)
        if understood is not None:
            return understood
    speaker = SPEAKER.search(message)
    if speaker is None or speaker.start() == 0:
        return None
    return understand(message[speaker.start() :]) or understand(shorter[speaker.start() :])


def unknown(text: str, message: str, time_ms: int, level: Level | None) -> StateChange:
    heard = hear(message)
    if heard is None:
        return StateChange(
            text=text, message=message, kind=Kind.OTHER, time_ms=time_ms, level=level
        )
    broker = integer(heard.values.get("broker"))
    role = heard.speaker.role
    return StateChange(
        text=text,
        message=message,
        kind=Kind.OTHER,
        time_ms=time_ms,
        level=level,
        role=role,
        broker=broker,
        controller_id=broker if role is Role.CONTROLLER else None,
        controller_epoch=integer(heard.values.get("controller_epoch")),
    )


def known(
    text: str,
    message: str,
    time_ms: int,
    level: Level | None,
    understood: Understood,
) -> StateChange:
    template, values = understood.template, understood.values
    said = dict(template.sets)
    role = Role(said["role"]) if "role" in said else template.role
    broker = integer(values.get("broker"))
    return StateChange(
        text=text,
        message=message,
        kind=template.kind,
        time_ms=time_ms,
        level=level,
        role=role,
        broker=broker,
        controller_id=broker if role is Role.CONTROLLER else integer(values.get("controller")),
        controller_epoch=integer(values.get("controller_epoch")),
        partitions=partitions(values),
        from_state=values.get("from"),
        to_state=values.get("to") or values.get("transition") or said.get("to_state"),
        # Who starts to lead is the leader.
        leader=broker if template.kind is Kind.LEADER_START else integer(values.get("leader")),
        isr=isr(values),
        leader_epoch=integer(values.get("leader_epoch")),
        zk_version=integer(values.get("zk_version")),
        correlation_id=integer(values.get("correlation")),
        peer_broker=peer(values),
        error=error(values),
    )


def integer(text: str | None) -> int | None:
    return None if text is None else int(text)


def partitions(values: dict[str, str]) -> tuple[TopicPartition, ...]:
    """All that the line names: itself, or else in its payload."""
    if "partition" in values:
        return (partition(values["partition"]),)
    if "partitions" in values:
        named = re.finditer(r"([^ ,]+)-([0-9]{1,18})(?:,|\Z)", values["partitions"])
        return tuple((found[1], int(found[2])) for found in named)
    if "topic" in values:
        return ((values["topic"], int(values["index"])),)
    found = [item.groupdict() for item in items(values.get("items", ""))]
    return tuple((item["topic"], int(item["index"])) for item in found if "topic" in item)


def partition(text: str) -> TopicPartition:
    """Read `[topic,0]` or `topic-0`; a topic may hold dashes, so the last one counts."""
    if text.endswith("]"):
        topic, _, number = text[1:-1].rpartition(",")
    else:
        topic, _, number = text.rpartition("-")
    return topic, int(number)


def isr(values: dict[str, str]) -> tuple[int, ...] | None:
    if "isr" in values:
        return tuple(int(number) for number in INTEGER.findall(values["isr"]))
    if "isr_epochs" in values:
        return tuple(int(number) for number in BROKER_EPOCH.findall(values["isr_epochs"]))
    return None


def peer(values: dict[str, str]) -> int | None:
    """The broker at the other end; several are no peer, but stand in the message."""
    if "peer" in values:
        return int(values["peer"])
    brokers = INTEGER.findall(values.get("peers", ""))
    return int(brokers[0]) if len(brokers) == 1 else None


def error(values: dict[str, str]) -> str | None:
    """What went wrong in the line's words, or the first error code that is not 0."""
    if "error" in values:
        return values["error"]
    codes = [item["code"] for item in items(values.get("items", ""))]
    codes.insert(0, values.get("code", "0"))
    failed = [code for code in codes if int(code) != 0]
    return f"error_code={failed[0]}" if failed else None
