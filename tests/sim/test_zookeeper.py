"""The simulated ZooKeeper answers as the real one does, which the broker's own code asks."""

import asyncio
import os
from collections.abc import Iterator
from random import Random
from typing import Protocol

import pytest
from kazoo.client import KazooClient
from kazoo.protocol.states import WatchedEvent

from cluster.model.ids import MATCH_ANY, ZkVersion
from cluster.runtime.zookeeper.runner import replies_to
from cluster.runtime.zookeeper.session import Session
from cluster.zk.requests import (
    Check,
    Children,
    Create,
    Delete,
    Exists,
    GetChildren,
    GetData,
    GetMany,
    Many,
    Multi,
    Operation,
    SetData,
    Sync,
    ZkReply,
    ZkRequest,
)
from cluster.zk.znode import Znode
from tests.sim.zookeeper import TOOL, SimZooKeeper
from tests.support.waiting import wait_until

STEPS = 400
STEPS_BETWEEN_LOOKS = 20
PATHS = ("/a", "/a/b", "/a/b/c", "/a/d", "/e", "/e/f")


class Server(Protocol):
    fired: list[str]

    def serve(self, request: ZkRequest) -> ZkReply: ...


class Simulated:
    def __init__(self) -> None:
        self.fired: list[str] = []
        self.zookeeper = SimZooKeeper(lambda _, path: self.fired.append(path), lambda commit: None)
        self.session = self.zookeeper.connect()

    def serve(self, request: ZkRequest) -> ZkReply:
        return self.zookeeper.serve(self.session, request, TOOL)


class Real:
    """The server that the broker's own code asks."""

    def __init__(self, client: KazooClient, runner: asyncio.Runner) -> None:
        session_id, _ = client.client_id
        self.runner = runner
        self.session = Session(runner.get_loop(), client, session_id)
        self.last_event: WatchedEvent | None = None
        self.fired: list[str] = []

    def on_watch(self, event: WatchedEvent) -> None:
        """A client with two watches of a node that goes tells of the one event twice."""
        if event is not self.last_event:
            self.last_event = event
            self.fired.append(event.path)

    def serve(self, request: ZkRequest) -> ZkReply:
        (reply,) = self.runner.run(replies_to(self.session, (request,), self.on_watch))
        return reply


def comparable(reply: ZkReply) -> object:
    """A reply without what differs between any two servers: ids, times, order of children."""
    if isinstance(reply, Znode):
        return reply.path, reply.data, reply.zk_version
    if isinstance(reply, Many):
        return list(reply.items)
    if isinstance(reply, Children):
        return sorted(reply.names)
    return reply


def requests(random: Random) -> Iterator[ZkRequest]:
    for _ in range(STEPS):
        path = random.choice(PATHS)
        is_watched = random.random() < 0.5
        kinds: tuple[ZkRequest, ...] = (
            Sync(),
            Exists(path, is_watched),
            GetData(path, is_watched),
            GetMany((path, *random.sample(PATHS, 2)), version_and_data),
            GetChildren(path, is_watched),
        )
        if random.random() < 0.5:
            yield random.choice(kinds)
        else:
            yield Multi(tuple(operation(random) for _ in range(random.randint(1, 3))))


def version_and_data(node: Znode) -> tuple[ZkVersion, bytes | None]:
    return node.zk_version, node.data


def operation(random: Random) -> Operation:
    path = random.choice(PATHS)
    version = random.choice((MATCH_ANY, ZkVersion(0), ZkVersion(1)))
    kinds: tuple[Operation, ...] = (
        Check(path, version),
        Create(path, b"made"),
        Create(path),
        Create(path, is_sequential=True),
        SetData(path, b"set", version),
        Delete(path, version),
    )
    return random.choice(kinds)


@pytest.fixture
def client(chroot: str) -> Iterator[KazooClient]:
    client = KazooClient(chroot)
    client.start()
    client.ensure_path("/")
    yield client
    client.stop()
    client.close()


@pytest.mark.zk
def test_a_real_server_answers_the_same_and_fires_the_same_watches(client: KazooClient) -> None:
    seed = int(os.environ.get("SEED", "0")) or Random().randrange(1, 10**9)
    with asyncio.Runner() as runner:
        compare(seed, Real(client, runner), Simulated())


def compare(seed: int, real: Real, simulated: Simulated) -> None:
    for step, request in enumerate(requests(Random(seed)), start=1):
        told = f"SEED={seed} step {step}: {request}"
        expected = comparable(real.serve(request))

        assert comparable(simulated.serve(request)) == expected, told
        if step % STEPS_BETWEEN_LOOKS == 0:
            wait_until(lambda: len(real.fired) >= len(simulated.fired), what=told)
            assert sorted(simulated.fired) == sorted(real.fired), told


def test_what_a_session_made_ephemeral_goes_with_it_and_is_noticed() -> None:
    one = Simulated()
    other = one.zookeeper.connect()
    one.zookeeper.serve(other, Multi((Create("/a"), Create("/a/e", is_ephemeral=True))), TOOL)
    one.serve(GetChildren("/a", is_watched=True))
    one.serve(GetData("/a/e", is_watched=True))

    one.zookeeper.expire(other)

    assert one.serve(GetChildren("/a")) == Children(())
    assert one.serve(Exists("/a")) is True
    assert sorted(one.fired) == ["/a", "/a/e"]
    assert not one.zookeeper.is_live(other)


def test_a_session_that_removed_its_ephemeral_node_loses_nothing_more() -> None:
    one = Simulated()
    other = one.zookeeper.connect()
    one.zookeeper.serve(other, Multi((Create("/e", is_ephemeral=True),)), TOOL)
    one.serve(Multi((Delete("/e"),)))
    one.serve(Multi((Create("/e"),)))

    one.zookeeper.expire(other)

    assert one.serve(Exists("/e")) is True
