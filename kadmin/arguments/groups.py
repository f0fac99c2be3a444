"""Groups and partitions that an operator names: which does he mean?

A name of a group may hold any character: it means itself, and a glob only what no group is called.
"""

import fnmatch
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from cluster.model.ids import TopicPartition
from kadmin.arguments.topics import hint_for
from kadmin.errors import UsageError
from kadmin.plan.groups.group import STATES, TYPES, NoSuchGroup
from kadmin.plan.offsets import NoSuchPartition
from kadmin.plan.topic_refusals import NoSuchTopic, is_glob


@dataclass(frozen=True, slots=True)
class GroupSelection:
    """The groups that were asked for, names and globs; none of them means all."""

    wanted: tuple[str, ...]

    @property
    def is_by_name(self) -> bool:
        """Whether it is plain who is meant without a list of all."""
        return bool(self.wanted) and not any(map(is_glob, self.wanted))

    def select(self, names: Iterable[str]) -> list[str]:
        """Those of *names* that are meant, sorted.

        Raises:
            NoSuchGroup: a glob, or a name with its characters, that matches none.
        """
        known = set(names)
        if not self.wanted:
            return sorted(known)
        found: set[str] = set()
        for text in self.wanted:
            matching = {text} & known
            if not matching and is_glob(text):
                pattern = re.compile(fnmatch.translate(text))
                matching = {name for name in known if pattern.fullmatch(name)}
            if not matching:
                raise NoSuchGroup([text], sorted(known))
            found |= matching
        return sorted(found)


@dataclass(frozen=True, slots=True)
class TopicScope:
    """A topic, or the topics that a glob matches; only the partitions *numbers*, None for all."""

    topic: str
    numbers: frozenset[int] | None = None

    def matches(self, topic: str) -> bool:
        return topic == self.topic or (
            is_glob(self.topic) and fnmatch.fnmatchcase(topic, self.topic)
        )

    def takes(self, partition: TopicPartition) -> bool:
        return self.matches(partition.topic) and (
            self.numbers is None or partition.partition in self.numbers
        )


@dataclass(frozen=True, slots=True)
class PartitionFilter:
    """The partitions that are meant; no *scopes* means all."""

    scopes: tuple[TopicScope, ...] = ()

    def takes(self, partition: TopicPartition) -> bool:
        return not self.scopes or any(scope.takes(partition) for scope in self.scopes)

    def require(self, partitions: Collection[TopicPartition]) -> None:
        """Raise unless each topic and partition that is named is one of *partitions*.

        Raises:
            NoSuchTopic, NoSuchPartition: something is named that is not there.
        """
        numbers: dict[str, set[int]] = {}
        for topic, number in partitions:
            numbers.setdefault(topic, set()).add(number)
        missing = [scope.topic for scope in self.scopes if not any(map(scope.matches, numbers))]
        if missing:
            raise NoSuchTopic(missing, hint=hint_for(missing, list(numbers), False))
        for scope in self.scopes:
            there = set().union(*(some for topic, some in numbers.items() if scope.matches(topic)))
            lacking = (scope.numbers or frozenset()) - there
            if lacking:
                raise NoSuchPartition(sorted(lacking), [scope.topic])


def parse_scopes(texts: Sequence[str]) -> PartitionFilter:
    """Understand what `--topic` was given: `orders`, `orders,users`, `orders:0,1`, `test-*`.

    Raises:
        UsageError: an empty name, or partitions that are no numbers.
    """
    scopes: list[TopicScope] = []
    for text in texts:
        name, colon, numbers = text.strip().partition(":")
        if colon:
            words = [word.strip() for word in numbers.split(",")]
            for word in words:
                if not re.fullmatch(r"\d{1,10}", word):
                    raise UsageError(
                        f"invalid partition '{word}' specified in topic arg '{text}'",
                        hint="--topic orders:0,1 means two partitions of one topic",
                    )
            scopes.append(TopicScope(name, frozenset(map(int, words))))
        else:
            scopes += [TopicScope(each.strip()) for each in name.split(",")]
    if any(not scope.topic for scope in scopes):
        raise UsageError(
            "--topic was given an empty name", hint="'kadmin topics --list' shows the names"
        )
    return PartitionFilter(tuple(scopes))


DURATION: Final = re.compile(
    r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.I
)
DURATION_LENGTH_MAX: Final = 100
"""Longer ones are no mistake of a person, and may be more than a number holds."""
SECONDS: Final = (604_800, 86_400, 3_600, 60, 1)
"""Of a week, a day, an hour, a minute and a second."""


def parse_duration_ms(text: str) -> int:
    """Understand a duration of ISO 8601, without years and months: `P1DT2H`, `PT0.5S`.

    Raises:
        UsageError: anything else, or no length of time.
    """
    match = DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()) or len(text) > DURATION_LENGTH_MAX:
        raise UsageError(f"'{text}' is no duration", hint="for example P7D, PT2H or PT15M")
    parts = zip(match.groups(), SECONDS, strict=True)
    return round(sum(1000 * float(number or 0) * seconds for number, seconds in parts))


def parse_states(text: str) -> frozenset[str]:
    """Understand a list of states, in any case; empty for all of them.

    Raises:
        UsageError: what is no state.
    """
    return known_words(text, STATES, "state")


def parse_types(text: str) -> frozenset[str]:
    """Understand a list of types of groups, in any case; empty for all of them.

    Raises:
        UsageError: what is no type.
    """
    return known_words(text, TYPES, "types")


def known_words(text: str, known: Sequence[str], what: str) -> frozenset[str]:
    if not text:
        return frozenset()
    by_lower = {word.lower(): word for word in known}
    words = [word.strip().lower() for word in text.split(",")]
    if not all(word in by_lower for word in words):
        kind = what if what.endswith("s") else f"{what}s"
        raise UsageError(
            f"invalid {what} list '{text}'", hint=f"valid {kind} are {', '.join(known)}"
        )
    return frozenset(by_lower[word] for word in words)
