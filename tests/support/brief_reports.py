"""Fewer and shorter reports from a worker of xdist: a plugin of pytest.

A worker sends three reports of each test, and that it begins and ends.  Of a test that passes, all
but one say nothing that is shown; thousands of tests take longer to report than to run.
"""

from collections.abc import Callable
from typing import Final

import pytest

BEGINS: Final = "pytest_runtest_logstart"
REPORTS: Final = "pytest_runtest_logreport"
ENDS: Final = "pytest_runtest_logfinish"


def is_told(report: pytest.TestReport) -> bool:
    """Whether the terminal shows anything of *report*, or counts it."""
    return report.when == "call" or not report.passed or bool(report.sections)


def only_what_is_told(
    send: Callable[[pytest.TestReport], None],
) -> Callable[[pytest.TestReport], None]:
    # The names of arguments are those of the hook: pytest goes by them.
    def pytest_runtest_logreport(report: pytest.TestReport) -> None:
        if is_told(report):
            if report.passed:
                # The names of the test, its module and its marks: only a skip is told by them.
                report.keywords = {}
            send(report)

    return pytest_runtest_logreport


def is_wanted_whole(config: pytest.Config) -> bool:
    """Whether somebody asked for more than dots: times of each phase, or a file of results."""
    option = config.option
    return bool(option.xmlpath or option.durations or option.verbose > 0)


class Ends:
    """Workers do not say that a test has ended: the terminal, which counts them, has its report."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self.config.hook.pytest_runtest_logfinish
        hook(nodeid=report.nodeid, location=report.location)


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if is_wanted_whole(config):
        return
    if config.pluginmanager.hasplugin("dsession"):
        config.pluginmanager.register(Ends(config))
    elif hasattr(config, "workerinput"):
        for name in (BEGINS, REPORTS, ENDS):
            for hook in getattr(config.hook, name).get_hookimpls():
                if type(hook.plugin).__name__ == "WorkerInteractor":
                    hook.function = only_what_is_told(hook.function) if name == REPORTS else nothing


def nothing(nodeid: str, location: tuple[str, int | None, str]) -> None:
    """Send nothing."""
