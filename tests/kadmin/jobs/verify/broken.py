"""Log directories of three brokers, with many partitions that are broken in many ways."""

import struct
from pathlib import Path
from random import Random
from typing import Final

from cluster.formats.record_batch import whole_batches
from tests.cluster.storage.batches import sealed
from tests.kadmin.segments.replicas import FORMATS, ROLLED, base_offset, log_of

BROKERS: Final = ("1", "2", "3")
ENTRY: Final = struct.Struct(">ii")


def write_brokers(directory: Path, seed: int, copies: int) -> list[Path]:
    """The log directories of the brokers, with *copies* partitions in each message format."""
    chance = Random(seed)
    logs = [directory / f"broker-{broker}" for broker in BROKERS]
    marks: list[list[str]] = [[] for _ in logs]
    for number, name in enumerate(FORMATS):
        for partition in range(copies):
            replica = f"topic-{number}-{partition}"
            for log, mark in zip(logs, marks, strict=True):
                mark.append(
                    f"topic-{number} {partition} {base_offset(name, chance.choice((7, 9)))}"
                )
                write_replica(log / replica, name, chance)
            broken = chance.choice(logs) / replica
            chance.choice((flip, flip, cut, repeat, drop, swap, lie, lose, empty, keep))(
                broken, chance
            )
    for log, mark in zip(logs, marks, strict=True):
        rows = "\n".join(["0", str(len(mark)), *mark])
        (log / "replication-offset-checkpoint").write_text(f"{rows}\n")
    return logs


def write_replica(directory: Path, name: str, chance: Random) -> None:
    """Two segments, most with an index of each of their batches."""
    batches = log_of(name)
    directory.mkdir(parents=True)
    for first, some in ((0, batches[:ROLLED]), (ROLLED, batches[ROLLED:])):
        base = base_offset(name, first)
        content = b"".join(some)
        (directory / f"{base:020}.log").write_bytes(content)
        if chance.random() < 0.8:
            entries = (
                ENTRY.pack(batch.header.last_offset - base, batch.position)
                for batch in whole_batches(content)
            )
            (directory / f"{base:020}.index").write_bytes(b"".join(entries))


def one(directory: Path, chance: Random, suffix: str = ".log") -> Path:
    return chance.choice(sorted(directory.glob(f"*{suffix}")) or sorted(directory.iterdir()))


def flip(directory: Path, chance: Random) -> None:
    path = one(directory, chance)
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def cut(directory: Path, chance: Random) -> None:
    path = one(directory, chance)
    content = path.read_bytes()
    path.write_bytes(content[: chance.randrange(len(content))])


def repeat(directory: Path, chance: Random) -> None:
    path = one(directory, chance)
    batches = pieces(path)
    at = chance.randrange(len(batches))
    path.write_bytes(b"".join([*batches[: at + 1], *batches[at:]]))


def drop(directory: Path, chance: Random) -> None:
    path = one(directory, chance)
    batches = pieces(path)
    del batches[chance.randrange(len(batches))]
    path.write_bytes(b"".join(batches))


def swap(directory: Path, chance: Random) -> None:
    path = one(directory, chance)
    batches = pieces(path)
    batches.insert(chance.randrange(len(batches)), batches.pop())
    path.write_bytes(b"".join(batches))


def lie(directory: Path, chance: Random) -> None:
    path = one(directory, chance, ".index")
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def lose(directory: Path, chance: Random) -> None:
    one(directory, chance).unlink()


def empty(directory: Path, chance: Random) -> None:
    one(directory, chance).write_bytes(b"")


def garble(directory: Path, number: int) -> None:
    """Put records that are none into a batch, of which its checksum does not tell."""
    for path in sorted(directory.glob("*.log"))[:1]:
        batches = [bytearray(each) for each in pieces(path)]
        for broken in batches[number % 3 :][:1]:
            broken[-4:] = b"none"
            sealed(broken)
            path.write_bytes(b"".join(batches))


def keep(directory: Path, chance: Random) -> None:
    """Nothing is broken."""


def pieces(path: Path) -> list[bytes]:
    content = path.read_bytes()
    return [
        content[batch.position : batch.position + batch.header.size]
        for batch in whole_batches(content)
    ]
