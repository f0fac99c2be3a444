"""Spark's session: how it is brought up and ended.

In a JVM that is started for it, or in the one that started this process (spark-submit); on this
machine, or for a master elsewhere.  Gives it no work.
"""

import logging
import os
import shlex
import signal
import struct
import subprocess
import sys
import threading
import time
import warnings
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import cluster
import kadmin
from kadmin.errors import UnreachableError
from kadmin.extras import Extra, pyspark_directory
from kadmin.jobs.spark.errors import ROOM_HINT, SparkFailed, error_line, py4j_errors, reason_of
from kadmin.jobs.spark.master_url import is_local, is_plain, with_retries
from kadmin.jvm.java import find_java

FLAGS: Final = (
    # The bytes are worked on in Python; what is left for Java is short and never gets hot.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    # Less would make it collect garbage twice on the way, for classes alone.
    "-XX:MetaspaceSize=128m",
    # It would leave a file in /tmp when it is killed.
    "-XX:-UsePerfData",
)

ENDS_WITHOUT_MEMORY: Final = "-XX:+ExitOnOutOfMemoryError"
"""Else one of the driver's threads ends, and the job waits for it without an end."""

DEFAULTS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Buffers of tens of megabytes come and go with every piece of work: an allocator that returns
    # them to the system each time pays for fresh pages, up to half of its time.
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.executorEnv.MALLOC_ARENA_MAX": "1",
    "spark.executorEnv.MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "spark.executorEnv.MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    # There is a worker for each core already.
    "spark.executorEnv.OMP_NUM_THREADS": "1",
    "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
}

CLUSTER_DEFAULTS: Final = {
    "spark.driver.memory": "1g",  # Results of workers on other machines pass through it.
    "spark.executor.defaultJavaOptions": shlex.join(FLAGS),
    # They ask Java's beans, which take a second to come up.
    "spark.metrics.executorMetricsSource.enabled": "false",
    "spark.metrics.staticSources.enabled": "false",
}

