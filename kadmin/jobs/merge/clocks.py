"""Clocks of brokers, and ranges of time.

What must be added to a broker's wall clock so that it agrees with the others'?  A constant, or
for a broker in another time zone one number for each stretch between the changes to and from summer
time.  Knows nothing of files.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from kadmin.errors import UsageError
from kadmin.plan.times import as_ms
from kadmin.statechange.lines import Int64s, Mask

EARLIEST: Final = datetime(2010, 1, 1)
LATEST: Final = datetime(2040, 1, 1)
"""Between these, changes are known; what lies outside is treated like the first and last day."""

DAY: Final = timedelta(days=1)
QUARTER: Final = timedelta(minutes=15)
"""Clocks change at a full quarter of an hour everywhere."""

MS: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Clock:
    """From each wall-clock time in *since_ms* (ascending) on, add the number in *shifts_ms*.

    Times before the first one take the first number.
    """

    since_ms: tuple[int, ...] = (0,)
    shifts_ms: tuple[int, ...] = (0,)

    @property
    def is_exact(self) -> bool:
        """Whether times stay as they are."""
        return self.shifts_ms == (0,)

    def apply(self, times: Int64s) -> Int64s:
        """The common time of each of a broker's *times*, all dated."""
        if len(self.shifts_ms) == 1:
            return times if self.is_exact else times + self.shifts_ms[0]
        index = np.searchsorted(np.array(self.since_ms), times, side="right") - 1
        shifted: Int64s = times + np.array(self.shifts_ms)[index.clip(0)]
        return shifted

    def set_forward(self, by_ms: int) -> "Clock":
        """The clock that gives times later by so much; earlier, where it is negative."""
        return Clock(self.since_ms, tuple(shift + by_ms for shift in self.shifts_ms))


EXACT: Final = Clock()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """Common times from *start_ms* to *end_ms*, both included."""

    start_ms: int
    end_ms: int

    def overlaps(self, earliest_ms: int, latest_ms: int) -> bool:
        """Whether any time from *earliest_ms* to *latest_ms* is in the range."""
        return earliest_ms <= self.end_ms and latest_ms >= self.start_ms

    def widened(self, by_ms: int) -> "TimeRange":
        """The same with so much more at both ends, but for an end that is open."""
        return TimeRange(
            start_ms=max(self.start_ms - by_ms, ALWAYS.start_ms),
            end_ms=min(self.end_ms + by_ms, ALWAYS.end_ms),
        )

    def contains(self, times: Int64s) -> Mask:
        """Which of *times* are in the range."""
        inside: Mask = (times >= self.start_ms) & (times <= self.end_ms)
        return inside


ALWAYS: Final = TimeRange(start_ms=-(1 << 62), end_ms=1 << 62)


def clock(offset_ms: int = 0, zone: str | None = None, common_zone: str = "UTC") -> Clock:
    """The clock of a broker that is *offset_ms* behind and logs in *zone*.

    The common time is the wall clock of *common_zone*.  A time that occurs twice when summer time
    ends is taken as the first of the two; one that never occurs, as if the change came later.

    Raises:
        UsageError: there is no such zone.
    """
    if zone is None or zone == common_zone:
        return Clock(shifts_ms=(offset_ms,))
    own, common = find_zone(zone), find_zone(common_zone)

    def shift(wall: datetime) -> timedelta:
        there = wall.replace(tzinfo=own).astimezone(UTC).astimezone(common)
        return there.replace(tzinfo=None) - wall

    since, shifts = [EARLIEST], [shift(EARLIEST)]
    day = EARLIEST
    while day < LATEST:
        if shift(day + DAY) != shifts[-1]:
            for wall in (day + QUARTER * count for count in range(1, DAY // QUARTER + 1)):
                if shift(wall) != shifts[-1]:
                    since.append(wall)
                    shifts.append(shift(wall))
        day += DAY
    return Clock(
        tuple(as_ms(wall) for wall in since),
        tuple(value // MS + offset_ms for value in shifts),
    )


def find_zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(
            f"there is no time zone '{name}'", hint="name it like Europe/Berlin, or UTC"
        ) from error
