import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kadmin.jvm.archive import Archive, cache_directory, file_name
from kadmin.jvm.java import Java, find_java
from kadmin.jvm.process import read_pid_file
from kadmin.local.archive import server_archive
from kadmin.local.jars import class_path
from tests.support.checkout import CHECKOUT
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of, running_server

pytestmark = pytest.mark.zk


def the_archive() -> Archive:
    return server_archive(find_java(), class_path())


def install_archive(content: bytes) -> Path:
    """Put *content* where a sound archive of this Java and these jars would be."""
    cache = cache_directory()
    cache.mkdir(parents=True)
    unnamed = cache / "unnamed"
    unnamed.write_bytes(content)
    return unnamed.rename(cache / file_name(the_archive().stem(), unnamed))


def make_cache_unusable() -> None:
    """Not by its mode, which means nothing to root."""
    cache_directory().parent.mkdir(parents=True)
    cache_directory().touch()


@pytest.fixture
def made_archive(archive_cache: Path) -> bytes:
    """The content of an archive that was made by the background process's own program."""
    (made,) = (archive_cache / "kadmin").glob("*.jsa")
    assert not list((archive_cache / "kadmin").glob("making-zookeeper-*"))
    return made.read_bytes()


def test_a_made_archive_is_used_by_the_jvm(made_archive: bytes, tmp_path: Path) -> None:
    path = install_archive(made_archive)
    assert [f"-XX:SharedArchiveFile={path}"] == the_archive().flags()

    with running_server(tmp_path, extra_jvm=["-Xlog:class+load:file=classes.txt"]):
        loaded = (tmp_path / "classes.txt").read_text()

    server_class = next(line for line in loaded.splitlines() if "server.ZooKeeperServer " in line)
    assert "shared objects file (top)" in server_class


def test_a_damaged_archive_is_removed_and_a_server_starts_without_it(
    made_archive: bytes, tmp_path: Path
) -> None:
    path = install_archive(made_archive)
    middle = len(made_archive) // 2
    path.write_bytes(made_archive[:middle] + b"damaged" + made_archive[middle + 7 :])

    with running_server(tmp_path) as server, client_of(server.connect) as client:
        client.create("/a")

    assert not path.exists()


def test_a_sound_file_that_is_no_archive_is_ignored_by_the_jvm(tmp_path: Path) -> None:
    install_archive(b"this is no archive" * 1000)

    with running_server(tmp_path) as server:
        answer = server.ask()

    assert answer is not None
    assert answer.is_serving


def test_an_archive_of_another_java_is_not_used(made_archive: bytes) -> None:
    install_archive(made_archive)
    java = find_java()

    assert [] == server_archive(Java(path=java.path, version="99"), class_path()).flags()


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    make_cache_unusable()

    the_archive().ask()

    with running_server(tmp_path) as server:
        assert server.is_alive


def test_a_cache_whose_path_the_jvm_cannot_take_is_left_alone(
    made_archive: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a:b"))
    install_archive(made_archive)

    assert [] == the_archive().flags()


def test_asking_returns_at_once_and_the_archive_appears_later() -> None:
    archive = the_archive()

    archive.ask()
    archive.ask()

    wait_until(lambda: archive.find() is not None, what="the archive")
    maker = read_pid_file(cache_directory() / "zookeeper.pid")
    assert maker is not None
    wait_until(lambda: not maker.is_alive, what="the maker's end")
    assert "" == (cache_directory() / "zookeeper.log").read_text()


@pytest.mark.faults
def test_what_a_killed_maker_leaves_is_ended_and_removed_by_the_next() -> None:
    cache = cache_directory()
    cache.mkdir(parents=True)
    with subprocess.Popen(
        [sys.executable, "-m", "kadmin.local.archive_maker"], cwd=CHECKOUT
    ) as maker:
        wait_until(
            lambda: any(read_pid_file(path) for path in cache.glob("making-zookeeper-*/pid")),
            what="the maker's server",
        )
        maker.send_signal(signal.SIGKILL)
    (pid_file,) = cache.glob("making-zookeeper-*/pid")
    left = read_pid_file(pid_file)
    assert left is not None
    assert left.is_alive

    subprocess.run(
        [sys.executable, "-m", "kadmin.local.archive_maker"],
        cwd=CHECKOUT,
        check=True,
        timeout=OUTER_LIMIT_S,
    )

    assert not left.is_alive
    assert not pid_file.parent.exists()
