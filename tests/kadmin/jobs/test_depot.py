"""Where collections lie: are files there whole or not at all, and what is noted kept?"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kadmin.jobs.depot import NOTE_S, Depot, UriDepot, depot_at
from tests.support.s3 import Bucket, bucket_of_a_server


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bucket]:
    with bucket_of_a_server(tmp_path_factory.mktemp("s3")) as bucket:
        yield bucket


@pytest.fixture(params=["", "file:", pytest.param("s3:", marks=pytest.mark.sockets)])
def depot(request: pytest.FixtureRequest, tmp_path: Path) -> Depot:
    if request.param == "s3:":
        bucket: Bucket = request.getfixturevalue("bucket")
        return depot_at(bucket.uri(f"{tmp_path.name}/c%207"))
    return depot_at(f"{request.param}{tmp_path}/c7")


def again(depot: Depot) -> Depot:
    return UriDepot(depot.uri) if isinstance(depot, UriDepot) else depot


def content(depot: Depot, path: str) -> bytes:
    with again(depot).opened(path) as file:
        return file.read()


def test_files_are_there_when_they_are_whole(depot: Depot) -> None:
    assert not depot.is_there()
    depot.make()

    with depot.written("a/b c.log") as write:
        write(b"one")
        write(bytes(9))
    with depot.taken_in("a/d") as part:
        part.write_bytes(b"two")
    depot.write("e", b"")
    with suppress(KeyboardInterrupt), depot.written("a/f") as write:
        write(b"half")
        raise KeyboardInterrupt

    assert again(depot).is_there()
    assert ["a/b c.log", "a/d", "e"] == [
        path for path in sorted(again(depot).paths()) if not path.endswith(".part")
    ]
    assert [12, 3, 0, None] == [
        again(depot).size_of(path) for path in ("a/b c.log", "a/d", "e", "a/f")
    ]
    assert (b"one" + bytes(9), b"two") == (content(depot, "a/b c.log"), content(depot, "a/d"))
    depot.remove("e")
    depot.remove("e")
    assert again(depot).size_of("e") is None
    with pytest.raises(FileNotFoundError), depot.opened("e"):
        pass


def test_what_is_noted_stays_and_lines_that_were_cut_off_do_not(depot: Depot) -> None:
    depot.make()
    depot.write("journal", "1\nzwölf\n{cut".encode())

    with suppress(KeyboardInterrupt), depot.noted("journal") as note:
        note("3")
        note("4")
        raise KeyboardInterrupt

    assert "1\nzwölf\n3\n4\n" == content(depot, "journal").decode()


@pytest.mark.sockets
def test_at_a_uri_lines_are_written_now_and_then(bucket: Bucket) -> None:
    now_s = 100.0
    depot = UriDepot(bucket.uri("now and then"), clock=lambda: now_s)

    with depot.noted("journal") as note:
        seen = []
        for _ in range(4):
            note("line")
            seen.append(len(content(depot, "journal").splitlines()))
            now_s += NOTE_S / 2

    assert [1, 1, 3, 3] == seen
    assert 4 == len(content(depot, "journal").splitlines())
