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

    def __init__(self, directory: Path, reason: str) -> None:
        super().__init__(
            f"{directory} is no collection: {reason}",
            hint="kadmin collect DIR makes one; log directories are named by --log-dir BROKER=PATH",
        )


def read_manifest(directory: Path) -> Manifest:
    """The manifest of the collection in *directory*, also of one that is not finished.

    Raises:
        NoCollection: there is none, or it cannot be understood.
    """
    try:
        # Both, where a finished collection is being brought up to date.
        files = {each.path: each for each in (*finished(directory), *unfinished(directory))}
        missing = [
            {"label": str(each["label"]), "reason": str(each["reason"])}
            for each in read_json(directory).get("missing", ())
        ]
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise NoCollection(directory, f"its manifest cannot be read: {error}") from error
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


def finished(directory: Path) -> Iterator[CollectedFile]:
    for fields in read_json(directory).get("files", ()):
        yield file_of(fields)


def unfinished(directory: Path) -> Iterator[CollectedFile]:
    try:
        lines = (directory / JOURNAL).read_text(encoding="utf-8").splitlines(keepends=True)
    except FileNotFoundError:
        return
    for line in lines:
        if line.endswith("\n"):  # The last one may be cut off by whatever ended the run.
            yield file_of(json.loads(line))


def file_of(fields: Mapping[str, Any]) -> CollectedFile:
    """The file that a manifest tells of.

    Raises:
        ValueError, TypeError: it is not told of as it has to be, or lies elsewhere.
    """
    file = CollectedFile(**fields)
    for name, value in file._asdict().items():
        if not isinstance(value, CollectedFile.__annotations__[name]):
            raise ValueError(f"'{name}' of a file is {value!r}")
    if not re.fullmatch("[0-9]{1,10}", file.broker):
        raise ValueError(f"'broker' of a file is {file.broker!r}")
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
