"""Tests that run side by side: each in a process of its own, begun together, merged at the end."""

import multiprocessing
import os
import signal
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Barrier
from typing import Any, Protocol, TypeVar

from kadmin.errors import KadminError
from kadmin.records.perf.peers import Peers
from kadmin.records.perf.tally import Result, Window, joined, merged

Test = TypeVar("Test")
TestIn = TypeVar("TestIn", contravariant=True)


class Work(Protocol[TestIn]):
    """A function of a module, which a process can import."""

    def __call__(self, test: TestIn, emit: Callable[[Window], None], peers: Peers, /) -> Result: ...


def run_together(work: Work[Test], tests: Sequence[Test], emit: Callable[[Window], None]) -> Result:
    """Do *work* on each of *tests* at the same time, and return all results as one.

    A single one is done in this process.  *emit* takes each window when all have sent theirs.

    Raises:
        KadminError: one failed; all are ended.
    """
    if len(tests) == 1:
        return work(tests[0], emit, Peers())
    return merged(run_each(work, tests, emit))


def run_each(
    work: Work[Test], tests: Sequence[Test], emit: Callable[[Window], None]
) -> list[Result]:
    """Do *work* on each of *tests* at the same time, each in a process; as `run_together`, but for
    the results, which come in order."""
    context = multiprocessing.get_context("spawn")
    peers = SharedPeers(context.Barrier(len(tests)), context.Value("q", 0))
    connections: list[Connection] = []
    processes = []
    # Ctrl-C is for this process: it ends the others.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for test in tests:
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(
                target=work_in_process, args=(work, test, theirs, peers), daemon=True
            )
            process.start()
            theirs.close()
            connections.append(ours)
            processes.append(process)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    try:
        return gather(connections, emit)
    finally:
        for process in processes:
            process.kill()
            process.join()


def gather(connections: Sequence[Connection], emit: Callable[[Window], None]) -> list[Result]:
    """Return the result of each process; *emit* takes their windows of the same number as one."""
    results: dict[Connection, Result] = {}
    windows: dict[tuple[bool, int], list[Window]] = defaultdict(list)
    seen: Counter[tuple[Connection, bool]] = Counter()
    open_ones = list(connections)
    while open_ones:
        for ready in wait(open_ones):
            assert isinstance(ready, Connection)
            try:
                found = ready.recv()
            except EOFError:
                raise KadminError(
                    "a process of the test has ended without a result",
                    hint="fewer --processes, if the machine is out of memory",
                ) from None
            if isinstance(found, KadminError):
                raise found
            if isinstance(found, Window):
                kind = found.is_warmup
                seen[ready, kind] += 1
                key = (not kind, seen[ready, kind])
                windows[key].append(found)
                if len(windows[key]) == len(connections):
                    emit(joined(windows.pop(key)))
            else:
                results[ready] = found
                open_ones.remove(ready)
    for key in sorted(windows):
        emit(joined(windows[key]))
    return [results[connection] for connection in connections]


class SharedPeers(Peers):
    """Tests of several processes."""

    def __init__(self, barrier: Barrier, total: "Synchronized[int]") -> None:
        self.barrier = barrier
        self.total = total

    def ready(self) -> None:
        self.barrier.wait()

    def add(self, count: int) -> int:
        with self.total.get_lock():
            self.total.value += count
            return self.total.value


def work_in_process(work: Work[Any], test: Any, connection: Connection, peers: SharedPeers) -> None:
    """Do *work* as one of several processes, and send what it emits and returns."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        connection.send(work(test, connection.send, peers))
    except threading.BrokenBarrierError:
        os._exit(0)  # Another one has failed, and reports it.
    except KadminError as error:
        # As a plain one: those that take arguments of their own cannot be sent.
        plain = KadminError(error.message)
        plain.hint, plain.exit_code = error.hint, error.exit_code
        connection.send(plain)
        peers.barrier.abort()


def end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "a test was started by another process"
    parent.join()
    os._exit(1)
