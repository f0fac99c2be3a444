"""The whole checkout: no circles among imports, nothing named in text that is not there."""

import ast
import importlib
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.support.checkout import CHECKOUT
from tests.support.collector import collector_disabled
from tests.tidy import (
    circles,
    exported,
    imports_of,
    modules,
    packages,
    statements_of,
    used_from_outside,
)

# One worker parses the files, for all tests of this module.
pytestmark = pytest.mark.xdist_group("tidy")

ELSEWHERE: Final = frozenset({"kadmin/config.toml"})
"""Looks like a file of the checkout, and is one of the user's."""

MODULE_NAME: Final = re.compile(r"`((?:cluster|kadmin|tests|bench)(?:\.\w+)+)(?:\(\))?`")
FILE_NAME: Final = re.compile(r"(?<![\w./<$-])((?:[\w-]+/)+[\w.-]+\.(?:md|py|toml|json|yaml))\b")
LINK: Final = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")

ROOTS: Final = frozenset(
    {"bench", "cluster", "completions", "docs", "kadmin", "man", "scripts", "tests", ".ci"}
)
"""A path in a text means a file of this checkout when it begins with one of these."""

BESIDE: Final = frozenset(
    {
        *(".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md"),
        *("changes", "pyproject.toml", "requirements-build.lock", "requirements.lock"),
    }
)
"""What else the checkout has at its top."""


def tracked(*patterns: str, with_new: bool = True) -> list[Path]:
    """The files of the checkout; *with_new* also those that are not added yet."""
    new = ["--others", "--exclude-standard"] if with_new else []
    run = subprocess.run(
        ["git", "ls-files", "--cached", *new, *patterns],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [CHECKOUT / name for name in run.stdout.splitlines() if (CHECKOUT / name).exists()]


@cache
def texts() -> tuple[tuple[Path, str], ...]:
    """Everything that people read: documents whole, of code the docstrings and the comments."""
    documents = tracked("*.md", "Makefile", "pyproject.toml")
    with collector_disabled():
        return (
            *((path, path.read_text()) for path in documents),
            *((path, prose_of(path.read_text())) for path in tracked("*.py")),
        )


def prose_of(code: str) -> str:
    """Comments, and all strings that stand alone: docstrings of modules, members and values."""
    comments = re.findall(r"(?:^|\s)#[ :](.*)$", code, re.MULTILINE)
    strings = [
        node.value.value
        for node in statements_of(ast.parse(code))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    return "\n".join(comments + strings)


def is_there(dotted: str) -> bool:
    """Whether *dotted* is a module, or something that a module has."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        path = CHECKOUT.joinpath(*parts[:end])
        if path.is_dir() and end == len(parts):
            return True
        if path.is_dir() or path.with_suffix(".py").exists():
            found: object = importlib.import_module(".".join(parts[:end]))
            for name in parts[end:]:
                if not hasattr(found, name):
                    return False
                found = getattr(found, name)
            return True
    return False


def test_no_modules_import_each_other_in_circles() -> None:
    """Those inside of functions and for types count: whoever reads one has to read the other."""
    graph = {name: set(imports_of(name)) - {name} for name in modules()}

    assert circles(graph) == []


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a", "d"}, "e": set()}

    assert circles(graph) == [("a", "b", "c"), ("d",)]


@pytest.mark.slow
def test_modules_that_are_named_in_text_are_there() -> None:
    missing = [
        f"{path.relative_to(CHECKOUT)}: {name}"
        for path, text in texts()
        for name in sorted(set(MODULE_NAME.findall(text)))
        if not is_there(name)
    ]

    assert missing == []


@pytest.mark.slow
def test_files_that_are_named_in_text_are_there() -> None:
    missing = []
    for path, text in texts():
        names = {name for name in FILE_NAME.findall(text) if name.split("/")[0] in ROOTS}
        missing += [
            f"{path.relative_to(CHECKOUT)}: {name}"
            for name in sorted(names)
            if not (CHECKOUT / name).exists() and name not in ELSEWHERE
        ]
        if path.suffix == ".md":
            links = sorted(set(LINK.findall(text)))
            missing += [
                f"{path.relative_to(CHECKOUT)}: {link}"
                for link in links
                if not (path.parent / link).exists()
            ]

    assert missing == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["style.md", "design.md", "house.md"])
def test_no_text_sends_readers_to_a_file_that_only_its_authors_have(name: str) -> None:
    named = [
        path.relative_to(CHECKOUT)
        for path, text in texts()
        # First what is fast: it is in next to none.
        if name in text
        and re.search(rf"(?<!docs/)\b{re.escape(name)}", text)
        and path.name != "test_tidy.py"
    ]

    assert named == []


def test_a_module_begins_with_what_it_is() -> None:
    """The question that it answers may follow, behind a colon or as the next sentence."""
    riddles = []
    for name, tree in modules().items():
        text = ast.get_docstring(tree) or "?"
        before_question = text.partition("?")[0]
        if "?" in text.partition("\n\n")[0] and ":" not in before_question:
            riddles.append(name)

    assert riddles == []


def test_each_package_says_which_of_its_modules_others_use() -> None:
    """Its `__all__` lists these and no others: the rest may be changed without looking around."""
    said = {package: exported(package) for package in packages()}

    assert {name: sorted(used) for name, used in used_from_outside().items()} == said


def test_nothing_that_a_command_left_behind_is_in_the_checkout() -> None:
    files = tracked(with_new=False)

    assert {path.relative_to(CHECKOUT).parts[0] for path in files} == ROOTS | BESIDE
