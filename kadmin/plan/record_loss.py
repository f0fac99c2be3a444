"""Loss of records: which of them may a change of configs delete?

Pure.  What stands in the brokers' own files is not known here: a retention that was not set, or is
not any more, may be of any length.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cluster.model.config_entity import EntityKind
from cluster.model.config_spec import ValueKind, members, parsed_number, trimmed

UNLIMITED: Final = -1
COMPACT: Final = "compact"
DELETE: Final = "delete"

UNITS_MS: Final = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1))
UNITS_BYTES: Final = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The keys with which an entity configures retention."""

    age: str
    size: str
    policy: str


NAMES: Final[Mapping[EntityKind, Names]] = {
    EntityKind.TOPICS: Names(age="retention.ms", size="retention.bytes", policy="cleanup.policy"),
    EntityKind.BROKERS: Names(
        age="log.retention.ms", size="log.retention.bytes", policy="log.cleanup.policy"
    ),
}

TOPIC_NAMES: Final = NAMES[EntityKind.TOPICS]
BROKER_NAMES: Final = NAMES[EntityKind.BROKERS]

TOPIC_KEY_OF: Final = {
    BROKER_NAMES.age: TOPIC_NAMES.age,
    BROKER_NAMES.size: TOPIC_NAMES.size,
    BROKER_NAMES.policy: TOPIC_NAMES.policy,
}
"""A brokers' key → the topics' key that goes before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLoss:
    """What the change of key *name* may delete: *records*, in words that follow "may delete"."""

    name: str
    records: str

    def __str__(self) -> str:
        return f"may delete {self.records}"


def losses_of(
    kind: EntityKind,
    before: Mapping[str, str],
    after: Mapping[str, str],
    topic_overrides: Sequence[Mapping[str, str]],
) -> tuple[RecordLoss, ...]:
    """Return what records may go when the configs of an entity of *kind* change from *before* to
    *after*.

    *topic_overrides* are those of every topic, which go before a broker's.  A key that is the same
    in both, or whose limit is known to get no lower, deletes nothing.
    """
    names = NAMES.get(kind)
    if names is None:
        return ()
    losses = (*shorter_kept(names, before, after), *newly_cleaned(names, before, after))
    if kind is EntityKind.TOPICS:
        return tuple(RecordLoss(name=name, records=records) for name, records in losses)
    return tuple(
        RecordLoss(name=name, records=f"{records}, on {reach}")
        for name, records in losses
        if (reach := reach_of(TOPIC_KEY_OF[name], topic_overrides)) is not None
    )


def reach_of(key: str, topic_overrides: Sequence[Mapping[str, str]]) -> str | None:
    """Return which topics go by the brokers' default of *key*; None where none does."""
    count = sum(key not in overrides for overrides in topic_overrides)
    if count == 0:
        return None
    topics = "1 topic" if count == 1 else f"{count:,} topics"
    return f"{topics} without {key}"


def decides_what_is_kept(kind: EntityKind, keys: Iterable[str]) -> bool:
    """Return whether one of the *keys* of a broker, or of all, is a default of what topics keep."""
    return kind is EntityKind.BROKERS and not TOPIC_KEY_OF.keys().isdisjoint(keys)


def question_of(what: str, lossy_count: int, count: int) -> str:
    """Return the question about a change of *what*, *count* things of which *lossy_count* lose
    records."""
    if lossy_count == 0:
        return f"Change {what}?"
    scope = "" if lossy_count == count else f" of {lossy_count} of them"
    return f"Change {what}, which may delete records{scope}?"


def shorter_kept(
    names: Names, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    if names.policy in after and DELETE not in policies(after[names.policy]):
        return  # Compacted and nothing else: no record is too old, nor one too many.
    for name in (names.age, names.size):
        if before.get(name) == after.get(name):
            continue
        old, new = number(before.get(name)), number(after.get(name))
        if new == UNLIMITED or (old is not None and new is not None and UNLIMITED < old <= new):
            continue
        if name == names.age:
            yield name, of_age(new, name)
        else:
            yield name, of_size(new, name)


def of_age(limit_ms: int | None, name: str) -> str:
    if limit_ms is None:
        whose = file_keys(name, "log.retention.ms, .minutes or .hours")
        return f"records older than {whose} (7 days if that is nowhere set)"
    if limit_ms == 0:
        return "all records"
    return f"records older than {amount(limit_ms, UNITS_MS)}"


def of_size(limit_bytes: int | None, name: str) -> str:
    if limit_bytes is None:
        whose = file_keys(name, "log.retention.bytes")
        return f"the oldest records of partitions larger than {whose} (no limit if nowhere set)"
    return f"the oldest records of partitions larger than {amount(limit_bytes, UNITS_BYTES)}"


def file_keys(name: str, keys: str) -> str:
    """Return who has a say when *name* is not set any more, and by which *keys*."""
    where = (
        "the brokers' configs say" if name in TOPIC_KEY_OF.values() else "server.properties says"
    )
    return f"{where} by {keys}"


def newly_cleaned(
    names: Names, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    name = names.policy
    if before.get(name) == after.get(name):
        return
    if name not in after:
        whose = file_keys(name, "log.cleanup.policy")
        yield name, f"records as {whose} (by age and size if that is nowhere set)"
        return
    added = policies(after[name]) - policies(before.get(name, ""))
    if COMPACT in added:
        yield name, "records whose key was written again later"
    if DELETE in added:
        yield name, "records by age and size"


def policies(value: str) -> frozenset[str]:
    return frozenset(members(trimmed(value)))


def number(value: str | None) -> int | None:
    """Parse *value* as a number; None where there is none, or it cannot be parsed."""
    parsed = None if value is None else parsed_number(ValueKind.LONG, trimmed(value))
    return None if parsed is None else int(parsed)


def amount(size: int, units: tuple[tuple[str, int], ...]) -> str:
    """Return *size* in the largest unit of which it is a whole number, or has one: `90 min`,
    `1.5 GiB`."""
    for unit, length in units:
        if size % length == 0 and size:
            return f"{size // length:,} {unit}"
    return f"{size:,} {units[-1][0]}"
