"""Modules and functions whose marks leave all of their tests out of a run: a plugin of pytest.

pytest would import these modules, and make an item of each case of these functions, to leave out
each: half of what collecting takes, in each process.
"""

import re
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Final

import pytest

ALL_BUT: Final = re.compile(r"not \((\w+(?: or \w+)*)\)")
"""The expressions of the Makefile."""
OF_MODULE: Final = re.compile(r"^pytestmark = (pytest\.mark\.\w+|\[[^\]]*\])$", re.MULTILINE)
MARK: Final = re.compile(r"pytest\.mark\.(\w+)")


@cache
def left_out_marks(expression: str) -> frozenset[str]:
    """The marks of which a test of a run `-m` *expression* has none; empty if that is not known."""
    found = ALL_BUT.fullmatch(expression)
    return frozenset(found[1].split(" or ")) if found else frozenset()


def marks_of(source: str) -> set[str]:
    """The marks that all tests of a module have, as far as its *source* has them in plain words."""
    found = OF_MODULE.search(source)
    return set(MARK.findall(found[1])) if found else set()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over a module, or a directory with its conftest, whose tests are all left out."""
    marks = left_out_marks(config.option.markexpr)
    if not marks:
        return None
    modules = [collection_path]
    if collection_path.is_dir():
        modules = list(collection_path.rglob("test_*.py"))
    elif collection_path.suffix != ".py":
        return None
    are_left_out = (marks & marks_of(module.read_text("utf-8")) for module in modules)
    return True if modules and all(are_left_out) else None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, obj: object
) -> list[pytest.Item] | None:
    """Make nothing of a function that is left out; None leaves it to pytest."""
    marks = left_out_marks(collector.config.option.markexpr)
    if not marks or not isinstance(obj, FunctionType):
        return None
    is_left_out = any(mark.name in marks for mark in getattr(obj, "pytestmark", ()))
    return [] if is_left_out else None
