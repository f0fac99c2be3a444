"""Fewer reports from a worker of xdist: a plugin of pytest.

A worker sends three reports of each test, and that it begins.  Of a test that passes, all but one
say nothing that is shown; thousands of tests take longer to report than to run.
"""

from collections.abc import Callable
from typing import Final

import pytest

BEGINS: Final = "pytest_runtest_logstart"
REPORTS: Final = "pytest_runtest_logreport"


def is_told(report: pytest.TestReport) -> bool:
    """Whether the terminal shows anything of *report*, or counts it."""
    return report.when == "call" or not report.passed or bool(report.sections)


def only_what_is_told(
    send: Callable[[pytest.TestReport], None],
) -> Callable[[pytest.TestReport], None]:
    # The names of arguments are those of the hook: pytest goes by them.
    def pytest_runtest_logreport(report: pytest.TestReport) -> None:
        if is_told(report):
            send(report)

    return pytest_runtest_logreport


def is_wanted_whole(config: pytest.Config) -> bool:
    """Whether somebody asked for more than dots: times of each phase, or a file of results."""
    option = config.option
    return bool(option.xmlpath or option.durations or option.verbose > 0)


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if not hasattr(config, "workerinput") or is_wanted_whole(config):
        return
    for name in (REPORTS, BEGINS):
        for hook in getattr(config.hook, name).get_hookimpls():
            if type(hook.plugin).__name__ == "WorkerInteractor":
                hook.function = only_what_is_told(hook.function) if name == REPORTS else nothing


def nothing(nodeid: str, location: tuple[str, int | None, str]) -> None:
    """Send nothing."""
