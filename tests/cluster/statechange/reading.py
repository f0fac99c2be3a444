"""What kadmin reads from the lines that the cluster writes, and which of them no test reads, or
nobody writes.
"""

import ast
import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import get_type_hints

from cluster.statechange.line import StateChangeLine
from kadmin.statechange.columns import StateChange
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from tests.support.checkout import CHECKOUT

HEAD = "[2026-11-21 15:41:00,123]"
LOGGER = "(state.change.logger)"


def parsed(line: StateChangeLine) -> StateChange:
    """What kadmin reads from the line as it stands in the file; a second line is an exception."""
    first, *others = f"{HEAD} {line.level} {line} {LOGGER}".split("\n")
    for other in others:
        assert parse_line(other).kind is Kind.CONTINUATION
        assert parse_line(other).error is not None
    return parse_line(first)


def not_named_in(lines: Callable[[], object], module: ModuleType) -> set[str]:
    """The functions of *module* that make a line, and that *lines* does not mention."""
    return makers(module) - set(lines.__code__.co_names)


def never_written(module: ModuleType) -> set[str]:
    """The functions of *module* that make a line, and that no other module mentions."""
    own = Path(inspect.getfile(module))
    writers = [path for path in (CHECKOUT / "cluster").rglob("*.py") if path != own]
    mentioned = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for text in map(Path.read_text, writers)
        if "cluster.statechange" in text  # It is imported by this name.
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Attribute, ast.Name))
    }
    return makers(module) - mentioned


def makers(module: ModuleType) -> set[str]:
    """The public functions of *module* that make a line."""
    return {
        name
        for name, function in vars(module).items()
        if inspect.isfunction(function)
        and function.__module__ == module.__name__
        and not name.startswith("_")
        and get_type_hints(function)["return"] is StateChangeLine
    }
