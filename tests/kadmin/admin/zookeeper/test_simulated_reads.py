"""The reads of a cluster over a simulated ZooKeeper: the same whoever carries them out."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from cluster.model.ids import TopicPartition
from cluster.zk import paths
from cluster.zk.requests import (
    Create,
    Delete,
    GetMany,
    Lost,
    Many,
    Multi,
    MultiDone,
    Operation,
    Refused,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import from_singles, in_singles, run
from kadmin.admin.ports import Remaining
from kadmin.admin.zookeeper.snapshot import read_brokers, read_snapshot
from kadmin.admin.zookeeper.topic_ids import find_topics_of_id
from kadmin.admin.zookeeper.topic_names import read_topic_names
from kadmin.admin.zookeeper.topic_writes import not_deleted, without_leader
from kadmin.arguments.topics import TopicSelection
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.sim.zookeeper import TOOL, SimZooKeeper
from tests.support.znodes import znodes_of

Serve: TypeAlias = Callable[[tuple[ZkRequest, ...]], tuple[ZkReply, ...]]

WRITTEN = cluster(
    brokers("0:a 1"),
    topic("a", "0,1 1,0", {0: state(0, "0,1")}, configs={"k": "v"}),
    topic("b", "1", marked=True),
)
ALL = TopicSelection()


class Server:
    def __init__(self) -> None:
        self.turns = 0
        self.zookeeper = SimZooKeeper(lambda *_: None, lambda _: None)
        self.session = self.zookeeper.connect()
        self.put(*(Create(path, data) for path, data in znodes_of(WRITTEN).items()))

    def put(self, *operations: Operation) -> None:
        assert isinstance(self.reply(Multi(operations)), MultiDone)

    def reply(self, request: ZkRequest) -> ZkReply:
        return self.zookeeper.serve(self.session, request, TOOL)

    def serve(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return tuple(map(self.reply, requests))

    def serve_singly(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return from_singles(requests, self.serve(in_singles(requests)))

    def losing(self, serve: Serve) -> Serve:
        """*serve*, where every second reply is lost."""
        count = 0

        def serve_or_lose(requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
            nonlocal count
            replies = []
            for reply in serve(requests):
                replies.append(Lost() if count % 2 == 0 else reply)
                count += 1
            return tuple(replies)

        return serve_or_lose

    def losing_nodes(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        """One by one; every third reply is lost in each second turn."""
        self.turns += 1
        replies = [
            Lost() if self.turns % 2 == 1 and number % 3 == 1 else reply
            for number, reply in enumerate(self.serve(in_singles(requests)))
        ]
        return from_singles(requests, replies)


@pytest.fixture
def server() -> Server:
    return Server()


def test_whoever_carries_the_reads_out_gets_the_same(server: Server) -> None:
    servers: tuple[Serve, ...] = (
        server.serve,
        server.serve_singly,
        server.losing(server.serve),
        server.losing(server.serve_singly),
        server.losing_nodes,
    )

    snapshots = [run(read_snapshot("here", ALL), serve) for serve in servers]

    assert snapshots == [snapshots[0]] * len(servers)
    assert {"a": {"k": "v"}, "b": {}} == {
        name: dict(found.config.values) for name, found in snapshots[0].topics.items()
    }
    assert [0] == list(snapshots[0].topics["a"].states)
    assert list(snapshots[0].brokers) == list(run(read_brokers(), server.losing(server.serve)))
    assert () == snapshots[0].faults


def test_one_that_may_not_be_read_costs_the_others_nothing(server: Server) -> None:
    def serve(requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return tuple(
            Many(
                [
                    Refused(path) if path == paths.topic("a") else item
                    for path, item in zip(request.paths, reply.items, strict=True)
                ]
            )
            if isinstance(request, GetMany) and isinstance(reply, Many)
            else reply
            for request, reply in zip(requests, server.serve(requests), strict=True)
        )

    snapshot = run(read_snapshot("here", ALL), serve)
    found = run(find_topics_of_id("here", "nobody's"), serve)

    assert ["b"] == list(snapshot.topics)
    assert ["/brokers/topics/a: may not be read by this user"] == list(map(str, snapshot.faults))
    assert list(map(str, snapshot.faults)) == list(map(str, found.faults))


def test_what_remains_to_be_done_is_seen(server: Server) -> None:
    partitions = [TopicPartition("a", 0), TopicPartition("a", 1), TopicPartition("gone", 0)]

    assert run(without_leader(partitions), server.serve) == Remaining(
        items=partitions[1:], has_controller=True
    )
    server.put(Delete(paths.CONTROLLER))
    assert run(not_deleted(["b", "gone"]), server.serve) == Remaining(
        items=["b"], has_controller=False
    )
    assert ("a", "b") == run(read_topic_names("here"), server.losing(server.serve)).names
