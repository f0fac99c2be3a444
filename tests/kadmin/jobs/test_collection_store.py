"""Where collections lie: are files there whole or not at all, and what is noted kept?"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from kadmin.errors import KadminError
from kadmin.jobs.collection import read_manifest
from kadmin.jobs.collection_store import NOTE_S, CollectionStore, UriStore, store_at
from kadmin.jobs.replica_segments import SegmentRoom
from tests.support.s3 import Bucket

AT_S3 = (pytest.mark.sockets, pytest.mark.xdist_group("bucket"))


@pytest.fixture(params=["", "file:", pytest.param("s3:", marks=AT_S3)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> CollectionStore:
    if request.param == "s3:":
        bucket: Bucket = request.getfixturevalue("bucket")
        return store_at(bucket.uri(f"{bucket.new_folder()}/c%207"))
    return store_at(f"{request.param}{tmp_path}/c7")


def again(store: CollectionStore) -> CollectionStore:
    return UriStore(store.uri) if isinstance(store, UriStore) else store


def content(store: CollectionStore, path: str) -> bytes:
    with again(store).opened(path) as file:
        return file.read()


def test_files_are_there_when_they_are_whole(store: CollectionStore) -> None:
    assert not store.is_there()
    store.make()

    with store.written("a/b c.log") as write:
        write(b"one")
        write(bytes(9))
    with store.taken_in("a/d") as part:
        part.write_bytes(b"two")
    store.write("e", b"")
    with suppress(KeyboardInterrupt), store.written("a/f") as write:
        write(b"half")
        raise KeyboardInterrupt

    assert again(store).is_there()
    assert ["a/b c.log", "a/d", "e"] == [
        path for path in sorted(again(store).paths()) if not path.endswith(".part")
    ]
    assert [12, 3, 0, None] == [
        again(store).size_of(path) for path in ("a/b c.log", "a/d", "e", "a/f")
    ]
    assert (b"one" + bytes(9), b"two") == (content(store, "a/b c.log"), content(store, "a/d"))
    store.remove("e")
    store.remove("e")
    assert again(store).size_of("e") is None
    with pytest.raises(FileNotFoundError), store.opened("e"):
        pass


def test_what_is_noted_stays_and_lines_that_were_cut_off_do_not(store: CollectionStore) -> None:
    store.make()
    store.write("journal", "1\nzwölf\n{cut".encode())

    with suppress(KeyboardInterrupt), store.noted("journal") as note:
        note("3")
        note("4")
        raise KeyboardInterrupt

    assert "1\nzwölf\n3\n4\n" == content(store, "journal").decode()


@pytest.mark.sockets
@pytest.mark.xdist_group("bucket")
def test_at_a_uri_lines_are_written_now_and_then(bucket: Bucket) -> None:
    now_s = 100.0
    store = UriStore(bucket.uri("now and then"), clock=lambda: now_s)

    with store.noted("journal") as note:
        seen = []
        for _ in range(4):
            note("line")
            seen.append(len(content(store, "journal").splitlines()))
            now_s += NOTE_S / 2

    assert [1, 1, 3, 3] == seen
    assert 4 == len(content(store, "journal").splitlines())


@pytest.mark.parametrize(
    "use",
    [
        lambda store: store.write("out/victim", b"evil"),
        lambda store: store.write("victim", b"evil"),
        lambda store: store.remove("out/victim"),
        lambda store: store.size_of("out/victim"),
        lambda store: store.opened("victim"),
        lambda store: store.place("out"),
        lambda store: store.noted("victim").__enter__(),
        lambda store: SegmentRoom(store, Path()).segments("out"),
        lambda store: SegmentRoom(store, Path()).segments("in").append(0, b"evil"),
    ],
)
def test_no_link_leads_out_of_a_directory_that_others_filled(
    tmp_path: Path, use: Callable[[CollectionStore], object]
) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "c7"
    outside.mkdir()
    (inside / "in").mkdir(parents=True)
    (outside / "victim").write_bytes(b"as it was")
    (inside / "out").symlink_to(outside)
    (inside / "victim").symlink_to(outside / "victim")
    (inside / f"in/{0:020}.log").symlink_to(outside / "victim")

    with pytest.raises(OSError, match="link"):
        use(store_at(str(inside)))

    assert ["victim"] == [path.name for path in outside.iterdir()]
    assert b"as it was" == (outside / "victim").read_bytes()


def test_nothing_is_written_through_a_link_for_a_part(tmp_path: Path) -> None:
    store = store_at(str(tmp_path / "c7"))
    store.make()
    (tmp_path / "victim").write_bytes(b"as it was")
    (tmp_path / "c7/file.part").symlink_to(tmp_path / "victim")

    store.write("file", b"new")

    assert b"new" == content(store, "file")
    assert b"as it was" == (tmp_path / "victim").read_bytes()


def test_nobody_waits_for_a_pipe_that_stands_for_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "manifest.json")

    with pytest.raises(KadminError, match="it is no file"):
        read_manifest(store_at(str(tmp_path)))


def test_a_manifest_is_not_read_that_is_larger_than_any(tmp_path: Path) -> None:
    with (tmp_path / "manifest.json").open("wb") as file:
        file.truncate(2**40)

    with pytest.raises(KadminError, match="has more than"):
        read_manifest(store_at(str(tmp_path)))
