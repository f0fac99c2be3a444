"""Requests for preferred leaders: one at a time, made once, whatever becomes of the reply."""

from collections.abc import Callable

import pytest

from cluster.coordination.election import read_leaders, read_request, request_election
from cluster.coordination.transaction import SENDS_MAX, Fence, NeverAnswered
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved
from cluster.zk import paths
from cluster.zk.requests import (
    Create,
    Delete,
    Lost,
    Multi,
    MultiDone,
    Operation,
    SetData,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import run
from cluster.zk.topics import encode_state
from tests.kadmin.builders import state
from tests.sim.zookeeper import TOOL, SimZooKeeper

FENCE = Fence(ZkVersion(0))
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
LEADERS = {T0: BrokerId(0), T1: BrokerId(1)}
REQUEST = b'{"version":1,"partitions":[{"topic":"t","partition":0},{"topic":"t","partition":1}]}'
EMPTY = b'{"version":1,"partitions":[]}'


class Cluster:
    """Topic t, both partitions led by broker 2; a reply to a transaction is lost by `losing`."""

    def __init__(self) -> None:
        self.zookeeper = SimZooKeeper(lambda *_: None, lambda _: None)
        self.session = self.zookeeper.connect()
        self.losing: list[Callable[[], None]] = []
        """For each of the next transactions: what happens when its reply has been lost."""
        self.transactions: list[tuple[Operation, ...]] = []
        self.put(Create("/admin"), Create(paths.CONTROLLER_EPOCH, b"1"))
        self.put(Create(paths.BROKERS), Create(paths.TOPICS), Create(paths.topic("t")))
        self.put(Create(paths.partitions("t")))
        for part in (T0, T1):
            data = encode_state(state(2, "2,0,1"))
            self.put(Create(paths.partition(part)), Create(self.state(part), data))

    def state(self, part: TopicPartition) -> str:
        return paths.state(part.topic, part.partition)

    def put(self, *operations: Operation) -> None:
        reply = self.zookeeper.serve(self.session, Multi(operations), TOOL)
        assert isinstance(reply, MultiDone), reply

    def elect(self, **leaders: int) -> None:
        """Do what a controller does: `p0=1` gives partition 0 to broker 1; the request goes."""
        for name, leader in leaders.items():
            data = encode_state(state(leader, "2,0,1"))
            part = TopicPartition("t", int(name[1:]))
            node = self.zookeeper.node(self.state(part))
            assert node is not None
            self.put(SetData(self.state(part), data, node.zk_version))
        self.put(Delete(paths.PREFERRED_ELECTION))

    def serve(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return tuple(map(self.reply, requests))

    def reply(self, request: ZkRequest) -> ZkReply:
        reply = self.zookeeper.serve(self.session, request, TOOL)
        if isinstance(request, Multi):
            self.transactions.append(request.operations)
            if self.losing:
                self.losing.pop(0)()
                return Lost()
        return reply

    @property
    def request(self) -> bytes | None:
        node = self.zookeeper.node(paths.PREFERRED_ELECTION)
        return None if node is None else node.data


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def test_the_partitions_are_asked_for_in_kafka_s_form(cluster: Cluster) -> None:
    outcome = run(request_election(FENCE, LEADERS), cluster.serve)

    assert Committed() == outcome
    assert REQUEST == cluster.request
    assert (T0, T1) == run(read_request(), cluster.serve)


def test_another_request_that_stands_is_left_alone(cluster: Cluster) -> None:
    other = b'{"version":1,"partitions":[{"topic":"u","partition":0}]}'
    cluster.put(Create(paths.PREFERRED_ELECTION, other))

    outcome = run(request_election(FENCE, LEADERS), cluster.serve)

    assert Conflict(paths.PREFERRED_ELECTION, ConflictKind.EXISTS) == outcome
    assert other == cluster.request


def test_an_empty_request_is_removed_by_itself_before_another_is_made(cluster: Cluster) -> None:
    cluster.put(Create(paths.PREFERRED_ELECTION, EMPTY))

    outcome = run(request_election(FENCE, LEADERS), cluster.serve)

    assert Committed() == outcome
    assert REQUEST == cluster.request
    assert [Delete, Create] == [type(operations[-1]) for operations in cluster.transactions]


def test_nothing_is_removed_under_another_controller(cluster: Cluster) -> None:
    cluster.put(Create(paths.PREFERRED_ELECTION, EMPTY))
    cluster.put(SetData(paths.CONTROLLER_EPOCH, b"2", ZkVersion(0)))

    assert FenceMoved() == run(request_election(FENCE, LEADERS), cluster.serve)
    assert EMPTY == cluster.request


def test_an_empty_request_that_a_controller_removes_meanwhile_is_in_nobody_s_way(
    cluster: Cluster,
) -> None:
    cluster.put(Create(paths.PREFERRED_ELECTION, EMPTY))
    reads = 0

    def serve(requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        nonlocal reads
        reads += 1
        if reads == 2:
            cluster.elect()
        return cluster.serve(requests)

    assert Committed() == run(request_election(FENCE, LEADERS), serve)
    assert REQUEST == cluster.request


def test_a_damaged_request_is_told(cluster: Cluster) -> None:
    cluster.put(Create(paths.PREFERRED_ELECTION, b"{"))

    with pytest.raises(CorruptZnodeError, match="preferred_replica_election"):
        run(request_election(FENCE, LEADERS), cluster.serve)

    assert b"{" == cluster.request


def test_what_a_controller_has_done_before_anybody_could_look_is_done(cluster: Cluster) -> None:
    cluster.losing = [lambda: cluster.elect(p0=0, p1=1)]

    assert Committed() == run(request_election(FENCE, LEADERS), cluster.serve)
    assert cluster.request is None
    assert 1 == len(cluster.transactions)


def test_what_it_has_done_in_part_is_asked_for_again(cluster: Cluster) -> None:
    cluster.losing = [lambda: cluster.elect(p0=0)]

    assert Committed() == run(request_election(FENCE, LEADERS), cluster.serve)
    assert REQUEST == cluster.request


def test_a_request_that_stands_after_a_lost_reply_is_not_made_again(cluster: Cluster) -> None:
    cluster.losing = [lambda: None]

    assert Committed() == run(request_election(FENCE, LEADERS), cluster.serve)
    assert 1 == len(cluster.transactions)


def test_it_is_not_asked_for_ever(cluster: Cluster) -> None:
    cluster.losing = [cluster.elect] * (SENDS_MAX + 1)

    with pytest.raises(NeverAnswered):
        run(request_election(FENCE, LEADERS), cluster.serve)

    assert SENDS_MAX == len(cluster.transactions)


def test_leaders_are_read_and_none_where_it_cannot_be_told(cluster: Cluster) -> None:
    cluster.put(SetData(cluster.state(T1), b"?", ZkVersion(0)))
    gone = TopicPartition("gone", 0)

    leaders = run(read_leaders([T0, T1, gone]), cluster.serve)

    assert {T0: 2, T1: NO_LEADER, gone: NO_LEADER} == leaders


def test_without_a_request_nothing_is_under_way(cluster: Cluster) -> None:
    assert () == run(read_request(), cluster.serve)
