"""Wording: how are counts of things, sizes, and lists of partitions put in sentences?"""

from collections import Counter
from collections.abc import Iterable, Sequence, Sized
from datetime import datetime, timedelta
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition

SHOWN_MAX: Final = 5
LISTED_MAX: Final = 10
"""A sentence names no more things than that."""


PLURALS: Final = {"is": "are", "was": "were", "has": "have", "does": "do"}
"""Of the verbs that have more than another ending."""

UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")


def counted(number: int, noun: str) -> str:
    """Return `1 partition`, `12,000 partitions`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def listed(things: Iterable[object], separator: str = ", ") -> str:
    """Return `t-0, t-1`; of many the first ten, and how many more there are."""
    texts = list(map(str, things))
    more = f"{separator}and {len(texts) - LISTED_MAX:,} more" if len(texts) > LISTED_MAX else ""
    return separator.join(texts[:LISTED_MAX]) + more


def counted_partitions(partitions: Sequence[TopicPartition]) -> str:
    """Return `2 partitions: t-0, t-1`, with the first of them if they are many."""
    return f"{counted(len(partitions), 'partition')}: {first_listed(partitions)}"


def first_listed(things: Sequence[object]) -> str:
    """Return `t-0, t-1, …`, no more of them than a sentence names."""
    more = ", …" if len(things) > SHOWN_MAX else ""
    return f"{listed(things[:SHOWN_MAX])}{more}"


def abridged(partitions: Sequence[TopicPartition]) -> str:
    """Return `t-0, t-1`; of many the first ones, and how many there are."""
    more = f" ({len(partitions):,} in all)" if len(partitions) > SHOWN_MAX else ""
    return f"{first_listed(partitions)}{more}"


def counted_by_topic(partitions: Iterable[TopicPartition]) -> str:
    """Return `280 of events, 6 of orders`, the topics with the most first, and how many more
    there are."""
    counts = Counter(partition.topic for partition in partitions)
    in_order = sorted(counts, key=lambda topic: (-counts[topic], topic))
    shown = [f"{counts[topic]:,} of {topic}" for topic in in_order[:SHOWN_MAX]]
    if len(in_order) > SHOWN_MAX:
        rest = in_order[SHOWN_MAX:]
        left = sum(counts[topic] for topic in rest)
        shown.append(f"{left:,} of {counted(len(rest), 'other topic')}")
    return ", ".join(shown)


def brokers_text(brokers: Sequence[BrokerId]) -> str:
    """Return `broker 7`, `brokers 7 and 8`, in their order."""
    names = [str(broker) for broker in brokers]
    if len(names) == 1:
        return f"broker {names[0]}"
    return f"brokers {', '.join(names[:-1])} and {names[-1]}"


def brokers_listed(brokers: Sequence[int]) -> str:
    """Return `broker 7`, `brokers 7, 8`, all of them."""
    return f"{'broker' if len(brokers) == 1 else 'brokers'} {', '.join(map(str, brokers))}"


def verb_of(things: Sized, singular: str) -> str:
    """Return *singular*, as `is`, of one thing, and its plural, `are`, of others."""
    return singular if len(things) == 1 else PLURALS.get(singular, singular.removesuffix("s"))


def with_reasons(things: Iterable[tuple[object, str]]) -> str:
    """Return `t-0: no answer; t-1: refused`, of things with a reason each."""
    return listed((f"{thing}: {reason}" for thing, reason in things), "; ")


def span(seconds: float) -> str:
    """Return *seconds* as people say it: `45 s`, `12 min`, `3 h 20 min`, `2 d 4 h`."""
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{seconds:.0f} s"
    if minutes < 100:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    hours = round(seconds / 3600)
    return f"{hours // 24:,} d {hours % 24} h"


def amount(size: float) -> str:
    """Return *size* bytes in the unit in which it is shortest: `1.4 GiB`."""
    for unit in UNITS:
        if size < 1024 or unit == UNITS[-1]:
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == UNITS[0] else f"{size:.1f} {unit}"


EPOCH: Final = datetime(1970, 1, 1)

MS: Final = timedelta(milliseconds=1)


def second_text(time_ms: int) -> str:
    """Return `2026-11-20 03:12:00 UTC`."""
    moment = moment_of(time_ms)
    return span_text(time_ms) if moment is None else f"{moment.replace(microsecond=0)} UTC"


def log_time(time_ms: int) -> str:
    """Return a time as brokers write it in their logs."""
    moment = moment_of(time_ms)
    if moment is None:
        return span_text(time_ms)
    return moment.isoformat(" ", "milliseconds").replace(".", ",")


def span_text(time_ms: int) -> str:
    """Return a time of which no calendar has the year."""
    return f"{time_ms} ms since 1970"


def moment_of(time_ms: int) -> datetime | None:
    """Return the moment in UTC; None outside of the years 1 to 9999, which a broker can write."""
    try:
        return EPOCH + timedelta(milliseconds=time_ms)
    except OverflowError:
        return None


def as_ms(moment: datetime) -> int:
    return (moment - EPOCH) // MS
