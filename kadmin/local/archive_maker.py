"""The making of a server's class-data archive.

A throwaway server in the cache directory writes down its loaded classes when it ends.  Runs as a
background process of low priority (`python -m kadmin.local.archive_maker`) that no command waits
for; of clusters it reads only which ports are theirs.
"""

from contextlib import suppress
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError
from kadmin.jvm.archive_build import make_archive
from kadmin.jvm.java import Java, find_java
from kadmin.local.addresses import LOOPBACK
from kadmin.local.archive import server_archive
from kadmin.local.jars import class_path
from kadmin.local.ports import free_ports
from kadmin.local.provisioning import ports_of_clusters
from kadmin.local.zookeeper import ZooKeeperServer, wait_until_serving
from kadmin.local.zookeeper_config import Member

SERVE_TIMEOUT_S: Final = 60.0
WRITE_TIMEOUT_S: Final = 60.0


def main() -> None:
    """Make the archive of this Java and these jars, unless it is there or being made."""
    java = find_java()
    make_archive(
        server_archive(java, class_path()),
        lambda directory: record(java, directory),
        end_server,
    )


def record(java: Java, directory: Path) -> Path:
    """Run a server in *directory* that leaves an archive of its classes there."""
    written = directory / "classes.jsa"
    server = recording_server(directory, written)
    server.launch(java)
    try:
        wait_until_serving([server], SERVE_TIMEOUT_S)
        exercise(server)
        server.stop(grace_s=WRITE_TIMEOUT_S)
    except BaseException:
        with suppress(KadminError):
            server.kill()
        raise
    return written


def recording_server(directory: Path, written: Path) -> ZooKeeperServer:
    """Return an ensemble of one: it loads what a member needs and nearly all of a standalone
    server."""
    # It runs while clusters are down: their ports look free, and are wanted again at any moment.
    taken = ports_of_clusters()
    port, quorum_port, election_port = free_ports(3, LOOPBACK, avoid=taken)
    member = Member(id=1, port=port, quorum_port=quorum_port, election_port=election_port)
    return ZooKeeperServer(
        id=1,
        directory=directory,
        port=port,
        members=(member,),
        extra_config={"standaloneEnabled": "false"},
        extra_jvm=(f"-XX:ArchiveClassesAtExit={written}",),
    )


def exercise(server: ZooKeeperServer) -> None:
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


def end_server(directory: Path) -> None:
    """End the server that a killed maker left in *directory*."""
    ZooKeeperServer(id=1, directory=directory, port=0).kill()


if __name__ == "__main__":
    main()
