"""The layouts of lines: where stand date, level, logger and message?

Log4j's patterns put them in any order.  Reads one line at a time, for what the fast readers of
whole blocks leave, and knows neither messages nor what collectors put around a line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kadmin.statechange.dates import DATE, milliseconds, time_of_date
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

SYSLOG_LEVELS: Final = (
    *(Level.FATAL, Level.FATAL, Level.FATAL, Level.ERROR, Level.WARN, Level.INFO, Level.INFO),
    Level.DEBUG,
)


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
