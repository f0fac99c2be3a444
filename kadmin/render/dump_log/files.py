"""Files of a log directory in words: each piece as Kafka's own tool writes it, or as JSON.

The text is that of Kafka 3.9's DumpLogSegments, to the byte.
"""

from base64 import b64encode
from collections.abc import Iterator
from typing import Final, assert_never

from cluster.formats.batch_walk import WalkedBatch
from cluster.formats.checkpoints import EpochEntry
from cluster.formats.coordinator_records import CoordinatorRecord, UnknownRecord
from cluster.formats.indexes import TXN_VERSION as VERSION
from cluster.formats.indexes import AbortedTxn
from cluster.formats.message_fields import UndecodableRecord
from cluster.formats.metadata_records import ControlRecord, MetadataRecord, UndecodableMetadata
from cluster.formats.producer_snapshot import NO_OFFSET, Producer
from cluster.formats.records import Marker
from kadmin.render.dump_log.coordinator_records import (
    coordinator_texts,
    json_coordinator_record,
    why_not_decoded,
)
from kadmin.render.dump_log.metadata_records import (
    control_text,
    json_control,
    json_metadata_record,
    metadata_text,
)
from kadmin.segments.pieces import (
    BatchRecord,
    BootstrapStart,
    EmptyIndex,
    Finding,
    Flaw,
    InvalidBytes,
    OffsetEntry,
    OffsetOfPartition,
    Piece,
    SaneIndex,
    SegmentStart,
    SnapshotStart,
    TimeEntry,
)

CODECS: Final = ("none", "gzip", "snappy", "lz4", "zstd")
END_OF_TRANSACTION: Final = {True: "ABORT", False: "COMMIT"}


def text_line(
    piece: Piece, path: str, *, with_content: bool = False, with_metadata: bool = True
) -> str | None:
    """Return the line of *piece* in the file *path*; None for a finding, which is printed at the
    end.

    A record has key and value *with_content*, all else *with_metadata*.
    """
    match piece:
        case WalkedBatch():
            return batch_line(piece)
        case BatchRecord():
            return record_line(piece, with_content=with_content, with_metadata=with_metadata)
        case SegmentStart(base_offset):
            return f"Log starting offset: {base_offset}"
        case SnapshotStart(end_offset, epoch):
            return f"Snapshot end offset: {end_offset}, epoch: {epoch}"
        case BootstrapStart():
            return "KRaft bootstrap snapshot"
        case InvalidBytes(_, size, _):
            return f"Found {size} invalid bytes at the end of {path.rpartition('/')[2]}"
        case Finding():
            return None
        case EmptyIndex():
            return f"{path} is empty."
        case SaneIndex():
            return f"{path} passed sanity check."
        case Producer():
            return producer_line(piece)
        case _:
            return entry_line(piece)


Entry = OffsetEntry | TimeEntry | AbortedTxn | EpochEntry | OffsetOfPartition


def entry_line(entry: Entry) -> str:
    match entry:
        case OffsetEntry(offset, position):
            return f"offset: {offset} position: {position}"
        case TimeEntry(timestamp, offset):
            return f"timestamp: {timestamp} offset: {offset}"
        case AbortedTxn(producer_id, first_offset, last_offset, last_stable_offset):
            return (
                f"version: {VERSION} producerId: {producer_id} firstOffset: {first_offset}"
                f" lastOffset: {last_offset} lastStableOffset: {last_stable_offset}"
            )
        case EpochEntry(leader_epoch, start_offset):
            return f"epoch: {leader_epoch} startOffset: {start_offset}"
        case OffsetOfPartition(topic, partition, offset):
            return f"topic: {topic} partition: {partition} offset: {offset}"
        case _:
            assert_never(entry)


