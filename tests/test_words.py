"""The words of the product: the field's in its names, plain ones in its docstrings."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, TypeGuard

import pytest

from tests.tidy import modules, sources, statements_of

# The worker that parses the files for the other tests of the whole checkout.
pytestmark = pytest.mark.xdist_group("tidy")

PRIVATE: Final = (
    *("depot", "doom", "glance", "index_lies", "lies_of_indexes", "office", "rehearse", "reign"),
    *("standstill", "stranger"),
)
"""Words that only we gave a meaning, in names and in prose; the field has another one for each."""

PRIVATE_CLASSES: Final = re.compile(r"\b(?:Chance|Lie|Life|LifeReader|SystemChance|WaitsOnce)\b")

INTERFACE: Final[Mapping[str, str]] = {
    "kadmin.plan.check.partitions": "stranger",
    "kadmin.plan.health": "stranger",
    "kadmin.render.topics.table": "stranger",
    "kadmin.segments.values": "index_lies",
}
"""Where such a word stays, since documents have it: the findings of `topics` and the damage of
`verify-replicas`."""

VAGUE: Final = re.compile(
    r"\b(?:tell|tells|told|telling|says|hears|heard|knows\s+of|whoever|nobody|somebody|goes\s+by"
    r"|comes\s+to|in\s+vain|on\s+its\s+way)\b",
    re.IGNORECASE,
)
"""Words in whose place a docstring has the field's: return, send, receive, raise, no broker, …"""

QUOTED: Final = re.compile(r"\*\w+\*|`[^`]*`")
"""Names in a docstring, whatever words they are made of."""


def private_words(text: str) -> list[str]:
    lower = text.lower()
    # First what is fast: next to none of the modules has any.
    found = [word for word in PRIVATE if word in lower and re.search(pattern_of(word), text)]
    return found + PRIVATE_CLASSES.findall(text)


def pattern_of(word: str) -> str:
    """Return a pattern that finds `depot` in `a depot`, `DEPOTS`, `uri_depot` and `UriDepot`."""
    return rf"(?<![A-Za-z])(?i:{word})|{word.capitalize()}"


def is_command(statement: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    """Return whether *statement* is a command, whose docstring is its help."""
    return isinstance(statement, ast.FunctionDef) and any(
        re.search(r"\b(?:command|group)(?:_with_subcommands)?\b", ast.unparse(each))
        for each in statement.decorator_list
    )


def docstrings_of(tree: ast.Module) -> Iterator[str]:
    """Return all strings of *tree* that stand alone: those of modules, members and values."""
    helps = [each.body[0] for each in statements_of(tree) if is_command(each)]
    for node in statements_of(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            value = node.value.value
            if isinstance(value, str) and node not in helps:
                yield value


@cache
def private_by_module() -> Mapping[str, list[str]]:
    found = {name: private_words(f"{name}\n{text}") for name, text in sources().items()}
    return {name: words for name, words in found.items() if words}


@cache
def vague_by_module() -> Mapping[str, list[str]]:
    found = {
        name: VAGUE.findall(QUOTED.sub("", "\n".join(docstrings_of(tree))))
        for name, tree in modules().items()
    }
    return {name: words for name, words in found.items() if words}


def test_names_and_texts_have_no_private_words() -> None:
    assert private_by_module() == {name: [word] for name, word in INTERFACE.items()}


def test_docstrings_have_the_words_of_the_field() -> None:
    assert vague_by_module() == {}


@pytest.mark.parametrize("text", ["class UriDepot:", "REIGNS = 1", "a stranger", "class Life:"])
def test_a_private_word_is_found_in_any_form(text: str) -> None:
    assert len(private_words(text)) == 1
