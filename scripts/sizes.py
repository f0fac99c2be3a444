"""A report of the largest files and functions, which may hold a second idea.

Only a report: nothing fails, and nothing is to be split to please a number.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PACKAGES: Final = ("cluster", "kadmin")
FILE_LINES: Final = 600
FUNCTION_LINES: Final = 70
"""From these sizes on a file, or a function, is worth a look (docs/style.md)."""


def large_parts(path: Path) -> Iterator[tuple[int, str]]:
    """The large parts of the file at *path*: the number of lines, and the place."""
    text = path.read_text()
    line_count = text.count("\n")
    if line_count > FILE_LINES:
        yield line_count, str(path)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            size = line_count_of(node)
            if size > FUNCTION_LINES:
                yield size, f"{path}:{node.lineno} {node.name}"


def line_count_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of *function* without its docstring, which is the help of a command."""
    first, *rest = function.body
    assert first.end_lineno is not None
    assert function.end_lineno is not None
    is_documented = ast.get_docstring(function, clean=False) is not None
    documented = first.end_lineno - first.lineno + 1 if is_documented and rest else 0
    return function.end_lineno - function.lineno + 1 - documented


def main() -> None:
    found = [
        part
        for package in PACKAGES
        for path in sorted(Path(package).rglob("*.py"))
        for part in large_parts(path)
    ]
    for size, place in sorted(found, reverse=True):
        sys.stdout.write(f"{size} lines: {place}\n")


if __name__ == "__main__":
    main()