def batch_line(batch: WalkedBatch) -> str:
    header = batch.header
    if header.magic < 2:
        start = f"offset: {header.last_offset}"
    else:
        start = (
            f"baseOffset: {header.base_offset} lastOffset: {header.last_offset}"
            f" count: {header.record_count} baseSequence: {header.base_sequence}"
            f" lastSequence: {header.last_sequence} producerId: {header.producer_id}"
            f" producerEpoch: {header.producer_epoch} partitionLeaderEpoch: {header.leader_epoch}"
            f" isTransactional: {flag(header.is_transactional)}"
            f" isControl: {flag(header.is_control)}"
            f" deleteHorizonMs: {optional_long(delete_horizon(batch))}"
        )
    return (
        f"{start} position: {batch.position} {timestamp_type(batch)}: {header.max_timestamp}"
        f" size: {header.size} magic: {header.magic} compresscodec: {codec_name(header.codec)}"
        f" crc: {header.crc} isvalid: {flag(batch.is_valid)}"
    )


def record_line(piece: BatchRecord, *, with_content: bool, with_metadata: bool) -> str:
    record, batch = piece.record, piece.batch
    words = []
    if with_metadata:
        words.append(
            f"| offset: {record.offset} {timestamp_type(batch)}: {record.timestamp}"
            f" keySize: {size_of(record.key)} valueSize: {size_of(record.value)}"
        )
        if record.checksum is None:
            names = ",".join(text(name) for name, _ in record.headers)
            words.append(f"sequence: {record.sequence} headerKeys: [{names}]")
        else:
            # The brace is Kafka's.
            words.append(f"isValid: {flag(record.is_valid)} crc: {record.checksum}}}")
        match piece.control:
            case Marker(is_abort, epoch):
                end = END_OF_TRANSACTION[is_abort]
                words.append(f"endTxnMarker: {end} coordinatorEpoch: {epoch}")
            case ControlRecord():
                words.append(control_text(piece.control))
    line = " ".join(words)
    if with_content and not batch.header.is_control:
        key, value = content_texts(piece)
        if key is not None:
            line += f"{' ' if with_metadata else '| '}key: {key}"
        if value is not None:
            line += f" payload: {value}"
    return line


def content_texts(piece: BatchRecord) -> tuple[str | None, str | None]:
    """Return key and value of a record in words; None for what is not printed."""
    record = piece.record
    match piece.decoded:
        case None:
            key = None if record.key is None else text(record.key)
            return key, None if record.value is None else text(record.value)
        case CoordinatorRecord():
            return coordinator_texts(piece.decoded)
        case MetadataRecord() | UndecodableMetadata():
            return None, metadata_text(piece.decoded, record.offset)
        case _:
            return why_not_decoded(piece.decoded, record.offset), None


def producer_line(producer: Producer) -> str:
    line = (
        f"producerId: {producer.producer_id} producerEpoch: {producer.epoch}"
        f" coordinatorEpoch: {producer.coordinator_epoch}"
        f" currentTxnFirstOffset: {optional_long(transaction_offset(producer))}"
        f" lastTimestamp: {producer.last_timestamp} "
    )
    for last in producer.batches[-1:]:
        line += (
            f"firstSequence: {last.first_sequence} lastSequence: {last.last_sequence}"
            f" lastOffset: {last.last_offset} offsetDelta: {last.offset_delta}"
            f" timestamp: {last.timestamp}"
        )
    return line


def text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def flag(fact: bool) -> str:
    return "true" if fact else "false"


def size_of(content: bytes | None) -> int:
    return -1 if content is None else len(content)


def optional_long(number: int | None) -> str:
    return "OptionalLong.empty" if number is None else f"OptionalLong[{number}]"


def delete_horizon(batch: WalkedBatch) -> int | None:
    return batch.header.base_timestamp if batch.header.has_delete_horizon else None


def transaction_offset(producer: Producer) -> int | None:
    return None if producer.transaction_offset == NO_OFFSET else producer.transaction_offset


def timestamp_type(batch: WalkedBatch) -> str:
    if batch.header.magic == 0:
        return "NoTimestampType"
    return "LogAppendTime" if batch.header.is_log_append_time else "CreateTime"


