"""How does a session with ZooKeeper come to its end although its owner lives?"""

import asyncio
from contextlib import suppress
from typing import Any

from kazoo.client import KazooClient
from kazoo.handlers.threading import KazooTimeoutError

from cluster.runtime.zookeeper.session import SessionKeeper
from tests.support.waiting import OUTER_LIMIT_S

TURN_S = 3
"""How long one attempt may take to come in, and what follows from it to be heard of."""
PAUSE_S = 0.01


async def expire(keeper: SessionKeeper, connect: str) -> None:
    """Let a second client close the session of *keeper*, as ZooKeeper does when it hears nothing.

    The owner, whose connection the thief takes away, may be faster in taking it back: before the
    thief has come in, or before it closes the session.  Then the thief comes again.
    """
    session = keeper._session
    assert session is not None
    async with asyncio.timeout(OUTER_LIMIT_S):
        while not session.is_over:
            await asyncio.to_thread(steal, connect, keeper._client.client_id)
            with suppress(TimeoutError):
                async with asyncio.timeout(TURN_S):
                    while not session.is_over:
                        await asyncio.sleep(PAUSE_S)


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
