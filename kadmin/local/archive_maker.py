"""How is a class-data archive made?

By a throwaway server in the cache directory, which writes down its loaded classes when it ends.
Runs as a background process of low priority (`python -m kadmin.local.archive_maker`) that nobody
waits for; knows no cluster.
"""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError
from kadmin.local.archive import archive_name, cache_directory, sound_archive
from kadmin.local.jars import class_path
from kadmin.local.java import Java, find_java
from kadmin.local.ports import free_ports
from kadmin.local.probe import LOOPBACK
from kadmin.local.server_config import Member
from kadmin.local.zookeeper import ZooKeeperServer, wait_until_serving

NICENESS: Final = 19
SERVE_TIMEOUT_S: Final = 60.0
WRITE_TIMEOUT_S: Final = 60.0
WORKSHOP: Final = "making-"


def main() -> None:
    """Make the archive of this Java and these jars, unless it is there or being made."""
    os.nice(NICENESS)
    cache = cache_directory()
    with (cache / "archive.lock").open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        clear_away_leftovers(cache)
        java = find_java()
        if sound_archive(java, class_path()) is not None:
            return
        workshop = Path(tempfile.mkdtemp(dir=cache, prefix=WORKSHOP))
        try:
            make_archive(java, cache, workshop)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)


def make_archive(java: Java, cache: Path, workshop: Path) -> None:
    """Run a server in *workshop* and put the archive of its classes into *cache*."""
    written = workshop / "classes.jsa"
    server = recording_server(workshop, written)
    server.launch(java)
    try:
        wait_until_serving([server], SERVE_TIMEOUT_S)
        make_it_work(server)
        server.stop(grace_s=WRITE_TIMEOUT_S)
    except BaseException:
        with suppress(KadminError):
            server.kill()
        raise
    name = archive_name(java, class_path(), written.read_bytes())
    written.replace(cache / name)


def recording_server(workshop: Path, written: Path) -> ZooKeeperServer:
    """An ensemble of one: it loads what a member needs and nearly all of a standalone server."""
    port, quorum_port, election_port = free_ports(3, LOOPBACK)
    member = Member(id=1, port=port, quorum_port=quorum_port, election_port=election_port)
    return ZooKeeperServer(
        id=1,
        directory=workshop,
        port=port,
        members=(member,),
        extra_config={"standaloneEnabled": "false"},
        extra_jvm=(f"-XX:ArchiveClassesAtExit={written}",),
    )


def make_it_work(server: ZooKeeperServer) -> None:
    """Let the server load what the first session of every cluster asks for."""
    from kazoo.client import KazooClient

    client = KazooClient(hosts=server.connect)
    client.start(timeout=SERVE_TIMEOUT_S)
    try:
        client.create("/a", b"1")
        client.set("/a", b"2")
        client.get_children("/")
        client.delete("/a")
    finally:
        client.stop()
        client.close()


def clear_away_leftovers(cache: Path) -> None:
    """End and remove what a maker left that was killed; we hold the lock, so none is at work."""
    for workshop in cache.glob(f"{WORKSHOP}*"):
        ZooKeeperServer(id=1, directory=workshop, port=0).kill()
        shutil.rmtree(workshop, ignore_errors=True)


if __name__ == "__main__":
    main()
