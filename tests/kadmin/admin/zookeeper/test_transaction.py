"""Transactions against a real ZooKeeper: fences, conflicts, ACLs, lost replies."""

from collections.abc import Iterator

import pytest
from kazoo.client import KazooClient
from kazoo.security import ACL, Id, make_digest_acl

from cluster.coordination.transaction import has_landed, never
from cluster.model.ids import ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved
from cluster.zk.requests import Check, Create, Delete, Operation, SetData
from cluster.zk.steps import read_node
from kadmin.admin.ports import Fence
from kadmin.admin.zookeeper.connection import Connection, ZooKeeperDenied, connect
from kadmin.admin.zookeeper.runner import OutcomeUnknown, run_blocking
from kadmin.admin.zookeeper.transaction import (
    ControllerUnreadable,
    KRaftOwnsCluster,
    commit,
    read_fence,
)
from kadmin.settings.keys import Secret, ZooKeeperAuth
from kadmin.settings.resolve import ZooKeeperSettings
from tests.support.lossy_proxy import Loss, LossyProxy
from tests.support.proxy import serving
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

CONTROLLER = b'{"version":1,"brokerid":0,"timestamp":"1"}'
KRAFT_CONTROLLER = b'{"version":2,"brokerid":3000,"timestamp":"1","kraftControllerEpoch":5}'


@pytest.fixture
def client(chroot: str) -> Iterator[KazooClient]:
    with client_of(chroot) as client:
        yield client


@pytest.fixture
def connection(chroot: str) -> Iterator[Connection]:
    with connect(settings(chroot)) as connection:
        yield connection


def settings(connect_string: str, timeout_s: float = 20, user: str = "") -> ZooKeeperSettings:
    if not user:
        return ZooKeeperSettings(connect=connect_string, timeout_s=timeout_s)
    return ZooKeeperSettings(
        connect=connect_string,
        timeout_s=timeout_s,
        auth=ZooKeeperAuth.DIGEST,
        user=user,
        password=Secret("secret"),
    )


def version(number: int) -> ZkVersion:
    return ZkVersion(number)


def test_all_operations_are_made_in_order(client: KazooClient, connection: Connection) -> None:
    client.create("/controller_epoch", b"1")
    client.create("/old", b"x")
    client.create("/gone")
    client.set("/old", b"y")

    outcome = commit(
        connection,
        read_fence(connection),
        [
            Create("/new"),
            Create("/new/child", b"c"),
            Create("/new/change_", b"n", is_sequential=True),
            SetData("/old", b"z", version(1)),
            Check("/controller_epoch", version(0)),
            Delete("/gone", version(0)),
        ],
    )

    assert outcome == Committed()
    assert sorted(client.get_children("/new")) == ["change_0000000001", "child"]
    node = connection.read(read_node("/new"))
    assert node is not None
    assert node.data is None
    assert client.get("/old")[0] == b"z"
    assert client.exists("/gone") is None


def test_a_controller_elected_in_between_stops_the_transaction(
    client: KazooClient, connection: Connection
) -> None:
    client.create("/controller_epoch", b"1")
    fence = read_fence(connection)
    client.set("/controller_epoch", b"2")

    outcome = commit(connection, fence, [Create("/new", b"")])

    assert outcome == FenceMoved()
    assert client.exists("/new") is None


def test_an_epoch_that_vanished_stops_the_transaction(
    client: KazooClient, connection: Connection
) -> None:
    client.create("/controller_epoch", b"1")
    fence = read_fence(connection)
    client.delete("/controller_epoch")

    assert commit(connection, fence, [Create("/new", b"")]) == FenceMoved()


def test_a_cluster_that_never_had_a_controller_can_be_written(
    client: KazooClient, connection: Connection
) -> None:
    fence = read_fence(connection)

    assert fence == Fence(mark=None)
    assert commit(connection, fence, [Create("/new", b"")]) == Committed()


def test_the_fence_is_the_version_of_the_controller_epoch(
    client: KazooClient, connection: Connection
) -> None:
    client.create("/controller_epoch", b"7")
    client.set("/controller_epoch", b"8")
    client.create("/controller", CONTROLLER)

    fence = read_fence(connection)

    assert fence.mark == 1


