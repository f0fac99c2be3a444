"""A collection: files of many brokers in one place, and its manifest.

Where the files come from and how they are copied is left to others.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from kadmin.errors import KadminError
from kadmin.jobs.collection_store import CollectionStore

SCHEMA: Final = "kadmin.collection/1"
MANIFEST: Final = "manifest.json"
JOURNAL: Final = "manifest.jsonl"
"""One line for each file that is there whole, while others are still to come."""

SNAPSHOT: Final = "snapshot.json"
"""The state that the cluster reported."""
OWN: Final = frozenset({MANIFEST, JOURNAL, SNAPSHOT})
"""What is in a collection and no file of a broker."""

HINT: Final = "kadmin collect DIR makes one; log directories are named by --log-dir BROKER=PATH"
DAMAGED_HINT: Final = (
    "carry the manifest here again from where it was collected, or collect into a new directory"
)

BROKER_ID_MAX: Final = 2**31 - 1

WHOLE_SIZE_MAX: Final = 1024**3
"""How large a manifest may be: one of a million files has a third of that."""

LOG_DIR: Final = "log_dir"
LOGS: Final = "logs"


class CollectedFile(NamedTuple):
    """A file of a collection, and the one that it was copied from."""

    path: str
    """Below the collection."""
    broker: str
    kind: str
    """LOG_DIR or LOGS."""
    root: str
    """The directory below the collection for all that came from one place."""
    source: str
    size_bytes: int
    sha256: str
    source_size_bytes: int
    source_mtime_ns: int
    cut_bytes: int
    """Of the source at its end, where a batch was being written."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in a collection."""

    files: Mapping[str, CollectedFile]
    missing: Sequence[Mapping[str, str]] = ()
    """What could not be collected, each with its `label` and `reason`."""
    topics: tuple[str, ...] | None = None
    """Of which topics log directories were collected, names and globs; none: of all.  None as long
    as no run that was to collect some has come to its end."""
    is_finished: bool = True
    """Whether the last run came to its end; otherwise files may be missing."""


class NoCollection(KadminError):
    """A directory that no collection is in, or a damaged one."""

    def __init__(self, store: CollectionStore, reason: str, hint: str = HINT) -> None:
        super().__init__(f"{store.label} is no collection: {reason}", hint=hint)


def read_manifest(store: CollectionStore) -> Manifest:
    """Return the manifest of the collection in *store*, also of one that is not finished.

    Raises:
        NoCollection: there is none, or it cannot be understood.
    """
    if not store.is_there():
        raise NoCollection(store, "there is no such directory, or it is a file")
    try:
        manifest = read_json(store)
        # Both, where a finished collection is being brought up to date.
        files = {each.path: each for each in (*finished(manifest), *unfinished(store))}
        missing = [
            {name: text_of(each, name, place) for name in ("label", "reason")}
            for place, each in entries(manifest, "missing")
        ]
        topics = topics_in(manifest)
    except (OSError, ValueError, RecursionError) as error:
        reason = f"its manifest cannot be read: {error}"
        raise NoCollection(store, reason, DAMAGED_HINT) from error
    is_finished = store.size_of(JOURNAL) is None
    if is_finished and store.size_of(MANIFEST) is None:
        raise NoCollection(store, f"there is no {MANIFEST} in it")
    return Manifest(files, missing, topics, is_finished=is_finished)


def text_in(store: CollectionStore, path: str) -> str:
    if (store.size_of(path) or 0) > WHOLE_SIZE_MAX:
        raise ValueError(f"{path} has more than {WHOLE_SIZE_MAX:,} bytes")
    with store.opened(path) as file:
        return file.read(WHOLE_SIZE_MAX).decode("utf-8-sig")


def read_json(store: CollectionStore) -> Mapping[str, Any]:
    """Return the contents of the manifest; empty where there is none yet.

    Raises:
        ValueError: it is no manifest.
    """
    try:
        manifest = json.loads(text_in(store, MANIFEST))
    except FileNotFoundError:
        return {}
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        raise ValueError(f"its schema is not {SCHEMA}")
    return manifest


