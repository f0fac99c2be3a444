"""Checkpoints of a log directory: an offset for each partition."""

from collections.abc import Mapping

from cluster.formats.checkpoints import encode_rows, parse_rows
from cluster.model.ids import TopicPartition
from cluster.storage.files import Files, read_whole, replace_whole


def read_offsets(files: Files, directory: str, name: str) -> dict[TopicPartition, int]:
    """Return the offset of each partition that the checkpoint names; none when there is no file.

    Raises:
        CorruptFileError: it is damaged.
    """
    path = f"{directory}/{name}"
    rows = parse_rows(read_whole(files, path) or b"", path, width=3)
    return {TopicPartition(topic, int(number)): int(offset) for topic, number, offset in rows}


def write_offsets(
    files: Files, directory: str, name: str, offsets: Mapping[TopicPartition, int]
) -> None:
    """Replace the offsets of all partitions, durably and all at once."""
    rows = (f"{of.topic} {of.partition} {offset}" for of, offset in sorted(offsets.items()))
    replace_whole(files, directory, name, encode_rows(rows))
