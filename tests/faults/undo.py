"""What a disk loses with its power: what `machine.c` saw written and not synced, undone in part.

As in `tests.sim.disk`: of each directory the first few changes of names since its last sync stay,
of each file what its loss says.  Whoever wrote has ended.
"""

import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

SECTOR_SIZE: Final = 512
LINES: Final = "lines"


class Loss(StrEnum):
    """What becomes of all that a file was not synced after."""

    KEPT = "kept"
    CUT = "cut"
    ZEROED = "zeroed"
    """The file's size reached the disk, its content did not."""
    TORN = "torn"
    """The first changes reached the disk, then a part of one."""


class NameChange(NamedTuple):
    """A name that was created, removed or given to another file, in the directory of an inode."""

    moment: int
    act: str
    directory: int
    path: Path
    target: Path | None


class ContentChange(NamedTuple):
    """A write of so many bytes at a position, or a cut at it (size 0)."""

    moment: int
    inode: int
    position: int
    size: int
    former_size: int
    is_kept: bool
    """Whether a file of the journal has the bytes that stood there."""


class Pending(NamedTuple):
    """All that no sync has made durable, in order."""

    names: Sequence[NameChange]
    moves: Sequence[NameChange]
    """Of directories, durable or not."""
    contents: Mapping[int, Sequence[ContentChange]]
    """By inode."""


def read_pending(lines: Iterable[str]) -> Pending:
    """What of a journal's *lines* is not durable; the last may be cut off."""
    names: list[NameChange] = []
    moves: list[NameChange] = []
    contents: dict[int, list[ContentChange]] = defaultdict(list)
    for line in lines:
        if not line.endswith("\n"):
            break
        moment, act, inode, *rest = line[:-1].split("\t")
        match act:
            case "sync":
                # Of a file or of a directory: they have no inodes in common.
                changes = contents.get(int(inode), [])
                changes[:] = [one for one in changes if one.moment > int(moment)]
                names = [
                    one for one in names if one.directory != int(inode) or one.moment > int(moment)
                ]
            case "write" | "truncate":
                position, size, former_size, is_kept = map(int, rest)
                change = ContentChange(
                    int(moment), int(inode), position, size, former_size, bool(is_kept)
                )
                contents[int(inode)].append(change)
            case _:
                path, *others = rest
                target = Path(others[0]) if others else None
                names.append(NameChange(int(moment), act, int(inode), Path(path), target))
                if act == "move":
                    moves.append(names[-1])
    return Pending(names, moves, {inode: changes for inode, changes in contents.items() if changes})


def lose_power(
    roots: Sequence[Path], journal: Path, lots: Random, losses: Sequence[Loss]
) -> dict[str, Loss]:
    """Undo of what *journal* has not seen synced below *roots* what the drawn *losses* take.

    Returns what became of which file.  The journal begins anew: what is there now is durable.
    """
    with (journal / LINES).open() as file:
        pending = read_pending(file)
    undo_names(pending, journal, lots)
    paths = {
        path.stat().st_ino: path
        for root in roots
        for directory, _, files in os.walk(root)
        for path in (Path(directory, name) for name in sorted(files))
    }
    became = {}
    for inode, changes in sorted(pending.contents.items()):
        if (path := paths.get(inode)) is None:
            continue
        loss = lots.choice(losses)
        became[str(path)] = loss
        with path.open("r+b") as content:
            lose(content.fileno(), changes, loss, lots, kept_by(journal))
    clear(journal)
    return became


def clear(journal: Path) -> None:
    """Begin a journal of a machine on which everything is durable."""
    shutil.rmtree(journal, ignore_errors=True)
    journal.mkdir(parents=True)
    (journal / LINES).touch()


def kept_by(journal: Path) -> Callable[[ContentChange], bytes]:
    def kept(change: ContentChange) -> bytes:
        return (journal / str(change.moment)).read_bytes() if change.is_kept else b""

    return kept


# Names.


def undo_names(pending: Pending, journal: Path, lots: Random) -> None:
    """Undo the later changes of each directory, as many as *lots* draw, the last one first."""
    by_directory: dict[int, list[NameChange]] = defaultdict(list)
    for change in pending.names:
        by_directory[change.directory].append(change)
    undone = {
        change
        for changes in by_directory.values()
        for change in changes[lots.randint(0, len(changes)) :]
    }
    for change in sorted(undone, reverse=True):
        # Directories have the names now that later moves gave them which stay.
        later = [
            move for move in pending.moves if move.moment > change.moment and move not in undone
        ]
        # What was in a directory that is gone is gone with it.
        with suppress(FileNotFoundError):
            undo_name(change, later, journal)


def undo_name(change: NameChange, later: Iterable[NameChange], journal: Path) -> None:
    path = renamed(change.path, later)
    kept = journal / str(change.moment)
    match change.act:
        case "create":
            path.unlink()
        case "mkdir":
            shutil.rmtree(path)
        case "rmdir":
            path.mkdir()
        case "remove":
            os.link(kept, path)
        case "rename" | "move":
            assert change.target is not None
            target = renamed(change.target, later)
            target.rename(path)
            if kept.exists():
                os.link(kept, target)


def renamed(path: Path, later: Iterable[NameChange]) -> Path:
    """Where *path* is after its directories were renamed."""
    for one in later:
        assert one.target is not None
        if one.path in path.parents:
            path = one.target / path.relative_to(one.path)
    return path


# Contents.


def lose(
    descriptor: int,
    changes: Sequence[ContentChange],
    loss: Loss,
    lots: Random,
    kept: Callable[[ContentChange], bytes],
) -> None:
    """Let a file lose what *loss* takes of *changes*, all that it was not synced after."""
    size = os.fstat(descriptor).st_size
    if loss is Loss.KEPT:
        return
    first = lots.randrange(len(changes)) if loss is Loss.TORN else 0
    for change in reversed(changes[first + 1 :]):
        undo(descriptor, change, kept(change))
    change = changes[first]
    arrived = os.pread(descriptor, change.size, change.position)
    undo(descriptor, change, kept(change))
    if loss is Loss.TORN:
        sectors = lots.randrange(len(arrived) // SECTOR_SIZE + 1)
        os.pwrite(descriptor, arrived[: sectors * SECTOR_SIZE], change.position)
    if loss is Loss.ZEROED:
        os.ftruncate(descriptor, size)


def undo(descriptor: int, change: ContentChange, before: bytes) -> None:
    """Let stand what stood there before a change, whatever came later being undone."""
    os.pwrite(descriptor, before, change.position)
    os.ftruncate(descriptor, change.former_size)
