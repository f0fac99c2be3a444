"""Spark's data source `state_change`: the lines of state-change logs as rows.

    register_source(spark, StateChangeSource)
    lines = spark.read.format("state_change").load("/incident")

One row per line, in the columns of `kadmin.statechange.typed`.  Its partitions are slices of time
in their order, and rows are in the order of time in each.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)

from kadmin.jobs.engine import InProcessEngine
from kadmin.jobs.factory import Factory
from kadmin.jobs.merge.clocks import ALWAYS, TimeRange
from kadmin.jobs.merge.inputs.find import find_inputs
from kadmin.jobs.merge.inputs.sources import group, writers_of_lines
from kadmin.jobs.merge.merge_phase import MergePhase
from kadmin.jobs.merge.request import MergeRequest, request_files
from kadmin.jobs.merge.slices.merge_slice import SliceTask, merge_slice
from kadmin.jobs.merge.slices.plan import plan
from kadmin.jobs.merge.survey_phase import survey_files
from kadmin.jobs.places import absolute
from kadmin.jobs.spark.data_source import as_spark_takes_it, required, spark_schema
from kadmin.statechange.typed import SCHEMA

ARROW: Final = Factory("kadmin.jobs.merge.output.typed:arrow")
TIME: Final = ("time",)


class StateChangeSource(DataSource):
    """State-change logs; option *path*: files, directories, globs and URIs, separated by commas.

    *startTime* and *endTime* (both included, as ISO 8601) bound what is read, as filters of the
    column *time* do where Spark pushes them down.  Packed logs are unpacked into *directory*, which
    all workers must see.
    """

    @classmethod
    def name(cls) -> str:
        return "state_change"

    def schema(self) -> Any:
        return spark_schema(SCHEMA)

    def reader(self, schema: Any) -> "StateChangeReader":
        paths = required(self.options, "path", 'spark.read.format("state_change").load("/logs")')
        start, end = (self.options.get(name) for name in ("startTime", "endTime"))
        times = TimeRange(
            start_ms=ALWAYS.start_ms if start is None else as_ms(datetime.fromisoformat(start)),
            end_ms=ALWAYS.end_ms if end is None else as_ms(datetime.fromisoformat(end)),
        )
        return StateChangeReader(paths.split(","), times, self.options.get("directory"))


@dataclass
class SlicePartition(InputPartition):
    """A slice of time, which is one task; None where no line is wanted."""

    task: SliceTask | None


class StateChangeReader(DataSourceReader):
    """Reads what the logs at *paths* say of *times*; packed ones by way of *directory*."""

    def __init__(self, paths: list[str], times: TimeRange, directory: str | None) -> None:
        self.paths = paths
        self.times = times
        self.directory = directory

    def pushFilters(self, filters: list[Filter]) -> Iterator[Filter]:  # noqa: N802 - Spark's name.
        """Narrow the range of time; Spark applies the filters to each row all the same."""
        for each in filters:
            self.times = narrowed(self.times, each)
            yield each

    def partitions(self) -> list[InputPartition]:
        files = tuple(find_inputs([absolute(path) for path in self.paths]).files)
        request = MergeRequest(
            sources=group(files, writers_of_lines),
            times=self.times,
            formatter=ARROW,
            is_numbered=True,
            master=None,
        )
        found = request_files(request)
        directory = Path(mkdtemp(prefix="kadmin-unpacked-", dir=self.directory))
        engine = InProcessEngine()
        surveyed = survey_files(request, found, engine, directory, lambda _: None)
        if not any(directory.iterdir()):
            directory.rmdir()
        slices = plan(surveyed.files, order=request.order, times=request.times)
        phase = MergePhase(request, found, engine, directory)
        # Spark wants one at least.
        return [SlicePartition(phase.task(each, None)) for each in slices] or [SlicePartition(None)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, SlicePartition), "partitions() gives no others"
        data = b"" if partition.task is None else merge_slice(partition.task).data
        if data:
            with pa.ipc.open_stream(data) as batches:
                yield from as_spark_takes_it(iter(batches), SCHEMA)


def narrowed(times: TimeRange, condition: Filter) -> TimeRange:
    """Return what of *times* can meet a *condition* of the column time; all of it for any other."""
    match condition:
        case EqualTo(attribute=name, value=datetime() as value) if name == TIME:
            low = high = as_ms(value)
        case GreaterThan(attribute=name, value=datetime() as value) if name == TIME:
            low, high = as_ms(value), times.end_ms
        case GreaterThanOrEqual(attribute=name, value=datetime() as value) if name == TIME:
            low, high = as_ms(value), times.end_ms
        case LessThan(attribute=name, value=datetime() as value) if name == TIME:
            low, high = times.start_ms, as_ms(value)
        case LessThanOrEqual(attribute=name, value=datetime() as value) if name == TIME:
            low, high = times.start_ms, as_ms(value)
        case _:
            return times
    return TimeRange(start_ms=max(times.start_ms, low), end_ms=min(times.end_ms, high))


def as_ms(time: datetime) -> int:
    """Return a *time* of the column, which has no zone, as the logs' common time in ms."""
    return round(time.replace(tzinfo=UTC).timestamp() * 1000)
