"""Fields of forms: what they look like, and how their texts are understood."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cluster.model.ids import BrokerId
from kadmin.arguments.numbers import parse_numbers
from kadmin.errors import KadminError, UsageError

OPTION: Final = re.compile(r"--([a-z][a-z-]*)")


class Kind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    LINES = "lines"
    CHOICE = "choice"
    FLAG = "flag"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field that is called *name* in the form, and *label* by its readers."""

    name: str
    label: str
    kind: Kind = Kind.TEXT
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """The values and what they are called."""
    initial: str = ""
    is_required: bool = False
    shown_for: tuple[str, ...] = ()
    """The values of the field *shown_by* with which it is asked for; empty for always."""
    shown_by: str = ""
    alias: str = ""
    """What links to several forms call it."""


class BadField(UsageError):
    """What stands in one field cannot be meant."""

    def __init__(self, label: str, problem: str, hint: str | None = None) -> None:
        super().__init__(f"{label}: {problem}", hint=hint)


def in_words_of_form(fields: Sequence[Field], error: KadminError) -> tuple[str, str | None]:
    """Return the message of *error* and its hint in words for readers of a form with *fields*.

    The core names options as commands have them: those that are fields are called as these are. A
    hint that asks for another option is of no use here, unless it is a part of a whole command.
    """
    labels = {field.name.replace("_", "-"): field.label for field in fields}

    def labelled(text: str) -> str:
        return OPTION.sub(lambda found: labels.get(found[1], found[0]), text)

    hint = None if error.hint is None else labelled(error.hint)
    if hint is not None and ("--help" in hint or OPTION.search(re.sub("'.*?'", "", hint))):
        hint = None
    return labelled(error.message), hint


@dataclass(frozen=True, slots=True)
class Values:
    """The texts of a form with *fields*, by name."""

    fields: tuple[Field, ...]
    texts: Mapping[str, tuple[str, ...]]

    def label(self, name: str) -> str:
        return next(field.label for field in self.fields if field.name == name)

    def text(self, name: str) -> str:
        """Return the text of a field, without blanks around it; empty where it is not there."""
        return next(iter(self.texts.get(name, ())), "").strip()

    def needed(self, name: str) -> str:
        """Return the text of a field that must have one.

        Raises:
            BadField: it has none.
        """
        text = self.text(name)
        if not text:
            raise BadField(self.label(name), "is empty, and needed")
        return text

    def name_of(self, field: str) -> str:
        """Return a name as it was typed: one of a group may have blanks around it.

        Raises:
            BadField: the field is empty.
        """
        text = next(iter(self.texts.get(field, ())), "")
        if not text.strip():
            raise BadField(self.label(field), "is empty, and needed")
        return text

    def is_set(self, name: str) -> bool:
        return bool(self.text(name))

    def choice(self, name: str) -> str:
        """Return the value of a choice.

        Raises:
            BadField: it is none of those to choose from.
        """
        field = next(field for field in self.fields if field.name == name)
        text, known = self.text(name), [value for value, _ in field.choices]
        if text not in known:
            raise BadField(field.label, f"'{text}' is none of {', '.join(known)}")
        return text

    def number(self, name: str, low: int, high: int) -> int | None:
        """Return a whole number; None for an empty field.

        Raises:
            BadField: it is none, or out of bounds.
        """
        text = self.text(name)
        if not text:
            return None
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 19:
            raise BadField(self.label(name), f"'{text}' is no whole number")
        if not low <= int(text) <= high:
            raise BadField(self.label(name), f"{text} is not from {low:,} to {high:,}")
        return int(text)

    def needed_number(self, name: str, low: int, high: int) -> int:
        self.needed(name)
        number = self.number(name, low, high)
        assert number is not None, "it has a text"
        return number

    def names(self, name: str) -> tuple[str, ...]:
        """Return the lines of a field, or of several of that name, each once; a comma separates,
        too."""
        texts = "\n".join(self.texts.get(name, ())).replace(",", "\n").splitlines()
        return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))

    def lines(self, name: str) -> tuple[str, ...]:
        """Return the lines of a field, each once, with all that stands in them."""
        texts = "\n".join(self.texts.get(name, ())).splitlines()
        return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))

    def names_of(self, field: str) -> tuple[str, ...]:
        """Return the names in the lines of a field, each once, as they were typed.

        Raises:
            BadField: there is none.
        """
        # No other separator of lines than that of forms: it may be in a name.
        lines = "\n".join(self.texts.get(field, ())).replace("\r\n", "\n").split("\n")
        found = tuple(dict.fromkeys(line for line in lines if line.strip()))
        if not found:
            raise BadField(self.label(field), "is empty, and needed")
        return found

    def needed_names(self, name: str) -> tuple[str, ...]:
        found = self.names(name)
        if not found:
            raise BadField(self.label(name), "is empty, and needed")
        return found

    def brokers(self, name: str) -> tuple[BrokerId, ...]:
        """Return the brokers of a list such as `1,2`."""
        text = self.text(name)
        if not text:
            return ()
        return tuple(map(BrokerId, parse_numbers(text, self.label(name))))

    def pairs(self, name: str) -> dict[str, str]:
        """Return what each line `key=value` sets; the value may have a `=`.

        Raises:
            BadField: a line without one, or a key twice.
        """
        found: dict[str, str] = {}
        for line in self.lines(name):
            key, equals, value = line.partition("=")
            key = key.strip()
            if not key or not equals:
                raise BadField(
                    self.label(name), f"'{line}' is not key=value", "one config a line: key=value"
                )
            if key in found:
                raise BadField(self.label(name), f"{key} stands there twice")
            found[key] = value.strip()
        return found


def choices(*values: str, **named: str) -> tuple[tuple[str, str], ...]:
    return (*((value, value) for value in values), *named.items())


def texts_of(found: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(values) for name, values in found.items()}
