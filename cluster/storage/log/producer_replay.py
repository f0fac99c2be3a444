"""Producer state from the disk: what the producers did, according to the log itself.

Reads the newest snapshot that is whole, and the batches after it.
"""

from collections.abc import Iterable, Sequence

from cluster.formats import producer_snapshot
from cluster.formats.batch_walk import headers
from cluster.formats.errors import CorruptFileError
from cluster.formats.segment_names import base_offset_of, file_name
from cluster.storage.files import Files, read_whole, remove_if_there
from cluster.storage.log.producer_state import ProducerState
from cluster.storage.segments.segment import Segment


def snapshot_offsets(files: Files, directory: str) -> tuple[int, ...]:
    """Return the offsets of all snapshots in *directory*, lowest first."""
    return offsets_in(entry.name for entry in files.list(directory))


def offsets_in(names: Iterable[str]) -> tuple[int, ...]:
    """Return the offsets of the snapshots among *names*, lowest first."""
    offsets = (base_offset_of(name, producer_snapshot.SUFFIX) for name in names)
    return tuple(sorted(offset for offset in offsets if offset is not None))


def snapshot_path(directory: str, offset: int) -> str:
    return f"{directory}/{file_name(offset, producer_snapshot.SUFFIX)}"


def rebuilt_state(
    files: Files,
    directory: str,
    snapshots: Sequence[int],
    segments: Sequence[Segment],
    end_offset: int,
    now_ms: int,
) -> ProducerState:
    """Return the state of all producers up to *end_offset*.

    *snapshots* are the offsets of the existing snapshots.  Those beyond *end_offset* or before the
    first segment, and damaged ones, are removed.  Of a producer in a snapshot only the last batch
    before it is known, as after every start of a Kafka broker.  All count as active at *now_ms*:
    Kafka compares the times of their records with the machine's clock, and expires producers when
    that was set forward.
    """
    state = ProducerState(segments[0].base_offset, now_ms)
    for offset in sorted(snapshots, reverse=True):
        path = snapshot_path(directory, offset)
        if segments[0].base_offset <= offset <= end_offset:
            try:
                producers = producer_snapshot.decode(read_whole(files, path) or b"", path)
            except CorruptFileError:
                pass
            else:
                state = ProducerState(offset, now_ms, producers)
                break
        # Beyond the end its offsets will be given to other records: then it would be wrong.
        remove_if_there(files, path)
    replay(state, segments, end_offset, now_ms)
    return state


def replay(state: ProducerState, segments: Sequence[Segment], end_offset: int, now_ms: int) -> None:
    """Note the batches of *segments* from the state's end up to *end_offset*."""
    for number, segment in enumerate(segments, start=1):
        if number < len(segments) and segments[number].base_offset <= state.end_offset:
            continue
        start = segment.position_of(max(state.end_offset, segment.base_offset))
        if start is None:
            continue
        for position, header in headers(segment.file, start, segment.size):
            if header.last_offset >= end_offset:
                break
            state.note_stored(segment.file, position, header, now_ms)
    state.end_offset = end_offset


def keep_snapshots(
    files: Files, directory: str, snapshots: Sequence[int], segments: Sequence[Segment]
) -> None:
    """Remove the *snapshots* that are neither a segment's beginning nor the newest."""
    bases = {segment.base_offset for segment in segments}
    for offset in sorted(snapshots)[:-1]:
        if offset not in bases:
            remove_if_there(files, snapshot_path(directory, offset))


def remove_snapshots(files: Files, directory: str) -> None:
    """Remove all snapshots: the log restarts, and has no producers."""
    for offset in snapshot_offsets(files, directory):
        remove_if_there(files, snapshot_path(directory, offset))


def write_snapshot(files: Files, directory: str, state: ProducerState) -> None:
    """Write the state to the snapshot of its end, without waiting for the disk.

    A crash may leave it torn; then its checksum is wrong, and the snapshot before it is used.
    """
    file = files.open(snapshot_path(directory, state.end_offset), create=True)
    try:
        file.truncate(0)
        file.write(0, producer_snapshot.encode(state.producers))
    finally:
        file.close()
