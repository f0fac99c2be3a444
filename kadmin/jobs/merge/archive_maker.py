"""How is the class-data archive of Spark's driver made?

By a throwaway driver that runs one job and writes down its loaded classes when it ends.  Runs as
a background process of low priority (`python -m kadmin.jobs.merge.archive_maker`) that nobody
waits for.
"""

from pathlib import Path
from typing import Final

from kadmin.jobs.merge.driver import Driver
from kadmin.jobs.merge.gateway import spark_archive
from kadmin.jobs.merge.spark import SparkEngine
from kadmin.jobs.merge.surveys import run_surveys
from kadmin.jvm.archive_build import make_archive
from kadmin.jvm.java import find_java

WRITE_TIMEOUT_S: Final = 120.0


def main() -> None:
    """Make the archive of this Java and these jars, unless it is there or being made."""
    make_archive(spark_archive(find_java()), record, clear_away=lambda _: None)


def record(workshop: Path) -> Path:
    """Run a job of a task; the JVM leaves an archive of its classes in *workshop*."""
    written = workshop / "classes.jsa"
    driver = Driver("local[1]", {}, workshop, jvm_flags=(f"-XX:ArchiveClassesAtExit={written}",))
    engine = SparkEngine(driver)
    try:
        list(engine.run(run_surveys, [[]]))
        driver.finish(WRITE_TIMEOUT_S)
    finally:
        engine.close(is_abandoned=True)
    return written


if __name__ == "__main__":
    main()
