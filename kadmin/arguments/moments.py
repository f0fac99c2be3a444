"""Moments in a log: which one is meant?"""

import re
from typing import Final

from kadmin.arguments.times import parse_time
from kadmin.errors import UsageError
from kadmin.plan.offsets import EARLIEST, LATEST, MAX_TIMESTAMP

PLACES: Final = {"latest": LATEST, "earliest": EARLIEST, "max-timestamp": MAX_TIMESTAMP}

TIME_MAX_MS: Final = 2**63 - 1


def parse_moment(text: str, now_ms: int) -> int:
    """Understand `latest`, `earliest`, `max-timestamp`, ms since 1970, a time, or one of Kafka's
    numbers for the first three.

    A time may be relative to *now_ms* (`-2h`), or as `parse_time` has it.

    Raises:
        UsageError: none of these.
    """
    word = text.strip()
    if word in PLACES:
        return PLACES[word]
    if re.fullmatch(r"-?\d{1,19}", word):
        number = int(word)
        if number in PLACES.values() or 0 <= number <= TIME_MAX_MS:
            return number
    try:
        return max(0, parse_time(word, now_ms))
    except UsageError as error:
        raise UsageError(
            f"'{text}' is no time, and no place in a log",
            hint="latest, earliest, max-timestamp, '2026-11-20 03:12', -2h, or ms since 1970",
        ) from error


def parse_numbers(text: str) -> frozenset[int]:
    """Return the numbers of partitions in *text*, `0,1,7`.

    Raises:
        UsageError: anything else.
    """
    words = [word.strip() for word in text.split(",")]
    if not all(re.fullmatch(r"\d{1,10}", word) for word in words):
        raise UsageError(f"'{text}' are no numbers of partitions", hint="--partitions 0,1,7")
    return frozenset(map(int, words))


def moment_text(time: int) -> str:
    """Return *time* as an operator may give it."""
    names = {number: name for name, number in PLACES.items()}
    return names.get(time, str(time))
