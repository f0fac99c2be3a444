"""Clocks of brokers, and ranges of time.

What must be added to a broker's wall clock so that it agrees with the others'?  A constant, or
for a broker in another time zone one number for each stretch between the changes to and from summer
time.  Knows nothing of files.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from kadmin.errors import UsageError
from kadmin.statechange.lines import Int64s, Mask
from kadmin.wording import as_ms

EARLIEST: Final = datetime(2010, 1, 1)
LATEST: Final = datetime(2040, 1, 1)
"""Between these, changes are known; what lies outside is treated like the first and last day."""

DAY: Final = timedelta(days=1)
QUARTER: Final = timedelta(minutes=15)
"""Clocks change at a full quarter of an hour everywhere."""

MS: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Lifts:
    """From each common time in *since_ms* on, none is earlier than the one in *least_ms*.

    Both ascend and are int64 numbers as bytes, which are equal and travel as such.
    """

    since_ms: bytes = b""
    least_ms: bytes = b""

    @property
    def count(self) -> int:
        return len(self.since_ms) // 8

    def apply(self, times: Int64s) -> Int64s:
        """Return each of *times* as late as it has to be."""
        if not self.since_ms:
            return times
        index = np.searchsorted(self.since, times, side="right") - 1
        held: Int64s = np.maximum(times, self.least[index.clip(0)])
        return np.where(index >= 0, held, times)

    def within(self, low_ms: int, high_ms: int) -> "Lifts":
        """Return those by which times get from *low_ms* to *high_ms*, both included, or beyond."""
        if not self.since_ms:
            return self
        chosen = slice(
            int(np.searchsorted(self.least, low_ms, side="left")),
            int(np.searchsorted(self.since, high_ms, side="right")),
        )
        return Lifts(self.since[chosen].tobytes(), self.least[chosen].tobytes())

    @property
    def since(self) -> Int64s:
        return np.frombuffer(self.since_ms, np.int64)

    @property
    def least(self) -> Int64s:
        return np.frombuffer(self.least_ms, np.int64)


@dataclass(frozen=True, slots=True)
class Shifts:
    """From each time in *since_ms* (ascending) on, add the number in *shifts_ms*.

    Times before the first one take the first number.
    """

    since_ms: tuple[int, ...] = (0,)
    shifts_ms: tuple[int, ...] = (0,)

    def apply(self, times: Int64s) -> Int64s:
        if len(self.shifts_ms) == 1:
            return times + self.shifts_ms[0] if self.shifts_ms[0] else times
        index = np.searchsorted(np.array(self.since_ms), times, side="right") - 1
        shifted: Int64s = times + np.array(self.shifts_ms)[index.clip(0)]
        return shifted

    def set_forward(self, by_ms: int) -> "Shifts":
        return replace(self, shifts_ms=tuple(shift + by_ms for shift in self.shifts_ms))


@dataclass(frozen=True, slots=True)
class Clock:
    """What is added to a broker's times, as in `Shifts`.

    Lines that say their zone are shifted by *of_utc*, where that is another number.  What times
    are then is subject to *lifts*.
    """

    since_ms: tuple[int, ...] = (0,)
    shifts_ms: tuple[int, ...] = (0,)
    lifts: Lifts = Lifts()
    of_utc: Shifts | None = None

    @property
    def is_exact(self) -> bool:
        """Whether nothing is added to times."""
        return self.shifts_ms == (0,)

    def apply(self, times: Int64s, is_utc: Mask | None = None) -> Int64s:
        """Return the common time of each of a broker's *times*, all dated; which of them are of
        UTC."""
        shifted = Shifts(self.since_ms, self.shifts_ms).apply(times)
        if self.of_utc is not None and is_utc is not None:
            shifted = np.where(is_utc, self.of_utc.apply(times), shifted)
        return self.lifts.apply(shifted)

    def set_forward(self, by_ms: int) -> "Clock":
        """Return the clock that gives times later by so much; earlier, where it is negative."""
        own = Shifts(self.since_ms, self.shifts_ms).set_forward(by_ms)
        of_utc = None if self.of_utc is None else self.of_utc.set_forward(by_ms)
        return replace(self, shifts_ms=own.shifts_ms, of_utc=of_utc)


EXACT: Final = Clock()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """Common times from *start_ms* to *end_ms*, both included."""

    start_ms: int
    end_ms: int

    def overlaps(self, earliest_ms: int, latest_ms: int) -> bool:
        """Return whether any time from *earliest_ms* to *latest_ms* is in the range."""
        return earliest_ms <= self.end_ms and latest_ms >= self.start_ms

    def widened(self, by_ms: int) -> "TimeRange":
        """Return the same with so much more at both ends, but for an end that is open."""
        return TimeRange(
            start_ms=max(self.start_ms - by_ms, ALWAYS.start_ms),
            end_ms=min(self.end_ms + by_ms, ALWAYS.end_ms),
        )

    def contains(self, times: Int64s) -> Mask:
        """Return which of *times* are in the range."""
        inside: Mask = (times >= self.start_ms) & (times <= self.end_ms)
        return inside


ALWAYS: Final = TimeRange(start_ms=-(1 << 62), end_ms=1 << 62)


def clock(offset_ms: int = 0, zone: str | None = None, common_zone: str = "UTC") -> Clock:
    """Return the clock of a broker that is *offset_ms* behind and logs in *zone*.

    The common time is the wall clock of *common_zone*.  A time that occurs twice when summer time
    ends is taken as the first of the two; one that never occurs, as if the change came later.

    Raises:
        UsageError: there is no such zone.
    """
    own = shifts(offset_ms, common_zone if zone is None else zone, common_zone)
    of_utc = shifts(offset_ms, "UTC", common_zone)
    is_same = own == of_utc
    return Clock(own.since_ms, own.shifts_ms, of_utc=None if is_same else of_utc)


def shifts(offset_ms: int, zone: str, common_zone: str) -> Shifts:
    """Return what takes wall-clock times of *zone* to the common ones; raises UsageError as
    `clock`."""
    if zone == common_zone:
        return Shifts(shifts_ms=(offset_ms,))
    own, common = find_zone(zone), find_zone(common_zone)

    def shift(wall: datetime) -> timedelta:
        there = wall.replace(tzinfo=own).astimezone(UTC).astimezone(common)
        return there.replace(tzinfo=None) - wall

    since, found = [EARLIEST], [shift(EARLIEST)]
    day = EARLIEST
    while day < LATEST:
        if shift(day + DAY) != found[-1]:
            for wall in (day + QUARTER * count for count in range(1, DAY // QUARTER + 1)):
                if shift(wall) != found[-1]:
                    since.append(wall)
                    found.append(shift(wall))
        day += DAY
    return Shifts(
        tuple(as_ms(wall) for wall in since), tuple(value // MS + offset_ms for value in found)
    )


def find_zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(
            f"there is no time zone '{name}'", hint="name it like Europe/Berlin, or UTC"
        ) from error
