"""Dates in lines of logs: log4j's formats, ISO 8601 and the numbers in JSON."""

import re
from datetime import date
from typing import Final

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

EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()
CALENDAR_MS: Final = range(
    (date.min.toordinal() - EPOCH_ORDINAL) * 86_400_000,
    (date.max.toordinal() + 1 - EPOCH_ORDINAL) * 86_400_000,
)


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
