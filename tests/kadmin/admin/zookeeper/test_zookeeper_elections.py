"""When has a controller gone through a request for preferred leaders?  Over a simulated
ZooKeeper."""

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.zk import paths
from cluster.zk.requests import Create, Delete, Multi, MultiDone, Operation, ZkReply, ZkRequest
from cluster.zk.steps import run
from kadmin.admin.zookeeper.zookeeper_elections import not_elected
from kadmin.plan.election import PartitionElection, Prospect
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.sim.zookeeper import TOOL, SimZooKeeper
from tests.support.znodes import znodes_of

ELECTIONS = [
    PartitionElection(
        partition=TopicPartition("t", number),
        prospect=Prospect.MOVES,
        leader=BrokerId(1),
        elected=BrokerId(0),
    )
    for number in range(3)
]


class Server:
    """Partitions 0, 1 and 2 of topic t, led by *leaders*; *request* is what stands there."""

    def __init__(self, leaders: str, request: str | None) -> None:
        self.zookeeper = SimZooKeeper(lambda *_: None, lambda _: None)
        self.session = self.zookeeper.connect()
        states = {n: state(int(leader), "0,1") for n, leader in enumerate(leaders.split())}
        snapshot = cluster(brokers("0 1"), topic("t", "0,1 0,1 0,1", states))
        self.put(*(Create(path, data) for path, data in znodes_of(snapshot).items()))
        if request is not None:
            self.put(Create(paths.PREFERRED_ELECTION, request.encode()))

    def put(self, *operations: Operation) -> None:
        assert isinstance(self.serve((Multi(operations),))[0], MultiDone)

    def serve(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return tuple(self.zookeeper.serve(self.session, request, TOOL) for request in requests)


OURS = (
    '{"version":1,"partitions":[{"topic":"t","partition":0},{"topic":"t","partition":1},'
    '{"topic":"t","partition":2}]}'
)
ANOTHER = '{"version":1,"partitions":[{"topic":"u","partition":0}]}'


@pytest.mark.parametrize(
    ("leaders", "request_text", "left"),
    [
        ("1 1 1", OURS, [0, 1, 2]),
        ("0 1 0", OURS, [1]),
        ("0 -1 0", OURS, [1]),
        # As long as it stands, there is no room for another.
        ("0 0 0", OURS, [2]),
        ("1 1 1", None, []),
        ("1 1 1", ANOTHER, []),
        ("1 1 1", "damaged by somebody else", []),
    ],
)
def test_a_request_is_over_when_it_is_gone(
    leaders: str, request_text: str | None, left: list[int]
) -> None:
    server = Server(leaders, request_text)

    found = run(not_elected(ELECTIONS), server.serve)
    server.put(Delete(paths.CONTROLLER))
    without_controller = run(not_elected(ELECTIONS), server.serve)

    expected = [ELECTIONS[number] for number in left]
    assert (expected, True) == (list(found.items), found.has_controller)
    assert not without_controller.has_controller
