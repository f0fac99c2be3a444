"""The class-data archive of Spark's driver, and how it is made.

By a throwaway driver that runs two jobs, of the kinds that kadmin has, and writes down its loaded
classes when it ends.  Runs as a background process of low priority (`python -m
kadmin.jobs.spark.class_archive`) that nobody waits for.
"""

from pathlib import Path
from typing import Any, Final

from kadmin.jobs.spark.driver import Driver
from kadmin.jobs.spark.engine import SparkEngine
from kadmin.jobs.spark.jvm import spark_archive
from kadmin.jvm.archive_build import make_archive
from kadmin.jvm.java import find_java

WRITE_TIMEOUT_S: Final = 300.0


def main() -> None:
    """Make the archive of this Java and these jars, unless it is there or being made."""
    make_archive(spark_archive(find_java()), record, clear_away=lambda _: None)


def record(directory: Path) -> Path:
    """Run a job of one task; the JVM leaves an archive of its classes in *directory*."""
    written = directory / "classes.jsa"
    driver = Driver(
        "kadmin", "local[1]", {}, directory, jvm_flags=(f"-XX:ArchiveClassesAtExit={written}",)
    )
    engine = SparkEngine(driver)
    try:
        # Any function does: the classes are those of Spark's way to it and back.
        list(engine.run(len, [()]))
        # Its task would keep the only core.
        engine.release()
        compare(driver.context)
        driver.finish(WRITE_TIMEOUT_S)
    finally:
        engine.close(is_abandoned=True)
    return written


def compare(context: Any) -> None:
    """Let Spark do what a comparison of replicas is: what tasks read goes to others that judge."""
    how = context.broadcast("how")
    rows = context.parallelize([(0, "rows")], 1).partitionBy(1)
    rows.mapPartitions(lambda read: [how.value for _ in read]).collect()


if __name__ == "__main__":
    main()
