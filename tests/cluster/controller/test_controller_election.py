import pytest

from cluster.controller.core import CANDIDACY_BACKOFF_MS
from cluster.controller.effects import Reply
from cluster.controller.events import (
    Answered,
    BrokersChanged,
    ControllerChanged,
    OrderAnswered,
    Requested,
    SessionExpired,
    SessionStarted,
    Ticket,
    TopicsChanged,
)
from cluster.controller.orders import Order, OrderResult
from cluster.controller.requests import ControlledShutdown, ControlledShutdownReply
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, BrokerEpoch, BrokerId, ControllerEpoch, ZkVersion
from cluster.zk import paths
from cluster.zk.controller import decode_controller
from cluster.zk.requests import Children, Create, Delete, Lost, Multi, SetData, ZkReply
from tests.cluster.controller.asked import (
    Asked,
    CreateControllerEpoch,
    ReadBrokers,
    ReadController,
    RegisterController,
    RemoveController,
)
from tests.cluster.controller.harness import Harness, obeyed, tp

OTHER = b'{"version":2,"brokerid":2,"timestamp":"1","kraftControllerEpoch":-1}'


def test_the_first_controller_of_a_cluster_has_epoch_1() -> None:
    harness = Harness(1)

    harness.register_controller()

    assert harness.active.controller_epoch == 1
    assert harness.requests[:3] == [ReadController(), CreateControllerEpoch(), ReadController()]
    assert harness.requests[3] == RegisterController(1, ZkVersion(0))
    node = harness.zookeeper.node(paths.CONTROLLER)
    assert node is not None
    assert (decode_controller(node).broker_id, node.ephemeral_owner) == (1, harness.session)
    epoch_node = harness.zookeeper.node(paths.CONTROLLER_EPOCH)
    assert epoch_node is not None
    assert (epoch_node.data, epoch_node.zk_version) == (b"1", 1)


def test_while_another_broker_is_the_controller_nothing_is_written() -> None:
    harness = Harness(1)
    harness.tool(Create(paths.CONTROLLER, OTHER))

    harness.register_controller()

    assert harness.core.active is None
    assert harness.requests == [ReadController()]


def test_who_was_too_late_is_elected_when_the_other_goes() -> None:
    harness = Harness(1)
    harness.tool(Create(paths.CONTROLLER_EPOCH, b"6"), Create(paths.CONTROLLER, OTHER))
    harness.register_controller()

    harness.tool(Delete(paths.CONTROLLER))
    harness.settle()

    assert harness.active.controller_epoch == 7


def test_losing_the_race_in_the_last_moment_is_no_failure() -> None:
    harness = Harness(1)
    harness.tool(Create(paths.CONTROLLER_EPOCH, b"6"))

    def other_is_faster(request: Asked) -> None:
        if isinstance(request, RegisterController):
            harness.before = harness.do_nothing
            harness.tool(
                Create(paths.CONTROLLER, OTHER), SetData(paths.CONTROLLER_EPOCH, b"7", MATCH_ANY)
            )

    harness.before = other_is_faster
    harness.register_controller()

    assert harness.core.active is None


def test_an_election_whose_answer_was_lost_is_found_to_be_won() -> None:
    harness = Harness(1)
    harness.lose_answers_to(RegisterController, has_landed=True)

    harness.register_controller()

    assert harness.active.controller_epoch == 1
    assert harness.active.epoch_zk_version == 1


def test_an_election_that_was_lost_on_the_way_is_held_again() -> None:
    harness = Harness(1)
    harness.lose_answers_to(RegisterController, has_landed=False)

    harness.register_controller()

    assert harness.active.controller_epoch == 1


def test_a_term_never_takes_up_the_epoch_of_an_older_one() -> None:
    harness = Harness(1)
    harness.fail_once(ReadBrokers)
    harness.lose_answers_to(RemoveController, has_landed=False)
    harness.register_controller()
    assert harness.core.active is None

    harness.pass_time()
    harness.settle()

    assert harness.active.controller_epoch == 2


