"""How does Spark do a merge's work?

Starts a driver in the background, on this machine or for a master elsewhere, gives its tasks
errands and translates what goes wrong.  Knows nothing of logs.
"""

import os
import re
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import kadmin
from kadmin.errors import UnreachableError
from kadmin.jobs.merge.engines import Work
from kadmin.jobs.merge.errand import pack, perform, unpack
from kadmin.jobs.merge.gateway import (
    FLAGS,
    Gateway,
    Launch,
    SparkFailed,
    last_words,
    spark_archive,
    start,
    wait,
)
from kadmin.jobs.merge.handout import Handout, do_errand
from kadmin.jvm.archive import Archive
from kadmin.jvm.java import find_java

APP_NAME: Final = "kadmin merge-logs"

DEFAULTS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Buffers of tens of megabytes come and go with every slice: whoever gives them back to the
    # system each time pays for fresh pages, up to half of a slice's time.
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.executorEnv.MALLOC_ARENA_MAX": "1",
    "spark.executorEnv.MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "spark.executorEnv.MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    # There is a worker for each core already.
    "spark.executorEnv.OMP_NUM_THREADS": "1",
    "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
}

CLUSTER_DEFAULTS: Final = {
    "spark.executor.extraJavaOptions": " ".join(FLAGS),
}

LOCAL_DEFAULTS: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

DAEMON: Final = "kadmin.jobs.merge.daemon"
"""Only where workers run the Python that has PySpark installed."""

LOCAL_HEAP_MIB: Final = 512
"""Spark refuses to start with less than 450."""
CLUSTER_HEAP_MIB: Final = 1024
"""Results of other machines' workers pass through the driver's JVM."""

CORES_MAX: Final = 32
"""More workers give more than one process can take."""

WARM_UP_BYTES: Final = 64 << 20
"""For smaller inputs the first tasks start the workers as soon."""

CONNECT_TIMEOUT_S: Final = 5.0
EXECUTOR_TIMEOUT_S: Final = 60.0
SETTLE_S: Final = 0.3
POLL_S: Final = 0.05
KILL_TIMEOUT_S: Final = 10.0


