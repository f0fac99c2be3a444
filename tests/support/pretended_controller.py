"""A controller that a test pretends to be: requests in a znode, and what becomes of them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from cluster.zk.znode import Znode
from cluster.zkclient.kazoo_requests import znode_of
from tests.support.zookeeper import client_of

PAUSE_S = 0.01


class PretendedController:
    """Takes requests from *path*, as Kafka's controller does: what they ask for is done first, by
    *carry_out*, and then the request goes."""

    def __init__(
        self, client: KazooClient, path: str, carry_out: Callable[[KazooClient, Znode], None]
    ) -> None:
        self.client = client
        self.path = path
        self.carry_out = carry_out
        self.requests: list[bytes] = []
        """Those that it has carried out."""
        self.ends = threading.Event()

    def run(self) -> None:
        while not self.ends.wait(PAUSE_S):
            try:
                data, stat = self.client.get(self.path)
            except NoNodeError:
                continue
            self.carry_out(self.client, znode_of(self.path, (data, stat)))
            self.client.delete(self.path)
            self.requests.append(data)


@contextmanager
def pretended_controller(
    connect: str, path: str, carry_out: Callable[[KazooClient, Znode], None]
) -> Iterator[PretendedController]:
    with client_of(connect) as client:
        controller = PretendedController(client, path, carry_out)
        thread = threading.Thread(target=controller.run)
        thread.start()
        try:
            yield controller
        finally:
            controller.ends.set()
            thread.join()
