"""The chroot of a connect string, which has to exist before anything below it."""

import logging
from asyncio import to_thread
from typing import Any

from kazoo.client import KazooClient

from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.zk.requests import Exists
from cluster.zk.steps import read


async def make_chroot(session: Session, connect: str) -> None:
    """Create the chroot in *connect*, if it is missing, with its parents."""
    (is_there,) = await run(session, read((Exists("/"),)))
    if not is_there:
        servers, _, chroot = connect.partition("/")
        await to_thread(create_path, servers, chroot)


def create_path(servers: str, path: str) -> None:
    """Create *path* in a session of its own: the parents of a chroot have no path below it."""
    client: Any = KazooClient(hosts=servers, logger=logging.getLogger("kazoo"))
    try:
        client.start()
        client.ensure_path(f"/{path}")
    finally:
        client.stop()
        client.close()
