"""Owners: whose a log directory is, and which topic's a partition.

Reads and writes `meta.properties` of a log directory and `partition.metadata` of a partition.
"""

from dataclasses import dataclass

from cluster.formats.errors import CorruptFileError
from cluster.formats.properties import (
    META_PROPERTIES,
    PARTITION_METADATA,
    VERSION,
    encoded_topic_id,
    pairs_in,
    topic_id_in,
    topic_id_path,
)
from cluster.model.ids import BrokerId
from cluster.storage.files import Files, read_whole, replace_whole


@dataclass(frozen=True, slots=True)
class MetaProperties:
    """The broker and the cluster that own a log directory; None where none is written yet."""

    broker_id: BrokerId
    cluster_id: str | None


def read_meta_properties(files: Files, directory: str) -> MetaProperties | None:
    """Return the directory's owner; None while it has none.

    Raises:
        CorruptFileError: the file is damaged, or a KRaft broker's.
    """
    path = f"{directory}/{META_PROPERTIES}"
    content = read_whole(files, path)
    if content is None:
        return None
    values = pairs_in(content, path, separator="=")
    if values.get("version") != VERSION:
        said = values.get("version", "missing")
        raise CorruptFileError(path, f"version is {said}, a broker with ZooKeeper writes {VERSION}")
    broker_id = values.get("broker.id", "")
    if not (broker_id.isascii() and broker_id.isdigit()):
        raise CorruptFileError(path, f"broker.id is {broker_id!r}, which is no broker")
    return MetaProperties(BrokerId(int(broker_id)), values.get("cluster.id"))


def write_meta_properties(files: Files, directory: str, properties: MetaProperties) -> None:
    """Write the owner of the directory, durably."""
    lines = [f"broker.id={properties.broker_id}", f"version={VERSION}"]
    if properties.cluster_id is not None:
        lines.append(f"cluster.id={properties.cluster_id}")
    content = "".join(f"{line}\n" for line in ("#", *lines))
    replace_whole(files, directory, META_PROPERTIES, content.encode("ascii"))


def read_topic_id(files: Files, directory: str) -> str | None:
    """Return the topic id of a partition, in 22 characters; None when it has none.

    Raises:
        CorruptFileError: the file is damaged.
    """
    path = topic_id_path(directory)
    content = read_whole(files, path)
    return None if content is None else topic_id_in(content, path)


def write_topic_id(files: Files, directory: str, topic_id: str) -> None:
    """Write the topic id of a partition, durably."""
    replace_whole(files, directory, PARTITION_METADATA, encoded_topic_id(topic_id))


def begin_topic_id(files: Files, directory: str, topic_id: str) -> None:
    """Write the topic id to a new partition directory, without waiting for the disk.

    A crash may leave the file torn, beside a log of which nothing is durable either.
    """
    file = files.open(topic_id_path(directory), create=True)
    try:
        file.write(0, encoded_topic_id(topic_id))
    finally:
        file.close()
