"""Processes of this machine as an engine: one for each core, which take work items from this one.

They end with this process, however that ends.  One that is killed is replaced, and what it was at
is done again; where that goes on, it is an error.  Knows nothing of what the work is.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import kadmin
from kadmin.errors import KadminError
from kadmin.jobs.engine import Work
from kadmin.jobs.work_queue import WorkQueue, run_work_items

WORKERS_MAX: Final = 32
"""More workers give more than one process can take."""

REPLACEMENTS_MAX: Final = 2
"""Whoever loses more workers than that loses all of them."""

END_TIMEOUT_S: Final = 10.0


def core_count() -> int:
    """How many cores this process may use."""
    return min(len(os.sched_getaffinity(0)), WORKERS_MAX)


class ProcessEngine:
    """So many *workers* do what this process has for them."""

    shares_files = True

    def __init__(self, workers: int) -> None:
        self.in_flight_max = workers + 1
        self.work_queue = WorkQueue()
        self.processes: list[subprocess.Popen[bytes]] = []
        self.watchers: list[threading.Thread] = []
        self.replacements_left = REPLACEMENTS_MAX
        self.is_closed = False
        self.lock = threading.Lock()
        for _ in range(workers):
            self.start_worker()

    def is_ready(self) -> bool:
        return self.work_queue.is_ready()

    def check_paths(self, paths: Sequence[str]) -> None:
        """They see what this process sees."""

    def run(self, work: Work, arguments: Sequence[Any], *, result_bytes: int = 0) -> Iterator[Any]:
        """Run *work* on each of *arguments*; one run is over before the next begins.

        Raises:
            KadminError: the work raised one, or workers were killed again and again.
        """
        return self.work_queue.run(work, arguments, self.in_flight_max)

    def close(self, *, is_abandoned: bool) -> None:
        """End all workers; with work under way that nobody wants any more, or without."""
        with self.lock:
            self.is_closed = True
        if is_abandoned:
            self.kill_all()
        self.work_queue.close()
        for watcher in self.watchers:
            watcher.join(END_TIMEOUT_S)
        self.kill_all()

    def kill_all(self) -> None:
        for process in self.processes:
            process.kill()

    def start_worker(self) -> None:
        """Start a worker, and see that another one takes its place when it is killed."""
        with self.lock:
            if self.is_closed:
                return
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__],
                stdin=subprocess.PIPE,
                env=environment(),
                # Ctrl-C is for us to handle.
                start_new_session=True,
            )
            self.processes.append(process)
            watcher = threading.Thread(target=self.watch, args=(process,), daemon=True)
            self.watchers.append(watcher)
        host, port = self.work_queue.address
        words = {"host": host, "port": port, "key": self.work_queue.key.hex()}
        assert process.stdin is not None
        # Not among its arguments, which everybody sees.
        with suppress(BrokenPipeError), process.stdin:
            process.stdin.write(json.dumps(words).encode())
        watcher.start()

    def watch(self, process: "subprocess.Popen[bytes]") -> None:
        code = process.wait()
        with self.lock:
            if self.is_closed or code == 0:
                return
            self.replacements_left -= 1
            is_hopeless = self.replacements_left < 0
        if is_hopeless:
            self.work_queue.fail(WorkerDied(code))
        else:
            self.start_worker()


class WorkerDied(KadminError):
    """Workers end before their work is done."""

    def __init__(self, code: int) -> None:
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        super().__init__(
            f"processes that this one started were ended again and again, the last {how}",
            hint="where memory was short (dmesg tells), let one core do it: taskset -c 0 kadmin …",
        )


def environment() -> dict[str, str]:
    """What a worker finds in its environment: kadmin where it is here."""
    own = str(Path(kadmin.__path__[0]).parent)
    path = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        "PYTHONPATH": own if not path else f"{own}{os.pathsep}{path}",
        # There is a worker for each core already.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def main() -> None:
    """Be a worker."""
    words = json.load(sys.stdin)
    # Whoever gave us work is gone, or wants no more.
    with suppress(EOFError, OSError):
        run_work_items((words["host"], words["port"]), bytes.fromhex(words["key"]))


if __name__ == "__main__":
    main()