LOCAL_DEFAULTS: Final = {
    "spark.driver.memory": "512m",  # Spark refuses to start with less than 450.
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

SOCKETS: Final = {"spark.python.unix.domain.socket.enabled": "true"}
"""Between a JVM and its Pythons; over TCP, the end of each task waits for 40 ms."""

SOCKETS_DIRECTORY_MAX: Final = 60
"""In bytes: what is left of the 103 that systems allow for a socket's name."""

CONF_HINT: Final = "check --master, --conf and --properties-file"
SILENT: Final = logging.NullHandler()

START_TIMEOUT_S: Final = 120.0
EXECUTOR_TIMEOUT_S: Final = 180.0
"""On busy machines, an executor's JVM alone has taken 80 s to come up."""

SETTLE_S: Final = 0.3
POLL_S: Final = 0.02
KILL_TIMEOUT_S: Final = 10.0


class Session:
    """Spark's session on *master* with the settings *conf*, which win over ours and *app_name*.

    *directory* is for temporary files of both sides.  The JVM starts at once, `bring_up` waits.

    Raises:
        KadminError: there is no Java.
    """

    def __init__(
        self, app_name: str, master: str, conf: Mapping[str, str], directory: Path
    ) -> None:
        self.directory = directory
        master = with_retries(master, conf)
        is_local = master.startswith("local")
        self.conf = {
            **DEFAULTS,
            **(LOCAL_DEFAULTS if is_local else CLUSTER_DEFAULTS),
            "spark.app.name": app_name,
            "spark.local.dir": str(directory),
            "spark.sql.warehouse.dir": str(directory),
            "spark.driver.defaultJavaOptions": shlex.join(
                [*FLAGS, ENDS_WITHOUT_MEMORY, f"-Djava.io.tmpdir={directory}"]
            ),
            **(SOCKETS if has_room_for_sockets(master, directory) else {}),
            **conf,
            "spark.master": master,
        }
        self.context: Any = None
        self.process: subprocess.Popen[bytes] | None = None
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if "PYSPARK_GATEWAY_PORT" not in os.environ:
            self.process = start_jvm(self.conf, directory)

    @property
    def spark(self) -> Any:
        """The session of DataFrames, which is made when it is first asked for.

        Java takes as long to load the classes of SQL as all the rest of Spark takes to start.
        """
        from pyspark.sql import SparkSession

        return SparkSession.builder.getOrCreate()

    @property
    def log(self) -> Path | None:
        """The output of the JVM; None where it is that of spark-submit."""
        return None if self.process is None else log_in(self.directory)

    @property
    def is_local(self) -> bool:
        """Whether the tasks run on this machine; once the session is up."""
        return str(self.context.master).startswith("local")

    def bring_up(self) -> None:
        """Make the session, once the JVM is there, and wait for an executor.

        Raises:
            SparkFailed: the JVM or Spark cannot start.
            UnreachableError: no executor registered in time.
        """
        # Py4J logs to the root logger that a connection broke, which prints it by default, and
        # PySpark warns of it; the error that is raised then reports it, too.
        logging.getLogger().addHandler(SILENT)
        warnings.filterwarnings("ignore", "Unable to cleanly shutdown Spark JVM", RuntimeWarning)
        from pyspark import SparkConf, SparkContext

        if self.process is not None:
            await_gateway(self.process, self.directory)
        with py4j_errors(self.log, hint=CONF_HINT):
            gateway = connect(None if self.process is None else gateway_in(self.directory))
            SparkContext._ensure_initialized(gateway=gateway)
            conf = SparkConf()
            for key, value in self.conf.items():
                # The command line of spark-submit is there already.
                conf.setIfMissing(key, value)
            context: Any = SparkContext(conf=conf)
            # Killed JVMs shall not make PySpark's server for accumulators print a traceback.
            context._accumulatorServer.handle_error = lambda *_: None
            if not context.master.startswith("local"):
                context.addPyFile(str(pack_code(self.directory)))
                await_executors(context, self.log)
            self.context = context

    def kill(self) -> None:
        """End the JVM at once if it is ours, whatever it is doing."""
        if self.process is None:
            return
        if self.context is not None:
            expect_end(self.context)
            if self.conf["spark.local.dir"] != str(self.directory):
                # It is given the time to remove its files in a directory that is not ours.
                self.process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    self.process.wait(KILL_TIMEOUT_S)
        with suppress(ProcessLookupError):
            # Spark's scripts have processes of their own.
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(KILL_TIMEOUT_S)
        if self.process.stdin is not None:
            self.process.stdin.close()

    def end(self, *, is_abandoned: bool) -> None:
        """End the session, and the JVM if it is ours; nothing uses them any more."""
        if self.context is not None:
            if self.process is not None:
                if not is_abandoned and not self.is_local:
                    give_back_executors(self.context)
                # Nothing of it is needed any more, and to stop the rest in order takes a second.
                self.kill()
            self.context.stop()
        self.kill()
        if self.process is not None:
            forget_gateway()


def log_in(directory: Path) -> Path:
    return directory / "spark.log"


def info_in(directory: Path) -> Path:
    """Return the file where the JVM writes how it is reached."""
    return directory / "gateway"


def has_room_for_sockets(master: str, directory: Path) -> bool:
    """Return whether sockets' names fit: of the driver in *directory*, of standalone workers in
    /tmp."""
    return is_plain(master) and len(os.fsencode(directory)) <= SOCKETS_DIRECTORY_MAX


def start_jvm(conf: Mapping[str, str], directory: Path) -> "subprocess.Popen[bytes]":
    """Start a JVM by Spark's own script; it ends by itself when this process does."""
    home = spark_home(conf["spark.master"], directory)
    settings = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
    # Its Python workers find there what executors find where they run.
    path = [str(Path(kadmin.__path__[0]).parent), str(directory), os.environ.get("PYTHONPATH")]
    with log_in(directory).open("ab") as log:
        return subprocess.Popen(
            [str(home / "bin" / "spark-submit"), *settings, "pyspark-shell"],
            # Its end is how the JVM learns of ours.
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={
                **os.environ,
                "JAVA_HOME": str(find_java().path.parent.parent),
                "SPARK_HOME": str(home),
                "SPARK_CONNECT_MODE": "0",
                "PYTHONPATH": os.pathsep.join(filter(None, path)),
                "_PYSPARK_DRIVER_CONN_INFO_PATH": str(info_in(directory)),
            },
            # Ctrl-C is for us to handle.
            start_new_session=True,
        )


def spark_home(master: str, directory: Path) -> Path:
    """SPARK_HOME, or where PySpark is installed.

    Of the latter, workers of this machine get what is below links in *directory*: without PySpark
    as a zip, which their Python would prefer to the installed one and compile at each start, for
    more than a second.

    Raises:
        MissingExtra: PySpark is not installed.
    """
    if home := os.environ.get("SPARK_HOME"):
        return Path(home)
    installed = pyspark_directory("Spark", Extra.SPARK)
    if not is_local(master) or os.environ["PYSPARK_PYTHON"] != sys.executable:
        return installed
    linked = directory / "home"
    linked.mkdir()
    for name in ("bin", "conf", "jars"):
        (linked / name).symlink_to(installed / name)
    return linked


def await_gateway(process: "subprocess.Popen[bytes]", directory: Path) -> None:
    """Wait until the JVM has written its port.

    Raises:
        SparkFailed: it ended before, or takes too long.
    """
    deadline = time.monotonic() + START_TIMEOUT_S
    while not info_in(directory).exists():
        if process.poll() is not None:
            words = error_line(log_in(directory))
            # Spark reports it itself where the Java is not the cause.
            is_refused = "SparkException" in words or "heap size" in words
            raise SparkFailed(
                f"Spark's JVM ended at its start: {words}",
                hint=CONF_HINT if is_refused else f"try it by itself: {find_java().path} -version",
            )
        if time.monotonic() > deadline:
            raise SparkFailed(f"Spark's JVM was not ready after {START_TIMEOUT_S:g} s")
        time.sleep(POLL_S)


def gateway_in(directory: Path) -> tuple[int, str]:
    """Return the port and the secret of the JVM's gateway."""
    port, length = struct.unpack_from(">ii", content := info_in(directory).read_bytes())
    return port, content[8 : 8 + length].decode()


def connect(gateway: tuple[int, str] | None) -> Any:
    """PySpark's connection to a JVM; None: to the one that started this process."""
    from pyspark import java_gateway

    launch: Any = java_gateway.launch_gateway
    if gateway is None:
        return launch()
    port, secret = gateway
    os.environ.update(PYSPARK_GATEWAY_PORT=str(port), PYSPARK_GATEWAY_SECRET=secret)
    try:
        return launch()
    finally:
        # They hold for this JVM only, and children must not see the secret.
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]


