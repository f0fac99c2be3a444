"""Owners: whose a log directory is, and which topic's a partition.

Reads and writes `meta.properties` of a log directory and `partition.metadata` of a partition.
"""

from dataclasses import dataclass
from typing import Final

from cluster.model.ids import BrokerId
from cluster.storage.errors import CorruptFileError
from cluster.storage.files import Files, read_whole, replace_whole

META_PROPERTIES: Final = "meta.properties"
PARTITION_METADATA: Final = "partition.metadata"
VERSION: Final = "0"


@dataclass(frozen=True, slots=True)
class MetaProperties:
    """To which broker of which cluster a log directory belongs; None is "not said yet"."""

    broker_id: BrokerId
    cluster_id: str | None


def read_meta_properties(files: Files, directory: str) -> MetaProperties | None:
    """The directory's owner; None when nobody signed it yet.

    Raises:
        CorruptFileError: it is damaged, or a KRaft broker's.
    """
    path = f"{directory}/{META_PROPERTIES}"
    values = read_pairs(files, path, separator="=")
    if values is None:
        return None
    if values.get("version") != VERSION:
        said = values.get("version", "missing")
        raise CorruptFileError(path, f"version is {said}, a broker with ZooKeeper writes {VERSION}")
    broker_id = values.get("broker.id", "")
    if not (broker_id.isascii() and broker_id.isdigit()):
        raise CorruptFileError(path, f"broker.id is {broker_id!r}, which is no broker")
    return MetaProperties(BrokerId(int(broker_id)), values.get("cluster.id"))


def write_meta_properties(files: Files, directory: str, properties: MetaProperties) -> None:
    """Sign the directory, durably."""
    lines = [f"broker.id={properties.broker_id}", f"version={VERSION}"]
    if properties.cluster_id is not None:
        lines.append(f"cluster.id={properties.cluster_id}")
    content = "".join(f"{line}\n" for line in ("#", *lines))
    replace_whole(files, directory, META_PROPERTIES, content.encode("ascii"))


def read_topic_id(files: Files, directory: str) -> str | None:
    """The topic id of a partition, in 22 characters; None when it has none.

    Raises:
        CorruptFileError: the file is damaged.
    """
    path = topic_id_path(directory)
    content = read_whole(files, path)
    if content is None:
        return None
    return topic_id_in(content, path)


def topic_id_in(content: bytes, path: str) -> str:
    """The topic id in the *content* of the `partition.metadata` at *path*.

    Raises:
        CorruptFileError: it names none.
    """
    values = pairs_in(content, path, separator=":")
    if values.get("version") != VERSION or not values.get("topic_id"):
        raise CorruptFileError(path, "it names no topic id of version 0")
    return values["topic_id"]


def owner_in(content: bytes, path: str) -> tuple[str | None, str | None]:
    """The broker and the cluster in the *content* of the `meta.properties` at *path*, also of a
    KRaft broker; None of the one that it does not say.

    Raises:
        CorruptFileError: it says something, and neither of these.
    """
    values = pairs_in(content, path, separator="=")
    broker, cluster = values.get("broker.id") or values.get("node.id"), values.get("cluster.id")
    says_something = any(line.strip() for line in content.splitlines() if line[:1] != b"#")
    if says_something and broker is None and cluster is None:
        raise CorruptFileError(path, "it names neither a broker nor a cluster")
    return broker, cluster


def write_topic_id(files: Files, directory: str, topic_id: str) -> None:
    """Say whose partition this is, durably."""
    replace_whole(files, directory, PARTITION_METADATA, encoded_topic_id(topic_id))


def begin_topic_id(files: Files, directory: str, topic_id: str) -> None:
    """Say in a new directory whose partition it is, without waiting for the disk.

    A crash may leave the file torn, beside a log of which nothing is durable either.
    """
    file = files.open(topic_id_path(directory), create=True)
    try:
        file.write(0, encoded_topic_id(topic_id))
    finally:
        file.close()


def topic_id_path(directory: str) -> str:
    return f"{directory}/{PARTITION_METADATA}"


def encoded_topic_id(topic_id: str) -> bytes:
    return f"version: {VERSION}\ntopic_id: {topic_id}".encode("ascii")


def read_pairs(files: Files, path: str, separator: str) -> dict[str, str] | None:
    """The lines `key<separator>value` of a small file, `#` lines left out; None without a file."""
    content = read_whole(files, path)
    return None if content is None else pairs_in(content, path, separator)


def pairs_in(content: bytes, path: str, separator: str) -> dict[str, str]:
    """The same of the *content* of *path*."""
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise CorruptFileError(path, "it is no UTF-8 text") from None
    pairs = (line.partition(separator) for line in lines if line and not line.startswith("#"))
    return {key.strip(): value.strip() for key, _, value in pairs}
