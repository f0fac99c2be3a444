"""The chroot of a connect string: it has to be there before anything can be below it."""

import logging
from asyncio import to_thread
from typing import Any

from kazoo.client import KazooClient

from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.zk.requests import Exists
from cluster.zk.steps import read


async def make_chroot(session: Session, connect: str) -> None:
    """Make the chroot that *connect* names, if it is missing, with all that is above it."""
    (is_there,) = await run(session, read((Exists("/"),)))
    if not is_there:
        servers, _, chroot = connect.partition("/")
        await to_thread(create_path, servers, chroot)


def create_path(servers: str, path: str) -> None:
    """Make *path* by a session of its own: below a chroot what is above it has no name."""
    client: Any = KazooClient(hosts=servers, logger=logging.getLogger("kazoo"))
    try:
        client.start()
        client.ensure_path(f"/{path}")
    finally:
        client.stop()
        client.close()
