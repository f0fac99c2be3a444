"""The class-data archive of Spark's driver, and how it is made.

By a throwaway driver that runs one job and one query, of the kind that kadmin has, and writes down
its loaded classes when it ends.  Runs as a background process of low priority (`python -m
kadmin.jobs.spark.class_archive`) that nobody waits for.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader

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
        query(driver.context)
        driver.finish(WRITE_TIMEOUT_S)
    finally:
        engine.close(is_abandoned=True)
    return written


class OneRow(DataSource):
    """A data source with one row."""

    @classmethod
    def name(cls) -> str:
        return "one-row"

    def schema(self) -> str:
        return "number int, text string"

    def reader(self, schema: Any) -> "OneRowReader":
        return OneRowReader()


class OneRowReader(DataSourceReader):
    """Reads the row."""

    def read(self, partition: Any) -> Iterator[Any]:
        yield pa.RecordBatch.from_pydict(
            {"number": pa.array([1], pa.int32()), "text": pa.array(["one"])}
        )


def query(context: Any) -> None:
    """Let Spark plan and run what the comparison of replicas is: groups of rows of a data source,
    judged in Python."""
    from pyspark.sql import SparkSession, functions
    from pyspark.sql.pandas.functions import arrow_udf

    def judge(group: pa.Array) -> Any:
        return b"judged"

    session: Any = SparkSession(context)
    session.conf.set("spark.sql.shuffle.partitions", "1")
    session.conf.set("spark.sql.adaptive.enabled", "false")
    session.dataSource.register(OneRow)
    rows = session.read.format(OneRow.name()).option("path", "none").load()
    column = arrow_udf(judge, "binary")  # type: ignore[call-overload]  # its stub lacks such functions
    verdicts = rows.groupBy("number").agg(column(functions.struct(*rows.columns)).alias("verdict"))
    verdicts.select("verdict").collect()


if __name__ == "__main__":
    main()
