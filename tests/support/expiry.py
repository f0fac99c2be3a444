"""Ends of sessions with ZooKeeper that no test waits out: a second client closes them.

The members of a cluster see what they see when ZooKeeper has not heard of the owner for long.
"""

import asyncio
from contextlib import suppress
from typing import Any, Final

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

from cluster.runtime.zookeeper.session import SessionKeeper
from tests.support.waiting import until, wait_until

TURN_S: Final = 3
"""How long one attempt to come in may take; the next one follows."""
SUPER_SECRET: Final = 0xB3415C00
"""ZooKeeper's own, from which and a session's id it computes the session's password."""
PASSWORD_SIZE: Final = 16
MULTIPLIER: Final = 0x5DEECE66D


async def expire(keeper: SessionKeeper, connect: str) -> None:
    """Close the session of *keeper*, and wait until it knows.

    The owner, whose connection the thief takes away, may be faster in taking it back: before the
    thief has come in, or before it closes the session.  Then the thief comes again.
    """
    session = keeper._session
    assert session is not None
    while not session.is_over:
        await asyncio.to_thread(steal, connect, keeper._client.client_id)
        with suppress(TimeoutError):
            async with asyncio.timeout(TURN_S):
                await until(lambda: session.is_over, what="the end of the session")


def expire_owner(client: KazooClient, connect: str, path: str) -> None:
    """Close the session that owns the ephemeral znode *path*, and wait until that is gone.

    The process that owns it is dead or stands still; the znode may be gone already.
    """

    def is_gone() -> bool:
        try:
            _, stat = client.retry(client.get, path)
        except NoNodeError:
            return True
        steal(connect, (stat.ephemeralOwner, password_of(stat.ephemeralOwner)))
        return client.retry(client.exists, path) is None

    wait_until(is_gone, what=f"the end of the session that owns {path}")


def steal(connect: str, client_id: Any) -> None:
    """Take a session over and close it, unless its owner is faster."""
    # With a chroot kazoo asks for it, and raises what happens when its connection is taken back.
    servers, _, _ = connect.partition("/")
    thief = KazooClient(servers, client_id=client_id)
    try:
        with suppress(KazooTimeoutError):
            thief.start(TURN_S)
    finally:
        thief.stop()
        thief.close()


def password_of(session_id: int) -> bytes:
    """The password of a session, as ZooKeeper draws it: by Java's Random.

    Source: ZooKeeperServer.generatePasswd.
    """
    state = (session_id ^ SUPER_SECRET ^ MULTIPLIER) % 2**48
    password = b""
    while len(password) < PASSWORD_SIZE:
        state = (state * MULTIPLIER + 0xB) % 2**48
        password += (state >> 16).to_bytes(4, "little")
    return password
