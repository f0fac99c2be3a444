"""The results of a merge on their way into one stream, slice by slice."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import pyarrow as pa

from kadmin.jobs.merge.output.slice_output import SliceOutput


class Stream(Protocol):
    """What bytes can be written to; how many of them it took is its own affair."""

    def write(self, data: memoryview, /) -> object: ...

    def flush(self) -> object: ...


def write_stream(outputs: Iterable[SliceOutput], stream: Stream, header: bytes = b"") -> None:
    """Write *header* and all results to a buffered *stream*, each as soon as it is there."""
    if header:
        stream.write(memoryview(header))
    for output in outputs:
        for block in output.blocks():
            stream.write(block)
        # A reader of the stream sees it now, not when the next slice is merged.
        stream.flush()


def batches(outputs: Iterable[SliceOutput]) -> Iterator[pa.RecordBatch]:
    """Return the record batches of results that are Arrow streams."""
    for output in outputs:
        if output.size > 0:
            with pa.ipc.open_stream(output.read()) as reader:
                yield from reader


def write_parquet(outputs: Iterable[SliceOutput], stream: Any, schema: pa.Schema) -> None:
    """Write the record batches of all results as one Parquet file, also when there are none."""
    from pyarrow.parquet import ParquetWriter

    with ParquetWriter(stream, schema, compression="zstd") as writer:
        for batch in batches(outputs):
            writer.write_batch(batch)
