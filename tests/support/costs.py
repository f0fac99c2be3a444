"""What the tests of each file cost: a plugin of pytest, asked for by `--costs`.

CPU is that of this process and of all that it has started: what a server that tests share takes
counts for the file whose tests run meanwhile.
"""

import os
import time
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Final

import pytest

from tests.support.belongings import NAME

SHOWN: Final = 20
LONG_S: Final = 0.02
"""Looking at all processes takes some milliseconds: it is done behind tests that took as long."""
TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Cost:
    """What the tests of one file cost so far, in seconds."""

    own_cpu_s: float = 0
    """Of the process that runs the tests."""
    other_cpu_s: float = 0
    """Of processes that it has started."""
    wall_s: float = 0
    fixtures_s: float = 0
    """Part of *wall_s* in which fixtures were set up and torn down."""
    test_count: int = 0

    @property
    def cpu_s(self) -> float:
        return self.own_cpu_s + self.other_cpu_s

    @property
    def waiting_s(self) -> float:
        return max(0, self.wall_s - self.own_cpu_s)

    def add(self, other: "Cost") -> None:
        self.own_cpu_s += other.own_cpu_s
        self.other_cpu_s += other.other_cpu_s
        self.wall_s += other.wall_s
        self.fixtures_s += other.fixtures_s
        self.test_count += other.test_count


class Started:
    """The processes that this one has started, with those that they have started."""

    def __init__(self) -> None:
        words = {name: os.environ.get(name) for name in (NAME, "PYTEST_XDIST_WORKER")}
        self.words = {f"{name}={word}".encode() for name, word in words.items() if word}
        self.is_ours: dict[tuple[str, str], bool] = {}
        """By pid and the time at which it was started."""
        self.lost_ticks = 0
        """Of those that are gone whose parent had gone before: they were waited for by init."""
        self.alive: dict[tuple[str, str], tuple[int, bool]] = {}
        """The ticks of each, and whether its parent is one of ours."""

    def cpu_s(self) -> float:
        """Their CPU so far, of those that are gone as well."""
        before, self.alive = self.alive, {}
        for pid in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError):
                self.look_at(pid)
        for process in before.keys() - self.alive.keys():
            ticks, has_parent = before[process]
            if not has_parent:
                self.lost_ticks += ticks
        ticks = self.lost_ticks + sum(ticks for ticks, _ in self.alive.values())
        times = os.times()
        return times.children_user + times.children_system + ticks / TICKS_PER_S

    def look_at(self, pid: str) -> None:
        with open(f"/proc/{pid}/stat") as stat:
            # The name of the program, in parentheses, may have blanks and parentheses.
            fields = stat.read().rpartition(")")[2].split()
        process = (pid, fields[19])
        if process not in self.is_ours:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                has_words = self.words <= set(environment.read().split(b"\0"))
            self.is_ours[process] = has_words and int(pid) != os.getpid()
        if self.is_ours[process]:
            # utime, stime and those of the processes that it has waited for.
            self.alive[process] = (sum(map(int, fields[11:15])), fields[1] != "1")


class Costs:
    """The costs of files, as this process or, in the end, all workers of xdist count them."""

    def __init__(self) -> None:
        self.of: dict[str, Cost] = {}
        self.started = Started()
        self.others_s = 0.0
        """CPU of others that is counted already."""

    def add(self, file: str, cost: Cost) -> None:
        self.of.setdefault(file, Cost()).add(cost)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        began_s, own_s = time.perf_counter(), time.process_time()
        self.calls_s = 0.0
        result = yield
        own_cpu_s = time.process_time() - own_s
        wall_s = time.perf_counter() - began_s
        cost = Cost(own_cpu_s=own_cpu_s, wall_s=wall_s, test_count=1)
        cost.fixtures_s = wall_s - self.calls_s
        if wall_s >= LONG_S:
            others_s = self.started.cpu_s()
            cost.other_cpu_s = max(0, others_s - self.others_s)
            self.others_s = others_s
        self.add(item.location[0], cost)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        began_s = time.perf_counter()
        try:
            return (yield)
        finally:
            self.calls_s = time.perf_counter() - began_s

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            costs = {file: asdict(cost) for file, cost in self.of.items()}
            session.config.workeroutput["costs"] = costs

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker of xdist has counted; one that crashed has nothing."""
        output: Mapping[str, Any] = getattr(node, "workeroutput", None) or {}
        for file, cost in output.get("costs", {}).items():
            self.add(file, Cost(**cost))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        total = Cost()
        for cost in self.of.values():
            total.add(cost)
        dearest = sorted(self.of.items(), key=lambda of: of[1].cpu_s, reverse=True)[:SHOWN]
        terminalreporter.section("seconds: CPU, own, started, wall, waiting, fixtures; tests")
        for name, cost in [("all files", total), *dearest]:
            terminalreporter.write_line(
                f"{cost.cpu_s:7.1f} {cost.own_cpu_s:7.1f} {cost.other_cpu_s:7.1f}"
                f" {cost.wall_s:7.1f} {cost.waiting_s:7.1f} {cost.fixtures_s:7.1f}"
                f" {cost.test_count:6}  {name}"
            )
