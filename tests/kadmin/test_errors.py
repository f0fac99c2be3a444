"""Is an operator who slipped told what to do next?"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import kadmin
from kadmin.errors import hint_for_missing

HINTED = {"UsageError", "UnfitAssignment"}
"""The errors of wrong usage that take their hint from whoever raises them."""


def errors_without_hint(file: Path) -> Iterator[str]:
    text = file.read_text()
    if not any(name in text for name in HINTED):
        return
    for node in ast.walk(ast.parse(text)):
        # Click's own usage error is named by its module; `kadmin.cli.main` hints at the help.
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in HINTED
            and "hint" not in {keyword.arg for keyword in node.keywords}
        ):
            yield f"{file}:{node.lineno}"


@pytest.mark.slow
def test_every_error_of_wrong_usage_has_a_hint() -> None:
    [package] = kadmin.__path__
    files = sorted(Path(package).rglob("*.py"))

    assert len(files) > 1
    assert [] == [place for file in files for place in errors_without_hint(file)]


@pytest.mark.parametrize(
    ("wanted", "known", "expected"),
    [
        ("ordres", ["orders", "users"], "did you mean 'orders'? 'list' lists all there are"),
        ("audit", ["orders"], "'list' lists all there are"),
        ("audit", [], "'list' lists all there are"),
    ],
)
def test_what_was_only_mistyped_is_not_made_by_pasting(wanted, known, expected):
    assert expected == hint_for_missing(wanted, known, listed_by="list")
