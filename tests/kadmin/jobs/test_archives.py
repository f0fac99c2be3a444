"""Archives that others packed: does one write anything but what is wanted, where we want it?"""

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from kadmin.jobs import archives
from kadmin.jobs.archives import UnpackedTree, unpack
from kadmin.jobs.unpack_bounds import Room, unpacked_max
from kadmin.jobs.verify.collected import is_unpacked

SEGMENT = "00000000000000000000.log"
DATA = f"data/{SEGMENT}"
GOOD = f"data/orders-0/{SEGMENT}"


def member(name: str, kind: bytes = tarfile.REGTYPE, content: bytes = b"", **fields: Any) -> bytes:
    """A member with its header, as an archive has it."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    padding = b"\0" * (-len(content) % tarfile.BLOCKSIZE)
    return info.tobuf(tarfile.PAX_FORMAT) + content + padding


def packed(*members: bytes) -> bytes:
    return b"".join(members) + b"\0" * (2 * tarfile.BLOCKSIZE)


def unpacked_from(archive: bytes, directory: Path, bytes_max: int = 10**6) -> UnpackedTree:
    directory.mkdir()
    return unpack(
        io.BytesIO(archive),
        directory,
        bytes_max=bytes_max,
        is_wanted=is_unpacked,
        is_missed=is_unpacked,
    )


def files_of(tree: UnpackedTree) -> dict[str, bytes]:
    return {
        f"{directory}/{name}": tree.read(f"{directory}/{name}")
        for directory, _, names in tree.walk(lambda *_: None)
        for name in names
        if is_unpacked(name)
    }


def left_out_of(tree: UnpackedTree) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    list(tree.walk(lambda inner, error: told.append((inner, error.strerror or ""))))
    return told


def test_the_files_that_are_wanted_are_found_by_their_names(tmp_path: Path) -> None:
    archive = packed(
        member("./data/orders-0", tarfile.DIRTYPE),
        member(f"./{GOOD}", content=b"x" * 700),
        member("/data/orders-1/leader-epoch-checkpoint", content=b"0\n"),
        member("data/meta.properties", content=b"broker.id=1\n"),
        member("data/orders-0/core.1234", content=b"y" * 5000),
        member(GOOD, content=b"later"),
    )

    tree = unpacked_from(archive, tmp_path / "unpacked")

    assert {
        GOOD: b"later",
        "data/orders-1/leader-epoch-checkpoint": b"0\n",
        "data/meta.properties": b"broker.id=1\n",
    } == files_of(tree)
    assert [] == left_out_of(tree)
    assert SEGMENT in os.listdir(tree.place("data/orders-0"))
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert {SEGMENT, "leader-epoch-checkpoint", "meta.properties"} == names


@pytest.mark.parametrize(
    ("members", "left_out"),
    [
        ([member(f"../../{SEGMENT}", content=b"evil")], [f"../../{SEGMENT}"]),
        ([member(f"data/../../{SEGMENT}", content=b"evil")], [f"data/../../{SEGMENT}"]),
        ([member(f"/outside/{SEGMENT}", content=b"evil")], []),
        # A link to a directory, and a file behind it.
        (
            [
                member("data/out", tarfile.SYMTYPE, linkname="OUTSIDE"),
                member(f"data/out/{SEGMENT}", content=b"evil"),
            ],
            [],
        ),
        # A link to a file, which the next member writes to.
        (
            [
                member("data/meta.properties", tarfile.SYMTYPE, linkname="OUTSIDE/victim"),
                member("data/meta.properties", content=b"evil"),
            ],
            ["data/meta.properties"],
        ),
        # CVE-2025-4517: links that resolve elsewhere once names are too long for realpath.
        (
            [
                *(member("/".join(["d" * 200] * n), tarfile.DIRTYPE) for n in range(1, 4)),
                member("/".join(["d" * 200] * 4), tarfile.SYMTYPE, linkname="../" * 3),
                member("escape", tarfile.SYMTYPE, linkname="l/../../../.."),
                member(f"escape/{SEGMENT}", content=b"evil"),
            ],
            [],
        ),
        ([member(DATA, tarfile.LNKTYPE, linkname="OUTSIDE/victim")], [DATA]),
        ([member(DATA, tarfile.FIFOTYPE)], [DATA]),
        ([member(DATA, tarfile.CHRTYPE, devmajor=1, devminor=5)], [DATA]),
        ([member("data/readme", tarfile.SYMTYPE, linkname="OUTSIDE")], []),
    ],
)  # fmt: skip
def test_nothing_is_written_elsewhere(
    tmp_path: Path, members: list[bytes], left_out: list[str]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_bytes(b"as it was")
    archive = packed(*members, member(GOOD, content=b"good"))
    place = str(outside).encode()
    archive = with_link_target(archive, place)

    tree = unpacked_from(archive, tmp_path / "unpacked")

    assert b"good" == tree.read(GOOD)
    assert left_out == [inner for inner, _ in left_out_of(tree)]
    assert ["victim"] == os.listdir(outside)
    assert b"as it was" == (outside / "victim").read_bytes()
    assert {"outside", "unpacked"} == set(os.listdir(tmp_path))
    for path in (tmp_path / "unpacked").rglob("*"):
        assert not path.is_symlink()
        assert path.is_dir() or (path.is_file() and path.stat().st_nlink == 1)


def with_link_target(archive: bytes, place: bytes) -> bytes:
    """*archive* with *place* for the word OUTSIDE in the headers of links."""
    blocks = [archive[at : at + 512] for at in range(0, len(archive), 512)]
    for number, block in enumerate(blocks):
        if block[157:164] == b"OUTSIDE":
            target = (place + block[164:257].rstrip(b"\0")).ljust(100, b"\0")
            changed = block[:148] + b" " * 8 + block[156:157] + target + block[257:]
            checksum = b"%06o\0 " % sum(changed)
            blocks[number] = changed[:148] + checksum + changed[156:]
    return b"".join(blocks)


def chain(kind: bytes, count: int) -> bytes:
    return member("././@LongLink", kind, content=b"x" * 600) * count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("archive", "reason"),
    [
        (lambda: packed(member(GOOD, content=b"x" * 200_000)), "more than 100,000 bytes"),
        (lambda: packed(member("data/core", content=b"x" * 200_000)), "more than 100,000 bytes"),
        (lambda: packed(*(member(GOOD, content=b"x" * 600) for _ in range(120))), "100,000 bytes"),
        (lambda: packed(member(f"{'a/' * 40}{SEGMENT}")), "41 parts"),
        (lambda: packed(member(f"{'a' * 2000}/{SEGMENT}")), "2,025 characters"),
        (lambda: packed(*(member(f"data/{n}") for n in range(60))), "more than 50 files"),
        (lambda: packed(*(member(f"{n}/b/c/d/{SEGMENT}") for n in range(20))), "50 directories"),
        (lambda: packed(chain(tarfile.GNUTYPE_LONGNAME, 70), member(GOOD)), "headers of more than"),
        (lambda: packed(chain(tarfile.XHDTYPE, 70), member(GOOD)), "headers of more than"),
        (lambda: packed(member(GOOD), member("b"))[:-1100], "truncated header"),
        (lambda: packed(member(GOOD), member("b"))[:-1024], "empty header"),
        (lambda: packed(member(GOOD), member("b")).replace(b"b\0", b"c\0", 1), "bad checksum"),
        (lambda: packed(member(GOOD, content=b"x" * 5000))[:3000], "unexpected end of data"),
        (lambda: packed(member("x", tarfile.GNUTYPE_LONGNAME, content=b"x")), "ends within"),
        (lambda: sparse_file(10**9), "more than 100,000 bytes"),
        (lambda: with_size(member(GOOD), -(2**20)), ""),
    ],
)  # fmt: skip
def test_what_is_damaged_or_too_large_is_no_archive(
    tmp_path: Path,
    archive: Callable[[], bytes],
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        archives, "ENTRIES_MAX", 50 if "0 files" in reason or "0 dir" in reason else 1000
    )
    monkeypatch.setattr(archives, "HEADER_SIZE_MAX", 64 * 1024)

    with pytest.raises((OSError, tarfile.TarError)) as raised:
        unpacked_from(archive(), tmp_path / "unpacked", bytes_max=100_000)

    assert reason in str(raised.value)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) <= 100_000


def sparse_file(size: int) -> bytes:
    """An archive of a file that is one hole of *size* bytes."""
    fields = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(size), "GNU.sparse.name": GOOD}
    return packed(member(GOOD, pax_headers=fields))


def with_size(header: bytes, size: int) -> bytes:
    """*header* with a size below 0, which only the binary form of numbers has."""
    number = b"\xff" + (size & (2**88 - 1)).to_bytes(11, "big")
    changed = header[:124] + number + header[136:148] + b" " * 8 + header[156:]
    return packed(changed[:148] + b"%06o\0 " % sum(changed[:512]) + changed[156:])


@pytest.mark.slow
def test_holes_take_no_room(tmp_path: Path) -> None:
    tree = unpacked_from(sparse_file(10**8), tmp_path / "unpacked", bytes_max=10**9)

    path = Path(tree.place(GOOD))
    assert 10**8 == path.stat().st_size
    assert path.stat().st_blocks * 512 < 10**7


def test_members_that_are_left_out_are_named_only_so_often(tmp_path: Path) -> None:
    links = [member(f"data/orders-{n}/{SEGMENT}", tarfile.SYMTYPE) for n in range(30)]

    told = left_out_of(unpacked_from(packed(*links), tmp_path / "unpacked"))

    assert 21 == len(told)
    assert ("", "10 more members were left out") == told[-1]


def test_what_a_file_may_unpack_to_follows_its_size() -> None:
    assert 10 * 1024**3 == unpacked_max(1000, None)
    assert 100 * 1024**3 == unpacked_max(1024**3, None)
    assert 5 == unpacked_max(1000, 5)


def test_the_last_room_of_a_file_system_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = os.statvfs(tmp_path)
    full = (*status[:3], 1000, 1000, *status[5:])
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result(full))

    with pytest.raises(OSError, match="no room left"):
        unpacked_from(packed(member(GOOD, content=b"x")), tmp_path / "unpacked")
    with pytest.raises(OSError, match="no room left"):
        Room(tmp_path).take(1)


EPOCHS: Final = "data/orders-0/leader-epoch-checkpoint"
FILE: Final = "it is both a file and a directory; left out"
DIRECTORY: Final = "it is no file but a directory; left out"


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("data/orders-0", GOOD), ("data/orders-0", FILE)),
        ((GOOD, "data/orders-0"), ("data/orders-0", FILE)),
        ((GOOD, f"{GOOD}/"), (GOOD, FILE)),
        ((GOOD, f"{GOOD}/{SEGMENT}"), (GOOD, FILE)),
        ((f"{GOOD}/",), (GOOD, DIRECTORY)),
        ((f"{GOOD}/other",), (GOOD, DIRECTORY)),
        ((f"{GOOD}/", GOOD), (GOOD, DIRECTORY)),
        (("data/meta.properties/", GOOD), ("data/meta.properties", DIRECTORY)),
        ((f"{EPOCHS}/x",), (EPOCHS, DIRECTORY)),
    ],
)
def test_a_directory_in_the_place_of_a_file_is_named_and_left_out(
    tmp_path: Path, names: tuple[str, ...], told: tuple[str, str]
) -> None:
    kinds = {True: tarfile.DIRTYPE, False: tarfile.REGTYPE}
    members = (member(each.rstrip("/"), kinds[each.endswith("/")]) for each in names)

    tree = unpacked_from(packed(*members), tmp_path / "unpacked")

    assert [told] == left_out_of(tree)
    assert all(Path(tree.place(directory)).is_dir() for directory, *_ in tree.walk(lambda *_: None))
