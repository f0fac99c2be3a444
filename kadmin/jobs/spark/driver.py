"""Spark's driver: how it is brought up and ended.

In a JVM that is started for it, or in the one that started this process (spark-submit); on this
machine, or for a master elsewhere.  Gives it no work.
"""

import logging
import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from kadmin.errors import UnreachableError, UsageError
from kadmin.jobs.spark import python_daemon
from kadmin.jobs.spark.code import pack_code
from kadmin.jobs.spark.errors import py4j_errors
from kadmin.jobs.spark.jvm import FLAGS, Gateway, JvmLaunch, await_gateway, start_jvm
from kadmin.jobs.spark.master_url import is_plain, with_retries
from kadmin.jobs.spark.probes import look
from kadmin.jvm.java import find_java

LAUNCH_CONF: Final = {
    "spark.ui.showConsoleProgress": "false",
}
"""Settings that count from the JVM's start on."""

DEFAULTS: Final = {
    "spark.ui.enabled": "false",
    # Buffers of tens of megabytes come and go with every work item: whoever gives them back to the
    # system each time pays for fresh pages, up to half of its time.
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.executorEnv.MALLOC_ARENA_MAX": "1",
    "spark.executorEnv.MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "spark.executorEnv.MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    # They hand on what they gather after a thousand items then, not after ever more of them.
    "spark.python.worker.memory": "1m",
    # There is a worker for each core already.
    "spark.executorEnv.OMP_NUM_THREADS": "1",
    "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
}

CLUSTER_DEFAULTS: Final = {
    # They ask Java's beans, which take a second to come up.
    "spark.metrics.executorMetricsSource.enabled": "false",
    "spark.metrics.staticSources.enabled": "false",
}

LOCAL_DEFAULTS: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

DAEMON: Final = "kadmin.jobs.spark.python_daemon"
"""Only where workers run the Python that has PySpark installed."""

SENT_DAEMON: Final = "kadmin_python_daemon"
"""The same as a module of its own, which executors find in the directory where they run."""

LOCAL_HEAP_MIB: Final = 512
"""Spark refuses to start with less than 450."""

CLUSTER_HEAP_MIB: Final = 1024
"""Results of other machines' workers pass through the driver's JVM."""

WORKERS_HINT: Final = "see on the master's page why its workers fail"

SILENT: Final = logging.NullHandler()

SOCKETS_DIRECTORY_MAX: Final = 60
"""In bytes: what is left of the 103 that systems allow for a socket's name."""

EXECUTOR_TIMEOUT_S: Final = 60.0
SETTLE_S: Final = 0.3
FIRST_TASKS: Final = 2
"""Of a job that is made before anybody knows how many executors there are."""

POLL_S: Final = 0.05
KILL_TIMEOUT_S: Final = 10.0


