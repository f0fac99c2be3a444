"""A broker is registered once, and what is in its way is replaced or named."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.coordination.notifications import notify_log_dir_failure, remove
from cluster.coordination.registration import (
    SharedAddress,
    find_controller,
    find_shared_address,
    read_incarnation,
    register,
)
from cluster.coordination.startup import (
    make_layout,
    new_broker_id,
    read_cluster_id,
    remove_stale_controller,
)
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.ids import MATCH_ANY, BrokerId
from cluster.zk import paths
from cluster.zk.layout import PERSISTENT_PATHS
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
from cluster.zk.steps import Steps, run
from cluster.zk.znode import Znode
from tests.sim.zookeeper import TOOL, SimZooKeeper

T = TypeVar("T")

losses = st.lists(st.sampled_from([None, True, False]), max_size=12)
"""For each request whether its reply is lost, and then whether it was done."""


class Ensemble:
    """A ZooKeeper with the layout of a cluster, two sessions, and replies that are lost."""

    def __init__(self, losses: list[bool | None] | None = None) -> None:
        self.zookeeper = SimZooKeeper(lambda *_: None, lambda _: None)
        self.session = self.zookeeper.connect()
        self.other_session = self.zookeeper.connect()
        self.losses: list[bool | None] = []
        self.before_write: Callable[[], None] = lambda: None
        self.run(make_layout())
        self.losses = losses or []

    def put(self, *operations: Operation, session: int | None = None) -> None:
        author = self.session if session is None else session
        reply = self.zookeeper.serve(author, Multi(operations), TOOL)
        assert isinstance(reply, MultiDone), reply

    def serve(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return tuple(map(self.reply, requests))

    def reply(self, request: ZkRequest) -> ZkReply:
        if isinstance(request, Multi):
            self.before_write()
        loss = self.losses.pop(0) if self.losses else None
        if loss is False:
            return Lost()
        reply = self.zookeeper.serve(self.session, request, TOOL)
        return reply if loss is None else Lost()

    def run(self, steps: Steps[T]) -> T:
        return run(steps, self.serve)

    def register(self, broker: BrokerRegistration, *own_sessions: int) -> object:
        self.removed: list[str] = []
        steps = register(
            broker, 7, self.session, own_sessions, lambda node: self.removed.append(node.path)
        )
        return self.run(steps)


def broker(broker_id: int = 1, port: int = 9092) -> BrokerRegistration:
    endpoint = Endpoint(listener="A", security_protocol="PLAINTEXT", host="h", port=port)
    return BrokerRegistration(
        broker_id=BrokerId(broker_id), endpoints=(endpoint,), version=5, host="h", port=port
    )


def test_a_broker_knows_that_it_is_registered_when_the_controller_does() -> None:
    """Another round trip would leave a window in which the controller's orders are refused."""
    ensemble = Ensemble()
    ensemble.put(Create(paths.INCARNATIONS), Create(paths.incarnation(BrokerId(1)), b"6"))
    steps = register(broker(), 7, ensemble.session, (), lambda _: None)

    with pytest.raises(StopIteration) as end:
        steps.send(ensemble.serve(next(steps)))

    node = ensemble.zookeeper.node(paths.broker(BrokerId(1)))
    assert node is not None
    assert node.czxid == end.value.value


@given(losses=losses)
def test_a_broker_is_registered_once_whatever_replies_are_lost(losses: list[bool | None]) -> None:
    ensemble = Ensemble(losses)

    epoch = ensemble.register(broker())

    node = ensemble.zookeeper.node("/brokers/ids/1")
    assert node is not None
    assert (node.czxid, node.ephemeral_owner, node.zk_version) == (epoch, ensemble.session, 1)
    assert ensemble.removed == []
    assert ensemble.run(read_incarnation(BrokerId(1))) == 7


@given(losses=losses)
def test_what_an_own_session_left_is_replaced(losses: list[bool | None]) -> None:
    ensemble = Ensemble(losses)
    left = Create("/brokers/ids/1", b"old", is_ephemeral=True)
    ensemble.put(left, session=ensemble.other_session)

    epoch = ensemble.register(broker(), ensemble.other_session)

    node = ensemble.zookeeper.node("/brokers/ids/1")
    assert node is not None
    assert (node.czxid, node.ephemeral_owner) == (epoch, ensemble.session)
    assert set(ensemble.removed) == {"/brokers/ids/1"}