def test_a_cluster_owned_by_kraft_is_refused(client: KazooClient, connection: Connection) -> None:
    client.create("/controller_epoch", b"7")
    client.create("/controller", KRAFT_CONTROLLER)

    with pytest.raises(KRaftOwnsCluster, match="kraftControllerEpoch=5"):
        read_fence(connection)


def test_a_damaged_controller_is_refused(client: KazooClient, connection: Connection) -> None:
    client.create("/controller", b"{")

    with pytest.raises(ControllerUnreadable, match="/controller"):
        read_fence(connection)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (
            SetData("/there", b"", version(5)),
            Conflict("/there", ConflictKind.VERSION),
        ),
        (
            SetData("/missing", b"", version(0)),
            Conflict("/missing", ConflictKind.MISSING),
        ),
        (Create("/there", b""), Conflict("/there", ConflictKind.EXISTS)),
        (Create("/no/parent", b""), Conflict("/no/parent", ConflictKind.MISSING)),
        (
            Delete("/there", version(0)),
            Conflict("/there", ConflictKind.CHILDREN),
        ),
        (
            Check("/there/child", version(1)),
            Conflict("/there/child", ConflictKind.VERSION),
        ),
    ],
)
def test_a_conflict_names_the_node_and_leaves_nothing_behind(
    client: KazooClient,
    connection: Connection,
    operation: Operation,
    expected: Conflict,
) -> None:
    client.create("/controller_epoch", b"1")
    client.create("/there")
    client.create("/there/child")

    outcome = commit(
        connection,
        read_fence(connection),
        [
            Create("/before", b""),
            operation,
            Create("/after", b""),
        ],
    )

    assert outcome == expected
    assert client.exists("/before") is None
    assert client.exists("/after") is None


def test_what_is_created_below_an_open_node_is_open(
    client: KazooClient, connection: Connection
) -> None:
    commit(connection, read_fence(connection), [Create("/new", b"")])

    assert client.get_acls("/new")[0] == client.get_acls("/")[0]


def test_what_is_created_below_a_closed_node_belongs_to_the_same_owners(chroot: str) -> None:
    # Kafka with zookeeper.set.acl: the creator may do all, the world may read.
    kafka = make_digest_acl("kafka", "secret", all=True)
    world_reads = ACL(1, Id("world", "anyone"))
    with connect(settings(chroot, user="kafka")) as connection:
        for path in ("/config", "/config/topics"):
            connection.client.create(path, acl=[kafka, world_reads])

        outcome = commit(
            connection,
            read_fence(connection),
            [
                Create("/config/topics/t", b""),
                Create("/config/users"),
                Create("/config/users/u", b""),
            ],
        )

        assert outcome == Committed()
        assert connection.client.get_acls("/config/topics/t")[0] == [kafka, world_reads]
        assert connection.client.get_acls("/config/users")[0] == [kafka]
        assert connection.client.get_acls("/config/users/u")[0] == [kafka]


def test_a_helpers_node_still_belongs_to_the_brokers(chroot: str) -> None:
    """An operator with a user of his own, who may only create, must not lock the brokers out."""
    kafka = make_digest_acl("kafka", "secret", all=True)
    helper = make_digest_acl("helper", "secret", read=True, create=True, admin=True)
    with connect(settings(chroot, user="kafka")) as connection:
        connection.client.create("/config", acl=[kafka, helper])
    with connect(settings(chroot, user="helper")) as connection:
        commit(connection, read_fence(connection), [Create("/config/t", b"")])
    with connect(settings(chroot, user="kafka")) as connection:
        connection.client.set("/config/t", b"the brokers can write it")

        assert connection.client.get_acls("/config/t")[0] == [kafka, helper]


