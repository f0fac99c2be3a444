"""Are many nodes read from servers that know no multiRead, too, by kadmin and by brokers?"""

import pytest

from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.zk import steps
from cluster.zk.requests import Children, GetChildren, GetData, GetMany, Many, ZkReply
from cluster.zk.znode import Znode
from kadmin.admin.zookeeper.multiread import BatchedReader, ReadMode
from kadmin.budget import Budget
from tests.cluster.runtime.zookeeper.test_registration import Sessions, with_session
from tests.interop.zookeepers import OldZooKeeper
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.interop

COUNT = 1_200

PATHS = [f"/topics/topic-{i}" for i in range(COUNT)]
MISSING = [f"/topics/missing-{i}" for i in range(COUNT)]
ALTERNATING = [path for pair in zip(PATHS, MISSING, strict=True) for path in pair]


def read(reader: BatchedReader, paths: list[str]) -> tuple[ZkReply, ...]:
    return reader.replies_to([GetData(path) for path in paths])


def fill(connect: str, chroot: str) -> str:
    """Make the nodes of `PATHS` below *chroot*; the connect string that leads there."""
    with client_of(connect) as client:
        client.ensure_path(f"{chroot}/topics")
        transaction = client.transaction()
        for number, path in enumerate(PATHS):
            transaction.create(chroot + path, b"%d" % number)
        for path in PATHS[:3]:
            transaction.set_data(chroot + path, b"changed")
        assert len(transaction.commit()) == COUNT + 3
    return connect + chroot


def test_an_old_server_gives_the_same_nodes_as_a_new_one(
    old_zookeeper: OldZooKeeper, chroot: str
) -> None:
    new_server, _, new_chroot = chroot.partition("/")
    places = [fill(old_zookeeper.connect, "/old/cluster"), fill(new_server, f"/{new_chroot}")]

    readings, modes = [], []
    for place in places:
        with client_of(place) as client:
            reader = BatchedReader(client, Budget(OUTER_LIMIT_S))
            nodes = read(reader, ALTERNATING)
            readings.append([isinstance(node, Znode) and node[:3] for node in nodes])
            modes.append(reader.mode)

    assert modes == [ReadMode.PIPELINED, ReadMode.BATCHED]
    assert readings[0] == readings[1]
    assert readings[0][1::2] == [False] * COUNT
    assert [(PATHS[0], b"changed", 1), (PATHS[3], b"3", 0)] == readings[0][0:8:6]


def test_an_old_server_gives_the_same_names_as_a_new_one(
    old_zookeeper: OldZooKeeper, chroot: str
) -> None:
    new_server, _, new_chroot = chroot.partition("/")
    places = [fill(old_zookeeper.connect, "/old/names"), fill(new_server, f"/{new_chroot}")]

    readings = []
    for place in places:
        with client_of(place) as client:
            reader = BatchedReader(client, Budget(OUTER_LIMIT_S))
            parents = ("/", "/topics", "/missing", PATHS[0])
            readings.append(reader.replies_to(list(map(GetChildren, parents))))

    assert readings[0] == readings[1]
    topics = sorted(path.rpartition("/")[2] for path in PATHS)
    assert readings[0] == (Children(("topics",)), Children(tuple(topics)), None, Children(()))


def test_the_session_and_its_ephemeral_nodes_survive_the_refusal(
    old_zookeeper: OldZooKeeper,
) -> None:
    with client_of(old_zookeeper.connect) as client:
        session_id = client.client_id[0]
        client.create("/alive", b"", ephemeral=True)
        reader = BatchedReader(client, Budget(OUTER_LIMIT_S))

        (node,) = read(reader, ["/alive"])

        assert ReadMode.PIPELINED is reader.mode
        assert session_id == client.client_id[0]
        assert isinstance(node, Znode)
        assert session_id == node.ephemeral_owner


def test_the_refusal_is_met_only_once_in_a_connection(old_zookeeper: OldZooKeeper) -> None:
    with client_of(old_zookeeper.connect) as client:
        reader = BatchedReader(client, Budget(OUTER_LIMIT_S))
        read(reader, ["/"])
        trips = reader.round_trips
        drops: list[object] = []
        client.add_listener(drops.append)

        read(reader, ["/", "/missing"])
        reader.replies_to([GetChildren("/")])

        assert trips + 2 == reader.round_trips
        assert drops == []


def test_a_broker_keeps_its_session_when_an_old_server_refuses_batches(
    old_zookeeper: OldZooKeeper,
) -> None:
    connect = fill(old_zookeeper.connect, "/old/broker")
    request = GetMany(PATHS, lambda node: node.data)

    async def use(_: Sessions, session: Session) -> tuple[Session, list[ZkReply]]:
        # A server may be asked while it drops the connection.
        return session, [(await run(session, steps.read((request,))))[0] for _ in range(3)]

    session, replies = with_session(connect, use)

    data = [b"changed"] * 3 + [b"%d" % number for number in range(3, COUNT)]
    assert [Many(data)] * 3 == replies
    assert not session.reads_batches