def test_what_somebody_else_has_registered_is_told_and_stays() -> None:
    ensemble = Ensemble()
    there = Create("/brokers/ids/1", b"other", is_ephemeral=True)
    ensemble.put(there, session=ensemble.other_session)

    found = ensemble.register(broker())

    assert isinstance(found, Znode)
    assert (found.data, found.ephemeral_owner) == (b"other", ensemble.other_session)
    assert ensemble.run(read_incarnation(BrokerId(1))) == 0
    assert ensemble.zookeeper.node("/brokers/ids/1") == found


def test_an_address_that_another_broker_has_is_found_and_damage_is_passed_over() -> None:
    ensemble = Ensemble()
    ensemble.register(broker(2, 9093))
    ensemble.put(Create("/brokers/ids/0", b"["))
    ensemble.put(Create("/brokers/ids/7", b"bld-x-03:host:9092"))
    ensemble.put(Create("/brokers/ids/foo", b""), Create("/brokers/ids/-1"))

    assert ensemble.run(find_shared_address(broker(1, 9092))) is None
    assert ensemble.run(find_shared_address(broker(2, 9093))) is None
    shared = SharedAddress(BrokerId(2), "h", 9093)
    assert shared == ensemble.run(find_shared_address(broker(1, 9093)))


def test_the_controller_is_found_where_it_listens() -> None:
    ensemble = Ensemble()
    assert ensemble.run(find_controller("A")) is None
    ensemble.put(Create(paths.CONTROLLER, b'{"version":1,"brokerid":1}'))
    assert ensemble.run(find_controller("A")) is None
    ensemble.register(broker())

    endpoint = ensemble.run(find_controller("A"))

    assert endpoint is not None
    assert (endpoint.host, endpoint.port) == ("h", 9092)
    assert ensemble.run(find_controller("B")) is None


@given(losses=losses)
def test_the_first_broker_makes_what_a_cluster_begins_with(losses: list[bool | None]) -> None:
    ensemble = Ensemble(losses)
    for path in reversed(PERSISTENT_PATHS):
        ensemble.put(Delete(path))

    ensemble.run(make_layout())
    assert all(ensemble.zookeeper.node(path) for path in PERSISTENT_PATHS)
    assert ensemble.run(read_cluster_id("first")) == "first"
    assert ensemble.run(read_cluster_id("second")) == "first"


@given(losses=losses)
def test_no_broker_id_is_drawn_twice(losses: list[bool | None]) -> None:
    ensemble = Ensemble(losses)

    drawn = [ensemble.run(new_broker_id(1000)) for _ in range(3)]

    assert drawn == sorted(set(drawn))
    assert min(drawn) > 1000


@given(losses=losses)
def test_the_controller_of_an_earlier_session_is_removed(losses: list[bool | None]) -> None:
    ensemble = Ensemble(losses)
    ensemble.put(Create(paths.CONTROLLER_EPOCH, b"1"))
    controller = Create(paths.CONTROLLER, b"", is_ephemeral=True)
    ensemble.put(controller, session=ensemble.other_session)

    ensemble.run(remove_stale_controller((ensemble.other_session,)))

    assert ensemble.zookeeper.node(paths.CONTROLLER) is None


@pytest.mark.parametrize("is_own", [True, False])
def test_a_controller_of_others_or_one_elected_in_between_stays(is_own: bool) -> None:
    ensemble = Ensemble()
    ensemble.put(Create(paths.CONTROLLER_EPOCH, b"1"))
    controller = Create(paths.CONTROLLER, b"", is_ephemeral=True)
    ensemble.put(controller, session=ensemble.other_session)

    def elect() -> None:
        ensemble.put(SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY), Delete(paths.CONTROLLER))
        ensemble.put(replace(controller, data=b"new"))

    ensemble.before_write = elect
    earlier = (ensemble.other_session,) if is_own else (99,)

    assert ensemble.run(remove_stale_controller(earlier)) is False
    assert ensemble.run(remove_stale_controller(())) is False
    assert ensemble.zookeeper.node(paths.CONTROLLER) is not None


@given(losses=losses)
def test_a_failed_directory_is_told_at_least_once_and_old_news_removed(
    losses: list[bool | None],
) -> None:
    ensemble = Ensemble(losses)

    ensemble.run(notify_log_dir_failure(BrokerId(1)))

    news = ensemble.zookeeper.children(paths.LOG_DIR_EVENTS)
    assert news
    for name in (*news, *news):
        ensemble.run(remove(f"{paths.LOG_DIR_EVENTS}/{name}"))
    assert ensemble.zookeeper.children(paths.LOG_DIR_EVENTS) == ()
