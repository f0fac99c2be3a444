"""Processes that take work items: what becomes of results, of the killed, and of all at the end?"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kadmin.errors import KadminError
from kadmin.jobs.processes import REPLACEMENTS_MAX, WORKERS_MAX, ProcessEngine, core_count
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.sockets


@pytest.fixture
def engine() -> Iterator[ProcessEngine]:
    engine = ProcessEngine(2)
    yield engine
    engine.close(is_abandoned=True)


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def refuse(number: int) -> None:
    raise KadminError(f"not {number}", hint="another")


def die(path: str) -> str:
    """Be killed, the first time that somebody asks for it."""
    try:
        Path(path).unlink()
    except FileNotFoundError:
        return "alive"
    os.kill(os.getpid(), signal.SIGKILL)
    return "dead"


def die_always(_: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def work_for_ever(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    threading.Event().wait()


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_results_are_in_order_and_from_other_processes(engine: ProcessEngine) -> None:
    results = list(engine.run(square, range(50)))

    assert [number * number for number in range(50)] == [each for each, _ in results]
    assert os.getpid() not in {pid for _, pid in results}
    with pytest.raises(KadminError, match="not 3"):
        list(engine.run(refuse, [3]))


def test_what_a_killed_worker_was_at_is_done_again(engine: ProcessEngine, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}" for number in range(3)]
    paths[1].touch()

    assert ["alive"] * 3 == list(engine.run(die, list(map(str, paths))))
    assert REPLACEMENTS_MAX - 1 == engine.replacements_left


def test_workers_that_are_killed_again_and_again_are_an_error(engine: ProcessEngine) -> None:
    with pytest.raises(KadminError, match="killed again and again"):
        list(engine.run(die_always, ["x"]))
    assert 0 == engine.replacements_left


def test_abandoned_work_ends_at_once(tmp_path: Path) -> None:
    engine = ProcessEngine(1)
    path = tmp_path / "pid"
    results = engine.run(work_for_ever, [str(path)])

    with pytest.raises(KeyboardInterrupt):
        interrupted(results, path)
    engine.close(is_abandoned=True)

    assert not is_running(int(path.read_text()))


def interrupted(results: Iterator[object], path: Path) -> None:
    """Take *results* until Ctrl-C, which comes when the work has begun."""

    def press() -> None:
        wait_until(lambda: path.exists() and path.read_text() != "", what="the work")
        os.kill(os.getpid(), signal.SIGINT)

    pressing = threading.Thread(target=press)
    pressing.start()
    try:
        next(results)
    finally:
        pressing.join(OUTER_LIMIT_S)


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    path = tmp_path / "pids"
    script = f"""
import multiprocessing, pathlib, signal
from kadmin.jobs.processes import REPLACEMENTS_MAX, WORKERS_MAX, ProcessEngine, core_count
from tests.kadmin.jobs.test_processes import square
engine = ProcessEngine(2)
list(engine.run(square, range(10)))
path = pathlib.Path({str(path)!r})
pids = [each.pid for each in multiprocessing.active_children()]
path.with_suffix(".new").write_text(" ".join(map(str, pids)))
path.with_suffix(".new").rename(path)
signal.pause()
"""
    starter = subprocess.Popen([sys.executable, "-c", script])
    try:
        wait_until(path.exists, what="the workers")
    finally:
        starter.kill()
        starter.wait(OUTER_LIMIT_S)
    pids = [int(pid) for pid in path.read_text().split()]

    wait_until(lambda: not any(map(is_running, pids)), what="the workers to end")


def test_cores_are_counted_where_no_process_is_bound_to_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on macOS."""
    monkeypatch.delattr(os, "sched_getaffinity")

    assert min(os.cpu_count() or 1, WORKERS_MAX) == core_count()
