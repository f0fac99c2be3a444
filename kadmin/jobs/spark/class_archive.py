"""The class-data archive of Spark's driver, and how it is made.

By a throwaway driver that runs two jobs, of the kinds that kadmin has, and writes down its loaded
classes when it ends; before that it loads what a driver and an executor of a cluster need besides.
Runs as a background process of low priority (`python -m kadmin.jobs.spark.class_archive`) that
nobody waits for.
"""

import re
import shlex
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from kadmin.errors import KadminError
from kadmin.jobs.spark.driver import Driver, in_background
from kadmin.jobs.spark.engine import SparkEngine
from kadmin.jobs.spark.errors import py4j_errors
from kadmin.jobs.spark.jvm import FLAGS, spark_archive, spark_home
from kadmin.jvm.archive_build import make_archive
from kadmin.jvm.java import find_java

WRITE_TIMEOUT_S: Final = 300.0
CLUSTER_TIMEOUT_S: Final = 180.0

CLUSTER: Final = "local-cluster[1,1,512]"
"""Spark's own trial cluster: a master and a worker in the driver's JVM, an executor in another."""

LOADED: Final = re.compile(r"^(\S+) source: ", re.MULTILINE)
"""A class that a JVM tells of."""

MADE: Final = re.compile(r"\$\$|/0x|^jdk\.proxy|Proxy\d|Accessor\d")
"""In the names of classes that a JVM makes itself, which no other can load."""


def main() -> None:
    """Make the archive of this Java and these jars, unless it is there or being made."""
    make_archive(spark_archive(find_java()), record, clear_away=lambda _: None)


def record(directory: Path) -> Path:
    """Run a job of one task; the JVM leaves an archive of its classes in *directory*."""
    names: set[str] = set()
    # Where no cluster can be tried, as with too little memory, drivers of this machine gain still.
    with suppress(KadminError, OSError, TimeoutError):
        names = classes_of_cluster(directory)
    written, told = directory / "classes.jsa", directory / "own.classes"
    flags = (f"-XX:ArchiveClassesAtExit={written}", telling_classes(told))
    driver = Driver("kadmin", "local[1]", {}, directory, jvm_flags=flags)
    engine = SparkEngine(driver)
    try:
        # Any function does: the classes are those of Spark's way to it and back.
        list(engine.run(len, [()]))
        # Its task would keep the only core.
        engine.release()
        compare(driver.context)
        load(driver.context, names - classes_in(told))
        driver.finish(WRITE_TIMEOUT_S)
    finally:
        engine.close(is_abandoned=True)
    return written


def compare(context: Any) -> None:
    """Let Spark do what a comparison of replicas is: what tasks read goes to others that judge."""
    how = context.broadcast("how")
    rows = context.parallelize([(0, "rows")], 1).partitionBy(1)
    rows.mapPartitions(lambda read: [how.value for _ in read]).collect()


def classes_of_cluster(directory: Path) -> set[str]:
    """The names of the classes that a cluster's driver and executor load for such a job.

    Raises:
        KadminError, TimeoutError: they do not do it here.
    """
    own = directory / "cluster"
    own.mkdir()
    told = [own / "driver.classes", own / "executor.classes"]
    flags = [*FLAGS, telling_classes(told[1])]
    conf = {
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": shlex.join(flags),
    }
    driver = Driver(
        "kadmin",
        CLUSTER,
        conf,
        own,
        jvm_flags=(telling_classes(told[0]),),
        jvm_environment=home_of_cluster(own / "home"),
    )
    try:
        driver.bring_up()
        with py4j_errors(driver.log, hint=""):
            in_background(partial(compare, driver.context)).result(CLUSTER_TIMEOUT_S)
    finally:
        driver.end(is_abandoned=True)
    return {name for path in told for name in classes_in(path) if not MADE.search(name)}


def home_of_cluster(home: Path) -> dict[str, str]:
    """Make *home*, where a worker finds Spark's jars and leaves its files; how a JVM is told."""
    home.mkdir()
    jars = spark_home() / "jars"
    (home / "jars").symlink_to(jars)
    versions = [jar.name.split("_")[1].split("-")[0] for jar in jars.glob("spark-launcher_*.jar")]
    return {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        # Else it is looked for where Spark is built.
        "SPARK_SCALA_VERSION": "".join(versions[:1]),
    }


def telling_classes(path: Path) -> str:
    """The flag by which a JVM writes into the file *path* which classes it loads."""
    return f"-Xlog:class+load:file={path}:none"


def classes_in(path: Path) -> set[str]:
    return set(LOADED.findall(path.read_text(encoding="utf-8", errors="replace")))


def load(context: Any, names: Iterable[str]) -> None:
    """Let the driver's JVM load the classes with these *names*, those that it can."""
    from py4j.protocol import Py4JError

    java = context._jvm.java.lang
    loader, for_name = java.Thread.currentThread().getContextClassLoader(), java.Class.forName
    for name in sorted(names):
        with suppress(Py4JError):
            for_name(name, False, loader)


if __name__ == "__main__":
    main()
