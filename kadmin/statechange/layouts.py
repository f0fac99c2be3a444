"""The layouts of lines: where stand date, level, logger and message, and what is wrapped around?

Log4j's patterns put them in any order, and what collects logs of containers wraps whole lines.
Reads one line at a time, for what the fast readers of whole blocks leave.  Knows no message.
"""

import json
import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import reduce
from typing import Any, Final

from kadmin.statechange.kinds import Level

PREFIX_CHARS_MAX: Final = 256
"""How far a collector (docker compose, kubectl, grep) may push a line's date to the right."""

PLAIN_DATE: Final = (
    r"\[([0-9]{4})-([0-9]{2})-([0-9]{2}) ([0-9]{2}):([0-9]{2}):([0-9]{2}),([0-9]{3})\]"
)
PLAIN_DATE_CHARS: Final = len("[2026-11-20 03:04:05,678]")
OTHER_LEVELS: Final = {
    "WARNING": Level.WARN,
    "NOTICE": Level.INFO,
    "SEVERE": Level.ERROR,
    "CRITICAL": Level.FATAL,
}
"""What java.util.logging, syslog and clouds call them."""

LEVEL: Final = rf"(?i:{'|'.join((*OTHER_LEVELS, *Level))})"
PLAIN_HEAD: Final = re.compile(rf"{PLAIN_DATE}(?: +({'|'.join(Level)})(?: +|$))?")
PREFIXED_HEAD: Final = re.compile(rf"{PLAIN_DATE} +({'|'.join(Level)}) +")
PREFIXED_HEAD_CHARS: Final = PREFIX_CHARS_MAX + PLAIN_DATE_CHARS + len(" TRACE ")

MONTHS: Final = "JanFebMarAprMayJunJulAugSepOctNovDec"
DATE: Final = re.compile(
    r"[\[(]?(?:(?P<year>[0-9]{4})(?P<dash>[-/.]?)(?P<month>[0-9]{2})(?P=dash)(?P<day>[0-9]{2})[ T_]"
    r"|(?P<day_first>[0-9]{2})(?:(?P<gap>[-/ ])(?P<name>[A-Z][a-z]{2})(?P=gap)"
    r"|\.(?P<month_second>[0-9]{2})\.)(?P<year_last>[0-9]{4})[ :T]"
    r"|(?P<name_first>[A-Z][a-z]{2}) (?P<day_second>[0-9]{1,2}),? (?P<year_third>[0-9]{4}),? )"
    r"(?P<hour>[0-9]{2})(?P<colon>:?)(?P<minute>[0-9]{2})(?P=colon)(?P<second>[0-9]{2})"
    r"(?:[.,:](?P<fraction>[0-9]{1,9}))?"
    r"(?: ?(?P<zone>Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)| [A-Z]{3,4}(?=\]))?"
    r"[\])]?(?=[\s|:;,\"\[({<-]|\Z)"
)
"""Of log4j's formats those that name the day, with millis and a zone or without.

Left out are those in which days and months look alike, such as 03/04/2026.
"""

WRITER: Final = re.compile(
    r"\[(?:Controller|Broker) id=|(?<![^\s;,\"])(?:Controller [0-9]+ epoch |Broker [0-9]+ )"
)
LOGGER_NAME: Final = "state.change.logger"
IN_BRACKETS: Final = r"\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}|<[^<>]*>"
FRONT_LEVEL: Final = re.compile(
    rf"[\[(<]?\s*(?P<level>{LEVEL})\s*[\])>]?(?=[\s:|;,\"\[(-]|\Z):?\s*"
)
FRONT: Final = re.compile(
    rf"(?P<sure>(?:{IN_BRACKETS}|[-|:>;,\"]+|[\w.$]*[Ll]ogger\b):?)\s*|\S+\s+"
)
"""A thread, a class, a separator; *sure* is what begins no message."""

BLANKS: Final = r"(?<!\s)\s++"
"""A whole run of blanks: a search does not begin again at each of them, nor give them back."""

