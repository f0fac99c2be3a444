"""What do tests need of a real ZooKeeper: a server, and a corner of it for each test?"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

from kazoo.client import KazooClient

from kadmin.local.zookeeper import ZooKeeperServer, start_server
from tests.support.evidence import watch
from tests.support.waiting import OUTER_LIMIT_S

SESSION_S: Final = 60
"""As long as ZooKeeper allows: no session ends because the machine stands still."""

chroot_numbers = count(1)
chroots: dict[str, list[str]] = {}
"""Of each server, those that are made and not given to a test yet."""
CHROOTS_AT_ONCE: Final = 100


@contextmanager
def running_server(
    directory: Path,
    timeout_s: float = OUTER_LIMIT_S,
    extra_config: Mapping[str, str] | None = None,
    **options: Any,
) -> Iterator[ZooKeeperServer]:
    """A standalone server in *directory*, gone at the end; *options* are `start_server`'s.

    It does not wait for the disk, which others of this machine may hold up for seconds: the machine
    outlives it.
    """
    directory.mkdir(parents=True, exist_ok=True)
    watch(directory)
    config = {"forceSync": "no", **(extra_config or {})}
    server = start_server(directory, timeout_s=timeout_s, extra_config=config, **options)
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def client_of(connect: str) -> Iterator[KazooClient]:
    """A kazoo session to *connect*, closed at the end.

    It outlasts a machine that stands still for a while; an attempt to connect may take as long.
    """
    client = KazooClient(hosts=connect, timeout=SESSION_S)
    client.start(timeout=OUTER_LIMIT_S)
    try:
        yield client
    finally:
        client.stop()
        client.close()


def hold_controller(connect: str) -> None:
    """Let no broker be elected: a test speaks as the controller, which has no broker."""
    with client_of(connect) as client:
        client.create("/controller", b'{"version":1,"brokerid":99,"timestamp":"1"}')


def make_chroot(server: ZooKeeperServer) -> str:
    """The connect string that has as its chroot a node that is empty and nobody else's.

    They are made in one session for many tests: for one alone it costs more than the node.
    """
    left = chroots.setdefault(server.connect, [])
    if not left:
        left += [f"/t{next(chroot_numbers)}" for _ in range(CHROOTS_AT_ONCE)]
        with client_of(server.connect) as client:
            for made in [client.create_async(chroot) for chroot in left]:
                made.get()
    return server.connect + left.pop()