class SparkEngine:
    """Spark's tasks as an engine; the context starts in the background.

    *directory* is for temporary files of both sides; *input_bytes* is what will be read.  An engine
    that *makes_archive* lets a background process make the one that would have made its start
    faster, once its work is done.

    Raises:
        UnreachableError: nobody listens at *master*.
        KadminError: there is no Java.
    """

    def __init__(
        self,
        master: str,
        conf: Mapping[str, str],
        directory: Path,
        input_bytes: int,
        *,
        jvm_flags: tuple[str, ...] = (),
        makes_archive: bool = False,
    ) -> None:
        self.master = master
        self.conf = conf
        self.directory = directory
        self.input_bytes = input_bytes
        self.process: subprocess.Popen[bytes] | None = None
        self.context: Any = None
        self.is_local = False
        self.cores = 1
        self.launch: Launch | None = None
        self.missing_archive: Archive | None = None
        check_master(master)
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if "PYSPARK_GATEWAY_PORT" not in os.environ:
            self.start_jvm(jvm_flags, makes_archive=makes_archive)
        self.started: Future[None] = Future()
        self.starter = threading.Thread(target=self.start, name="start-spark", daemon=True)
        self.starter.start()

    def start_jvm(self, flags: tuple[str, ...], *, makes_archive: bool) -> None:
        java = find_java()
        archive = spark_archive(java)
        archive_flags = archive.flags()
        if makes_archive and not archive_flags:
            self.missing_archive = archive
        is_local = self.master.startswith("local")
        self.launch = Launch(
            java=java,
            conf={"spark.app.name": APP_NAME, **self.conf, "spark.master": self.master},
            heap_mib=LOCAL_HEAP_MIB if is_local else CLUSTER_HEAP_MIB,
            directory=self.directory,
            flags=(*archive_flags, *flags),
        )
        self.process = start(self.launch)

    def start(self) -> None:
        """Bring up the context; the outcome is in `started`."""
        try:
            self.context = self.make_context()
            self.is_local = str(self.context.master).startswith("local")
            self.cores = min(int(self.context.defaultParallelism), CORES_MAX)
            if self.input_bytes >= WARM_UP_BYTES and self.is_local:
                threading.Thread(target=self.warm_up, daemon=True).start()
            self.started.set_result(None)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for.
            self.started.set_exception(error)

    def make_context(self) -> Any:
        gateway = None
        if self.process is not None:
            assert self.launch is not None
            gateway = wait(self.process, self.launch)
        from pyspark import SparkConf, SparkContext

        with py4j_errors(self.launch):
            SparkContext._ensure_initialized(gateway=connect(gateway))
            conf = SparkConf()
            for key, value in self.conf.items():
                conf.set(key, value)
            conf.setIfMissing("spark.app.name", APP_NAME)
            conf.setIfMissing("spark.master", self.master)
            conf.setIfMissing("spark.local.dir", str(self.directory))
            is_local = conf.get("spark.master", self.master).startswith("local")
            if is_local and os.environ["PYSPARK_PYTHON"] == sys.executable:
                conf.setIfMissing("spark.python.daemon.module", DAEMON)
            for key, value in {
                **DEFAULTS,
                **(LOCAL_DEFAULTS if is_local else CLUSTER_DEFAULTS),
            }.items():
                conf.setIfMissing(key, value)
            context = SparkContext(conf=conf)
            if not is_local:
                context.addPyFile(str(pack_code(self.directory)))
                await_executors(context, self.master)
            return context

    @property
    def ahead(self) -> int:
        """One more than there are cores, so that none waits for us to hand out the next slice."""
        self.started.result()
        return self.cores + 1

    @property
    def shares_files(self) -> bool:
        """Whether the tasks run on this very machine, which only a local master makes sure of."""
        self.started.result()
        return self.is_local

    def is_ready(self) -> bool:
        """Whether the context is there; raises what its start raised."""
        if self.started.done():
            self.started.result()
        return self.started.done()

    def run(self, work: Work, arguments: Sequence[Any]) -> Iterator[Any]:
        """Run *work* on each of *arguments* in a task of its own."""
        self.started.result()
        return self.run_job(work, arguments) if self.is_local else self.run_jobs(work, arguments)

    def run_job(self, work: Work, arguments: Sequence[Any]) -> Iterator[Any]:
        """On this machine: all tasks in one job, which this process hands the work out to."""
        handout = Handout(work, arguments, self.ahead)
        task = partial(do_errand, address=handout.address, key=handout.key)

        def run() -> None:
            try:
                with py4j_errors(self.launch):
                    numbers = range(len(arguments))
                    self.context.parallelize(numbers, max(len(numbers), 1)).foreach(task)
            except BaseException as error:  # noqa: BLE001 - it is raised where results are taken.
                handout.fail(error)

        threading.Thread(target=run, name="spark-job", daemon=True).start()
        try:
            yield from handout.results()
        finally:
            handout.close()

    def run_jobs(self, work: Work, arguments: Sequence[Any]) -> Iterator[Any]:
        """On a cluster, whose workers may not reach this process: a job for each task.

        Spark itself carries the results, and repeats what fails with a worker.
        """
        pending: deque[Future[Any]] = deque()
        with ThreadPoolExecutor(self.ahead, "spark-job") as pool:
            try:
                for argument in arguments:
                    if len(pending) == self.ahead:
                        yield pending.popleft().result()
                    pending.append(pool.submit(self.run_one, work, argument))
                while pending:
                    yield pending.popleft().result()
            except BaseException:
                for future in pending:
                    future.cancel()
                with suppress(Exception):
                    self.context.cancelAllJobs()
                raise

    def run_one(self, work: Work, argument: Any) -> Any:
        with py4j_errors(self.launch):
            errand = self.context.parallelize([pack(work, argument)], 1)
            (outcome,) = errand.map(perform).collect()
        return unpack(outcome)

    def warm_up(self) -> None:
        """Let every worker start and import what slices need, while the survey goes on."""
        # What goes wrong here goes wrong again where somebody waits for it; and where the survey
        # is over first, this waits behind the slices, until the JVM is gone.
        with suppress(Exception):
            self.context.parallelize(range(self.cores), self.cores).foreach(import_worker)

    def close(self, *, is_abandoned: bool) -> None:
        """End the JVM that we started, or with somebody else's only our application.

        Waits for nothing that is still at work.
        """
        if self.process is not None and (self.is_local or is_abandoned):
            # Nothing of it is needed any more, and an orderly stop takes a second.
            expect_end(self.context)
            kill(self.process)
        self.starter.join(KILL_TIMEOUT_S)
        if self.process is not None and self.process.poll() is not None:
            # The context may have come up a moment ago.
            expect_end(self.context)
        if self.context is not None:
            self.context.stop()
        if self.process is not None:
            kill(self.process)
            forget_gateway()
        if self.missing_archive is not None and not is_abandoned:
            self.missing_archive.ask()

    def finish(self, timeout_s: float) -> None:
        """End our JVM in good order, so that it writes what it was told to at its end.

        Raises:
            subprocess.TimeoutExpired: it does not end.
        """
        assert self.process is not None, "the JVM is somebody else's"
        assert self.process.stdin is not None
        self.started.result()
        self.context.stop()
        self.process.stdin.close()
        self.process.wait(timeout_s)