def test_a_start_that_fails_leaves_it_to_others_for_a_while() -> None:
    harness = Harness(1)
    harness.fail_once(ReadBrokers)

    harness.register_controller()

    assert harness.core.active is None
    assert harness.zookeeper.node(paths.CONTROLLER) is None
    assert [str(resignation.reason) for resignation in harness.resignations] == [
        "/brokers/ids: no permission"
    ]
    assert harness.core.next_deadline() == harness.failed_ms + 1 + CANDIDACY_BACKOFF_MS


def test_who_failed_as_controller_runs_again_after_a_while() -> None:
    harness = Harness(1)
    harness.fail_once(ReadBrokers)
    harness.register_controller()
    before = harness.requests.copy()
    harness.step(ControllerChanged())
    assert harness.requests == before

    harness.pass_time()

    assert harness.active.controller_epoch == 2


@pytest.mark.parametrize(
    ("kind", "is_in_the_way"),
    [(RegisterController, False), (CreateControllerEpoch, False), (RemoveController, True)],
)
def test_a_broker_whom_zookeeper_refuses_stands_again_later(
    kind: type[Asked], is_in_the_way: bool
) -> None:
    harness = Harness(1)
    if is_in_the_way:
        # Its own node of before, in this session.
        own = b'{"version":2,"brokerid":1,"timestamp":"1","kraftControllerEpoch":-1}'
        create = (
            Create(paths.CONTROLLER_EPOCH, b"0"),
            Create(paths.CONTROLLER, own, is_ephemeral=True),
        )
        harness.zookeeper.serve(harness.session, Multi(create), harness.author)
    harness.refuse(kind)
    harness.register_controller()
    assert harness.core.active is None
    assert harness.resignations == []
    assert harness.count(kind) == 1

    harness.before = harness.do_nothing
    harness.pass_time()

    assert harness.active.controller_epoch == 1


def test_too_early_a_call_changes_nothing() -> None:
    harness = Harness(1)
    harness.fail_once(ReadBrokers)
    harness.register_controller()

    assert harness.core.on_deadline(harness.now_ms) == ()


def test_an_expired_session_ends_the_term_at_once() -> None:
    harness = Harness(1, 2)
    harness.register_controller()
    harness.answer = lambda broker_id, order: None

    harness.step(SessionExpired())

    assert harness.core.active is None
    assert len(harness.resignations) == 1
    assert harness.core.next_deadline() is None


def test_without_a_session_nothing_is_asked() -> None:
    harness = Harness(1)
    harness.register_controller()
    harness.step(SessionExpired())
    harness.requests.clear()

    harness.step(ControllerChanged())
    harness.step(BrokersChanged())

    assert harness.requests == []


def test_a_session_that_expires_in_the_middle_ends_what_is_being_done() -> None:
    harness = Harness(1)

    def expire(request: Asked) -> ZkReply | None:
        if isinstance(request, ReadBrokers):
            harness.before = harness.do_nothing
            harness.step(SessionExpired())
            return Children(())
        return None

    harness.before = expire
    harness.register_controller()

    assert harness.core.active is None
    assert harness.core.is_idle


def test_a_controller_that_is_no_longer_elected_resigns() -> None:
    harness = Harness(1)
    harness.register_controller()

    harness.tool(Delete(paths.CONTROLLER), Create(paths.CONTROLLER, OTHER))
    harness.settle()

    assert harness.core.active is None
    assert len(harness.resignations) == 1


def test_a_zombie_learns_from_its_first_write_that_it_is_one() -> None:
    harness = Harness(1)
    harness.register_controller()
    harness.tool(SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY))
    harness.tool(Delete(paths.CONTROLLER), Create(paths.CONTROLLER, OTHER))
    harness.hints.clear()
    harness.create_topic("t", (1,))
    harness.orders.clear()

    harness.step(TopicsChanged())

    assert harness.core.active is None
    assert harness.state(tp("t-0")) is None
    assert harness.told() == []


def test_a_broker_that_obeys_a_newer_controller_makes_an_old_one_look() -> None:
    harness = Harness(1)
    harness.register_controller()
    harness.tool(Delete(paths.CONTROLLER), Create(paths.CONTROLLER, OTHER))
    harness.hints.clear()

    def answer(broker_id: BrokerId, order: Order) -> OrderResult:
        return OrderResult(error=ErrorCode.STALE_CONTROLLER_EPOCH)

    harness.answer = answer
    harness.register(2)
    harness.step(BrokersChanged())

    assert harness.core.active is None


