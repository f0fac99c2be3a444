"""The packages as they are written: modules, their imports, and the circles among these."""

import ast
import gc
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tests.support.checkout import CHECKOUT
from tests.support.collector import collector_disabled

PACKAGES: Final = ("cluster", "kadmin")


@cache
def modules() -> Mapping[str, ast.Module]:
    """Every module of both packages by its dotted name, parsed."""
    # A million nodes that stay: the collector of garbage takes longer than the parser.
    with collector_disabled():
        found = {name: ast.parse(text) for name, text in sources().items()}
        gc.freeze()
    return found


@cache
def sources(packages: Sequence[str] = PACKAGES) -> Mapping[str, str]:
    """The text of every module of *packages* by its dotted name."""
    return {
        name_of(path): path.read_text()
        for package in packages
        for path in sorted((CHECKOUT / package).rglob("*.py"))
    }


def name_of(path: Path) -> str:
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def statements_of(tree: ast.AST) -> Iterator[ast.stmt]:
    """All statements below *tree*, without looking into expressions: most of what there is."""
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        for child in getattr(tree, field, ()):
            if isinstance(child, ast.stmt):
                yield child
            yield from statements_of(child)


def imports_of(name: str) -> Iterator[str]:
    """The modules of ours that the module *name* imports, inside of functions and for types too."""
    for node in statements_of(modules()[name]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in modules():
                    yield inner
                elif node.module in modules():
                    yield node.module


def circles(graph: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    """The sets of modules that reach each other, by Tarjan's algorithm."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[tuple[str, ...]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for target in sorted(graph[name]):
            if target not in number:
                visit(target)
                lowest[name] = min(lowest[name], lowest[target])
            elif target in stack:
                lowest[name] = min(lowest[name], number[target])
        if lowest[name] == number[name]:
            members = []
            while True:
                members.append(stack.pop())
                if members[-1] == name:
                    break
            if len(members) > 1 or name in graph[name]:
                found.append(tuple(sorted(members)))

    for name in sorted(graph):
        if name not in number:
            visit(name)
    return found


def packages() -> list[str]:
    return [
        name for name in modules() if CHECKOUT.joinpath(*name.split("."), "__init__.py").exists()
    ]


def used_from_outside() -> dict[str, set[str]]:
    """Of each package the modules in it that modules elsewhere import."""
    used: dict[str, set[str]] = {package: set() for package in packages()}
    for importer in modules():
        for target in imports_of(importer):
            parts = target.split(".")
            for end in range(1, len(parts)):
                package = ".".join(parts[:end])
                if not f"{importer}.".startswith(f"{package}."):
                    used[package].add(parts[end])
    return used


def exported(package: str) -> list[str]:
    """The `__all__` of *package*, as it is written; none is an empty one."""
    for node in modules()[package].body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = ast.literal_eval(node.value)
            assert isinstance(names, list)
            return names
    return []
