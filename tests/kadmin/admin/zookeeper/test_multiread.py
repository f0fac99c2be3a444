"""Batched and pipelined reads give the same, over a real ZooKeeper."""

import pytest
from kazoo.exceptions import NoAuthError
from kazoo.security import make_digest_acl

from kadmin.admin.zookeeper.multiread import PATHS_PER_REQUEST, BatchedReader, ReadMode
from tests.support.lossy_proxy import LossyProxy
from tests.support.proxy import serving
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

COUNT = 2 * PATHS_PER_REQUEST + 3


@pytest.fixture(params=[ReadMode.UNKNOWN, ReadMode.PIPELINED], ids=["batched", "pipelined"])
def reader(request, chroot):
    with client_of(chroot) as client:
        yield BatchedReader(client, timeout_s=20, mode=request.param)


def make_nodes(client, count):
    for start in range(0, count, 500):
        transaction = client.transaction()
        for number in range(start, min(start + 500, count)):
            transaction.create(f"/n{number}", b"%d" % number)
        assert not any(isinstance(result, Exception) for result in transaction.commit())


def test_nodes_come_in_the_order_of_their_paths_and_missing_ones_are_none(reader):
    make_nodes(reader.client, COUNT)
    paths = [f"/n{number}" for number in range(COUNT + 5)]

    nodes = reader.read(paths)

    assert [b"%d" % number for number in range(COUNT)] == [node.data for node in nodes[:COUNT]]
    assert paths[:COUNT] == [node.path for node in nodes[:COUNT]]
    assert [None] * 5 == nodes[COUNT:]


def test_a_node_comes_with_its_stat(reader):
    client = reader.client
    client.create("/a", b"x", ephemeral=True)
    client.set("/a", b"y")
    _, stat = client.get("/a")

    (node,) = reader.read(["/a"])

    assert (b"y", 1, stat.czxid, stat.ctime, stat.mtime, stat.ephemeralOwner) == (
        node.data,
        node.zk_version,
        node.czxid,
        node.ctime_ms,
        node.mtime_ms,
        node.ephemeral_owner,
    )


def test_children_are_sorted_and_a_missing_parent_has_none(reader):
    for path in ("/b", "/a", "/a/2", "/a/1"):
        reader.client.create(path)

    assert [["a", "b"], ["1", "2"], [], None] == reader.children(["/", "/a", "/b", "/c"])


def test_nothing_takes_no_round_trip(reader):
    assert [] == reader.read([])
    assert 0 == reader.round_trips


def test_a_denied_node_raises_unless_a_list_takes_its_path(reader):
    reader.client.create("/open", b"1")
    reader.client.create("/shut", b"2", acl=[make_digest_acl("u", "p", all=True)])

    with pytest.raises(NoAuthError):
        reader.read(["/open", "/shut"])
    denied: list[str] = []
    nodes = reader.read(["/open", "/shut", "/gone"], denied)

    assert ["/shut"] == denied
    assert [b"1", None, None] == [node and node.data for node in nodes]


def test_a_large_read_is_one_round_trip_once_the_way_is_known(chroot):
    with client_of(chroot) as client:
        make_nodes(client, COUNT)
        reader = BatchedReader(client, timeout_s=20)
        reader.read(["/n0"])
        assert ReadMode.BATCHED is reader.mode
        before = reader.round_trips

        reader.read([f"/n{number}" for number in range(COUNT)])

        assert 1 == reader.round_trips - before


@pytest.mark.faults
def test_a_connection_lost_in_between_is_waited_for(zookeeper, chroot):
    path = "/" + chroot.partition("/")[2]
    with serving(LossyProxy(zookeeper.connect)) as proxy, client_of(proxy.address + path) as client:
        make_nodes(client, 3)
        reader = BatchedReader(client, timeout_s=20)
        reader.read(["/n0"])
        proxy.hang_up_on_all()

        nodes = reader.read(["/n0", "/n1", "/n2"])

        assert [b"0", b"1", b"2"] == [node and node.data for node in nodes]
        assert ReadMode.BATCHED is reader.mode
