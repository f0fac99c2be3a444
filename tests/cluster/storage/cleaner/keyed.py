"""Batches of records with keys, in every format, and logs that are cleaned at once."""

import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from cluster.formats.record_batch import whole_batches
from cluster.formats.records import Record, records_of
from cluster.storage.cleaner.cleaning import CleanerLimits, Cleaning
from cluster.storage.cleaner.dirtiness import DirtyPart, dirty_part
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import (
    CODECS,
    HEADER,
    START_MS,
    gzipped,
    lz4_frame,
    sealed,
    varint,
    xerial,
)
from tests.cluster.storage.logs import content_of
from tests.sim.disk import SimDisk

CONFIG: Final = LogConfig(
    segment_size_max=1200,
    index_interval_size=150,
    index_size_max=4096,
    compacts=True,
    deletes=False,
    delete_retention_ms=1000,
)
TRANSACTIONAL: Final = 0x10
LEGACY_CODECS: Final = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3}


class Keyed(NamedTuple):
    key: bytes | None
    value: bytes | None
    time_ms: int = START_MS


def keyed_batch(
    records: Sequence[Keyed],
    base_offset: int,
    *,
    codec: str = "none",
    producer_id: int = -1,
    sequence: int = -1,
    is_transactional: bool = False,
    headers: Sequence[tuple[bytes, bytes]] = (),
) -> bytearray:
    """A batch of magic 2 as a leader has it."""
    number, pack = CODECS[codec]
    body = pack(b"".join(record_of(delta, one, headers) for delta, one in enumerate(records)))
    latest_ms = max(one.time_ms for one in records)
    attributes = number | (TRANSACTIONAL if is_transactional else 0)
    epoch = -1 if producer_id < 0 else 0
    content = HEADER.pack(
        *(base_offset, HEADER.size - 12 + len(body), 0, 2, 0),
        *(attributes, len(records) - 1, START_MS, latest_ms),
        *(producer_id, epoch, sequence, len(records)),
    )
    return sealed(bytearray(content + body))


def record_of(delta: int, one: Keyed, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
    body = b"\0" + varint(one.time_ms - START_MS) + varint(delta)
    for part in (one.key, one.value):
        body += varint(-1) if part is None else varint(len(part)) + part
    body += varint(len(headers))
    for name, value in headers:
        body += varint(len(name)) + name + varint(len(value)) + value
    return varint(len(body)) + body


def legacy_message(
    offset: int, one: Keyed, magic: int, attributes: int = 0, value: bytes | None = None
) -> bytes:
    body = struct.pack(">bb", magic, attributes)
    if magic == 1:
        body += struct.pack(">q", one.time_ms)
    for part in (one.key, value if value is not None else one.value):
        body += struct.pack(">i", -1 if part is None else len(part)) + (part or b"")
    body = struct.pack(">I", zlib.crc32(body)) + body
    return struct.pack(">qi", offset, len(body)) + body


def legacy_batch(
    records: Sequence[Keyed], base_offset: int, magic: int, codec: str = "none"
) -> bytes:
    """Messages of magic 0 or 1, wrapped in one where *codec* says so."""
    if codec == "none":
        return b"".join(
            legacy_message(base_offset + number, one, magic) for number, one in enumerate(records)
        )
    first = base_offset if magic == 0 else 0
    inner = b"".join(
        legacy_message(first + number, one, magic) for number, one in enumerate(records)
    )
    packed = {"gzip": gzipped, "snappy": xerial, "lz4": lz4_frame}[codec](inner)
    latest = max(one.time_ms for one in records)
    last_offset = base_offset + len(records) - 1
    wrapper = Keyed(None, None, latest)
    return legacy_message(last_offset, wrapper, magic, LEGACY_CODECS[codec], packed)


def records_in(log: PartitionLog) -> list[Record]:
    """All records of a log, markers left out, as consumers of everything would get them."""
    return list(records_of_all(segment_bytes(log)))


def segment_bytes(log: PartitionLog) -> bytes:
    return b"".join(segment.file.read(0, segment.size) for segment in log.segments)


def records_of_all(content: bytes) -> Iterable[Record]:
    for position, header in whole_batches(content):
        if not header.is_control:
            yield from records_of(content[position : position + header.size], header)


def part_of(log: PartitionLog, disk: SimDisk, wall_ms: int | None = None) -> DirtyPart:
    now_ms = disk.now_ms
    return dirty_part(log, log.log_end_offset, now_ms, now_ms if wall_ms is None else wall_ms)


def clean(
    disk: SimDisk,
    log: PartitionLog,
    limits: CleanerLimits | None = None,
    part: DirtyPart | None = None,
) -> Cleaning:
    """Clean *log* at once, by a clock that the disk has as well."""
    now_ms = disk.now_ms
    cleaning = Cleaning(
        disk, log, part or part_of(log, disk), limits or CleanerLimits(), now_ms, now_ms
    )
    for _ in cleaning.index():
        pass
    for group in cleaning.groups():
        for _ in cleaning.fill(group):
            pass
        log.begin_replacing(group, cleaning.take_new(), now_ms)
        log.end_replacing()
    log.cleaned_offset = cleaning.end_offset
    return cleaning


def read_all(log: PartitionLog) -> bytes:
    """What followers would be sent."""
    found = []
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        content = content_of(log.read(offset, 2**31, log.log_end_offset, whole_first=True))
        if not content:
            break
        found.append(content)
        offset = list(whole_batches(content))[-1].header.next_offset
    return b"".join(found)
