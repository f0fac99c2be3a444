"""A collection beside its manifest: is every file there, and as it was when it was collected?"""

import hashlib
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from kadmin.jobs.collection import OWN, CollectedFile, Manifest
from kadmin.jobs.collection_store import PART, CollectionStore

BLOCK_SIZE: Final = 1024**2


class DifferenceKind(StrEnum):
    """How a file differs from the manifest."""

    MISSING = "missing"
    SIZE = "size"
    CHECKSUM = "checksum"
    UNKNOWN = "unknown"
    """The manifest does not name it."""
    UNREADABLE = "unreadable"


class Difference(NamedTuple):
    """A file that differs from the manifest, by its path below the collection."""

    path: str
    kind: DifferenceKind
    reason: str


def differences(
    store: CollectionStore, manifest: Manifest, report: Callable[[int], None] = lambda _: None
) -> Iterator[Difference]:
    """Return the differences of the collection in *store* from *manifest*.

    *report* is called with the bytes that were read.
    """
    for path in sorted(manifest.files):
        found = difference_of(store, manifest.files[path], report)
        if found is not None:
            yield found
    for path in store.paths():
        if path in manifest.files or path in OWN:
            continue
        if manifest.is_finished or not path.endswith(PART):
            yield Difference(path, DifferenceKind.UNKNOWN, "the manifest does not name it")


def difference_of(
    store: CollectionStore, file: CollectedFile, report: Callable[[int], None]
) -> Difference | None:
    try:
        size = store.size_of(file.path)
        if size is None:
            return Difference(file.path, DifferenceKind.MISSING, "it is not there")
        if size != file.size_bytes:
            reason = f"it has {size:,} bytes, and had {file.size_bytes:,}"
            return Difference(file.path, DifferenceKind.SIZE, reason)
        digest = hashlib.sha256()
        with store.opened(file.path) as opened:
            while block := opened.read(BLOCK_SIZE):
                digest.update(block)
                report(len(block))
    except OSError as error:
        return Difference(file.path, DifferenceKind.UNREADABLE, error.strerror or str(error))
    if digest.hexdigest() != file.sha256:
        return Difference(file.path, DifferenceKind.CHECKSUM, "its SHA-256 is another")
    return None
