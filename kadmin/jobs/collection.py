"""A collection: files of many brokers in one directory, and what its manifest says of them.

Knows neither where the files come from nor how they are copied.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple, TextIO

from kadmin.errors import KadminError

SCHEMA: Final = "kadmin.collection/1"
MANIFEST: Final = "manifest.json"
JOURNAL: Final = "manifest.jsonl"
"""One line for each file that is there whole, while others are still to come."""

SNAPSHOT: Final = "snapshot.json"
"""What the cluster told of itself."""
OWN: Final = frozenset({MANIFEST, f"{MANIFEST}.new", JOURNAL, SNAPSHOT})
"""What is in a collection and no file of a broker."""
PART: Final = ".part"
"""How the name of a file ends that is not there whole yet."""

HINT: Final = "kadmin collect DIR makes one; log directories are named by --log-dir BROKER=PATH"
DAMAGED_HINT: Final = (
    "carry the manifest here again from where it was collected, or collect into a new directory"
)

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
    is_finished: bool = True
    """Whether the last run came to its end; otherwise files may be missing."""


class NoCollection(KadminError):
    """A directory that no collection is in, or a damaged one."""

    def __init__(self, directory: Path, reason: str, hint: str = HINT) -> None:
        super().__init__(f"{directory} is no collection: {reason}", hint=hint)


def read_manifest(directory: Path) -> Manifest:
    """The manifest of the collection in *directory*, also of one that is not finished.

    Raises:
        NoCollection: there is none, or it cannot be understood.
    """
    if not directory.is_dir():
        raise NoCollection(directory, "there is no such directory")
    try:
        # Both, where a finished collection is being brought up to date.
        files = {each.path: each for each in (*finished(directory), *unfinished(directory))}
        missing = [
            {name: text_of(each, name, place) for name in ("label", "reason")}
            for place, each in entries(directory, "missing")
        ]
    except (OSError, ValueError, RecursionError) as error:
        reason = f"its manifest cannot be read: {error}"
        raise NoCollection(directory, reason, DAMAGED_HINT) from error
    if not (directory / MANIFEST).exists() and not (directory / JOURNAL).exists():
        raise NoCollection(directory, f"there is no {MANIFEST} in it")
    return Manifest(files, missing, is_finished=not (directory / JOURNAL).exists())


def read_json(directory: Path) -> Mapping[str, Any]:
    try:
        told = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise ValueError(f"its schema is not {SCHEMA}")
    return told


def entries(directory: Path, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The entries of the manifest's field *name*, each after the words for where it is.

    Raises:
        ValueError: the manifest has no such list, or another thing than an object is in it.
    """
    told = read_json(directory)
    if not told:
        return
    if not isinstance(told.get(name), list):
        raise ValueError(f"'{name}' is " + ("no list" if name in told else "missing"))
    for number, each in enumerate(told[name]):
        yield f"{name}[{number}]", object_of(each, f"{name}[{number}]")


def object_of(told: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(told, dict):
        raise ValueError(f"{place} is no object")
    return told


def text_of(fields: Mapping[str, Any], name: str, place: str) -> str:
    if not isinstance(fields.get(name), str):
        raise ValueError(f"'{name}' of {place} is " + ("no text" if name in fields else "missing"))
    return str(fields[name])


def finished(directory: Path) -> Iterator[CollectedFile]:
    for place, fields in entries(directory, "files"):
        yield file_of(fields, place)


def unfinished(directory: Path) -> Iterator[CollectedFile]:
    try:
        lines = (directory / JOURNAL).read_text(encoding="utf-8").splitlines(keepends=True)
    except FileNotFoundError:
        return
    for number, line in enumerate(lines, start=1):
        if line.endswith("\n"):  # The last one may be cut off by whatever ended the run.
            place = f"line {number} of {JOURNAL}"
            yield file_of(object_of(json.loads(line), place), place)


def file_of(fields: Mapping[str, Any], place: str) -> CollectedFile:
    """The file that a manifest tells of at *place*.

    Raises:
        ValueError: it is not told of as it has to be, or lies elsewhere.
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
    if not re.fullmatch("[0-9]{1,10}", file.broker):
        raise ValueError(f"'broker' of {place} is {file.broker!r}")
    for path in (file.path, file.root):
        if PurePath(path).is_absolute() or ".." in PurePath(path).parts or "\0" in path:
            raise ValueError(f"{path!r} is not below it")
    return file


def note(journal: TextIO, file: CollectedFile) -> None:
    """Note that *file* is there, before the next one is begun."""
    journal.write(json.dumps(file._asdict()) + "\n")
    journal.flush()


def finish(directory: Path, files: Iterable[CollectedFile], missing: Sequence[Any]) -> None:
    """Write the manifest of all *files*, and what is *missing*; the journal is done with then."""
    body = {
        "schema": SCHEMA,
        "files": [each._asdict() for each in sorted(files)],
        "missing": [each._asdict() for each in missing],
    }
    new = directory / f"{MANIFEST}.new"
    new.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
    os.replace(new, directory / MANIFEST)
    (directory / JOURNAL).unlink(missing_ok=True)


def unnamed_brokers(directory: Path, manifest: Manifest) -> list[str]:
    """The directories of brokers in the collection of which *manifest* names no file.

    Those of log directories and of logs, each: a manifest that was cut may name one of them.
    """
    named = {PurePath(file.root) for file in manifest.files.values()}
    found = (each.relative_to(directory) for each in sorted(directory.glob("broker-*/*")))
    return [
        str(each)
        for each in found
        if (directory / each).is_dir() and not any(root.is_relative_to(each) for root in named)
    ]


def log_dirs_of(directory: Path) -> list[str]:
    """The log directories in a collection, as `--log-dir` takes them.

    Raises:
        NoCollection: there is no collection.
    """
    roots = {
        (int(each.broker), each.root)
        for each in read_manifest(directory).files.values()
        if each.kind == LOG_DIR
    }
    return [f"{broker}={directory / root}" for broker, root in sorted(roots)]