def codec_name(codec: int) -> str:
    return CODECS[codec] if codec < len(CODECS) else f"unknown({codec})"


def json_object(piece: Piece, path: str, *, with_content: bool = False) -> dict[str, object]:
    """Return *piece* of the file *path* as an object of JSON; `type` is its kind."""
    return {"file": path, **json_fields(piece, with_content=with_content)}


def json_fields(piece: Piece, *, with_content: bool) -> dict[str, object]:
    match piece:
        case WalkedBatch():
            return json_batch(piece)
        case BatchRecord():
            return json_record(piece, with_content=with_content)
        case Producer():
            return json_producer(piece)
        case Finding(flaw, said, found, reason):
            return {
                "type": "finding",
                "flaw": str(flaw),
                "is_damage": flaw.is_damage,
                "said": said,
                "found": found,
                "reason": reason,
            }
        case _:
            return {"type": TYPES[type(piece)], **piece._asdict()}


TYPES: Final = {
    SegmentStart: "segment",
    SnapshotStart: "metadata_snapshot",
    BootstrapStart: "bootstrap_snapshot",
    InvalidBytes: "invalid_bytes",
    OffsetEntry: "offset_index_entry",
    TimeEntry: "time_index_entry",
    EmptyIndex: "empty_index",
    SaneIndex: "sane_index",
    AbortedTxn: "aborted_transaction",
    EpochEntry: "leader_epoch",
    OffsetOfPartition: "partition_offset",
}


def json_batch(batch: WalkedBatch) -> dict[str, object]:
    header = batch.header
    return {
        "type": "batch",
        "position": batch.position,
        "size": header.size,
        "magic": header.magic,
        # The header of a message of the old formats has only its last offset.
        "base_offset": header.base_offset if header.magic > 1 else None,
        "last_offset": header.last_offset,
        "record_count": header.record_count if header.magic > 1 else None,
        "leader_epoch": header.leader_epoch,
        "producer_id": header.producer_id,
        "producer_epoch": header.producer_epoch,
        "base_sequence": header.base_sequence,
        "is_transactional": header.is_transactional,
        "is_control": header.is_control,
        "delete_horizon_ms": delete_horizon(batch),
        "timestamp_type": timestamp_type(batch),
        "max_timestamp": header.max_timestamp,
        "codec": codec_name(header.codec),
        "crc": header.crc,
        "is_valid": batch.is_valid,
    }


def json_record(piece: BatchRecord, *, with_content: bool) -> dict[str, object]:
    record = piece.record
    fields: dict[str, object] = {
        "type": "record",
        "offset": record.offset,
        "timestamp": record.timestamp,
        "key_size": size_of(record.key),
        "value_size": size_of(record.value),
        "sequence": record.sequence,
        "header_names": [text(name) for name, _ in record.headers],
    }
    if record.checksum is not None:
        fields |= {"crc": record.checksum, "is_valid": record.is_valid}
    if piece.control is not None:
        return fields | json_of_control(piece.control)
    return fields | json_content(piece, with_content=with_content)


def json_of_control(control: Marker | ControlRecord) -> dict[str, object]:
    if isinstance(control, ControlRecord):
        return json_control(control)
    return {
        "end_of_transaction": END_OF_TRANSACTION[control.is_abort],
        "coordinator_epoch": control.coordinator_epoch,
    }


def json_content(piece: BatchRecord, *, with_content: bool) -> dict[str, object]:
    record, fields = piece.record, dict[str, object]()
    match piece.decoded:
        case CoordinatorRecord():
            return json_coordinator_record(piece.decoded)
        case MetadataRecord():
            return json_metadata_record(piece.decoded)
        case UnknownRecord() | UndecodableRecord():
            fields["not_decoded"] = why_not_decoded(piece.decoded, record.offset)
        case UndecodableMetadata():
            fields["not_decoded"] = metadata_text(piece.decoded, record.offset)
    if with_content:
        fields |= bytes_fields("key", record.key) | bytes_fields("value", record.value)
    return fields


