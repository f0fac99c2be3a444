"""Lines as releases write them, made from the templates, with what a parser should find in them.

For tests and benchmarks: drawn at random, or each form of a template once with values that differ
from one another.  Knows none of the parsers: what a line means is said by the values that went
into it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any, Final, Protocol, TypeVar

from kadmin.statechange.columns import (
    PLACEHOLDERS,
    VOCABULARIES,
    ColumnType,
    Shape,
    StateChange,
    TopicPartition,
    columns_of,
)
from kadmin.statechange.language import Release, Template, pieces, release, variants
from kadmin.statechange.payloads import PAYLOADS
from kadmin.statechange.templates import log_prefix_of

T = TypeVar("T")

RELEASES: Final = tuple(
    release(version)
    for version in (
        *("0.8.0", "0.8.1", "0.8.2", "0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0"),
        *("1.0", "1.1", "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8"),
        *("3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9", "4.0"),
    )
)

TOPICS: Final = ("orders", "__consumer_offsets", "a-1", "metrics.v2", "0", "x", "-", "clicks-eu-7")
ERRORS: Final = ("NOT_LEADER_OR_FOLLOWER", "UNKNOWN_SERVER_ERROR", "STALE_BROKER_EPOCH")
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

FIRST_TIME: Final = datetime(2012, 1, 1, tzinfo=UTC)
TIME_SPAN_MS: Final = 20 * 365 * 24 * 3600 * 1000


def releases_of(template: Template) -> tuple[Release, ...]:
    """Return the releases that write lines of *template*."""
    return tuple(version for version in RELEASES if template.first <= version <= template.last)


class Values(Protocol):
    """What a line is made of: which of several forms it has, and the values in it."""

    def form(self, options: Sequence[T]) -> T: ...

    def integer(self, name: str) -> int: ...

    def code(self) -> int: ...

    def brokers(self, name: str) -> tuple[int, ...]: ...

    def item_count(self) -> int: ...

    def word(self, words: Sequence[str]) -> str: ...

    def partition(self) -> TopicPartition: ...

    def free_text(self, name: str, *, is_one_word: bool) -> str: ...

    def time_ms(self) -> int: ...


@dataclass(frozen=True, slots=True)
class RandomValues:
    """Any form, and values that real lines have: small and large, equal to others, or odd."""

    random: Random

    def form(self, options: Sequence[T]) -> T:
        return self.random.choice(options)

    def integer(self, name: str) -> int:
        draw = self.random
        if name in ("leader", "leader_epoch", "n") and draw.random() < 0.1:
            return draw.choice((-1, -2))
        return draw.choice((0, draw.randint(1, 9), draw.randint(1, 10**9)))

    def code(self) -> int:
        return self.random.choice((0, 0, 0, 6, -1, 77))

    def brokers(self, name: str) -> tuple[int, ...]:
        return tuple(self.random.sample(range(1, 1200), self.random.randint(0, 4)))

    def item_count(self) -> int:
        return self.random.choice((0, 1, 1, 2, 7))

    def word(self, words: Sequence[str]) -> str:
        return self.random.choice(words)

    def partition(self) -> TopicPartition:
        made = self.letters(self.random.randint(1, 60))
        return self.random.choice((*TOPICS, made)), self.random.choice((0, 3, 49, 100_000))

    def free_text(self, name: str, *, is_one_word: bool) -> str:
        made = self.letters(22)
        if name == "error":
            # Errors are one word where the line goes on behind them.
            causes = ERRORS if is_one_word else ("java.io.IOException: No space", made)
            return self.random.choice(causes)
        if is_one_word:
            return made
        return self.random.choice((made, "Set(1, 2)", "List()", "rack 7"))

    def letters(self, length: int) -> str:
        return "".join(self.random.choice(LETTERS) for _ in range(length))

    def time_ms(self) -> int:
        return self.random.randrange(TIME_SPAN_MS)


@dataclass(slots=True)
class DistinctValues:
    """The forms that *turns* say, and values of which no two are equal.

    *turns* are the numbers of the options to take, the first option where they end; *options* are
    how many there were each time.
    """

    turns: Sequence[int] = ()
    options: list[int] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(101))

    def form(self, options: Sequence[T]) -> T:
        place = len(self.options)
        self.options.append(len(options))
        return options[self.turns[place] if place < len(self.turns) else 0]

    def integer(self, name: str) -> int:
        return next(self.numbers)

    def code(self) -> int:
        return self.form((0, next(self.numbers)))

    def brokers(self, name: str) -> tuple[int, ...]:
        # What no column asks for need not come in all lengths.
        size = self.form((3, 1, 0)) if PLACEHOLDERS[name].columns else 2
        return tuple(next(self.numbers) for _ in range(size))

    def item_count(self) -> int:
        return self.form((2, 1, 0))

    def word(self, words: Sequence[str]) -> str:
        return words[next(self.numbers) % len(words)]

    def partition(self) -> TopicPartition:
        return f"topic-{next(self.numbers)}", next(self.numbers)

    def free_text(self, name: str, *, is_one_word: bool) -> str:
        return f"{name}{next(self.numbers)}" + ("" if is_one_word else " or so")

    def time_ms(self) -> int:
        return next(self.numbers)

    def next_turns(self) -> tuple[int, ...] | None:
        """Return the turns after these, of all there are; None behind the last ones."""
        taken = [*self.turns, *(0 for _ in self.options)][: len(self.options)]
        while taken and taken[-1] + 1 == self.options[len(taken) - 1]:
            taken.pop()
        return (*taken[:-1], taken[-1] + 1) if taken else None


@dataclass(slots=True)
class Draft:
    """A line in the making: its text so far, and its values by column.

    *codes* are error codes, those of a list's items last, wherever they stand.
    """

    template: Template
    version: Release
    values: Values
    text: str = ""
    said: dict[str, Any] = field(default_factory=dict)
    named: list[TopicPartition] = field(default_factory=list)
    quoted: list[TopicPartition] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    item_codes: list[int] = field(default_factory=list)

    def say(self, name: str, value: object) -> None:
        """Note that placeholder *name* was filled with *value*."""
        self.said |= dict.fromkeys(PLACEHOLDERS[name].columns, value)


def draw_example(template: Template, version: Release, random: Random) -> StateChange:
    """Draw a line of *template* as *version* writes it, with its values."""
    return write_example(template, version, RandomValues(random))


def every_example(template: Template, version: Release) -> Iterator[StateChange]:
    """Return each form that a line of *template* has in *version* once, its values distinct."""
    turns: tuple[int, ...] | None = ()
    while turns is not None:
        values = DistinctValues(turns)
        yield write_example(template, version, values)
        turns = values.next_turns()


def write_example(template: Template, version: Release, values: Values) -> StateChange:
    draft = Draft(template, version, values)
    prefix = log_prefix_of(template, version)
    if prefix is not None:
        fill_in(draft, prefix.text)
    name, draft.text = draft.text, ""
    fill_in(draft, values.form(variants(template.text)))
    message = name + template.cased(draft.text, version)
    level = values.form(template.levels_in(version))
    time = FIRST_TIME + timedelta(milliseconds=values.time_ms())
    date = f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03d}"
    said: dict[str, Any] = template.implied | draft.said
    said |= {column: said.get("broker") for column in template.writer_columns}
    said["partitions"] = tuple(draft.named or draft.quoted)
    said.setdefault("error", first_failure(draft.codes + draft.item_codes))
    return StateChange(
        text=f"[{date}] {level} {message} (state.change.logger)",
        message=message,
        time_ms=round(time.timestamp() * 1000),
        level=level,
        **said,
    )


def first_failure(codes: Iterable[int]) -> str | None:
    return next((f"error_code={code}" for code in codes if code != 0), None)


def fill_in(draft: Draft, variant: str) -> None:
    """Append *variant* with a value for each of its placeholders."""
    parts = list(pieces(variant))
    for index, part in enumerate(parts):
        if isinstance(part, str):
            draft.text += part
            continue
        following = parts[index + 1] if index + 1 < len(parts) else ""
        assert isinstance(following, str), "values stand apart"
        name, placeholder = part
        draft.text += text_of(draft, name, placeholder.shape, following)


def text_of(draft: Draft, name: str, shape: Shape, following: str) -> str:
    """Return a value for placeholder *name*, noted in *draft*, as it is written before
    *following*."""
    match shape:
        case Shape.INTEGER:
            number = draft.values.integer(name)
            draft.say(name, number)
            return str(number)
        case Shape.INDEX:
            return str(draft.quoted[-1][1])
        case Shape.CODE:
            draft.codes.append(draft.values.code())
            return str(draft.codes[-1])
        case Shape.NUMBERS:
            return numbers(draft, name, following)
        case Shape.BROKER_EPOCHS:
            brokers = draft.values.brokers(name)
            draft.say(name, brokers)
            return ", ".join(f"BrokerState(brokerId={each}, brokerEpoch=-1)" for each in brokers)
        case Shape.STATE | Shape.TRANSITION:
            word = draft.values.word(VOCABULARIES[shape])
            draft.say(name, word)
            return word
        case Shape.PARTITION | Shape.PARTITIONS | Shape.TOPIC:
            return named(draft, shape)
        case Shape.WORD | Shape.TEXT:
            is_one_word = shape is Shape.WORD or (name == "error" and following.startswith(" "))
            text = draft.values.free_text(name, is_one_word=is_one_word)
            draft.say(name, text)
            return text
        case Shape.PAYLOAD:
            return payload(draft, name)
        case Shape.ITEMS:
            raise AssertionError("a list is filled in with its payload")


def numbers(draft: Draft, name: str, following: str) -> str:
    brokers = draft.values.brokers(name)
    in_brackets = following.startswith((")", "]"))
    if not in_brackets and not PLACEHOLDERS[name].columns:
        brokers = brokers or (0,)
    if name in SINGLE:
        draft.say(name, brokers[0] if len(brokers) == 1 else None)
    else:
        draft.say(name, brokers)
    # A list that is printed as it is has blanks; one that was joined has none, but is followed by
    # the separator of the next key.
    separator = draft.values.form((", ", ",")) if in_brackets and len(brokers) > 1 else ","
    text = separator.join(map(str, brokers))
    if following.startswith("Leader"):
        return text + ","
    return text + ", " if following[:1].isalpha() else text


SINGLE: Final = {name for column in columns_of(ColumnType.INTEGER) for name in column.placeholders}
"""Placeholders that say a number; a list of several is none."""


def named(draft: Draft, shape: Shape) -> str:
    """Return one partition, several, or only the topic of one that a payload quotes."""
    size = draft.values.form((3, 1)) if shape is Shape.PARTITIONS else 1
    drawn = [draft.values.partition() for _ in range(size)]
    if shape is Shape.TOPIC:
        draft.quoted += drawn
        return drawn[0][0]
    draft.named = drawn
    is_dashed = draft.version >= draft.template.dashed_from
    spelling = "{}-{}" if is_dashed else "[{},{}]"
    return ",".join(spelling.format(*partition) for partition in drawn)


def payload(draft: Draft, family: str) -> str:
    """Return one of the forms that the release has for the placeholder *family*."""
    forms = [
        (form, text)
        for form in PAYLOADS
        if form.family == family and form.first <= draft.version <= form.last
        for text in variants(form.text)
    ]
    form, chosen = draft.values.form(forms)
    before, draft.text = draft.text, ""
    for index, text in enumerate(chosen.split("{items}")):
        if index > 0:
            fill_in_items(draft, form.item, form.separator)
        fill_in(draft, text)
    text, draft.text = draft.text, before
    return text


def fill_in_items(draft: Draft, item: str, separator: str) -> None:
    for index in range(draft.values.item_count()):
        if index > 0:
            fill_in(draft, draft.values.form(variants(separator)))
        # The answer's own code counts before those of its partitions, wherever it stands.
        codes, draft.codes = draft.codes, draft.item_codes
        fill_in(draft, item)
        draft.codes = codes