def import_worker(_: int) -> None:
    import kadmin.jobs.merge.worker  # noqa: F401 - it is kept for the task that follows.


def check_master(master: str) -> None:
    """See that somebody listens at a standalone master's address, which Spark tries for minutes.

    Raises:
        UnreachableError: nobody does.
    """
    if not master.startswith("spark://"):
        return
    reasons = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), CONNECT_TIMEOUT_S):
                return
        except (OSError, ValueError, OverflowError) as error:
            reasons.append(f"{address}: {getattr(error, 'strerror', None) or error}".lower())
    raise UnreachableError(
        f"the Spark master {master} does not answer ({'; '.join(reasons)})",
        hint="see whether it runs there, or merge on this machine with --master 'local[*]'",
    )


def connect(gateway: Gateway | None) -> Any:
    """PySpark's connection to a JVM; None: to the one that started this process."""
    from pyspark import java_gateway

    launch: Any = java_gateway.launch_gateway

    if gateway is None:
        return launch()
    os.environ["PYSPARK_GATEWAY_PORT"] = str(gateway.port)
    os.environ["PYSPARK_GATEWAY_SECRET"] = gateway.secret
    try:
        return launch()
    finally:
        # They hold for this JVM only, and children must not see the secret.
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]


def await_executors(context: Any, master: str) -> None:
    """Wait until executors have registered, and a moment for more of them.

    Raises:
        UnreachableError: none did in time.
    """
    deadline = time.monotonic() + EXECUTOR_TIMEOUT_S
    count, since = 0, time.monotonic()
    while count == 0 or time.monotonic() < since + SETTLE_S:
        # The driver counts as one.
        now = context._jsc.sc().getExecutorMemoryStatus().size() - 1
        if now != count:
            count, since = now, time.monotonic()
        if time.monotonic() > deadline:
            raise UnreachableError(
                f"no executor of {master} was ready within {EXECUTOR_TIMEOUT_S:g} s",
                hint="see on the master's page whether workers have free cores and memory",
            )
        time.sleep(POLL_S)


def pack_code(directory: Path) -> Path:
    """A zip of kadmin's own code, for executors that do not have it."""
    root = Path(kadmin.__path__[0])
    path = directory / "kadmin.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(root.rglob("*.py")):
            archive.write(file, file.relative_to(root.parent))
    return path


@contextmanager
def py4j_errors(launch: Launch | None) -> Iterator[None]:
    """Turn what Spark and the way to it raise into one sentence."""
    from py4j.protocol import Py4JError, Py4JJavaError

    try:
        yield
    except Py4JJavaError as error:
        why = reason(str(error.java_exception.getMessage()))
        if "stopped SparkContext" in why and launch is not None:
            # It says that itself only to its log.
            why = last_words(launch.log)
        raise SparkFailed(
            f"Spark failed: {why}",
            hint="if it is memory, give a worker more: --conf spark.executor.memory=2g",
        ) from error
    except (Py4JError, OSError, EOFError) as error:
        said = "" if launch is None else f": {last_words(launch.log)}"
        raise SparkFailed(f"Spark's JVM ended{said}") from error


def reason(message: str) -> str:
    """What of a Java exception's message tells an operator why."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if not lines:
        return "it gave no reason"
    # A Python task's traceback ends with the exception, and Java's stack follows.
    python = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    return (python or lines)[0][:400]


def kill(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait(KILL_TIMEOUT_S)
    if process.stdin is not None:
        process.stdin.close()


def expect_end(context: Any) -> None:
    """Prepare PySpark for a JVM that ends without a word, before it does."""
    if context is None or context._jsc is None:
        return
    # Nobody will be there to be told.
    context._jsc = None
    server = context._accumulatorServer
    context._accumulatorServer = None
    # It would print that the connection broke, and take up to a second to end.
    server.handle_error = lambda *_: None
    server.server_shutdown = True
    threading.Thread(target=server.shutdown, daemon=True).start()
    # Else py4j would tell the JVM of each object that we drop, and log that it cannot.
    context._gateway._gateway_client.is_connected = False


def forget_gateway() -> None:
    """Let PySpark forget a JVM that is gone."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    SparkContext._gateway = None
    SparkContext._jvm = None
    if gateway is not None:
        gateway.close()
