"""Moments that an operator types.

Times are wall clocks without a zone, as brokers write them: ms since 1970 as if they were UTC.  No
clock is read: the caller passes the current time.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from kadmin.errors import UsageError
from kadmin.wording import MS, as_ms

FORM: Final = re.compile(
    r"(?P<day>[0-9]{4}-?[0-9]{2}-?[0-9]{2})"
    r"(?:[ T](?P<clock>[0-9:]+)(?:[.,](?P<fraction>[0-9]+))?(?P<zone>Z|[+-][0-9:]+)?)?"
)
"""A day, perhaps with a time of it: Kafka's form, and ISO 8601 with and without its signs."""

RELATIVE: Final = re.compile(r"-\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)")
UNIT_MS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}

SPAN_OF_DIGITS: Final = {
    0: timedelta(days=1),
    2: timedelta(hours=1),
    4: timedelta(minutes=1),
    6: timedelta(seconds=1),
}
"""How long the moment is that a time of day of so many digits means."""


def parse_time(text: str, now_ms: int, *, is_end: bool = False, zone: tzinfo = UTC) -> int:
    """Understand a time in Kafka's form (`2026-11-20 03:12:00,000`), in ISO 8601, or relative to
    *now_ms* (`-2h`, `-30m`).

    What is left out is the start of the day, hour, minute or second, for an *is_end* its last
    millisecond.  A time with a zone means that moment on a clock that shows *zone*.

    Raises:
        UsageError: none of these, or no time that there is.
    """
    cleaned = text.strip().strip('"').strip()
    try:
        match = RELATIVE.fullmatch(cleaned)
        if match is not None:
            return relative(now_ms, float(match[1]) * UNIT_MS[match[2]])
        return absolute(cleaned, is_end=is_end, zone=zone)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"'{text}' is no time: {error}",
            hint="for example '2026-11-20 03:12:00,000', 2026-11-20T03:12, or -2h",
        ) from None


def relative(now_ms: int, distance_ms: float) -> int:
    if distance_ms > now_ms - as_ms(datetime.min):
        raise ValueError("it lies before the year 1")
    return now_ms - round(distance_ms)


def absolute(text: str, *, is_end: bool, zone: tzinfo) -> int:
    match = FORM.fullmatch(text)
    if match is None:
        raise ValueError("it has no form of a date")
    clock, fraction = match["clock"] or "", match["fraction"]
    moment = datetime.fromisoformat(match["day"] + (clock and f"T{clock}{match['zone'] or ''}"))
    span = SPAN_OF_DIGITS[sum(map(str.isdigit, clock))]
    if fraction is not None:
        if span != SPAN_OF_DIGITS[6]:
            raise ValueError("only seconds have a fraction")
        moment += int(fraction.ljust(3, "0")[:3]) * MS
    elif is_end:
        moment += span - MS
    if moment.tzinfo is not None:
        moment = moment.astimezone(zone).replace(tzinfo=None)
    return as_ms(moment)
