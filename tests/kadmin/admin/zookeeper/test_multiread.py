"""Batched and pipelined reads give the same, over a real ZooKeeper."""

import pytest
from kazoo.security import make_digest_acl

from cluster.zk.requests import Children, GetChildren, GetData, GetMany, Many, Refused
from cluster.zkclient.multi_read import PATHS_PER_REQUEST
from kadmin.admin.zookeeper.multiread import BatchedReader, ReadMode
from kadmin.budget import Budget
from tests.support.lossy_proxy import LossyProxy
from tests.support.proxy import serving
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

COUNT = 2 * PATHS_PER_REQUEST + 3


@pytest.fixture(params=[ReadMode.UNKNOWN, ReadMode.PIPELINED], ids=["batched", "pipelined"])
def reader(request, chroot):
    with client_of(chroot) as client:
        yield BatchedReader(client, Budget(OUTER_LIMIT_S), mode=request.param)


def read(reader, paths):
    return reader.replies_to([GetData(path) for path in paths])


def number_in(node):
    return int(node.data)


def make_nodes(client, count):
    for start in range(0, count, 500):
        transaction = client.transaction()
        for number in range(start, min(start + 500, count)):
            transaction.create(f"/n{number}", b"%d" % number)
        assert not any(isinstance(result, Exception) for result in transaction.commit())


def test_nodes_come_in_the_order_of_their_paths_and_missing_ones_are_none(reader):
    make_nodes(reader.client, COUNT)
    paths = [f"/n{number}" for number in range(COUNT + 5)]

    nodes = read(reader, paths)

    assert [b"%d" % number for number in range(COUNT)] == [node.data for node in nodes[:COUNT]]
    assert paths[:COUNT] == [node.path for node in nodes[:COUNT]]
    assert (None,) * 5 == nodes[COUNT:]


def test_a_node_tells_which_transactions_made_it_and_wrote_it_last(reader):
    make_nodes(reader.client, 2)
    reader.client.set("/n1", b"7")
    stats = [reader.client.get(path)[1] for path in ("/n0", "/n1")]

    nodes = read(reader, ["/n0", "/n1"])

    assert [(node.czxid, node.mzxid) for node in nodes] == [(s.czxid, s.mzxid) for s in stats]
    assert nodes[1].mzxid > nodes[1].czxid


def test_many_are_decoded_path_by_path(reader):
    make_nodes(reader.client, COUNT)
    paths = [f"/n{number}" for number in range(COUNT + 5)]

    (reply,) = reader.replies_to([GetMany(paths, number_in)])

    assert Many([*range(COUNT), *[None] * 5]) == reply


def test_requests_of_all_kinds_are_one_round_trip_and_answered_in_their_order(reader):
    make_nodes(reader.client, 3)
    read(reader, ["/n0"])
    before = reader.round_trips

    replies = reader.replies_to(
        [
            GetData("/gone"),
            GetMany([], str),
            GetChildren("/"),
            GetMany(["/n1", "/n2"], lambda node: node.data),
            GetMany(["/n0"], lambda node: node.path),
            GetChildren("/gone"),
            GetChildren("/n0"),
        ]
    )

    children = Children(("n0", "n1", "n2"))
    assert (
        *(None, Many([]), children, Many([b"1", b"2"]), Many(["/n0"])),
        *(None, Children(())),
    ) == replies
    assert 1 == reader.round_trips - before


@pytest.mark.parametrize("before", [(), (GetMany([], str),)])
def test_the_way_is_found_out_by_the_first_path_of_all(chroot, before):
    with client_of(chroot) as client:
        make_nodes(client, COUNT)
        reader = BatchedReader(client, Budget(OUTER_LIMIT_S))
        paths = [f"/n{number}" for number in range(COUNT)]

        replies = reader.replies_to((*before, GetMany(paths, number_in), GetChildren("/n0")))

        assert (Many(list(range(COUNT))), Children(())) == replies[-2:]
        assert 2 == reader.round_trips


def test_a_node_comes_with_its_stat(reader):
    client = reader.client
    client.create("/a", b"x", ephemeral=True)
    client.set("/a", b"y")
    _, stat = client.get("/a")

    (node,) = read(reader, ["/a"])

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

    names = reader.replies_to([GetChildren(path) for path in ("/", "/a", "/b", "/c")])

    assert (Children(("a", "b")), Children(("1", "2")), Children(()), None) == names


def test_nothing_takes_no_round_trip(reader):
    assert () == read(reader, [])
    assert (Many([]),) == reader.replies_to([GetMany([], str)])
    assert 0 == reader.round_trips


def test_a_node_that_may_not_be_read_costs_itself_alone(reader):
    reader.client.create("/open", b"1")
    reader.client.create("/shut", b"2", acl=[make_digest_acl("u", "p", all=True)])

    for request in (GetData("/shut"), GetChildren("/shut")):
        is_open, is_shut = reader.replies_to([GetData("/open"), request])
        assert (b"1", Refused("/shut")) == (is_open.data, is_shut)
    (many,) = reader.replies_to([GetMany(["/open", "/shut", "/gone"], lambda node: node.data)])

    assert Many([b"1", Refused("/shut"), None]) == many


def test_a_large_read_is_one_round_trip_once_the_way_is_known(chroot):
    with client_of(chroot) as client:
        make_nodes(client, COUNT)
        reader = BatchedReader(client, Budget(OUTER_LIMIT_S))
        read(reader, ["/n0"])
        assert ReadMode.BATCHED is reader.mode
        before = reader.round_trips

        read(reader, [f"/n{number}" for number in range(COUNT)])

        assert 1 == reader.round_trips - before


@pytest.mark.faults
def test_a_connection_lost_in_between_is_waited_for(zookeeper, chroot):
    path = "/" + chroot.partition("/")[2]
    with serving(LossyProxy(zookeeper.connect)) as proxy, client_of(proxy.address + path) as client:
        make_nodes(client, 3)
        reader = BatchedReader(client, Budget(OUTER_LIMIT_S))
        read(reader, ["/n0"])
        proxy.hang_up_on_all()

        nodes = read(reader, ["/n0", "/n1", "/n2"])

        assert [b"0", b"1", b"2"] == [node and node.data for node in nodes]
        assert ReadMode.BATCHED is reader.mode
