"""Small files of properties: the owner of a log directory, and the topic id of a partition."""

from typing import Final

from cluster.formats.errors import CorruptFileError

META_PROPERTIES: Final = "meta.properties"
PARTITION_METADATA: Final = "partition.metadata"
VERSION: Final = "0"


def owner_in(content: bytes, path: str) -> tuple[str | None, str | None]:
    """Return the broker and the cluster in the *content* of the `meta.properties` at *path*, also
    of a KRaft broker; None for one that is missing.

    Raises:
        CorruptFileError: there is content, but neither of these.
    """
    values = pairs_in(content, path, separator="=")
    broker, cluster = values.get("broker.id") or values.get("node.id"), values.get("cluster.id")
    says_something = any(line.strip() for line in content.splitlines() if line[:1] != b"#")
    if says_something and broker is None and cluster is None:
        raise CorruptFileError(path, "it names neither a broker nor a cluster")
    return broker, cluster


def topic_id_in(content: bytes, path: str) -> str:
    """Return the topic id in the *content* of the `partition.metadata` at *path*.

    Raises:
        CorruptFileError: it names none.
    """
    values = pairs_in(content, path, separator=":")
    if values.get("version") != VERSION or not values.get("topic_id"):
        raise CorruptFileError(path, "it names no topic id of version 0")
    return values["topic_id"]


def topic_id_path(directory: str) -> str:
    return f"{directory}/{PARTITION_METADATA}"


def encoded_topic_id(topic_id: str) -> bytes:
    return f"version: {VERSION}\ntopic_id: {topic_id}".encode("ascii")


def pairs_in(content: bytes, path: str, separator: str) -> dict[str, str]:
    """Return the lines `key<separator>value` in the *content* of *path*, `#` lines left out."""
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise CorruptFileError(path, "it is no UTF-8 text") from None
    pairs = (line.partition(separator) for line in lines if line and not line.startswith("#"))
    return {key.strip(): value.strip() for key, _, value in pairs}
