"""Replicas of one partition in memory, in every message format, for breaking them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kadmin.segments.replica_log import ReplicaLog, read_replica
from kadmin.segments.values import SegmentFiles
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.storage.batches import START_MS, batch
from tests.kadmin.segments.sources import Bytes

Maker = Callable[[Sequence[bytes], int, int], bytes]
"""Makes a batch of values, its base offset and its leader epoch."""


def current(codec: str) -> Maker:
    def make(values: Sequence[bytes], base_offset: int, leader_epoch: int) -> bytes:
        times = [START_MS + base_offset + number for number in range(len(values))]
        made = batch(
            values, times=times, base_offset=base_offset, leader_epoch=leader_epoch, codec=codec
        )
        return bytes(made)

    return make


def wrapped(magic: int, codec: str) -> Maker:
    return lambda values, base_offset, _: wrapper(
        values, base_offset=base_offset, codec=codec, magic=magic
    )


def alone(magic: int) -> Maker:
    return lambda values, base_offset, _: message(values[0], offset=base_offset, magic=magic)


FORMATS: Final[Mapping[str, Maker]] = {
    "magic 0": alone(0),
    "magic 0 in gzip": wrapped(0, "gzip"),
    "magic 0 in lz4": wrapped(0, "lz4"),
    "magic 1": alone(1),
    "magic 1 in snappy": wrapped(1, "xerial"),
    "magic 2": current("none"),
    "magic 2 in lz4": current("lz4"),
    "magic 2 in zstd": current("zstd"),
}

COUNT: Final = 9
"""Batches of a log."""
ROLLED: Final = 4
"""The first batch of the second segment."""


def has_one_record(name: str) -> bool:
    return name in ("magic 0", "magic 1")


def values_of(name: str, number: int) -> list[bytes]:
    """The values of a log's batch of that number."""
    count = 1 if has_one_record(name) else 1 + number % 3
    return [b"value %d of batch %d" % (at, number) for at in range(count)]


def log_of(name: str) -> list[bytes]:
    """The batches of a log, from offset 0 on; the leader epoch changes at the seventh."""
    batches, offset = [], 0
    for number in range(COUNT):
        values = values_of(name, number)
        batches.append(FORMATS[name](values, offset, 3 if number < 6 else 5))
        offset += len(values)
    return batches


def base_offset(name: str, number: int) -> int:
    """The first offset of a batch; that behind the log for the number COUNT."""
    return sum(len(values_of(name, before)) for before in range(number))


def replica(
    segments: Mapping[int, bytes], *, high_watermark: int | None, is_deep: bool = False
) -> ReplicaLog:
    """The replica whose segments have those base offsets and that content."""
    files = [
        SegmentFiles(base_offset=offset, name=f"{offset:020}.log", log=Bytes(content))
        for offset, content in segments.items()
    ]
    return read_replica(files, high_watermark=high_watermark, is_deep=is_deep)


def segments_of(name: str, batches: Sequence[bytes], rolled: int = ROLLED) -> dict[int, bytes]:
    """Two segments, the second from the batch *rolled* on."""
    return {
        0: b"".join(batches[:rolled]),
        base_offset(name, ROLLED): b"".join(batches[rolled:]),
    }