@pytest.mark.parametrize("known", [4, 9, 500, 100_000])
def test_an_epoch_that_has_fallen_is_raised_above_the_one_that_brokers_know(known: int) -> None:
    """As after a backup of ZooKeeper was restored: orders of the old epoch would be in vain."""
    harness = Harness(1, 2)
    harness.tool(Create(paths.CONTROLLER_EPOCH, b"3"))

    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        if broker_id == 2 and order.controller_epoch < known:
            return OrderResult(error=ErrorCode.STALE_CONTROLLER_EPOCH)
        return obeyed(broker_id, order)

    harness.answer = answer
    harness.register_controller()
    harness.create_topic("t", (2, 1))
    harness.settle()
    while harness.core.next_deadline() is not None:
        harness.pass_time()
        harness.settle()

    assert known <= harness.active.controller_epoch < 2 * known
    assert len(harness.resignations) <= known.bit_length()
    assert [2] == harness.leaders("t")


def test_hints_that_wait_already_are_not_noted_twice() -> None:
    harness = Harness(1)
    harness.register_controller()
    harness.requests.clear()

    def hint(request: Asked) -> None:
        harness.before = harness.do_nothing
        for _ in range(3):
            harness.step(TopicsChanged())

    harness.before = hint
    harness.step(BrokersChanged())

    assert [type(request).__name__ for request in harness.requests] == ["ReadBrokers", "ReadTopics"]


def test_a_broker_that_is_not_the_controller_moves_no_leaders() -> None:
    harness = Harness(1)
    harness.tool(Create(paths.CONTROLLER, OTHER))
    harness.register_controller()

    harness.step(Requested(7, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))

    assert harness.replies == [Reply(7, ControlledShutdownReply(ErrorCode.NOT_CONTROLLER))]


def test_requests_that_wait_when_the_term_ends_are_answered() -> None:
    harness = Harness(1)
    harness.register_controller()

    def ask_and_expire(request: Asked) -> ZkReply | None:
        harness.before = harness.do_nothing
        harness.step(Requested(7, ControlledShutdown(BrokerId(1), BrokerEpoch(-1))))
        harness.step(SessionExpired())
        return None

    harness.before = ask_and_expire
    harness.step(BrokersChanged())

    assert harness.replies == [Reply(7, ControlledShutdownReply(ErrorCode.NOT_CONTROLLER))]


def test_a_request_that_is_being_met_when_the_term_ends_is_answered_once() -> None:
    harness = Harness(1, 2)
    harness.register_controller()
    harness.create_topic("t", (2, 1))
    harness.settle()
    harness.tool(SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY))

    harness.step(Requested(7, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))
    harness.step(SessionExpired())

    assert harness.replies == [Reply(7, ControlledShutdownReply(ErrorCode.NOT_CONTROLLER))]


def test_a_damaged_controller_node_is_named_and_nobody_is_elected() -> None:
    harness = Harness(1)
    harness.tool(Create(paths.CONTROLLER, b"{"))

    harness.step(SessionStarted())

    assert harness.core.active is None
    assert [fault.path for fault in harness.faults] == [paths.CONTROLLER]


def test_an_answer_that_nobody_waits_for_is_dropped() -> None:
    harness = Harness(1)
    harness.register_controller()
    before = harness.requests.copy()

    harness.step(Answered(Ticket(ControllerEpoch(1), 0), (Lost(),)))
    harness.step(OrderAnswered(BrokerId(1), 999, OrderResult()))

    assert harness.active.controller_epoch == 1
    assert harness.requests == before


def test_hints_that_wait_when_the_term_ends_go_with_it() -> None:
    harness = Harness(1)
    harness.register_controller()

    def hint_and_expire(request: Asked) -> ZkReply | None:
        harness.before = harness.do_nothing
        harness.step(TopicsChanged())
        harness.step(SessionExpired())
        return None

    harness.before = hint_and_expire
    harness.step(BrokersChanged())

    assert harness.core.is_idle
    harness.step(OrderAnswered(BrokerId(1), 0, OrderResult()))
    assert harness.core.active is None