class Driver:
    """Spark's driver for *master* with the settings *conf*, which win over ours and *app_name*.

    *directory* is for temporary files of both sides.

    Raises:
        KadminError: there is no Java.
    """

    def __init__(
        self,
        app_name: str,
        master: str,
        conf: Mapping[str, str],
        directory: Path,
    ) -> None:
        self.master = with_retries(master, conf)
        self.conf = conf
        self.app_name = app_name
        self.directory = directory
        self.process: subprocess.Popen[bytes] | None = None
        self.launch: JvmLaunch | None = None
        self.context: Any = None
        self.has_files_elsewhere = False
        self.first_job: Future[int] | None = None
        self.paths: set[str] = set()
        self.seen: tuple[str, ...] = ()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if "PYSPARK_GATEWAY_PORT" not in os.environ:
            self.start_jvm()

    @property
    def log(self) -> Path | None:
        """What the JVM says; None where it is somebody else's."""
        return None if self.launch is None else self.launch.log

    @property
    def is_local(self) -> bool:
        """Whether the tasks run on this machine; once the context is up."""
        return str(self.context.master).startswith("local")

    def start_jvm(self) -> None:
        is_local = self.master.startswith("local")
        self.launch = JvmLaunch(
            java=find_java(),
            conf={
                **LAUNCH_CONF,
                "spark.app.name": self.app_name,
                **self.conf,
                "spark.master": self.master,
            },
            heap_mib=LOCAL_HEAP_MIB if is_local else CLUSTER_HEAP_MIB,
            directory=self.directory,
        )
        self.process = start_jvm(self.launch)

    def bring_up(self) -> None:
        """Make the context, once the JVM is there; executors may still be starting.

        Raises:
            SparkFailed: the JVM or Spark cannot start.
        """
        gateway = None
        # Py4J tells the root logger that a connection broke, which prints it unless told otherwise,
        # and PySpark warns of it; what is raised then says so too.
        logging.getLogger().addHandler(SILENT)
        warnings.filterwarnings("ignore", "Unable to cleanly shutdown Spark JVM", RuntimeWarning)
        # While the JVM starts, if it is ours.
        code = None if self.master.startswith("local") else pack_code(self.directory)
        from pyspark import SparkConf, SparkContext

        if self.process is not None:
            assert self.launch is not None
            gateway = await_gateway(self.process, self.launch)
        with py4j_errors(self.log, hint="check --master, --conf and --properties-file"):
            SparkContext._ensure_initialized(gateway=connect(gateway))
            conf = SparkConf()
            for key, value in self.conf.items():
                conf.set(key, value)
            conf.setIfMissing("spark.master", self.master)
            conf.setIfMissing("spark.local.dir", str(self.directory))
            conf.setIfMissing("spark.sql.warehouse.dir", str(self.directory))
            is_local = conf.get("spark.master", self.master).startswith("local")
            if is_local and os.environ["PYSPARK_PYTHON"] == sys.executable:
                conf.setIfMissing("spark.python.daemon.module", DAEMON)
            elif not is_local and self.process is not None:
                conf.setIfMissing("spark.python.daemon.module", SENT_DAEMON)
            if self.launch is not None and has_sockets(self.launch, conf.getAll()):
                conf.setIfMissing("spark.python.unix.domain.socket.enabled", "true")
            defaults = DEFAULTS | (LOCAL_DEFAULTS if is_local else CLUSTER_DEFAULTS)
            conf.setIfMissing("spark.app.name", self.app_name)
            for key, value in defaults.items():
                conf.setIfMissing(key, value)
            places = conf.get("spark.local.dir", None)
            self.has_files_elsewhere = is_local and places != str(self.directory)
            if not is_local:
                conf.setIfMissing("spark.executor.extraJavaOptions", shlex.join(FLAGS))
            self.context = SparkContext(conf=conf)
            if self.process is not None:
                mute_accumulators(self.context)
            if not is_local:
                self.context.addPyFile(str(code or pack_code(self.directory)))
                if conf.get("spark.python.daemon.module", None) == SENT_DAEMON:
                    self.context.addFile(str(copy_of_daemon(self.directory)))

    def await_executors(self) -> None:
        """Wait until executors have registered, and for a moment no more of them; on a cluster.

        Raises:
            UnreachableError: none did in time.
            SparkFailed: Spark gave up.
        """
        if self.is_local:
            return
        # It waits there for executors: to make a first job takes a while.
        self.first_job = in_background(partial(self.ask, FIRST_TASKS, tuple(self.paths)))
        with py4j_errors(self.log, hint=WORKERS_HINT):
            await_executor(self.context, self.master, self.first_job)
            known = 0
            while known < executors(self.context):
                known = executors(self.context)
                time.sleep(SETTLE_S)

    def await_pythons(self) -> None:
        """Wait until the Pythons of executors are up; on a cluster.

        That takes a second or two, in which the slower executors register too; those that come
        later find work when they do.

        Raises:
            UsageError: one does not see a path that was to be looked for.
            SparkFailed: they cannot run Python.
        """
        if self.first_job is None:
            return
        with py4j_errors(self.log, hint=WORKERS_HINT):
            pythons = self.first_job.result()
            cores = int(self.context.defaultParallelism)
            # Where one was quick, it answered for two.
            if cores > FIRST_TASKS or pythons < executors(self.context):
                self.ask(cores, self.seen)

    def look_for(self, paths: Iterable[str]) -> None:
        """Let workers on other machines be asked for *paths* with their first task, if it is yet
        to come; `check_paths` sees to the rest.
        """
        self.paths.update(paths)

    def check_paths(self, paths: Sequence[str]) -> None:
        """See that workers on other machines see *paths*, as far as one of each can be asked.

        Raises:
            UsageError: one does not.
            SparkFailed: they cannot be asked.
        """
        unasked = tuple(path for path in paths if path not in self.seen)
        if self.is_local or not unasked:
            return
        with py4j_errors(self.log, hint=WORKERS_HINT):
            self.ask(int(self.context.defaultParallelism), unasked)

    def ask(self, cores: int, paths: Sequence[str]) -> int:
        """Let so many tasks look for *paths*; gives the number of executors that did.

        Raises:
            UsageError: one does not see them all.
        """
        asked = self.context.parallelize(range(cores), cores)
        views = asked.map(partial(look, paths=paths)).collect()
        for view in views:
            if view.missing is not None:
                raise UsageError(
                    f"the Spark worker {view.host} does not see {view.missing}",
                    hint="put it where all workers see it by the same path, or give a URI; "
                    "TMPDIR says where archives are unpacked",
                )
        self.seen = tuple({*self.seen, *paths})
        return len({(view.host, view.parent) for view in views})

    def kill(self) -> None:
        """End the JVM at once if it is ours, whatever it is doing.

        One that has files in a directory that is not ours is given the time to remove them.
        """
        if self.process is not None:
            expect_end(self.context)
            if self.has_files_elsewhere:
                terminate(self.process)
            kill(self.process)

    def end(self, *, is_abandoned: bool) -> None:
        """End the context, and the JVM if it is ours; nothing uses them any more."""
        if self.context is not None:
            if self.process is not None:
                if not is_abandoned and not self.is_local:
                    stop_in_jvm(self.context)
                # Nothing of it is needed any more, and to stop the rest in order takes a second.
                self.kill()
            self.context.stop()
        self.kill()
        if self.process is not None:
            forget_gateway()


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


