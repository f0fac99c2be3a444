"""Branch coverage of the product: where is it counted?

While modules of the product are imported, and in what tests of test-fast call, fixtures of their
own included.  Where branches are counted, Python takes more than twice as long, also for pytest and
Hypothesis; and what a test of servers, or a long computation, passes through has not been tested by
it.
"""

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import TYPE_CHECKING, Final

import pytest

from tests.tidy import PACKAGES

if TYPE_CHECKING:
    from coverage import Coverage

NOT_FAST: Final = ("slow", "zk", "interop", "spark", "clients", "sockets", "browser", "faults")
"""The marks of what test-fast leaves out, as the Makefile has them."""


def coverage_of(config: pytest.Config) -> "Coverage | None":
    """Return what counts the branches of this process; None without --cov."""
    controller = getattr(config.pluginmanager.getplugin("_cov"), "cov_controller", None)
    return None if controller is None else controller.cov


def is_fast(node: pytest.Item) -> bool:
    return {mark.name for mark in node.iter_markers()}.isdisjoint(NOT_FAST)


@contextmanager
def counting(coverage: "Coverage") -> Iterator[None]:
    coverage.start()
    try:
        yield
    finally:
        coverage.stop()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop the measurement that pytest-cov starts in a worker before it starts the worker's own."""
    coverage = coverage_of(session.config)
    if coverage is not None and hasattr(session.config, "workerinput"):
        coverage.stop()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    coverage = coverage_of(session.config)
    if coverage is None:
        return (yield)
    coverage.stop()
    with counting_imports(coverage):
        return (yield)


@contextmanager
def counting_imports(coverage: "Coverage") -> Iterator[None]:
    """Count what modules of the product do when they are imported in the block."""
    plain = SourceFileLoader.exec_module
    is_counting = False

    def counted(loader: SourceFileLoader, module: ModuleType) -> None:
        nonlocal is_counting
        if is_counting or module.__name__.partition(".")[0] not in PACKAGES:
            return plain(loader, module)
        is_counting = True
        try:
            with counting(coverage):
                plain(loader, module)
        finally:
            is_counting = False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SourceFileLoader, "exec_module", counted)
        yield


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_fixture_setup(request: pytest.FixtureRequest) -> Generator[None, object, object]:
    with counting_for(request.node):
        return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    with counting_for(pyfuncitem):
        return (yield)


def counting_for(node: pytest.Item | pytest.Collector) -> AbstractContextManager[None]:
    """Count what happens in the block if it is for one test of test-fast."""
    coverage = coverage_of(node.config)
    if coverage is None or not isinstance(node, pytest.Item) or not is_fast(node):
        return nullcontext()
    return counting(coverage)
