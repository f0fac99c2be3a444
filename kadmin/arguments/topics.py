"""A selection of topics, as an operator types it.

A name means itself; globs and regular expressions are marked as such.
"""

import fnmatch
import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from cluster.model import fault
from cluster.model.fault import Subject
from cluster.model.ids import INTERNAL_TOPICS
from kadmin.errors import KadminError, UsageError
from kadmin.plan.topic_refusals import NoSuchTopic, is_glob


class NoSuchTopicId(KadminError):
    """No topic has the id that was asked for."""

    def __init__(self, topic_id: str) -> None:
        super().__init__(
            f"there is no topic with the id '{topic_id}'",
            hint="'kadmin topics --describe' shows the ids; topics have some from Kafka 2.8 on",
        )
        self.topic_id = topic_id


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSelection:
    """The topics that were asked for; no *wanted* means all of them.

    Each of *wanted* is a name, a glob, or with *is_regex* a regular expression that must match
    the whole name.
    """

    wanted: tuple[str, ...] = ()
    is_regex: bool = False
    exclude_internal: bool = False

    @property
    def is_one_name(self) -> bool:
        """Return whether exactly one topic is named literally."""
        return len(self.wanted) == 1 and self.is_name(self.wanted[0])

    @property
    def named(self) -> tuple[str, ...]:
        """Those of *wanted* that are names and no patterns."""
        return tuple(text for text in self.wanted if self.is_name(text))

    @property
    def subjects(self) -> frozenset[Subject]:
        """The topics that are named, and so are answered for, or it is no success."""
        return frozenset(map(fault.topic, self.named))

    @property
    def is_by_name(self) -> bool:
        """Whether it is plain who is meant without a list of all: no pattern has to be matched."""
        return not self.is_regex and not any(map(is_glob, self.wanted))

    def select(self, names: Iterable[str]) -> list[str]:
        """Return those of *names* that are meant, sorted."""
        kept = set(names)
        if self.exclude_internal:
            kept -= INTERNAL_TOPICS
        if self.wanted:
            kept = set().union(*(self.matching(text, kept) for text in self.wanted))
        return sorted(kept)

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return those of *wanted* that match none of *names*."""
        known = set(names)
        return [text for text in self.wanted if not self.matching(text, known)]

    def matching(self, text: str, names: Set[str]) -> Set[str]:
        """Return those of *names* that *text*, one of *wanted*, means.

        A plain name is looked up, not compared with each: thousands may be wanted of thousands.
        """
        if self.is_regex:
            pattern = re.compile(regex_of_topic_filter(text))
        elif is_glob(text):
            pattern = re.compile(fnmatch.translate(text))
        else:
            return {text} & names
        return {name for name in names if pattern.fullmatch(name)}

    def is_name(self, text: str) -> bool:
        """Return whether *text*, one of *wanted*, is a name and no pattern."""
        return not self.is_regex and not is_glob(text)

    def require_names(self, names: Iterable[str]) -> None:
        """Raise NoSuchTopic for those of *wanted* that are names, and none of *names*."""
        known = list(names)
        missing = [text for text in self.missing(known) if text in self.named]
        if missing:
            raise NoSuchTopic(missing, hint=hint_for(missing, known, self.is_regex))

    def require(self, names: Iterable[str]) -> list[str]:
        """Return those of *names* that are meant.

        Raises:
            NoSuchTopic: a name or a pattern that matches nothing.
        """
        known = list(names)
        missing = self.missing(known)
        if missing:
            raise NoSuchTopic(missing, hint=hint_for(missing, known, self.is_regex))
        return self.select(known)


def selection_of(
    topics: Sequence[str], *, is_regex: bool, exclude_internal: bool = False
) -> TopicSelection:
    """Understand what `--topic` was given; without *is_regex* a comma separates names.

    Raises:
        UsageError: an empty name, or a regular expression that is none.
    """
    wanted = list(topics) if is_regex else [part for text in topics for part in text.split(",")]
    wanted = [text.strip() for text in wanted]
    if "" in wanted:
        raise UsageError(
            "--topic was given an empty name", hint="'kadmin topics --list' shows the names"
        )
    if is_regex:
        for text in wanted:
            try:
                re.compile(regex_of_topic_filter(text))
            except re.error as error:
                raise UsageError(
                    f"'{text}' is no regular expression: {error}",
                    hint="to match by * and ? instead, give a glob: --topic 'orders*'",
                ) from error
    return TopicSelection(
        wanted=tuple(dict.fromkeys(wanted)), is_regex=is_regex, exclude_internal=exclude_internal
    )


def regex_of_topic_filter(text: str) -> str:
    """Return what Kafka makes of a topic filter: quotes around it dropped, blanks out, `,` means
    `|`."""
    return text.strip().replace(",", "|").replace(" ", "").strip("\"'")


def hint_for(missing: Sequence[str], names: Sequence[str], is_regex: bool) -> str | None:
    """Return a next step for texts that matched nothing, best the one that Kafka's tool would
    have taken: there, every topic is a regular expression."""
    if is_regex:
        return None
    for text in missing:
        try:
            pattern = re.compile(regex_of_topic_filter(text))
        except re.error:
            continue
        if any(pattern.fullmatch(name) for name in names):
            return f"'{text}' matches as a regular expression: add --regex"
    import difflib

    close = [name for text in missing for name in difflib.get_close_matches(text, names, n=1)]
    return f"did you mean {', '.join(close)}?" if close else None
