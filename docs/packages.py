"""The packages and their layers, as docs/architecture.md shows them.

The docstring of a package's `__init__.py` describes it; import-linter enforces the layers in
pyproject.toml.
"""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[1]

DEPTH_MAX: Final = 3
"""The packages inside of `cluster.runtime` are shown, those inside of them are not."""


def block(name: str) -> str:
    """The content of the block `packages NAME` or `layers NAME`; *name* is both words."""
    what, _, package = name.partition(" ")
    lines = tree(CHECKOUT / package, package) if what == "packages" else layers(package)
    return "\n".join(["```text", *lines, "```"]) + "\n"


def tree(directory: Path, name: str, depth: int = 1) -> Iterator[str]:
    indent = "  " * (depth - 1)
    yield f"{indent + name + '/':<18} {summary(directory)}"
    if depth < DEPTH_MAX:
        for inner in sorted(directory.iterdir()):
            if (inner / "__init__.py").exists():
                yield from tree(inner, inner.name, depth + 1)


def summary(directory: Path) -> str:
    """The first line of the package's docstring, without its full stop."""
    text = ast.get_docstring(ast.parse((directory / "__init__.py").read_text()))
    assert text is not None, f"{directory} does not say what it is"
    return text.splitlines()[0].rstrip(".")


def layers(package: str) -> Iterator[str]:
    """From the top: a package may import those below it; beside `|` none, beside `:` each other."""
    with (CHECKOUT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (contract,) = [one for one in contracts if one.get("containers") == [package]]
    yield from contract["layers"]
