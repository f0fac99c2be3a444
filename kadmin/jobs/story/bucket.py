"""The fold of one bucket, which is one task: some partitions' events of all slices to stories."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter

import pyarrow as pa

from kadmin.jobs.story.events import tables_of
from kadmin.statechange.kinds import Kind, Role
from kadmin.story.clocks import OrderPair, order_pairs
from kadmin.story.coverage import Coverage
from kadmin.story.events import Event, Line
from kadmin.story.fold import fold
from kadmin.story.values import Story


@dataclass(frozen=True, slots=True)
class Piece:
    """A bucket of one slice: bytes in a file, or here."""

    path: str | None
    begin: int
    size: int
    data: bytes = b""

    def read(self) -> bytes:
        if self.path is None:
            return self.data
        with open(self.path, "rb") as file:
            file.seek(self.begin)
            return file.read(self.size)


@dataclass(frozen=True, slots=True)
class LocalPiece(Piece):
    """One in a file that no other machine sees: its bytes travel, when a task is sent."""

    def __reduce__(self) -> tuple[type[Piece], tuple[None, int, int, bytes]]:
        return Piece, (None, 0, self.size, self.read())


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketTask:
    """All pieces of one bucket, in the order of time.

    *shifts_ms* is added to the times of a source.
    """

    pieces: tuple[Piece, ...]
    coverage: Coverage
    shifts_ms: Mapping[str, int] = field(default_factory=dict)


def fold_bucket(task: BucketTask) -> list[Story]:
    """Return the stories of all partitions of a bucket."""
    return [
        story
        for (topic, partition), events in events_of(task).items()
        for story in fold(topic, partition, events, task.coverage)
    ]


def pairs_of_bucket(task: BucketTask) -> list[OrderPair]:
    """Return the fastest orders from each source to each other one, by all partitions of a
    bucket."""
    return order_pairs(events_of(task).values())


def events_of(task: BucketTask) -> dict[tuple[str, int], list[Event]]:
    """Return the events of each partition, in the order of time."""
    found: dict[tuple[str, int], list[Event]] = {}
    for table in tables_of(piece.read() for piece in task.pieces if piece.size):
        topics = table.column("topic").to_pylist()
        partitions = table.column("partition").to_pylist()
        for topic, partition, event in zip(
            topics, partitions, read_events(table, task.shifts_ms), strict=True
        ):
            found.setdefault((topic, partition), []).append(event)
    if task.shifts_ms:
        for events in found.values():
            events.sort(key=attrgetter("time_ms"))
    return found


def read_events(table: pa.Table, shifts_ms: Mapping[str, int]) -> Iterator[Event]:
    """Return the rows of *table* as events; rows without a time are left out of no story."""
    names: dict[str, str] = {}
    texts: dict[str, str] = {}
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    for index in range(table.num_rows):
        row = {name: column[index] for name, column in columns.items()}
        source = names.setdefault(row["source"], row["source"])
        isr = row["isr"]
        yield Event(
            line=Line(
                time_ms=row["time"] + shifts_ms.get(source, 0),
                source=source,
                file=texts.setdefault(row["file"], row["file"]),
                number=row["line"],
                text=f"{row['level'] or '-'} {row['message']}",
            ),
            kind=Kind(row["kind"]),
            role=None if row["role"] is None else Role(row["role"]),
            broker=row["broker"],
            controller_id=row["controller_id"],
            controller_epoch=row["controller_epoch"],
            from_state=row["from_state"],
            to_state=row["to_state"],
            leader=row["leader"],
            isr=None if isr is None else tuple(isr),
            leader_epoch=row["leader_epoch"],
            zk_version=row["zk_version"],
            correlation_id=row["correlation_id"],
            peer_broker=row["peer_broker"],
        )