def entries(manifest: Mapping[str, Any], name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Return the entries of the manifest's field *name*, each after the words for where it is.

    Raises:
        ValueError: the manifest has no such list, or another thing than an object is in it.
    """
    if not manifest:
        return
    if not isinstance(manifest.get(name), list):
        raise ValueError(f"'{name}' is " + ("no list" if name in manifest else "missing"))
    for number, each in enumerate(manifest[name]):
        yield f"{name}[{number}]", object_of(each, f"{name}[{number}]")


def topics_in(manifest: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the manifest's `topics`; none in one that was written before there were such.

    Raises:
        ValueError: they are neither null nor a list of texts, none of them empty.
    """
    topics = manifest.get("topics", []) if manifest else None
    if topics is None:
        return None
    if not isinstance(topics, list) or not all(isinstance(each, str) and each for each in topics):
        raise ValueError("'topics' is no list of topics")
    return tuple(topics)


def object_of(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{place} is no object")
    return value


def text_of(fields: Mapping[str, Any], name: str, place: str) -> str:
    if not isinstance(fields.get(name), str):
        raise ValueError(f"'{name}' of {place} is " + ("no text" if name in fields else "missing"))
    return str(fields[name])


def finished(manifest: Mapping[str, Any]) -> Iterator[CollectedFile]:
    for place, fields in entries(manifest, "files"):
        yield file_of(fields, place)


def unfinished(store: CollectionStore) -> Iterator[CollectedFile]:
    try:
        lines = text_in(store, JOURNAL).splitlines(keepends=True)
    except FileNotFoundError:
        return
    for number, line in enumerate(lines, start=1):
        if line.endswith("\n"):  # The last one may be cut off by whatever ended the run.
            place = f"line {number} of {JOURNAL}"
            yield file_of(object_of(json.loads(line), place), place)


def file_of(fields: Mapping[str, Any], place: str) -> CollectedFile:
    """Return the file that a manifest lists at *place*.

    Raises:
        ValueError: a field is missing or wrong, or the file lies elsewhere.
    """
    for name in CollectedFile._fields:
        if name not in fields:
            raise ValueError(f"'{name}' of {place} is missing")
        if not isinstance(fields[name], CollectedFile.__annotations__[name]):
            raise ValueError(f"'{name}' of {place} is {fields[name]!r}")
    unknown = sorted(fields.keys() - set(CollectedFile._fields))
    if unknown:
        raise ValueError(f"{place} has '{unknown[0]}', which is no field of a file")
    file = CollectedFile(**fields)
    if not re.fullmatch("[0-9]{1,10}", file.broker) or int(file.broker) > BROKER_ID_MAX:
        raise ValueError(f"'broker' of {place} is {file.broker!r}")
    for path in (file.path, file.root):
        if PurePath(path).is_absolute() or ".." in PurePath(path).parts or "\0" in path:
            raise ValueError(f"{path!r} is not below it")
    return file


def note(journal: Callable[[str], None], file: CollectedFile) -> None:
    """Note that *file* is there, before the next one is begun."""
    journal(json.dumps(file._asdict()))


def finish(
    store: CollectionStore,
    files: Iterable[CollectedFile],
    missing: Sequence[Any],
    topics: Sequence[str] | None,
) -> None:
    """Write the manifest of all *files*, of which *topics*, and what is *missing*; the journal is
    done with then."""
    body = {
        "schema": SCHEMA,
        "topics": None if topics is None else list(topics),
        "files": [each._asdict() for each in sorted(files)],
        "missing": [each._asdict() for each in missing],
    }
    store.write(MANIFEST, (json.dumps(body, indent=1) + "\n").encode())
    store.remove(JOURNAL)


def unnamed_brokers(store: CollectionStore, manifest: Manifest) -> list[str]:
    """Return the directories of brokers in the collection of which *manifest* names no file.

    Those of log directories and of logs, each: a manifest that was cut may name one of them.
    """
    named = {PurePath(file.root) for file in manifest.files.values()}
    files = map(PurePath, store.paths())
    found = {
        PurePath(*each.parts[:2])
        for each in files
        if each.parts[0].startswith("broker-") and len(each.parts) > 2
    }
    return [
        str(each) for each in sorted(found) if not any(root.is_relative_to(each) for root in named)
    ]


def log_dirs_of(store: CollectionStore, manifest: Manifest) -> list[tuple[str, str]]:
    """Return the log directories in a collection: the brokers' ids and the places.

    Raises:
        NoCollection: there is none, or one is elsewhere.
    """
    roots = {
        (int(each.broker), each.root) for each in manifest.files.values() if each.kind == LOG_DIR
    }
    if not roots:
        raise NoCollection(store, "there is no log directory in it")
    try:
        return [(str(broker), store.place(root)) for broker, root in sorted(roots)]
    except OSError as error:
        raise NoCollection(store, f"{error.filename}: {error.strerror}", DAMAGED_HINT) from error