def has_sockets(launch: JvmLaunch, conf: Iterable[tuple[str, str]]) -> bool:
    """Whether JVMs and their Pythons can talk over sockets in the file system.

    Over TCP, the end of each task waits for 40 ms until what was said before is acknowledged.  Such
    a socket lies in the directory for temporary files: that of *launch* here, `/tmp` at standalone
    workers; where other schedulers start executors, or *conf* says so, its name may be too long.
    """
    is_known = launch.is_direct and is_plain(launch.conf["spark.master"])
    is_moved = any("java.io.tmpdir" in value for _, value in conf)
    return is_known and not is_moved and len(os.fsencode(launch.directory)) <= SOCKETS_DIRECTORY_MAX


def in_background(work: Callable[[], Any]) -> Future[Any]:
    """What *work* returns or raises, once it has ended on a thread of its own."""
    pool = ThreadPoolExecutor(1, "spark")
    try:
        return pool.submit(work)
    finally:
        pool.shutdown(wait=False)


def await_executor(context: Any, master: str, job: Future[Any]) -> None:
    """Wait until one has registered, or the *job* that waits for it has failed."""
    deadline = time.monotonic() + EXECUTOR_TIMEOUT_S
    while executors(context) == 0:
        if job.done():
            job.result()
        if time.monotonic() > deadline:
            raise UnreachableError(
                f"no executor of {master} was ready within {EXECUTOR_TIMEOUT_S:g} s",
                hint="see on the master's page whether workers have free cores; where they have "
                "less than 1 GiB of memory free: --conf spark.executor.memory=500m",
            )
        time.sleep(POLL_S)


def executors(context: Any) -> int:
    """How many have registered; the driver counts as one of those that Spark tells of."""
    return int(context._jsc.sc().getExecutorMemoryStatus().size()) - 1


def copy_of_daemon(directory: Path) -> Path:
    """The daemon's module as executors get it."""
    path = directory / f"{SENT_DAEMON}.py"
    shutil.copyfile(python_daemon.__file__, path)
    return path


def terminate(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(KILL_TIMEOUT_S)


def kill(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait(KILL_TIMEOUT_S)
    if process.stdin is not None:
        process.stdin.close()


def stop_in_jvm(context: Any) -> None:
    """Give a cluster back what it gave; says nothing where the JVM is gone."""
    from py4j.protocol import Py4JError

    if context._jsc is None:
        return
    with suppress(Py4JError, OSError):
        context._jsc.stop()


def mute_accumulators(context: Any) -> None:
    """Let PySpark's server for accumulators, of which we have none, say nothing when the JVM ends,
    also where somebody kills it: what is raised then says so."""
    context._accumulatorServer.handle_error = lambda *_: None


def expect_end(context: Any) -> None:
    """Prepare PySpark for a JVM that ends without a word, before it does."""
    if context is None or context._jsc is None:
        return
    # Nobody will be there to be told.
    context._jsc = None
    server = context._accumulatorServer
    context._accumulatorServer = None
    # It would take up to a second to end.
    server.server_shutdown = True
    threading.Thread(target=server.shutdown, daemon=True).start()
    # Else py4j would tell the JVM of each object that we drop, and log that it cannot.
    context._gateway._gateway_client.is_connected = False


def forget_gateway() -> None:
    """Let PySpark forget a JVM that is gone.

    Imports nothing: the thread that starts Spark may be importing PySpark, and may never end that
    when Ctrl-C has come amid an import.
    """
    context_class = getattr(sys.modules.get("pyspark"), "SparkContext", None)
    if context_class is None:
        return
    gateway = context_class._gateway
    context_class._gateway = None
    context_class._jvm = None
    if gateway is not None:
        gateway.close()