def test_a_digest_that_is_hidden_from_us_is_not_copied(chroot: str) -> None:
    kafka = make_digest_acl("kafka", "secret", all=True)
    helper = make_digest_acl("helper", "secret", read=True, create=True)
    with connect(settings(chroot, user="kafka")) as connection:
        connection.client.create("/config", acl=[kafka, helper])
    with connect(settings(chroot, user="helper")) as connection:
        shown = connection.client.get_acls("/config")[0]
        commit(connection, read_fence(connection), [Create("/config/t", b"")])
        created = connection.client.get_acls("/config/t")[0]

    assert {acl.id.id for acl in shown} == {"kafka:x", "helper:x"}
    assert {acl.id.id for acl in created} == {helper.id.id}


def test_an_acl_that_forbids_the_write_is_named(chroot: str, connection: Connection) -> None:
    with connect(settings(chroot, user="kafka")) as owner:
        owner.client.create(
            "/config",
            acl=[make_digest_acl("kafka", "secret", all=True), ACL(1, Id("world", "anyone"))],
        )

    with pytest.raises(ZooKeeperDenied, match="/config/t"):
        commit(connection, read_fence(connection), [Create("/config/t", b"")])


@pytest.mark.faults
@pytest.mark.parametrize(
    "losses",
    [
        [Loss.REPLY],
        [Loss.REQUEST],
        [Loss.REQUEST, Loss.REPLY],
        [Loss.REQUEST, Loss.REQUEST, Loss.REQUEST],
    ],
)
def test_a_transaction_is_made_once_whatever_the_network_loses(
    chroot: str, client: KazooClient, losses: list[Loss]
) -> None:
    client.create("/controller_epoch", b"1")
    client.create("/old", b"x")
    client.create("/gone")
    server, _, path = chroot.partition("/")
    with (
        serving(LossyProxy(server)) as proxy,
        connect(settings(f"{proxy.address}/{path}")) as connection,
    ):
        fence = read_fence(connection)
        proxy.lose(*losses)

        outcome = commit(
            connection,
            fence,
            [
                SetData("/old", b"y", version(0)),
                Delete("/gone", version(0)),
                Create("/change_", b"", is_sequential=True),
                Create("/new"),
            ],
        )

        assert outcome == Committed()
        assert proxy.lost == losses
    assert client.get("/old")[1].version == 1
    assert len([name for name in client.get_children("/") if name.startswith("change_")]) == 1


@pytest.mark.faults
def test_a_lost_transaction_that_another_one_overtook_is_a_conflict(
    chroot: str, client: KazooClient
) -> None:
    client.create("/old", b"x")
    server, _, path = chroot.partition("/")
    with (
        serving(LossyProxy(server)) as proxy,
        connect(settings(f"{proxy.address}/{path}")) as connection,
    ):
        fence = read_fence(connection)
        client.set("/old", b"other")
        proxy.lose(Loss.REQUEST)

        outcome = commit(
            connection,
            fence,
            [SetData("/old", b"y", version(0))],
        )

        assert outcome == Conflict("/old", ConflictKind.VERSION)
        assert proxy.lost == [Loss.REQUEST]
    assert client.get("/old")[0] == b"other"


@pytest.mark.parametrize(
    "operation",
    [
        Create("/ours", b"y"),
        SetData("/ours", b"y", version(0)),
    ],
)
def test_a_trace_that_somebody_else_wrote_over_leaves_the_outcome_open(
    client: KazooClient, connection: Connection, operation: Operation
) -> None:
    client.create("/ours", b"")
    client.set("/ours", b"y")
    client.set("/ours", b"y and an id")

    with pytest.raises(OutcomeUnknown, match=r"/ours .*changed since"):
        run_blocking(connection, has_landed([operation], {}, never))


@pytest.mark.faults
def test_a_connection_that_stays_lost_leaves_the_outcome_open(chroot: str) -> None:
    server, _, path = chroot.partition("/")
    with (
        serving(LossyProxy(server)) as proxy,
        connect(settings(f"{proxy.address}/{path}", timeout_s=2)) as connection,
    ):
        fence = read_fence(connection)
        proxy.lose(Loss.REQUEST)
        proxy.refuse()

        with pytest.raises(OutcomeUnknown, match="/new"):
            commit(connection, fence, [Create("/new", b"")])
