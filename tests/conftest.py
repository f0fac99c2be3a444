"""What every test may use: a home of its own, a real ZooKeeper, a Java, and jars from Maven."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from kadmin.jvm.java import find_java
from kadmin.local.zookeeper import ZooKeeperServer
from tests.interop.maven import Maven
from tests.support import branches, brief_reports, costs, distribution, evidence, left_out
from tests.support.belongings import start_guard
from tests.support.checkout import CACHE
from tests.support.examples import example_count
from tests.support.not_run import say_what_was_not_run
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.zookeeper import make_chroot, running_server

# How long an example takes on a busy machine says nothing about the code.  Examples are drawn by
# Hypothesis' own chance, which pytest-randomly does not touch; those that failed come first the
# next time, wherever the cache is kept.
settings.register_profile(
    "kadmin",
    max_examples=example_count(100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    derandomize=False,
    database=DirectoryBasedExampleDatabase(CACHE / "hypothesis"),
)
settings.load_profile("kadmin")

# Whoever starts the tests may have signals ignored: SIGINT as a background job of a script does,
# SIGHUP nohup.  A process hands that on to all it starts, and tests send them signals.  It does not
# hand on a handler: what shall not end the tests, still does not, and ends a process of a test.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, lambda number, frame: None)


SPEAK: Final = frozenset({"zk", "clients", "faults", "interop"})
"""The marks of tests whose kadmin speaks with a cluster."""

# Nothing that is made while tests are collected is garbage.
gc.disable()


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what lives as long as the run.

    Looking through thousands of tests again and again took a third of the time of all.  From then
    on it comes by rarely: most of what a test makes is garbage without it.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", action="store_true", help="show what the dearest files cost")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(evidence)
    if not hasattr(config, "workerinput"):
        start_guard()
    if config.option.costs:
        config.pluginmanager.register(costs.Costs())
    if config.pluginmanager.hasplugin("_cov"):
        config.pluginmanager.register(branches)
    config.pluginmanager.register(brief_reports)
    config.pluginmanager.register(distribution)
    config.pluginmanager.register(left_out)


def pytest_sessionstart() -> None:
    """Take out of the environment what the user's kadmin, and this run of pytest, read there."""
    for name in list(os.environ):
        if name.startswith("KADMIN_") and name != "KADMIN_TEST_CACHE":
            del os.environ[name]
    os.environ.pop("PYTEST_ADDOPTS", None)


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    say_what_was_not_run(config)


class Homes:
    """Home directories, each given to one test after the other until one leaves something in it.

    Most leave nothing.  Thousands of directories cost pytest more than the tests do: it looks
    through their names for each new one, and removes those of earlier runs one by one.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._count = 0
        self._make()

    def _make(self) -> None:
        self.home = self._directory / str(self._count)
        self.home.mkdir()
        self._count += 1
        os.environ["HOME"] = str(self.home)
        for name in ("CONFIG", "DATA", "CACHE", "STATE"):
            os.environ[f"XDG_{name}_HOME"] = str(self.home / name.lower())

    def empty(self) -> Path:
        if os.listdir(self.home):
            self._make()
        return self.home


class Patience:
    """How long kadmin waits in this process: like an operator, or as long as tests do."""

    def __init__(self) -> None:
        self._is_that_of_tests = False
        self._patch = pytest.MonkeyPatch()

    def become(self, is_that_of_tests: bool) -> None:
        if is_that_of_tests == self._is_that_of_tests:
            return
        self._is_that_of_tests = is_that_of_tests
        if is_that_of_tests:
            # The 30 s of kadmin are not enough for a machine that stands still.
            self._patch.setenv("KADMIN_TIMEOUT", str(OUTER_LIMIT_S))
            # Nor 3 s for what is shown without its age.
            self._patch.setattr("kadmin.cli.session.OLD_S", OUTER_LIMIT_S)
        else:
            self._patch.undo()


HOMES: Final = pytest.StashKey[Homes]()
PATIENCE: Final = Patience()


# In hooks, and kept from test to test: as fixtures they took longer than most tests do.
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give *item* a fresh home directory, and the patience of tests if it speaks with a cluster."""
    assert isinstance(item, pytest.Function)
    if HOMES not in item.config.stash:
        factory: pytest.TempPathFactory = item.config._tmp_path_factory  # type: ignore[attr-defined]
        item.config.stash[HOMES] = Homes(factory.mktemp("homes"))
    item.funcargs["home"] = item.config.stash[HOMES].empty()
    PATIENCE.become(not SPEAK.isdisjoint(mark.name for mark in item.iter_markers()))


@pytest.fixture
def home(pytestconfig: pytest.Config) -> Path:
    """The home directory of this test; none sees or touches the user's files or settings."""
    return pytestconfig.stash[HOMES].home


@pytest.fixture(scope="session")
def zookeeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZooKeeperServer]:
    """A standalone ZooKeeper for the whole run; tests keep to a `chroot` of it."""
    directory = tmp_path_factory.mktemp("zookeeper")
    with running_server(directory) as server:
        yield server


@pytest.fixture
def chroot(zookeeper: ZooKeeperServer) -> str:
    """A connect string with a chroot that is new, empty and this test's own."""
    return make_chroot(zookeeper)


@pytest.fixture(scope="session")
def java() -> str:
    return str(find_java().path)


@pytest.fixture(scope="session")
def maven() -> Maven:
    """The one that all tests ask, so that a registry that was silent is not asked again."""
    return Maven()
