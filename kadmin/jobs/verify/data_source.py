"""What Spark reads batch rows from: a data source whose partitions are pieces of segments.

    spark.dataSource.register(SegmentSource)
    rows = spark.read.format("kafka-segments").option("shares", PATH).load()

The shares of work are in a file that `write_shares` wrote; only the driver opens it.
"""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from kadmin.jobs.verify.batch_rows import SCHEMA, batch_rows
from kadmin.jobs.verify.pieces import Piece


def write_shares(path: Path, shares: Sequence[tuple[Piece, ...]]) -> None:
    path.write_bytes(pickle.dumps(shares))


class SegmentSource(DataSource):
    """The batches of segments; option *shares*: the file of what is read, or nothing."""

    @classmethod
    def name(cls) -> str:
        return "kafka-segments"

    def schema(self) -> Any:
        from pyspark.sql.pandas.types import from_arrow_schema

        return from_arrow_schema(SCHEMA)

    def reader(self, schema: Any) -> "SegmentReader":
        return SegmentReader(self.options["shares"])


@dataclass
class Share(InputPartition):
    """The pieces that a task reads."""

    pieces: tuple[Piece, ...]


class SegmentReader(DataSourceReader):
    """Reads the pieces of one share after the other."""

    def __init__(self, shares: str) -> None:
        self.shares = shares

    def partitions(self) -> list[Share]:
        if not self.shares:
            return [Share(())]
        return [Share(pieces) for pieces in pickle.loads(Path(self.shares).read_bytes())]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, Share), "partitions() gives no others"
        for piece in partition.pieces:
            yield from batch_rows(piece)
