"""The language of templates: how their texts are written, and what regular expressions they mean.

A template is the line as Kafka writes it, with `{name}` where a value stands, `[[text]]` where text
may be missing, and `<one|other>` where one of several texts stands.  Knows no template.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from kadmin.statechange.columns import (
    PLACEHOLDERS,
    VOCABULARIES,
    ColumnType,
    Placeholder,
    Shape,
    columns_of,
)
from kadmin.statechange.kinds import Kind, Level, Role

Release: TypeAlias = tuple[int, ...]


def release(text: str) -> Release:
    """Parse `0.10.2` as a value that compares: only the numbers that identify a feature release.

    These are three before 1.0 and two since.
    """
    return tuple(int(number) for number in text.split("."))


PREFIXES_IN_BRACKETS: Final = release("1.0")
"""From here on `[Broker id=1] Handling` is what was `Broker 1 handling`, for all lines at once."""


def one_of(words: tuple[str, ...]) -> str:
    # The longest first: New would match the beginning of NewReplica.
    return "|".join(sorted(words, key=len, reverse=True))


PATTERNS: Final = {
    Shape.INTEGER: r"-?[0-9]{1,18}",
    # With the separators around them: `1,2,` before the next key of `(Leader:1,ISR:1,2,Leader…`.
    Shape.NUMBERS: r"[0-9, -]*",
    Shape.WORD: r"[^ ]+",
    Shape.TEXT: r".*",
    **{shape: one_of(words) for shape, words in VOCABULARIES.items()},
    Shape.PARTITION: r"\[[^ ]+, ?[0-9]{1,18}\]|[^ ]+-[0-9]{1,18}",
    Shape.PARTITIONS: r"[^ ]*",
    Shape.TOPIC: r"[^ ,']+",
    Shape.BROKER_EPOCHS: r"(?:BrokerState\(brokerId=-?[0-9]{1,18}, brokerEpoch=-?[0-9]+\)(?:, )?)*",
    Shape.INDEX: r"-?[0-9]{1,18}",
    Shape.CODE: r"-?[0-9]{1,18}",
    Shape.ITEMS: r".*",
    Shape.PAYLOAD: r".*",
}
assert PATTERNS.keys() == set(Shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """One form of the text that *family*, a placeholder, stands for.

    *item* is the text of each element, and *separator* what may stand between two of them, where
    *text* has `{items}`.
    """

    family: str
    first: Release
    last: Release
    text: str
    item: str = ""
    separator: str = ""

    def __post_init__(self) -> None:
        assert PLACEHOLDERS[self.family].shape is Shape.PAYLOAD
        assert self.first <= self.last


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One line format.

    *levels* holds the levels from the first release on and, where they changed, those from a later
    one on.  *dashed_from* is the release that began to write its partitions `topic-0` instead of
    `[topic,0]`.  *role* is None for a line that does not begin with its writer; *has_epoch* if a
    controller's prefix has its epoch.  *sets* are words of columns that follow from the template
    itself.
    """

    kind: Kind
    role: Role | None
    first: Release
    last: Release
    levels: tuple[tuple[Release, tuple[Level, ...]], ...]
    text: str
    dashed_from: Release
    has_epoch: bool
    sets: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        words = {column.name: column.words for column in columns_of(ColumnType.WORD)}
        assert all(word in words[name] for name, word in self.sets), self.sets

    @property
    def implied(self) -> dict[str, str]:
        """Return the words of columns that are the same in every line of the template."""
        role = {} if self.role is None else {"role": self.role}
        return {"kind": self.kind, **role, **dict(self.sets)}

    @property
    def writer_columns(self) -> tuple[str, ...]:
        """The columns beside `broker` that hold the id of the line's writer.

        The controller is the broker that writes as one; who starts to lead is the leader.
        """
        is_controller = self.implied.get("role") == Role.CONTROLLER
        leads = self.kind is Kind.LEADER_START
        return ("controller_id",) * is_controller + ("leader",) * leads

    def levels_in(self, version: Release) -> tuple[Level, ...]:
        return [levels for since, levels in self.levels if since <= version][-1]

    def cased(self, text: str, version: Release) -> str:
        """Return *text*, which begins as this template does, with the first letter of that
        release."""
        if self.role is None or version < PREFIXES_IN_BRACKETS:
            return text
        return text[:1].upper() + text[1:]


HOLE: Final = re.compile(r"\{([a-z_]+)\}")
CHOICE: Final = re.compile(r"\[\[(?P<optional>.*?)\]\](?!\])|<(?P<options>[^<>|]*\|[^<>]*)>")


def variants(text: str) -> tuple[str, ...]:
    """Return every text that *text* stands for, with placeholders only; what may be missing
    comes first with it, then without."""
    return tuple(dict.fromkeys(_expanded(text)))


def _expanded(text: str) -> Iterator[str]:
    found = CHOICE.search(text)
    if found is None:
        yield text
        return
    if found["options"] is not None:
        options = found["options"].split("|")
    else:
        options = [found["optional"], ""]
    for option in options:
        yield from _expanded(text[: found.start()] + option + text[found.end() :])


def pieces(variant: str) -> Iterator[str | tuple[str, Placeholder]]:
    """Return the texts and the placeholders (with their names) of *variant*, in order."""
    at = 0
    for hole in HOLE.finditer(variant):
        if hole.start() > at:
            yield variant[at : hole.start()]
        yield hole[1], PLACEHOLDERS[hole[1]]
        at = hole.end()
    if at < len(variant):
        yield variant[at:]


def pattern(variant: str, *, any_case: bool) -> re.Pattern[str]:
    """Return what *variant* matches; the group of a value has the placeholder's name.

    *any_case*: the first letter may be a capital or not.
    """
    parts = []
    for piece in pieces(variant):
        if isinstance(piece, str):
            parts.append(re.escape(piece))
            continue
        name, placeholder = piece
        group = "(?:" if is_unnamed(placeholder) else f"(?P<{name}>"
        parts.append(f"{group}{PATTERNS[placeholder.shape]})")
    if any_case and variant[0].isalpha():
        parts[0] = f"[{variant[0].lower()}{variant[0].upper()}]{parts[0][1:]}"
    return re.compile("".join(parts), re.DOTALL)


def is_unnamed(placeholder: Placeholder) -> bool:
    return not placeholder.columns and placeholder.shape is not Shape.PAYLOAD
