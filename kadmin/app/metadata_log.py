"""The metadata log of a KRaft controller in a directory: its newest snapshot and what follows."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cluster.formats.batch_walk import Walk
from cluster.formats.metadata_records import MetadataRecord, decoded
from cluster.formats.record_batch import CorruptBatchError
from cluster.formats.records import records_of
from kadmin.errors import KadminError
from kadmin.jobs.collection import MANIFEST
from kadmin.jobs.segment_files import opened_file
from kadmin.plan.migration.stores import MetadataImage
from kadmin.wording import listed

LOG: Final = "__cluster_metadata-0"
SEGMENT: Final = re.compile(r"([0-9]{20})\.log")
SNAPSHOT: Final = re.compile(r"([0-9]{20})-[0-9]{10}\.checkpoint")


class UnreadableMetadataLogError(KadminError):
    """A directory that has no metadata log, or one that cannot be read."""

    def __init__(self, directory: Path, reason: str) -> None:
        super().__init__(
            f"{directory}: {reason}",
            hint=f"--metadata-dir DIR, a log directory of a KRaft controller, or a copy of {LOG}",
        )


def read_image(directory: Path) -> MetadataImage:
    """Read what the log in *directory*, or in a `__cluster_metadata-0` below it, adds up to.

    Raises:
        UnreadableMetadataLogError: there is none, or several are below it, a part of it is missing,
            or it is damaged; the last batch may be incomplete, as a controller writes on.
    """
    directory = log_in(directory)
    try:
        names = sorted(path.name for path in directory.iterdir())
        return image_of(directory, names)
    except OSError as error:
        raise UnreadableMetadataLogError(directory, error.strerror or str(error)) from error
    except CorruptBatchError as error:
        raise UnreadableMetadataLogError(directory, error.reason) from error


def log_in(directory: Path) -> Path:
    """Return where the log is in *directory*: of a collection, that is below it.

    Raises:
        UnreadableMetadataLogError: several are there, of several controllers.
    """
    if (directory / LOG).is_dir():
        return directory / LOG
    if not (directory / MANIFEST).is_file():
        return directory
    found = sorted(directory.rglob(LOG))
    if len(found) > 1:
        names = listed([str(each.relative_to(directory)) for each in found])
        raise UnreadableMetadataLogError(directory, f"it has {names}: name one of them")
    return found[0] if found else directory


def image_of(directory: Path, names: list[str]) -> MetadataImage:
    snapshots = {int(found[1]): name for name in names if (found := SNAPSHOT.fullmatch(name))}
    segments = {int(found[1]): name for name in names if (found := SEGMENT.fullmatch(name))}
    if not segments and not snapshots:
        raise UnreadableMetadataLogError(directory, "there is no metadata log of KRaft")
    image = MetadataImage()
    start = max(snapshots, default=0)
    if start in snapshots:
        for _, record in records_in(directory / snapshots[start]):
            if record is not None:
                # Its own offsets count from 0.
                image.replay(start - 1, record)
    image.end_offset = start
    first = max((base for base in segments if base <= start), default=start)
    for base in (base for base in segments if base >= first):
        if base > image.end_offset:
            reason = f"the records from offset {image.end_offset} to {base} are missing"
            raise UnreadableMetadataLogError(directory, reason)
        for offset, record in records_in(directory / segments[base]):
            if offset < start:
                continue
            image.end_offset = offset + 1
            if record is not None:
                image.replay(offset, record)
    return image


def records_in(path: Path) -> Iterator[tuple[int, MetadataRecord | None]]:
    """Yield the records of a segment or snapshot with their offsets; None for one of the quorum's.

    Raises:
        CorruptBatchError: a batch or a record in it is damaged, or of a later Kafka release.  The
            end of a segment may be cut off: a controller writes it.
        OSError: the file cannot be read.
    """
    with opened_file(path) as source:
        walk = Walk(source, source.size)
        for batch in walk:
            if not batch.is_valid:
                raise CorruptBatchError(batch.position, f"{path.name}: a wrong checksum")
            if batch.header.is_control:
                yield batch.header.last_offset, None
                continue
            for record in records_of(walk.content(batch), batch.header):
                found = decoded(record)
                if not isinstance(found, MetadataRecord):
                    raise CorruptBatchError(
                        0, f"{path.name}: offset {record.offset}: {found.reason}"
                    )
                yield record.offset, found
        if walk.tail.size and not (walk.tail.is_torn and SEGMENT.fullmatch(path.name)):
            raise CorruptBatchError(walk.tail.position, f"{path.name}: {walk.tail.reason}")
