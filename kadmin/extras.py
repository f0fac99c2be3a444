"""Extras of the installation: what some commands need that the base leaves out.

`pyproject.toml` lists what is in each.  Imports none of it.
"""

import shlex
import sys
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from kadmin.called_name import DISTRIBUTION
from kadmin.errors import KadminError

OF_PIPX: Final = "pipx_metadata.json"
"""What pipx leaves in its environments, which may have no pip of their own."""


class Extra(StrEnum):
    """What `pip install 'kadmin-kafka[…]'` installs besides."""

    SPARK = "spark"
    """Spark: for merging and comparing more than one process can."""
    CLUSTER = "cluster"
    """The jars of a ZooKeeper: for the cluster of this machine."""
    HTML = "html"
    """Plotly: for pages with timelines."""
    PLAN = "plan"
    """SciPy: for plans of moves."""
    PERF = "perf"
    """HdrHistogram: for the percentiles of performance tests."""
    WEB = "web"
    """Starlette, uvicorn and Jinja2: for the page."""


def installer() -> str:
    """Return the command that installs into the environment of this process what is named behind
    it."""
    home, python = Path(sys.prefix), shlex.quote(sys.executable)
    if (home / OF_PIPX).exists():
        return f"pipx runpip {home.name} install"
    if not is_installed("pip"):  # As uv makes environments.
        return f"uv pip install --python {python}"
    return f"{python} -m pip install"


class MissingExtra(KadminError):
    """*what* was asked for, and *modules* of *extra* are not installed."""

    def __init__(self, what: str, extra: Extra, modules: tuple[str, ...]) -> None:
        *others, last = modules
        names = f"{', '.join(others)} or {last}" if others else last
        super().__init__(
            f"{what} needs {DISTRIBUTION}[{extra}], which is not installed: there is no {names}",
            hint=f"{installer()} '{DISTRIBUTION}[{extra}]'",
        )


class MissingPackage(KadminError):
    """*what* was asked for, and needs a *package* of PyPI that no extra brings."""

    def __init__(self, what: str, package: str) -> None:
        super().__init__(
            f"{what} needs the Python package {package}, which is not installed",
            hint=f"{installer()} {package}",
        )


def require_package(what: str, package: str) -> None:
    """See that *package*, without which *what* cannot work, is installed; raises MissingPackage."""
    if not is_installed(package):
        raise MissingPackage(what, package)


def is_installed(module: str) -> bool:
    return find_spec(module) is not None


def require_extra(what: str, extra: Extra, *modules: str) -> None:
    """See that the *modules* are there, without which *what* cannot work.

    Raises:
        MissingExtra: one is not.
    """
    missing = tuple(name for name in modules if not is_installed(name))
    if missing:
        raise MissingExtra(what, extra, missing)


def pyspark_directory(what: str, extra: Extra) -> Path:
    """Return where PySpark is installed, of which *what* needs files; both extras bring it.

    Raises:
        MissingExtra: it is not installed.
    """
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise MissingExtra(what, extra, ("pyspark",))
    return Path(spec.origin).parent
