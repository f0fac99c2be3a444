"""Which moment does an operator mean?

Times are wall clocks without a zone, as brokers write them: ms since 1970 as if they were UTC.
Knows no clock: the caller says what time it is.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from kadmin.errors import UsageError

KAFKA_FORM: Final = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,6}))?")
RELATIVE: Final = re.compile(r"-\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)")
UNIT_MS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
EPOCH: Final = datetime(1970, 1, 1)
MS: Final = timedelta(milliseconds=1)


def parse_time(text: str, now_ms: int, *, is_end: bool = False, zone: tzinfo = UTC) -> int:
    """Understand a time in Kafka's form (`2026-11-20 03:12:00,000`), in ISO 8601, or relative to
    *now_ms* (`-2h`, `-30m`).

    What is left out is the start of the day, minute or second, for an *is_end* its last
    millisecond.  An ISO time with a zone means that moment on a clock that shows *zone*.

    Raises:
        UsageError: none of these, or no time that there is.
    """
    cleaned = text.strip().strip('"').strip()
    relative = RELATIVE.fullmatch(cleaned)
    if relative is not None:
        return now_ms - round(float(relative[1]) * UNIT_MS[relative[2]])
    try:
        return absolute(cleaned, is_end=is_end, zone=zone)
    except ValueError as error:
        raise UsageError(
            f"'{text}' is no time: {error}",
            hint="for example '2026-11-20 03:12:00,000', 2026-11-20T03:12, or -2h",
        ) from None


def absolute(text: str, *, is_end: bool, zone: tzinfo) -> int:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        day = datetime.strptime(text, "%Y-%m-%d")
        return as_ms(day + timedelta(days=1) - MS if is_end else day)
    match = KAFKA_FORM.fullmatch(text)
    if match is None:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            moment = moment.astimezone(zone).replace(tzinfo=None)
        return as_ms(moment)
    has_seconds = match[2].count(":") == 2
    moment = datetime.fromisoformat(f"{match[1]} {match[2]}")
    if match[3] is not None:
        return as_ms(moment) + int(match[3].ljust(3, "0")[:3])
    if not is_end:
        return as_ms(moment)
    return as_ms(moment + timedelta(seconds=1 if has_seconds else 60) - MS)


def as_ms(moment: datetime) -> int:
    return (moment - EPOCH) // MS
