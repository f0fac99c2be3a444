"""What a test may not do: hold itself to a number of seconds, or start a cluster of its own."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.support.checkout import CHECKOUT

TESTS: Final = CHECKOUT / "tests"

SLEEPS: Final = {
    "tests/scripts/test_flakes.py": "texts of programs that have to live until they are ended",
    "tests/support/waiting.py": "the waits of all others",
    "tests/faults/": "faults that last for as long as their seed says",
    "tests/kadmin/test_budget.py": "a clock of its own, on which time passes at once",
    "tests/kadmin/admin/wire/test_patience.py": "the same clock",
}
"""Files and directories that sleep, each with why it may."""
SECONDS: Final = {
    "tests/support/waiting.py": "the outer limit",
    "tests/sim/": "the time of the simulation",
    "tests/faults/": "faults that last for as long as their seed says",
    "tests/interop/maven.py": "a registry that is silent is given up, and the test not run",
}
"""Those that wait for a number of seconds."""
SECONDS_WORDS: Final = (
    r"\b(communicate|join|result|select|settimeout|timeout|wait|wait_for)\([^()]*\d"
    r"|timeout=\d|mark\.timeout|_S(_MAX)?\b[^=]*=\s*\d"
)
"""What a text has that waits for a number of seconds, as far as a pattern can say."""
STARTS: Final = {
    "tests/support/": "the helpers",
    "tests/kadmin/local/test_zookeeper.py": "it tests the start itself",
}
"""Those that start a ZooKeeper or a broker."""
CHEAP: Final = {
    "tests/cluster/api/test_long_names.py": "a broker in memory",
    "tests/interop/": "its conftest makes groups by server",
    "tests/kadmin/cli/cluster/conftest.py": "a directory",
    "tests/kadmin/segments/test_record_scan.py": "a number",
}
"""Those whose tests may run in any worker, though they share a fixture of their module."""

WAITING: Final = frozenset({"communicate", "join", "result", "settimeout", "timeout", "wait"})
"""Methods whose first argument is how long they wait."""
LIMIT: Final = re.compile(r"\w*(DEADLINE|LIMIT|PATIENCE|TIMEOUT|WITHIN)_S(_MAX)?")


@cache
def texts() -> Mapping[str, str]:
    """Every module of the tests by its path in the checkout."""
    return {
        str(path.relative_to(CHECKOUT)): path.read_text()
        for path in sorted(TESTS.rglob("*.py"))
        if path != Path(__file__)
    }


def is_seconds(node: ast.expr | None) -> bool:
    """Whether *node* is a number above 0."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value > 0


def name_of(call: ast.Call) -> str:
    """The last word of what is called."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def sleeps(tree: ast.Module) -> Iterator[int]:
    """The lines that sleep, also in the text of a program."""
    for node in ast.walk(tree):
        if (isinstance(node, ast.Call) and name_of(node) == "sleep") or (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.search(r"\bsleep\(\d", node.value)
        ):
            yield node.lineno


def seconds(tree: ast.Module) -> Iterator[int]:
    """The lines that wait for a number of seconds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name, first = name_of(node), node.args[0] if node.args else None
            if (
                any(word.arg == "timeout" and is_seconds(word.value) for word in node.keywords)
                or (name in WAITING and is_seconds(first))
                or (name in ("select", "wait_for") and is_seconds(node.args[-1]))
            ):
                yield node.lineno
        elif isinstance(node, ast.Attribute):
            if node.attr == "timeout" and ast.unparse(node) == "pytest.mark.timeout":
                yield node.lineno
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if LIMIT.fullmatch(ast.unparse(target)) and is_seconds(node.value):
                yield node.lineno


def starts(tree: ast.Module) -> Iterator[int]:
    """The lines that get hold of what starts a ZooKeeper, or a broker's process."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "kadmin.local.zookeeper":
            if any(alias.name == "start_server" for alias in node.names):
                yield node.lineno
        elif isinstance(node, ast.Constant) and node.value == "cluster.runtime.broker":
            yield node.lineno


def found(
    look: Callable[[ast.Module], Iterator[int]], words: str, exceptions: Mapping[str, str]
) -> list[str]:
    """Each `file:line` that *look* finds, but for the files or directories of *exceptions*.

    A file without any of the *words*, a pattern, is not parsed.
    """
    return [
        f"{path}:{line}"
        for path, text in texts().items()
        if not path.startswith(tuple(exceptions)) and re.search(words, text)
        for line in look(ast.parse(text))
    ]


def test_tests_wait_for_events_and_do_not_sleep() -> None:
    assert [] == found(sleeps, r"\bsleep\(", SLEEPS)


@pytest.mark.slow
def test_all_waits_of_tests_have_the_one_bound() -> None:
    """`OUTER_LIMIT_S` of `tests.support.waiting`, or more."""
    assert [] == found(seconds, SECONDS_WORDS, SECONDS)


def test_servers_are_started_by_the_helpers_of_tests() -> None:
    assert [] == found(starts, r"start_server|runtime\.broker", STARTS)


def test_what_tests_of_a_module_share_is_set_up_in_one_worker() -> None:
    """Else each worker sets it up for those of them that it happens to run."""
    assert [] == [
        path
        for path, text in texts().items()
        if 'scope="module"' in text
        and "xdist_group" not in text
        and not path.startswith(tuple(CHEAP))
    ]


@pytest.mark.parametrize("exceptions", [SLEEPS, SECONDS, STARTS, CHEAP])
def test_each_exception_is_there(exceptions: Mapping[str, str]) -> None:
    assert [] == [path for path in exceptions if not (CHECKOUT / path).exists()]


@pytest.mark.parametrize(
    ("look", "text"),
    [
        (sleeps, "time.sleep(1)"),
        (sleeps, "await asyncio.sleep(0)"),
        (sleeps, "SCRIPT = 'import time; time.sleep(600)'"),
        (seconds, "thread.join(0.2)"),
        (seconds, "process.communicate(b'', timeout=5)"),
        (seconds, "select.select([pipe], [], [], 50)"),
        (seconds, "asyncio.wait_for(work, 10)"),
        (seconds, "pytest.mark.timeout(60)"),
        (seconds, "START_TIMEOUT_S: Final = 30"),
        (starts, "from kadmin.local.zookeeper import start_server"),
        (starts, "words = [sys.executable, '-m', 'cluster.runtime.broker']"),
    ],
)
def test_what_is_not_allowed_is_found(
    look: Callable[[ast.Module], Iterator[int]], text: str
) -> None:
    assert {1} == set(look(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "thread.join(OUTER_LIMIT_S)",
        "', '.join(words)",
        "select.select([pipe], [], [], 0)",
        "INTERVAL_S = 5",
    ],
)
def test_what_is_allowed_is_not_found(text: str) -> None:
    tree = ast.parse(text)

    assert [] == [*sleeps(tree), *seconds(tree), *starts(tree)]
