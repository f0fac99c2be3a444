"""Why a test failed, without running it again: a plugin of pytest.

Helpers name the directories in which their servers log (`watch`) and what a command left
(`record`).  When a test fails, seeds, the tests that ran before it, the last lines of all logs and
what the commands printed are written below a directory of the run, and in short into its report.
"""

import os
import re
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.support.checkout import CHECKOUT
from tests.support.seeds import BASE

TAIL_LINES: Final = 100
TAIL_BYTES: Final = 2**16
TAIL_IN_REPORT_LINES: Final = 20
BEFORE_COUNT: Final = 50
FILES_MAX: Final = 60
"""How many logs of a test are kept."""
FAILURES_MAX: Final = 50
"""From so many failed tests of a process on, more say nothing new."""
LOG_NAME: Final = re.compile(r"log|stderr|stdout|.*\.(log|err|out)")
SEGMENT_NAME: Final = re.compile(r"\d{20}\.log")
DIRECTORY: Final = pytest.StashKey[Path]()
FILE_CLOCK_LAG_NS: Final = 50_000_000
"""The dates of files are behind the time of day, by up to a tick of the kernel (1 to 10 ms)."""


class Watched(NamedTuple):
    """A directory with logs: the fixtures that named it, if any did, and the last test that did."""

    fixtures: frozenset[str]
    test_number: int


class Collected:
    """What this process knows of the test that runs, and of servers that outlive it."""

    def __init__(self) -> None:
        self.test_count = 0
        self.failed_count = 0
        self.began_ns = 0
        self.order: deque[str] = deque(maxlen=BEFORE_COUNT + 1)
        self.fixtures: list[str] = []
        """Those that are being set up, the innermost last."""
        self.watched: dict[Path, Watched] = {}
        self.records: list[Callable[[], str]] = []

    def begin(self, test: str) -> None:
        self.test_count += 1
        self.began_ns = time.time_ns() - FILE_CLOCK_LAG_NS
        self.order.append(test)
        self.records.clear()

    def logs(self, fixtures: Collection[str], own: Iterable[Path]) -> list[Path]:
        """The logs below *own*, this test's, its *fixtures*', and any written meanwhile."""
        found = {log: None for directory in own for log in logs_below(directory)}
        for directory, watched in self.watched.items():
            is_its_own = watched.test_number == self.test_count or any(
                fixture in fixtures for fixture in watched.fixtures
            )
            for log in logs_below(directory):
                if is_its_own or log.stat().st_mtime_ns >= self.began_ns:
                    found[log] = None
        return list(islice(found, FILES_MAX))


_collected: Final = Collected()


def watch(directory: Path) -> None:
    """Keep the last lines of all logs below *directory* if a test fails whose server this is."""
    known = _collected.watched.get(directory, Watched(frozenset(), 0))
    fixtures = known.fixtures.union(_collected.fixtures)
    _collected.watched[directory] = Watched(fixtures, _collected.test_count)


def record(describe: Callable[[], str]) -> None:
    """Keep what *describe* returns if this test fails; it is not called otherwise."""
    _collected.records.append(describe)


def command_text(command: Iterable[str], exit_code: int | None, **streams: str) -> str:
    """Describe a run of *command*, with all that its *streams* had."""
    code = "none" if exit_code is None else exit_code
    told = "".join(f"--- {name}\n{text}\n" for name, text in streams.items() if text)
    return f"$ {' '.join(command)}\nexit code: {code}\n{told}"


def logs_below(directory: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(directory):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if is_log(name) and path.is_file() and path.stat().st_size > 0:
                yield path


def is_log(name: str) -> bool:
    """Whether people read a file of this *name*; the segments of a partition are for brokers."""
    return LOG_NAME.fullmatch(name) is not None and SEGMENT_NAME.fullmatch(name) is None


def tail(path: Path, count: int = TAIL_LINES) -> str:
    """The last *count* lines of a file, which may be gone."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError as error:
        return f"({error})\n"
    return last_lines(text, count)


def last_lines(text: str, count: int) -> str:
    return "".join(f"{line}\n" for line in text.splitlines()[-count:])


def directory_name(test: str) -> str:
    """A name for the directory of *test*, which a file system takes and a person recognizes."""
    name = re.sub(r"\W+", "_", test.removeprefix("tests/")).strip("_")
    return name[:180]


# What pytest calls.


def pytest_configure(config: pytest.Config) -> None:
    worker: Mapping[str, Any] = getattr(config, "workerinput", {})
    run = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    parent = Path(os.environ.get("KADMIN_TEST_FAILURES") or CHECKOUT / ".failures").absolute()
    config.stash[DIRECTORY] = Path(worker.get("failures") or parent / run)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let a worker of xdist write where the others do."""
    node.workerinput["failures"] = str(node.config.stash[DIRECTORY])


def pytest_report_header() -> str:
    return f"Seeds begin at SEED_BASE={BASE}"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _collected.begin(item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    _collected.fixtures.append(fixturedef.argname)
    try:
        return (yield)
    finally:
        _collected.fixtures.pop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        _collected.failed_count += 1
        if _collected.failed_count <= FAILURES_MAX:
            report.sections.append(("why", write_evidence(item, report)))
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Name the directory at the very end, where there is one."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and config.stash[DIRECTORY].is_dir():
        terminal.write_line(f"Why tests failed is in {config.stash[DIRECTORY]}")


def write_evidence(item: pytest.Item, report: pytest.TestReport) -> str:
    """Write all that is known into the directory of *item*, and return it in short."""
    directory = item.config.stash[DIRECTORY] / directory_name(item.nodeid)
    directory.mkdir(parents=True, exist_ok=True)
    funcargs: Mapping[str, Any] = getattr(item, "funcargs", {})
    fixtures: Collection[str] = getattr(item, "fixturenames", ())
    own = [funcargs[name] for name in ("tmp_path", "home") if name in funcargs]
    logs = _collected.logs(fixtures, own)
    commands = [describe() for describe in _collected.records]
    seeds = seeds_of(item)
    before = list(_collected.order)[:-1]

    with (directory / "why.txt").open("a") as why:
        why.write(f"{item.nodeid}: {report.when} failed\n\n{seeds}\n\n{report.longreprtext}\n\n")
        why.write("\n".join(("Before it, in this process, the last one last:", *before, "\n")))
        why.writelines(f"{title}\n{'-' * len(title)}\n{text}\n" for title, text in report.sections)
    if commands:
        (directory / "commands.txt").write_text("\n".join(commands))
    for log in logs:
        copy = directory / "logs" / log_name(log, item.config)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(tail(log))

    short = [f"{seeds}\nIt ran behind {', '.join(before[-3:]) or 'no other test'}\n"]
    short += [last_lines(command, 3 * TAIL_IN_REPORT_LINES) for command in commands]
    short += [f"==> {log} <==\n{tail(log, TAIL_IN_REPORT_LINES)}" for log in logs]
    short.append(f"More is in {directory}\n")
    return "\n".join(short)


def log_name(log: Path, config: pytest.Config) -> Path:
    """Where a copy of *log* goes: without what all directories of this process begin with."""
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    base = factory.getbasetemp()
    return log.relative_to(base if log.is_relative_to(base) else log.anchor)


def seeds_of(item: pytest.Item) -> str:
    """The words that draw the same again."""
    seed = item.config.getoption("randomly_seed", None)
    words = f"SEED_BASE={BASE} pytest --randomly-seed={seed} '{item.nodeid}'"
    drawn = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_generated_seed", None)
    return words if drawn is None else f"{words} --hypothesis-seed={drawn}"
