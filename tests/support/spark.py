"""Spark for tests: one engine that many of them share, and a standalone master with workers."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from kadmin.extras import Extra, pyspark_directory
from kadmin.jobs.spark.engine import SparkEngine
from kadmin.jobs.spark.session import FLAGS, Session
from kadmin.jvm.java import find_java
from tests.support.evidence import watch
from tests.support.waiting import OUTER_LIMIT_S, wait_until

LOOPBACK = "127.0.0.1"


class SharedSpark:
    """The Spark engine of a test process, which starts when the first test asks for it.

    PySpark has one context in a process: it must end before a test starts a driver of its own.
    """

    def __init__(self) -> None:
        self._engine: SparkEngine | None = None

    def engine(self, tmp_path_factory: pytest.TempPathFactory) -> SparkEngine:
        """An engine with two workers; a third core is free for jobs by the driver's context."""
        if self._engine is None:
            directory = tmp_path_factory.mktemp("spark")
            with pytest.MonkeyPatch.context() as patch:
                for name in [name for name in os.environ if "SPARK" in name]:
                    patch.delenv(name)
                session = Session("tests", "local[3,4]", {}, directory)
            self._engine = SparkEngine(session, workers_max=2)
            self._engine.started.result()
        return self._engine

    def end(self) -> None:
        if self._engine is not None:
            self._engine.close(is_abandoned=False)
            self._engine = None


@contextmanager
def standalone_master(
    directory: Path, workers: int = 2, launcher: Sequence[str] = ()
) -> Iterator[str]:
    """A standalone master with *workers* of a core each, gone at the end; gives its address.

    *launcher* are words before the command of each worker.
    """
    with daemon(directory / "master", "master.Master", "--port", "0", "--webui-port", "0") as log:
        address = matched(log, r"Starting Spark master at (spark://\S+)")
        matched(log, r"(I have been elected leader)")
        with workers_of(address, directory, workers, launcher):
            wait_until(
                lambda: log.read_text().count("Registering worker") == workers,
                what="the workers",
            )
            yield address


@contextmanager
def workers_of(
    address: str, directory: Path, count: int, launcher: Sequence[str]
) -> Iterator[None]:
    if count == 0:
        yield
        return
    own = directory / f"worker-{count}"
    arguments = ["--cores", "1", "--memory", "600m", "--port", "0", "--webui-port", "0"]
    with (
        daemon(
            own,
            "worker.Worker",
            *(*arguments, "--work-dir", str(own / "work"), address),
            launcher=launcher,
        ),
        workers_of(address, directory, count - 1, launcher),
    ):
        yield


@contextmanager
def daemon(
    directory: Path, name: str, *arguments: str, launcher: Sequence[str] = ()
) -> Iterator[Path]:
    """One of Spark's daemons as a process, behind the words of *launcher*; gives its log."""
    directory.mkdir()
    watch(directory)
    log = directory / "log"
    home = pyspark_directory("Spark", Extra.SPARK)
    command = [
        *(*launcher, str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}"),
        *("--host", LOOPBACK, *arguments),
    ]
    environment = {
        **os.environ,
        "JAVA_HOME": str(find_java().path.parent.parent),
        "SPARK_HOME": str(home),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": shlex.join([*FLAGS, f"-Djava.io.tmpdir={directory}"]),
        "PYSPARK_PYTHON": sys.executable,
    }
    with log.open("wb") as output:
        # A group of its own: executors and their Pythons end with the worker.
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env=environment, start_new_session=True
        )
    try:
        yield log
    finally:
        process.terminate()
        process.wait(OUTER_LIMIT_S)


def matched(log: Path, pattern: str) -> str:
    """What the group of *pattern* matched in *log*, once it does."""
    wait_until(
        lambda: re.search(pattern, log.read_text()) is not None,
        what=pattern,
    )
    found = re.search(pattern, log.read_text())
    assert found is not None
    return found[1]


def await_end_of_processes(directory: Path) -> None:
    """Wait for the end of all processes that know *directory*: JVMs and the workers they start."""
    wait_until(lambda: [] == processes_of(directory), what=f"the end of {directory}'s Spark")


def processes_of(directory: Path) -> list[Path]:
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        # It may end while it is looked at.
        with suppress(OSError):
            if str(directory).encode() in environment.read_bytes():
                found.append(environment.parent)
    return found
