"""Spark's data sources: what do queries over logs and replicas see, and what is not even read?"""

import pickle
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.datasource import EqualTo, Filter, GreaterThanOrEqual, LessThan, LessThanOrEqual

from kadmin.errors import KadminError
from kadmin.jobs.merge.data_source import SlicePartition, StateChangeReader, StateChangeSource
from kadmin.jobs.sources import register
from kadmin.jobs.spark.engine import SparkEngine
from kadmin.jobs.verify.batch_rows import SCHEMA as BATCHES
from kadmin.jobs.verify.data_source import ReplicaBatchesSource
from kadmin.statechange.typed import SCHEMA as LINES
from tests.kadmin.jobs.merge.logs import head, write_sources
from tests.kadmin.jobs.verify.broken import BROKERS, write_brokers

CONTENTS = [
    [b"".join(head(1000 * line + broker, b"INFO x\n") for line in range(50))] for broker in range(2)
]
NUMBER_OF_LINES = 100


@pytest.fixture
def logs(tmp_path: Path) -> str:
    write_sources(tmp_path / "logs", CONTENTS)
    return str(tmp_path / "logs")


def rows_of(reader: Any) -> list[dict[str, Any]]:
    """What a *reader* that went to another process reads, in the order of its partitions."""
    partitions = reader.partitions()
    assert partitions, "where there is none, Spark gives readers one that is not theirs"
    there = pickle.loads(pickle.dumps(reader))
    return [
        row
        for partition in pickle.loads(pickle.dumps(partitions))
        for batch in there.read(partition)
        for row in batch.to_pylist()
    ]


def lines_reader(**options: str) -> StateChangeReader:
    source = StateChangeSource(options)
    return source.reader(source.schema())


def test_all_lines_are_rows_in_the_order_of_time(logs: str) -> None:
    rows = rows_of(lines_reader(path=logs))

    assert NUMBER_OF_LINES == len(rows)
    assert [row["time"] for row in rows] == sorted(row["time"] for row in rows)
    assert set(LINES.names) == set(rows[0])
    assert {"0", "1"} == {row["source"] for row in rows}


def test_columns_are_sparks_own_types() -> None:
    types = {field.name: field.dataType.simpleString() for field in StateChangeSource({}).schema()}

    assert LINES.names == list(types)
    assert ("timestamp_ntz", "string", "string") == (types["time"], types["source"], types["kind"])
    assert BATCHES.names == ReplicaBatchesSource({}).schema().fieldNames()


def times_of(rows: list[dict[str, Any]]) -> tuple[datetime, datetime]:
    return rows[0]["time"], rows[-1]["time"]


@pytest.mark.parametrize(("low", "high"), [(10, 20), (0, 0), (49, 49)])
def test_only_the_slices_of_a_range_of_time_are_read(logs: str, low: int, high: int) -> None:
    rows = rows_of(lines_reader(path=logs))
    start, end = rows[2 * low]["time"], rows[2 * high + 1]["time"]
    wanted = [row for row in rows if start <= row["time"] <= end]
    filters: list[Filter] = [
        GreaterThanOrEqual(("time",), start),
        LessThanOrEqual(("time",), end),
        EqualTo(("kind",), "other"),
    ]

    pushed = lines_reader(path=logs)
    assert filters == list(pushed.pushFilters(filters))

    assert wanted == rows_of(pushed)
    given = lines_reader(path=logs, startTime=start.isoformat(), endTime=end.isoformat())
    assert wanted == rows_of(given)


def test_a_range_before_all_lines_has_no_slice(logs: str) -> None:
    reader = lines_reader(path=logs)
    list(reader.pushFilters([LessThan(("time",), datetime(2012, 1, 1))]))

    assert [] == rows_of(reader)


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(KadminError, match="'path' is missing"):
        lines_reader()
    for word in ("orders", "x=/tmp", "1="):
        with pytest.raises(KadminError, match="no broker's id and a path"):
            ReplicaBatchesSource({"path": word}).reader(None)
    with pytest.raises(KadminError, match="no such directory"):
        ReplicaBatchesSource({"path": f"1={tmp_path / 'gone'}"}).reader(None)


def test_batches_of_one_topic_alone_are_read_where_it_is_asked_for(tmp_path: Path) -> None:
    logs = write_brokers(tmp_path, 11, copies=2)
    words = [f"{broker}={log}" for broker, log in zip(BROKERS, logs, strict=True)]
    source = ReplicaBatchesSource({"path": ",".join(words)})
    rows = rows_of(source.reader(source.schema()))
    topic = rows[0]["topic"]
    reader = source.reader(source.schema())
    list(reader.pushFilters([EqualTo(("topic",), topic)]))

    assert set(map(int, BROKERS)) == {row["broker"] for row in rows}
    assert [row for row in rows if row["topic"] == topic] == rows_of(reader)
    assert {topic} != {row["topic"] for row in rows}


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.xdist_group("spark")
def test_a_notebook_queries_lines_and_batches(
    logs: str, tmp_path: Path, spark_engine: SparkEngine
) -> None:
    spark = spark_engine.session.spark
    register(spark)
    spark.read.format("state_change").load(logs).createOrReplaceTempView("state_change")
    counted = spark.sql(
        "SELECT source, count(*) FROM state_change WHERE time >= timestamp_ntz'2010-01-01'"
        " GROUP BY source ORDER BY source"
    )
    before = spark.sql("SELECT * FROM state_change WHERE time < timestamp_ntz'2010-01-01'")
    brokers = write_brokers(tmp_path / "brokers", 11, copies=1)
    path = ",".join(f"{each[0]}={each[1]}" for each in zip(BROKERS, brokers, strict=True))
    batches = spark.read.format("replica_batches").load(path)

    assert [("0", 50), ("1", 50)] == [tuple(row) for row in counted.collect()]
    assert [] == before.collect()
    assert set(map(int, BROKERS)) == {row.broker for row in batches.select("broker").collect()}


def test_a_slice_is_a_partition(logs: str) -> None:
    assert all(isinstance(each, SlicePartition) for each in lines_reader(path=logs).partitions())
