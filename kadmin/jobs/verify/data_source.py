"""Spark's data source `replica_batches`: the batches of replicas as rows.

    register_source(spark, ReplicaBatchesSource)
    batches = spark.read.format("replica_batches").load("1=/collected/1,2=/collected/2")

One row per batch, in the columns of `batch_rows`.  Its partitions are pieces of segments.
"""

import pickle
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo, Filter, InputPartition

from kadmin.errors import KadminError
from kadmin.jobs.places import absolute, is_directory
from kadmin.jobs.spark.data_source import (
    as_spark_takes_it,
    register_source,
    required,
    spark_schema,
)
from kadmin.jobs.spark.session import Session
from kadmin.jobs.verify.batch_rows import SCHEMA, batch_rows
from kadmin.jobs.verify.collected import LogDirArgument, collect
from kadmin.jobs.verify.pieces import PIECE_BYTES, Piece, Share, pieces_of, shares

EXAMPLE: Final = 'spark.read.format("replica_batches").load("1=/collected/1,2=/collected/2")'

PIECES: Final = "kadmin.pieces"
"""The option of `write_parquet`: a file of pieces that were found before."""


class ReplicaBatchesSource(DataSource):
    """Log directories; option *path*: each as BROKER=PATH, separated by commas.

    Of a topic alone is read where Spark pushes down a filter of the column *topic*.
    """

    @classmethod
    def name(cls) -> str:
        return "replica_batches"

    def schema(self) -> Any:
        return spark_schema(SCHEMA)

    def reader(self, schema: Any) -> "SegmentReader":
        if (file := self.options.get(PIECES)) is not None:
            return SegmentReader(pickle.loads(Path(file).read_bytes()))
        words = required(self.options, "path", EXAMPLE).split(",")
        return SegmentReader(pieces_in([log_dir(word) for word in words]))


@dataclass
class Pieces(InputPartition):
    """The pieces that a task reads."""

    pieces: Share


class SegmentReader(DataSourceReader):
    """Reads *pieces*, some in each task, one after the other."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces

    def pushFilters(self, filters: list[Filter]) -> Iterator[Filter]:  # noqa: N802 - Spark's name.
        """Leave out other topics; Spark applies the filters to each row all the same."""
        for each in filters:
            if isinstance(each, EqualTo) and each.attribute == ("topic",):
                self.pieces = [p for p in self.pieces if p.partition.topic == each.value]
            yield each

    def partitions(self) -> list[InputPartition]:
        found = shares(self.pieces, PIECE_BYTES)
        # Spark wants one at least.
        return [Pieces(share) for share in found or [()]]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, Pieces), "partitions() gives no others"
        for piece in partition.pieces:
            yield from as_spark_takes_it(batch_rows(piece), SCHEMA)


def log_dir(word: str) -> LogDirArgument:
    """Return the log directory that `BROKER=PATH` names."""
    broker, _, path = word.partition("=")
    if not broker.isdecimal() or not path:
        raise KadminError(f"'{word}' is no broker's id and a path", hint=f"for example {EXAMPLE}")
    if not is_directory(path):
        raise KadminError(f"{path}: no such directory", hint="unpack archives before")
    return LogDirArgument(broker, absolute(path))


def pieces_in(log_dirs: Sequence[LogDirArgument]) -> list[Piece]:
    """Return the pieces of all replicas in *log_dirs*."""
    with ExitStack() as opened:
        replicas = collect(log_dirs, opened).replicas
    return [piece for each in replicas for piece in pieces_of(each, PIECE_BYTES, is_deep=False)]


def write_parquet(session: Session, pieces: Sequence[Piece], parquet: str) -> None:
    """Write the batch rows of *pieces* to the directory *parquet*."""
    path = session.directory / "pieces"
    path.write_bytes(pickle.dumps([replace(each, place=absolute(each.place)) for each in pieces]))
    register_source(session.spark, ReplicaBatchesSource)
    rows = session.spark.read.format(ReplicaBatchesSource.name()).option(PIECES, str(path)).load()
    rows.write.mode("append").parquet(parquet)
