"""The templates as regular expressions: which one matches a message, and what did its groups say?

Knows nothing of dates, levels and loggers around a message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from kadmin.statechange.columns import PLACEHOLDERS, Shape
from kadmin.statechange.kinds import Role
from kadmin.statechange.language import Template, pattern, variants
from kadmin.statechange.payloads import PAYLOADS
from kadmin.statechange.templates import LOG_PREFIXES, TEMPLATES, LogPrefix

STATE_FAMILIES: Final = ("decided", "sent", "published", "received", "cached", "elected", "stored")
"""Placeholders for the state of a partition, whose texts have the same forms, by release."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One text of a template without anything optional."""

    template: Template
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Prefixed:
    """A line that names its writer: *text* is what comes after the name."""

    prefix: LogPrefix
    values: dict[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Matched:
    """A message, its template, and the texts of its values by the names of their placeholders."""

    template: Template
    values: dict[str, str]


@cache
def rules() -> dict[tuple[Role | None, str], tuple[Rule, ...]]:
    """Return all rules by the role that writes the line and its first word."""
    found: dict[tuple[Role | None, str], list[Rule]] = {}
    for template in TEMPLATES:
        for variant in variants(template.text):
            rule = Rule(template, pattern(variant, any_case=True))
            found.setdefault((template.role, first_word(variant)), []).append(rule)
    return {key: tuple(listed) for key, listed in found.items()}


@cache
def prefix_patterns() -> tuple[tuple[LogPrefix, re.Pattern[str]], ...]:
    return tuple((prefix, pattern(prefix.text, any_case=False)) for prefix in LOG_PREFIXES)


@cache
def payload_patterns(family: str) -> tuple[re.Pattern[str], ...]:
    """Return what the texts of *family* look like, its own forms first.

    A state may come in the form of another line: what a release prints where is known of the
    releases that were looked at, and other builds differ.
    """
    families = [family]
    if family in STATE_FAMILIES:
        families += [other for other in STATE_FAMILIES if other != family]
    texts = {
        variant: None
        for name in families
        for payload in PAYLOADS
        if payload.family == name
        for variant in variants(payload.text)
    }
    return tuple(pattern(text, any_case=False) for text in texts)


@cache
def item_patterns() -> tuple[re.Pattern[str], ...]:
    items = {payload.item: None for payload in PAYLOADS if payload.item}
    return tuple(pattern(item, any_case=False) for item in items)


def first_word(message: str) -> str:
    """Return the key of a message: releases differ in whether its first letter is a capital."""
    word = message.partition(" ")[0]
    return word[:1].lower() + word[1:]


def match_prefix(message: str) -> Prefixed | None:
    """Return who wrote *message*, when it begins with that."""
    for prefix, name in prefix_patterns():
        found = name.match(message)
        if found is not None:
            return Prefixed(prefix, found.groupdict(), message[found.end() :])
    return None


def match_message(message: str) -> Matched | None:
    """Return the first template of the table that is all of *message*, and the values in it."""
    prefixed = match_prefix(message)
    if prefixed is not None:
        matched = _match(prefixed.prefix.role, prefixed.text)
        if matched is not None:
            matched.values.update(prefixed.values)
        return matched
    return _match(None, message)


def _match(role: Role | None, text: str) -> Matched | None:
    for rule in rules().get((role, first_word(text)), ()):
        found = rule.pattern.fullmatch(text)
        if found is not None:
            values = found.groupdict()
            for name in [name for name in values if PLACEHOLDERS[name].shape is Shape.PAYLOAD]:
                # A value in the line itself takes precedence over one in the text that it quotes.
                values = payload_values(name, values.pop(name)) | values
            return Matched(rule.template, values)
    return None


def payload_values(family: str, text: str) -> dict[str, str]:
    """Return the values in a payload; none when no form is known for it."""
    for form in payload_patterns(family):
        found = form.fullmatch(text)
        if found is not None:
            return found.groupdict()
    return {}


def items(text: str) -> Iterator[re.Match[str]]:
    """Return the elements of a list in a payload, whichever form they have."""
    for form in item_patterns():
        if form.match(text):
            yield from form.finditer(text)
            return