TAIL: Final = re.compile(
    rf"{BLANKS}(?:[\[(<]?\s*+(?P<level>{LEVEL})\s*+[\])>]?|{IN_BRACKETS}|-|\|)\s*+\Z"
)
LOGGER_TAIL: Final = re.compile(
    rf"{BLANKS}(?:- )?[(\[<{{]state\.change\.logger[^()\[\]<>{{}}]*[)\]>}}](?:[\"'$]|<br ?/?>)?"
    rf"(?:,\S*)?(?:\s+(?!\[(?:Broker|Controller) id=)(?:{IN_BRACKETS}|\||[\w.#-]+)){{0,3}}\s*\Z"
)
FRONT_MAX: Final = 8
WORDS_MAX: Final = 3
"""Names of threads without brackets are so long at most."""

FRONT_CHARS_MAX: Final = 64
TAILS_MAX: Final = 4
SEARCHED_CHARS: Final = 1024
"""How much of a line is searched behind its date, and before its end: lines may have megabytes."""

DATE_AFTER_MAX: Final = 4
"""So many things stand before a date at most."""

ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
STAMP: Final = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})"
)
COLLECTORS: Final = tuple(
    map(
        re.compile,
        (
            # docker compose logs; swarm's service logs
            r"(?P<stream>[\w.][\w.@/-]*) *\|(?: |\Z)",
            # kubectl logs --prefix
            r"\[(?P<stream>pod/[^\]\s]+)\](?: |\Z)",
            # containerd and CRI-O
            rf"(?P<time>{STAMP}) (?:stdout|stderr) (?P<tag>[FP])(?::[^ ]*)?(?: |\Z)",
            # syslog: RFC 5424; RFC 3164, journald and rsyslog with their kinds of dates
            rf"<[0-9]+>1 (?P<time>{STAMP}) (?P<stream>\S+ \S+) \S+ \S+ (?:-|(?:\[.*?\])+)(?: |\Z)",
            r"(?:<[0-9]+>)?(?:[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
            rf"|(?P<time>{STAMP})|[0-9]{{10}}\.[0-9]{{6}}"
            r"|[A-Z][a-z]{2} [0-9]{4}(?:-[0-9]{2}){2} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)? \S+)"
            r" (?!Caused by:)(?P<stream>[\w.-]+ [\w./@-]+)(?:\[[0-9]+\])?:(?: |\Z)",
            # Loki's logcli
            rf"(?P<time>{STAMP}) (?P<stream>\{{[\w.]+=\"[^}}]*\}})(?: |\Z)",
            # kubectl and docker logs --timestamps; Grafana's downloads
            rf"(?P<time>{STAMP})(?:[ \t]|\Z)",
            # CloudWatch's rows of CSV
            r"[0-9]{13},\"?",
            # grep with names and numbers
            r"(?P<stream>[^\s:\[\]{]*\.log[\w.-]*?)(?::[0-9]+:|-[0-9]+-|:)",
        ),
    )
)
SURE_COLLECTORS: Final = 4
"""The first ones, with which no line of its own begins."""

WRAPPERS_MAX: Final = 5

TEXT_KEYS: Final = (
    *("log", "MESSAGE", "message", "msg", "short_message", "textPayload", "line", "@message"),
    "_raw",
)
NESTED_KEYS: Final = ("jsonPayload", "_source", "result")
"""Where exports of clouds, Elasticsearch and Splunk keep the event."""
TIME_KEYS: Final = ("@timestamp", "timestamp", "time", "timeMillis", "instant", "ts", "date")
LEVEL_KEYS: Final = ("level", "log.level", "severity", "levelname", "level_name", "loglevel")
TRACE_KEYS: Final = (
    *("thrown", "exception", "stack_trace", "stacktrace", "error.stack_trace", "error"),
    *("throwable", "full_message", "extendedStackTrace", "exception.stacktrace"),
)
EXCEPTION_NAME: Final = re.compile(r"[\w$]+(?:\.[\w$]+)+(?::|\s|\Z)")
TRACE: Final = re.compile(rf"Caused by: |\.\.\. [0-9]+ |{EXCEPTION_NAME.pattern}")
SYSLOG_LEVELS: Final = (
    *(Level.FATAL, Level.FATAL, Level.FATAL, Level.ERROR, Level.WARN, Level.INFO, Level.INFO),
    Level.DEBUG,
)

EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()
MICROS: Final = re.compile(r"[0-9]{1,18}")
CALENDAR_MS: Final = range(
    (date.min.toordinal() - EPOCH_ORDINAL) * 86_400_000,
    (date.max.toordinal() + 1 - EPOCH_ORDINAL) * 86_400_000,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """A log line inside of another format: *text* is the line.

    *stream* is the container or host as the collector calls it, *time_ms* when the collector
    received the line, in ms of UTC.  A line that *is_piece* continues in the next of its stream.
    *fields* are the other fields of JSON.  *is_same* if the line is not wrapped at all.
    """

    text: str
    stream: str = ""
    time_ms: int | None = None
    is_piece: bool = False
    fields: Mapping[str, Any] | None = None
    is_same: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The date of a line in ms of its wall clock, its level, and what may be its messages.

    *is_utc* if the line has its zone: then the time is that of UTC.  *rest* is all behind date and
    level.  *date_end* is where the date ends in the whole line, 0 where that is no place.  *error*
    is an exception in the line beside its message.
    """

    time_ms: int
    is_utc: bool
    level: Level | None
    rest: str
    date_end: int = 0
    error: str | None = None


def find_head(line: str) -> Head | None:
    """Return the head of *line*, without its end; None for one that only goes on what is before
    it."""
    plain = None if "\x1b" in line else plain_head(line)
    if plain is not None:
        return plain
    if line[:1] in (" ", "\t", ""):
        return prefixed_head(line)
    wrapped = unwrapped(line)
    head = own_head(wrapped)
    if head is None:
        text = wrapped.text if wrapped.fields is not None else ANSI.sub("", line)
        head = None if text[:1] in (" ", "\t") else prefixed_head(text) or date_behind(text)
    if head is not None and head.date_end and not wrapped.is_same:
        at = line.rfind(wrapped.text)
        return replace(head, date_end=0 if at < 0 else at + head.date_end)
    return head


def plain_head(line: str) -> Head | None:
    """Return the head in the layout of Kafka up to 3.9, at the very front."""
    found = PLAIN_HEAD.match(line)
    return None if found is None else head_of_plain(line, found)


def prefixed_head(line: str) -> Head | None:
    """Return a plain head behind text of any kind: the date is the line's own as its level
    follows."""
    found = PREFIXED_HEAD.search(line, 0, PREFIXED_HEAD_CHARS)
    return None if found is None else head_of_plain(line, found)


def head_of_plain(line: str, found: re.Match[str]) -> Head | None:
    time_ms = milliseconds(*(int(found[group]) for group in range(1, 8)))
    if time_ms is None:
        return None
    level, rest = None, line[found.end() :]
    if found[8] is not None:
        level = Level(found[8])
    elif rest:
        level, rest = level_in_front(rest)
    date_end = found.start() + PLAIN_DATE_CHARS
    return Head(time_ms=time_ms, is_utc=False, level=level, rest=rest, date_end=date_end)


def own_head(wrapped: Wrapped) -> Head | None:
    """Return the head of a line that something is wrapped around, or that has another layout."""
    text = wrapped.text
    head = plain_head(text)
    if head is None:
        head = dated_head(text)
    if head is None and wrapped.fields is not None:
        return head_of_fields(wrapped.fields, text)
    if head is None and wrapped.time_ms is not None and not text[:1].isspace():
        # The pattern may leave the date to the collector.
        level, rest = level_in_front(text)
        if FRONT_LEVEL.match(text) is not None or is_of_kafka(text):
            return Head(time_ms=wrapped.time_ms, is_utc=True, level=level, rest=rest)
    if head is not None and wrapped.fields is not None:
        return replace(head, error=error_of_fields(wrapped.fields))
    return head


def dated_head(text: str) -> Head | None:
    """Return a head that begins with a date of any kind.

    A date alone may be a collector's, or of what a trace quotes: a level must stand behind it, or
    what only such lines have.
    """
    before, found = date_in_front(text)
    time_ms = None if found is None else time_of_date(found)
    if found is None or time_ms is None:
        return None
    rest = text[found.end() :].lstrip()
    level, behind = level_in_front(rest)
    if level is None and before is not None:
        level, behind = before, rest
    if level is None and not is_of_kafka(rest):
        return None
    if is_collected(rest):
        return None
    return Head(
        time_ms=time_ms,
        is_utc=found["zone"] is not None,
        level=level,
        rest=behind,
        date_end=found.end(),
    )


def date_in_front(text: str) -> tuple[Level | None, re.Match[str] | None]:
    """Return the date of *text*, and the level where it stands before it."""
    at, level = 0, None
    for _ in range(DATE_AFTER_MAX):
        found = DATE.match(text, at)
        if found is not None:
            return level, found
        front = FRONT_LEVEL.match(text, at, at + SEARCHED_CHARS) or FRONT.match(
            text, at, at + SEARCHED_CHARS
        )
        if front is None or not front[1]:
            break
        level = level or level_of(front[1])
        at = front.end()
    return None, None


def date_behind(text: str) -> Head | None:
    """Return a head of which nothing but date and level is known, in what is surely Kafka's."""
    for found in DATE.finditer(text, 1, PREFIX_CHARS_MAX):
        time_ms = time_of_date(found)
        if time_ms is None or not text[found.start() - 1].isspace():
            continue
        rest = text[found.end() :].lstrip()
        if FRONT_LEVEL.match(rest) is not None and is_of_kafka(rest):
            level, rest = level_in_front(rest)
            is_utc = found["zone"] is not None
            return Head(time_ms=time_ms, is_utc=is_utc, level=level, rest=rest)
    return None


def is_collected(text: str) -> bool:
    """Return whether *text*, behind a date, is a line of its own: then that date is a collector's.

    It has a date itself, before its writer's name, or is JSON.
    """
    writer = writer_in(text)
    front = text[: FRONT_CHARS_MAX if writer is None else writer.start()]
    return '{"' in front or any(time_of_date(each) is not None for each in DATE.finditer(front))


def is_of_kafka(text: str) -> bool:
    return LOGGER_NAME in text or writer_in(text) is not None


def writer_in(text: str) -> re.Match[str] | None:
    return WRITER.search(text, 0, SEARCHED_CHARS)


def tail_of(text: str) -> re.Match[str] | None:
    return TAIL.search(text, max(0, len(text) - SEARCHED_CHARS))


def level_in_front(text: str) -> tuple[Level | None, str]:
    """Return the level near the front of *text* or at its end, and all that may be the message."""
    at = len(text) - len(text.lstrip())
    words = 0
    for _ in range(FRONT_MAX):
        if WRITER.match(text, at):
            break
        found = FRONT_LEVEL.match(text, at, at + SEARCHED_CHARS)
        if found is not None:
            return level_of(found["level"]), text[found.end() :]
        token = FRONT.match(text, at, at + SEARCHED_CHARS)
        words += token is not None and token["sure"] is None
        if token is None or words > WORDS_MAX:
            break
        at = token.end()
    shorter = text
    for _ in range(TAILS_MAX):
        tail = tail_of(shorter)
        if tail is None:
            break
        shorter = shorter[: tail.start()]
        if tail["level"] is not None:
            return level_of(tail["level"]), shorter.lstrip()
    return None, text


def level_of(word: object) -> Level | None:
    if isinstance(word, int) and 0 <= word < len(SYSLOG_LEVELS):
        return SYSLOG_LEVELS[word]
    text = str(word).upper()
    return OTHER_LEVELS.get(text, Level(text) if text in set(Level) else None)


def messages(head: Head) -> Iterator[str]:
    """Return what may be the message of *head*, the whole rest first, then less of it.

    Threads, classes and places in the source may stand before or behind it.
    """
    logger = LOGGER_TAIL.search(head.rest, max(0, len(head.rest) - SEARCHED_CHARS))
    rest = head.rest if logger is None else head.rest[: logger.start()]
    ends = [rest, rest.rstrip(' \t\r\n"')]
    for _ in range(TAILS_MAX):
        tail = tail_of(ends[-1])
        if tail is None:
            break
        ends.append(ends[-1][: tail.start()])
    starts = [0, *fronts(rest)]
    seen = set()
    for end in ends:
        for start in starts:
            message = end[start:]
            if message and message not in seen:
                seen.add(message)
                yield message


def fronts(text: str) -> Iterator[int]:
    """Return where a message may begin: behind each thing before it, and with the writer's name."""
    at = 0
    for _ in range(FRONT_MAX):
        token = FRONT.match(text, at, at + SEARCHED_CHARS)
        if token is None or token["sure"] is None or WRITER.match(text, at):
            break
        at = token.end()
        yield at
    writer = writer_in(text)
    if writer is not None and writer.start() > at:
        yield writer.start()


# What is wrapped around.


def unwrapped(line: str) -> Wrapped:
    """Return the line itself, without what collectors have put around it."""
    found = Wrapped(text=line)
    for _ in range(WRAPPERS_MAX):
        inner = unwrapped_once(found)
        if inner is None:
            break
        found = inner
    return found


def unwrapped_once(outer: Wrapped) -> Wrapped | None:
    text = outer.text
    if "\x1b" in text:
        return replace(outer, text=ANSI.sub("", text), is_same=False)
    if text.startswith("{"):
        return unwrapped_json(outer)
    for number, collector in enumerate(COLLECTORS):
        if number == SURE_COLLECTORS and (
            plain_head(text) is not None or dated_head(text) is not None
        ):
            break
        found = collector.match(text, 0, SEARCHED_CHARS)
        if found is None:
            continue
        said = found.groupdict()
        stamp = said.get("time")
        return Wrapped(
            text=text[found.end() :],
            stream=" ".join(filter(None, (outer.stream, said.get("stream")))),
            time_ms=outer.time_ms if stamp is None else time_of_text(stamp),
            is_piece=outer.is_piece or said.get("tag") == "P",
            fields=outer.fields,
            is_same=False,
        )
    return None


def unwrapped_json(outer: Wrapped) -> Wrapped | None:
    try:
        fields = json.loads(outer.text)
    except (ValueError, RecursionError):
        return None
    nested = [fields[key] for key in NESTED_KEYS if isinstance(fields.get(key), dict)]
    fields = reduce(operator.or_, nested, fields)
    texts = (text_of(fields.get(key)) for key in TEXT_KEYS)
    text = next((each for each in texts if each is not None), None)
    if text is None:
        return None
    is_docker = isinstance(fields.get("log"), str) and "stream" in fields
    time_ms, _ = time_of_fields(fields)
    return Wrapped(
        text=text.rstrip("\r\n"),
        stream=outer.stream,
        time_ms=outer.time_ms if time_ms is None else time_ms,
        is_piece=outer.is_piece or (is_docker and not text.endswith("\n")),
        fields=None if is_docker else fields,
        is_same=False,
    )


def text_of(value: Any) -> str | None:
    """Return a text; journald writes one with unprintable bytes as their numbers."""
    if isinstance(value, list) and all(type(each) is int for each in value):
        return bytes(each & 0xFF for each in value).decode(errors="replace")
    return value if isinstance(value, str) else None


def head_of_fields(fields: Mapping[str, Any], text: str) -> Head | None:
    """Return the head of an event in JSON: one of a collector, without a level, is none of
    Kafka's."""
    time_ms, is_utc = time_of_fields(fields)
    level = next((level_of(value) for value in values(fields, LEVEL_KEYS)), None)
    if text[:1].isspace() or TRACE.match(text):
        return None
    names = map(str, values(fields, ("loggerName", "logger_name", "logger", "log.logger")))
    if time_ms is None or (level is None and LOGGER_NAME not in names and not is_of_kafka(text)):
        return None
    return Head(
        time_ms=time_ms, is_utc=is_utc, level=level, rest=text, error=error_of_fields(fields)
    )


def values(fields: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Any]:
    """Return the values of *keys* that there are; `log.level` is that of nested objects, too."""
    for key in keys:
        outer, _, inner = key.partition(".")
        nested = fields.get(outer)
        if key in fields:
            yield fields[key]
        elif inner and isinstance(nested, Mapping) and inner in nested:
            yield nested[inner]


def time_of_fields(fields: Mapping[str, Any]) -> tuple[int | None, bool]:
    """Return the time of an event, and whether it is of UTC."""
    for value in values(fields, TIME_KEYS):
        match value:
            case {"epochSecond": int(seconds), "nanoOfSecond": int(nanos)}:
                return of_calendar(seconds * 1000 + nanos // 1_000_000), True
            case bool():
                continue
            case int() | float() if 0 < value < 1e15:
                # Seconds until the year 5138, else millis.
                return of_calendar(int(value * 1000 if value < 1e11 else value)), True
            case str():
                found = DATE.match(value)
                time_ms = None if found is None else time_of_date(found)
                if found is not None and time_ms is not None:
                    return time_ms, found["zone"] is not None
    micros = str(fields.get("__REALTIME_TIMESTAMP", ""))
    if not MICROS.fullmatch(micros):
        return None, False
    return of_calendar(int(micros) // 1000), True


def error_of_fields(fields: Mapping[str, Any]) -> str | None:
    """Return the exception that an event names, as the first line of its trace does."""
    for value in values(fields, TRACE_KEYS):
        if isinstance(value, Mapping):
            texts = [
                next((str(value[key]) for key in keys if value.get(key)), "")
                for keys in (
                    ("name", "exception_class", "class", "type"),
                    ("message", "exception_message", "localizedMessage"),
                )
            ]
            if texts[0]:
                return ": ".join(filter(None, texts))
            value = next((v for v in value.values() if isinstance(v, str)), "")
        text = str(value or "").lstrip()
        if EXCEPTION_NAME.match(text):
            return text.splitlines()[0]
    return None


# Dates.


def time_of_text(text: str) -> int | None:
    found = DATE.match(text)
    return None if found is None else time_of_date(found)


def time_of_date(found: re.Match[str]) -> int | None:
    """Return the time that a date means, of UTC where it has a zone; None for what no calendar
    has."""
    year, day = (
        int(next(filter(None, found.group(*names))))
        for names in (
            ("year", "year_last", "year_third"),
            ("day", "day_first", "day_second"),
        )
    )
    number, name = found["month"] or found["month_second"], found["name"] or found["name_first"]
    place = 0 if name is None else MONTHS.find(name)
    if place % 3:
        return None
    month = place // 3 + 1 if number is None else int(number)
    fraction = (found["fraction"] or "").ljust(3, "0")[:3]
    time_ms = milliseconds(
        *(year, month, day, int(found["hour"]), int(found["minute"]), int(found["second"])),
        int(fraction),
    )
    zone = found["zone"]
    if time_ms is None or zone is None or not zone[1:3].isdigit():
        return time_ms
    digits = zone[1:].replace(":", "").ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return of_calendar(time_ms - (minutes if zone[0] == "+" else -minutes) * 60_000)


def milliseconds(
    year: int, month: int, day: int, hour: int, minute: int, second: int, ms: int
) -> int | None:
    """Return the time in ms since 1970, or None for a day or an hour that no calendar has."""
    if hour > 23 or minute > 59 or second > 59:
        return None
    try:
        days = date(year, month, day).toordinal() - EPOCH_ORDINAL
    except ValueError:
        return None
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + ms


def of_calendar(time_ms: int) -> int | None:
    """Return *time_ms* where it is of the years 1 to 9999: no other can be shown."""
    return time_ms if CALENDAR_MS.start <= time_ms < CALENDAR_MS.stop else None
