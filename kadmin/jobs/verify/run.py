"""A comparison of replicas from end to end: in this process, in several, or on Spark."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cluster.model.ids import TopicPartition
from kadmin.errors import KadminError
from kadmin.jobs.engine import Engine
from kadmin.jobs.engines import started_engine
from kadmin.jobs.places import absolute
from kadmin.jobs.progress import Meter, Phase, Report
from kadmin.jobs.spark.master_url import is_for_spark
from kadmin.jobs.uris import is_uri
from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.partition import VerifiedPartition, verify_partition
from kadmin.jobs.verify.pieces import Piece, pieces_of_all
from kadmin.jobs.verify.request import DEEP_FACTOR, VerifyRequest
from kadmin.jobs.verify.work import Pieces, verdicts

if TYPE_CHECKING:
    import pyarrow.parquet as pq

APP_NAME: Final = "kadmin verify-replicas"

PART: Final = "part-00000.parquet"


def verify(
    request: VerifyRequest, report: Report = lambda _: None, engine: Engine | None = None
) -> list[VerifiedPartition]:
    """Compare the replicas of each partition of *request*, in their order.

    Where Spark is to do it, on an *engine* that was started ahead, or on one of its own.

    Raises:
        KadminError: the batch rows cannot be written, Spark failed, or its master does not
            answer.
    """
    pieces = {
        partition: pieces_of_all(found, request.piece_bytes, is_deep=request.how.is_deep)
        for partition, found in request.partitions.items()
    }
    total = sum(piece.size for each in pieces.values() for piece in each)
    meter = Meter(Phase.VERIFY, total, report)
    is_here = is_without_spark(request, total)
    if is_here and not is_for_several(request, total):
        return list(verified_here(request, pieces, meter))
    if request.parquet is not None:
        # Spark would say so late, and of its own files in it.
        with writing_to(request.parquet):
            pass
    wanted = started_engine(
        APP_NAME,
        None if is_here else request.master,
        request.conf,
        processes=request.processes,
    )
    with wanted if engine is None or is_here else nullcontext(engine) as used:
        if not is_here:
            check_spark(used, request, pieces)
        return list(verdicts(used, request, pieces, meter))


def check_spark(engine: Engine, request: VerifyRequest, pieces: Pieces) -> None:
    """See that the workers of Spark's *engine* see the replicas, and let them write batch rows.

    Raises:
        UsageError: one does not see them.
    """
    from kadmin.jobs.spark.engine import SparkEngine

    assert isinstance(engine, SparkEngine), "a master is Spark's"
    places = {found.directory for replicas in request.partitions.values() for found in replicas}
    engine.check_paths(sorted({os.path.dirname(absolute(e)) for e in places if not is_uri(e)}))
    if request.parquet is not None:
        # Behind the start of Spark, which imports PySpark on another thread.
        from kadmin.jobs.verify.data_source import write_parquet

        everything = [piece for each in pieces.values() for piece in each]
        write_parquet(engine.session, everything, request.parquet)


def is_without_spark(request: VerifyRequest, total_bytes: int) -> bool:
    size = effort(request, total_bytes)
    return total_bytes == 0 or not is_for_spark(
        request.master, request.conf, size, request.small_bytes
    )


def is_for_several(request: VerifyRequest, total_bytes: int) -> bool:
    """Return whether several processes are to read it; rows that are written down come from one."""
    is_worth_it = effort(request, total_bytes) >= request.single_bytes
    return request.processes > 1 and request.parquet is None and is_worth_it


def effort(request: VerifyRequest, total_bytes: int) -> int:
    """Return how many bytes by headers take as long."""
    return total_bytes * (DEEP_FACTOR if request.how.is_deep else 1)


def verified_here(
    request: VerifyRequest, pieces: dict[TopicPartition, list[Piece]], meter: Meter
) -> Iterator[VerifiedPartition]:
    with parquet_writer(request.parquet) as writer:
        for partition, found in request.partitions.items():
            if writer is None:
                yield verify_partition(partition, found, request.how)
            else:
                yield from_rows(partition, found, pieces[partition], request, writer)
            meter.add(sum(piece.size for piece in pieces[partition]))


def from_rows(
    partition: TopicPartition,
    found: Sequence[FoundReplica],
    pieces: Sequence[Piece],
    request: VerifyRequest,
    writer: "pq.ParquetWriter",
) -> VerifiedPartition:
    """Return the verdict on a partition, whose batch rows go to *writer* on the way."""
    import pyarrow as pa

    from kadmin.jobs.verify.batch_rows import SCHEMA, RowsOfPartition, batch_rows

    read = [rows for piece in pieces for rows in batch_rows(piece)]
    rows = pa.concat_batches([pa.RecordBatch.from_pylist([], SCHEMA), *read])
    writer.write_batch(rows)
    columns = dict(zip(SCHEMA.names, rows.columns, strict=True))
    return verify_partition(partition, found, request.how, RowsOfPartition(columns).read)


@contextmanager
def parquet_writer(directory: str | None) -> "Iterator[pq.ParquetWriter | None]":
    """Yield the writer of the one file of *directory*, which is made; None where none is named."""
    if directory is None:
        yield None
        return
    import pyarrow.parquet as pq

    from kadmin.jobs.verify.batch_rows import SCHEMA

    with writing_to(directory), pq.ParquetWriter(Path(directory, PART), SCHEMA) as writer:
        yield writer


@contextmanager
def writing_to(directory: str) -> Iterator[None]:
    """Make *directory*; say of what the block cannot write that it is that which cannot."""
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise KadminError(
            f"cannot write {directory}: {reason}", hint="name another directory: --parquet DIR"
        ) from error