def pack_code(directory: Path) -> Path:
    """Return a zip of kadmin and cluster in *directory*, for workers that do not have them.

    Raises:
        SparkFailed: there is no room for it.
    """
    path = directory / "kadmin.zip"
    try:
        # Where times are set to zero, a zip cannot store them.
        with zipfile.ZipFile(path, "w", strict_timestamps=False) as archive:
            for root in (Path(kadmin.__path__[0]), Path(cluster.__path__[0])):
                for file in sorted(root.rglob("*.py")):
                    archive.write(file, file.relative_to(root.parent))
    except OSError as error:
        raise SparkFailed(f"cannot write {path}: {reason_of(error)}", hint=ROOM_HINT) from error
    return path


def await_executors(context: Any, log: Path | None) -> None:
    """Wait until an executor has registered, and for a moment no more of them.

    Raises:
        UnreachableError: none did in time.
        SparkFailed: Spark gave up.
    """
    deadline = time.monotonic() + EXECUTOR_TIMEOUT_S
    known = 0
    while known == 0 or known < executors(context):
        if context._jsc.sc().isStopped():
            raise SparkFailed(
                f"Spark failed: {'it ended' if log is None else error_line(log)}",
                hint="see on the master's page why its workers fail",
            )
        if time.monotonic() > deadline:
            raise UnreachableError(
                f"no executor of {context.master} was ready within {EXECUTOR_TIMEOUT_S:g} s",
                hint="see on the master's page whether workers have free cores; where they have "
                "less than 1 GiB of memory free: --conf spark.executor.memory=500m",
            )
        known = executors(context)
        time.sleep(SETTLE_S)


def executors(context: Any) -> int:
    """Return how many have registered; Spark counts the driver as one of them."""
    return int(context._jsc.sc().getExecutorMemoryStatus().size()) - 1


def give_back_executors(context: Any) -> None:
    """Release the executors of a cluster; do nothing where the JVM is gone."""
    from py4j.protocol import Py4JError

    if context._jsc is not None:
        with suppress(Py4JError, OSError):
            context._jsc.stop()


def expect_end(context: Any) -> None:
    """Prepare PySpark for a JVM that ends without a word, before it does."""
    if context._jsc is None:
        return
    # Its end cannot be answered.
    context._jsc = None
    server = context._accumulatorServer
    context._accumulatorServer = None
    # It would take up to a second to end.
    server.server_shutdown = True
    threading.Thread(target=server.shutdown, daemon=True).start()
    # Else py4j would report each object that we drop to the JVM, and log that it cannot.
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
