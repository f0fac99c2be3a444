"""The JVM that Spark's driver lives in: how it starts, and how it is reached.

Where nothing stands against it, Java is started as PySpark's scripts would, without them: they
start a JVM first only to ask for the command line.  Knows no SparkContext.
"""

import os
import re
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import kadmin
from kadmin.extras import Extra, pyspark_directory
from kadmin.jobs.spark.errors import SparkFailed, error_line
from kadmin.jobs.spark.master_url import is_plain
from kadmin.jvm.java import Java

ENTRY: Final = "org.apache.spark.deploy.SparkSubmit"
SHELL: Final = "pyspark-shell"
START_TIMEOUT_S: Final = 120.0
POLL_S: Final = 0.01

FLAGS: Final = (
    # The bytes are worked on in Python; what is left for Java is short and never gets hot.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    # It would leave a file in /tmp when it is killed.
    "-XX:-UsePerfData",
)

ENDS_WITHOUT_MEMORY: Final = "-XX:+ExitOnOutOfMemoryError"
"""Else one of the driver's threads ends, and the job waits for it without an end."""

NEEDS_SCRIPTS: Final = ("SPARK_HOME", "SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR")
"""Who sets one of these has a Spark of their own making, which its scripts know best."""

NEEDS_SCRIPTS_CONF: Final = ("spark.driver.", "spark.jars", "spark.submit.")
"""Settings that say how the JVM itself is started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JvmLaunch:
    """A JVM to be started in *directory*, which takes its output and its temporary files."""

    java: Java
    conf: Mapping[str, str]
    heap_mib: int
    directory: Path

    @property
    def log(self) -> Path:
        return self.directory / "spark.log"

    @property
    def info(self) -> Path:
        """Where the JVM writes how it is reached."""
        return self.directory / "gateway"

    @property
    def is_direct(self) -> bool:
        """Whether Java is started without Spark's scripts."""
        needs_scripts = any(os.environ.get(name) for name in NEEDS_SCRIPTS) or any(
            key.startswith(NEEDS_SCRIPTS_CONF) for key in self.conf
        )
        return not needs_scripts and bool(module_options())


@dataclass(frozen=True, slots=True)
class Gateway:
    """Py4J's gateway: how a JVM is reached."""

    port: int
    secret: str


def spark_home() -> Path:
    """PySpark's own directory, or SPARK_HOME.

    Raises:
        MissingExtra: PySpark is not installed.
    """
    if home := os.environ.get("SPARK_HOME"):
        return Path(home)
    return pyspark_directory("Spark", Extra.SPARK)


def class_path(home: Path) -> str:
    """Spark's class path, as its launcher gives it to executors."""
    jars = home / "jars"
    first = sorted(jars.glob("slf4j-api-*.jar"))
    return os.pathsep.join(map(str, (home / "conf", *first, f"{jars}{os.sep}*")))


def start_jvm(launch: JvmLaunch) -> "subprocess.Popen[bytes]":
    """Start the JVM; it ends by itself when this process does."""
    settings = [word for key, value in launch.conf.items() for word in ("--conf", f"{key}={value}")]
    own = (f"-Djava.io.tmpdir={launch.directory}", f"-XX:ErrorFile={launch.directory}/crash.log")
    flags = [*FLAGS, ENDS_WITHOUT_MEMORY, *own]
    command: list[str]
    if launch.is_direct:
        home = spark_home()
        memory = f"-Xmx{launch.heap_mib}m"
        java = [str(launch.java.path), "-cp", class_path(home), memory, *flags, *module_options()]
        command = [*java, ENTRY, *settings, SHELL]
    else:
        command = [str(spark_home() / "bin" / "spark-submit"), *settings, SHELL]
    with launch.log.open("ab") as log:
        return subprocess.Popen(
            command,
            # Its end is how the JVM learns of ours.
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=environment(launch),
            # Ctrl-C is for us to handle.
            start_new_session=True,
        )


def environment(launch: JvmLaunch) -> dict[str, str]:
    """What the JVM and the Python workers that it starts find in their environment."""
    # Its Python workers find there what executors find where they run.
    own = (str(Path(kadmin.__path__[0]).parent), str(launch.directory))
    path = os.environ.get("PYTHONPATH")
    return {
        "PYSPARK_PYTHON": sys.executable,
        **os.environ,
        "JAVA_HOME": str(launch.java.path.parent.parent),
        **places(launch),
        "SPARK_CONNECT_MODE": "0",
        "PYTHONPATH": os.pathsep.join((*own, path) if path else own),
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(launch.info),
    }


def places(launch: JvmLaunch) -> dict[str, str]:
    """Where Spark is, for the JVM; and what scripts cannot be told otherwise.

    From there its Pythons take PySpark as a zip, and compile it in each process anew.  Where they
    have it installed, as those of this machine and of standalone workers, another place does.
    """
    home = spark_home()
    is_installed = os.environ.get("PYSPARK_PYTHON", sys.executable) == sys.executable
    if not launch.is_direct:
        options = os.environ.get("JDK_JAVA_OPTIONS", "")
        return {
            "SPARK_HOME": str(home),
            "JDK_JAVA_OPTIONS": f"{options} {ENDS_WITHOUT_MEMORY}".strip(),
        }
    if is_installed and is_plain(launch.conf["spark.master"]):
        return {"SPARK_HOME": str(launch.directory), "SPARK_CONF_DIR": str(home / "conf")}
    return {"SPARK_HOME": str(home)}


def module_options() -> list[str]:
    """The options that Spark's launcher gives every JVM, from its own table; none if unknown."""
    return options_in(spark_home())


@cache
def options_in(home: Path) -> list[str]:
    """Those of the Spark in *home*, whose table is read once: each start asks several times."""
    for jar in (home / "jars").glob("spark-launcher_*.jar"):
        try:
            with zipfile.ZipFile(jar) as content:
                table = content.read("org/apache/spark/launcher/JavaModuleOptions.class")
        except (OSError, KeyError, zipfile.BadZipFile):
            return []
        # A text constant of a class file: the byte 1, two bytes of length, the text.
        found = (
            table[match.end() : match.end() + struct.unpack(">H", match[1])[0]]
            for match in re.finditer(rb"\x01(..)(?=-)", table, re.DOTALL)
        )
        return [option.decode("ascii", "replace") for option in found]
    return []


def await_gateway(process: "subprocess.Popen[bytes]", launch: JvmLaunch) -> Gateway:
    """Wait until the JVM says how it is reached.

    Raises:
        SparkFailed: it ended before, or takes too long.
    """
    deadline = time.monotonic() + START_TIMEOUT_S
    while not launch.info.exists():
        if process.poll() is not None:
            words = error_line(launch.log)
            # Spark says so itself where it is not the Java.
            is_refused = "SparkException" in words or "heap size" in words
            raise SparkFailed(
                f"Spark's JVM ended at its start: {words}",
                hint="check --master, --conf and --properties-file"
                if is_refused
                else f"try it by itself: {launch.java.path} -version",
            )
        if time.monotonic() > deadline:
            raise SparkFailed(f"Spark's JVM was not ready after {START_TIMEOUT_S:g} s")
        time.sleep(POLL_S)
    with launch.info.open("rb") as file:
        port, length = struct.unpack(">ii", file.read(8))
        return Gateway(port, file.read(length).decode())