def bytes_fields(name: str, content: bytes | None) -> dict[str, object]:
    """Return *content* as text where it is UTF-8, in base64 under a name of its own where it is
    not."""
    if content is None:
        return {name: None}
    try:
        return {name: content.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": b64encode(content).decode()}


def json_producer(producer: Producer) -> dict[str, object]:
    fields: dict[str, object] = {
        "type": "producer",
        "producer_id": producer.producer_id,
        "producer_epoch": producer.epoch,
        "coordinator_epoch": producer.coordinator_epoch,
        "transaction_first_offset": transaction_offset(producer),
        "last_timestamp": producer.last_timestamp,
    }
    for last in producer.batches[-1:]:
        fields |= {
            "first_sequence": last.first_sequence,
            "last_sequence": last.last_sequence,
            "last_offset": last.last_offset,
        }
    return fields


HEADINGS: Final = {
    Flaw.INDEX_MISMATCH: "Mismatches in :{path}",
    Flaw.TIMESTAMP_MISMATCH: "Found timestamp mismatch in :{path}",
    Flaw.TIMESTAMP_OUT_OF_ORDER: "Found out of order timestamp in :{path}",
    Flaw.INDEXED_OFFSET_NOT_FOUND: "The following indexed offsets are not found in the log.",
    Flaw.NOT_CONSECUTIVE: "Non-consecutive offsets in {path}",
}
"""What Kafka's tool prints at its end, in its order."""

DETAILS: Final = {
    Flaw.INDEX_MISMATCH: "  Index offset: {said}, log offset: {found}",
    Flaw.TIMESTAMP_MISMATCH: "  Index timestamp: {said}, log timestamp: {found}",
    Flaw.TIMESTAMP_OUT_OF_ORDER: (
        "  Index timestamp: {said}, Previously indexed timestamp: {found}"
    ),
    Flaw.INDEXED_OFFSET_NOT_FOUND: "Indexed offset: {said}, found log offset: {found}",
    Flaw.NOT_CONSECUTIVE: "  {said} is followed by {found}",
}

WARNINGS: Final = {
    Flaw.WRONG_CHECKSUM: "byte {said}: the checksum of the batch is wrong",
    Flaw.INVALID_BYTES: "byte {said}: {reason}",
    Flaw.UNREADABLE_RECORDS: "byte {said}: the records of the batch cannot be read: {reason}",
    Flaw.NO_BATCH_AT_POSITION: "offset {said}: no batch begins at byte {found} of the segment",
    Flaw.CORRUPT_FILE: "{reason}",
}
"""What Kafka's tool does not say: it prints something else, or dies."""


def findings_lines(findings: "dict[str, list[Finding]]") -> Iterator[str]:
    """Write what was found wrong, by file, as Kafka's tool prints it behind everything else."""
    for flaw, heading in HEADINGS.items():
        for path, found in findings.items():
            of_flaw = [finding for finding in found if shown_as(finding.flaw) is flaw]
            if of_flaw:
                yield heading.format(path=path)
            for finding in of_flaw:
                yield DETAILS[flaw].format(said=finding.said, found=finding.found)


def shown_as(flaw: Flaw) -> Flaw:
    """Return the flaw that Kafka's tool sees in it."""
    if flaw is Flaw.INDEXED_OFFSET_WITHIN_BATCH:
        return Flaw.INDEXED_OFFSET_NOT_FOUND
    return flaw


def warning(finding: Finding, path: str) -> str | None:
    """Return the warning that is printed at once for *finding*; None where it is printed at the
    end."""
    if finding.flaw is Flaw.UNKNOWN_FILE:
        return f"Ignoring unknown file {path}"
    wording = WARNINGS.get(finding.flaw)
    if wording is None:
        return None
    reason, said, found = finding.reason, finding.said, finding.found
    return f"{path}: {wording.format(said=said, found=found, reason=reason)}"
