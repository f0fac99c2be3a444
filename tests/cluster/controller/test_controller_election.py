from cluster.controller.core import CANDIDACY_BACKOFF_MS
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
from cluster.controller.requests import ControlledShutdown
from cluster.controller.zookeeper_requests import (
    Answer,
    BrokersRead,
    CreateControllerEpoch,
    Failed,
    ReadBrokers,
    ReadController,
    RegisterController,
    RemoveController,
    Verdict,
    WriteResult,
    Written,
    ZooKeeperRequest,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, BrokerEpoch, BrokerId, ControllerEpoch, ZkVersion
from cluster.zk import paths
from cluster.zk.controller import decode_controller
from cluster.zk.requests import Create, Delete, SetData
from tests.cluster.controller.desk import Desk, tp

OTHER = b'{"version":2,"brokerid":2,"timestamp":"1","kraftControllerEpoch":-1}'


def test_the_first_controller_of_a_cluster_has_epoch_1() -> None:
    desk = Desk(1)

    desk.register_controller()

    assert desk.active.controller_epoch == 1
    assert desk.requests[:3] == [ReadController(), CreateControllerEpoch(), ReadController()]
    assert desk.requests[3] == RegisterController(
        controller_epoch=ControllerEpoch(1),
        expected_zk_version=ZkVersion(0),
        timestamp_ms=desk.elected_ms,
    )
    node = desk.zookeeper.node(paths.CONTROLLER)
    assert node is not None
    assert (decode_controller(node).broker_id, node.ephemeral_owner) == (1, desk.session)
    epoch_node = desk.zookeeper.node(paths.CONTROLLER_EPOCH)
    assert epoch_node is not None
    assert (epoch_node.data, epoch_node.zk_version) == (b"1", 1)


def test_while_another_broker_is_the_controller_nothing_is_written() -> None:
    desk = Desk(1)
    desk.tool(Create(paths.CONTROLLER, OTHER))

    desk.register_controller()

    assert desk.core.active is None
    assert desk.requests == [ReadController()]


def test_who_was_too_late_is_elected_when_the_other_goes() -> None:
    desk = Desk(1)
    desk.tool(Create(paths.CONTROLLER_EPOCH, b"6"), Create(paths.CONTROLLER, OTHER))
    desk.register_controller()

    desk.tool(Delete(paths.CONTROLLER))
    desk.settle()

    assert desk.active.controller_epoch == 7


def test_losing_the_race_in_the_last_moment_is_no_failure() -> None:
    desk = Desk(1)
    desk.tool(Create(paths.CONTROLLER_EPOCH, b"6"))

    def other_is_faster(request: ZooKeeperRequest) -> None:
        if isinstance(request, RegisterController):
            desk.before = desk.do_nothing
            desk.tool(
                Create(paths.CONTROLLER, OTHER), SetData(paths.CONTROLLER_EPOCH, b"7", MATCH_ANY)
            )

    desk.before = other_is_faster
    desk.register_controller()

    assert desk.core.active is None


def test_an_election_whose_answer_was_lost_is_found_to_be_won() -> None:
    desk = Desk(1)
    desk.lose_answers_to(RegisterController, has_landed=True)

    desk.register_controller()

    assert desk.active.controller_epoch == 1
    assert desk.active.epoch_zk_version == 1


def test_an_election_that_was_lost_on_the_way_is_held_again() -> None:
    desk = Desk(1)
    desk.lose_answers_to(RegisterController, has_landed=False)

    desk.register_controller()

    assert desk.active.controller_epoch == 1


def test_a_term_never_takes_up_the_epoch_of_an_older_one() -> None:
    desk = Desk(1)
    desk.fail_once(ReadBrokers)
    desk.lose_answers_to(RemoveController, has_landed=False)
    desk.register_controller()
    assert desk.core.active is None

    desk.pass_time()
    desk.settle()

    assert desk.active.controller_epoch == 2


def test_a_start_that_fails_leaves_it_to_others_for_a_while() -> None:
    desk = Desk(1)
    desk.fail_once(ReadBrokers)

    desk.register_controller()

    assert desk.core.active is None
    assert desk.zookeeper.node(paths.CONTROLLER) is None
    assert [str(resignation.reason) for resignation in desk.resignations] == ["no permission"]
    assert desk.core.next_deadline() == desk.failed_ms + 1 + CANDIDACY_BACKOFF_MS


def test_who_failed_as_controller_runs_again_after_a_while() -> None:
    desk = Desk(1)
    desk.fail_once(ReadBrokers)
    desk.register_controller()
    before = desk.requests.copy()
    desk.step(ControllerChanged())
    assert desk.requests == before

    desk.pass_time()

    assert desk.active.controller_epoch == 2


def test_a_broker_whom_zookeeper_refuses_stands_again_later() -> None:
    desk = Desk(1)
    refused = Written((WriteResult(Verdict.REFUSED),))
    desk.before = lambda request: refused if isinstance(request, RegisterController) else None
    desk.register_controller()
    assert desk.core.active is None
    assert desk.resignations == []

    desk.before = desk.do_nothing
    desk.pass_time()

    assert desk.active.controller_epoch == 1


def test_too_early_a_call_changes_nothing() -> None:
    desk = Desk(1)
    desk.fail_once(ReadBrokers)
    desk.register_controller()

    assert desk.core.on_deadline(desk.now_ms) == ()


def test_an_expired_session_ends_the_term_at_once() -> None:
    desk = Desk(1, 2)
    desk.register_controller()
    desk.answer = lambda broker_id, order: None

    desk.step(SessionExpired())

    assert desk.core.active is None
    assert len(desk.resignations) == 1
    assert desk.core.next_deadline() is None


def test_without_a_session_nothing_is_asked() -> None:
    desk = Desk(1)
    desk.register_controller()
    desk.step(SessionExpired())
    desk.requests.clear()

    desk.step(ControllerChanged())
    desk.step(BrokersChanged())

    assert desk.requests == []


def test_a_session_that_expires_in_the_middle_ends_what_is_being_done() -> None:
    desk = Desk(1)

    def expire(request: ZooKeeperRequest) -> Answer | None:
        if isinstance(request, ReadBrokers):
            desk.before = desk.do_nothing
            desk.step(SessionExpired())
            return BrokersRead({})
        return None

    desk.before = expire
    desk.register_controller()

    assert desk.core.active is None
    assert desk.core.is_idle


def test_a_controller_that_is_no_longer_elected_resigns() -> None:
    desk = Desk(1)
    desk.register_controller()

    desk.tool(Delete(paths.CONTROLLER), Create(paths.CONTROLLER, OTHER))
    desk.settle()

    assert desk.core.active is None
    assert len(desk.resignations) == 1


def test_a_zombie_learns_from_its_first_write_that_it_is_one() -> None:
    desk = Desk(1)
    desk.register_controller()
    desk.tool(SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY))
    desk.tool(Delete(paths.CONTROLLER), Create(paths.CONTROLLER, OTHER))
    desk.hints.clear()
    desk.create_topic("t", (1,))
    desk.orders.clear()

    desk.step(TopicsChanged())

    assert desk.core.active is None
    assert desk.state(tp("t-0")) is None
    assert desk.told() == []


def test_a_broker_that_obeys_a_newer_controller_makes_an_old_one_look() -> None:
    desk = Desk(1)
    desk.register_controller()
    desk.tool(Delete(paths.CONTROLLER), Create(paths.CONTROLLER, OTHER))
    desk.hints.clear()

    def answer(broker_id: BrokerId, order: Order) -> OrderResult:
        return OrderResult(error=ErrorCode.STALE_CONTROLLER_EPOCH)

    desk.answer = answer
    desk.register(2)
    desk.step(BrokersChanged())

    assert desk.core.active is None


def test_hints_that_wait_already_are_not_noted_twice() -> None:
    desk = Desk(1)
    desk.register_controller()
    desk.requests.clear()

    def hint(request: ZooKeeperRequest) -> None:
        desk.before = desk.do_nothing
        for _ in range(3):
            desk.step(TopicsChanged())

    desk.before = hint
    desk.step(BrokersChanged())

    assert [type(request).__name__ for request in desk.requests] == ["ReadBrokers", "ReadTopics"]


def test_a_broker_that_is_not_the_controller_moves_no_leaders() -> None:
    desk = Desk(1)
    desk.tool(Create(paths.CONTROLLER, OTHER))
    desk.register_controller()

    desk.step(Requested(7, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))

    assert [(reply.request_id, reply.reply.error) for reply in desk.replies] == [
        (7, ErrorCode.NOT_CONTROLLER)
    ]


def test_requests_that_wait_when_the_term_ends_are_answered() -> None:
    desk = Desk(1)
    desk.register_controller()

    def ask_and_expire(request: ZooKeeperRequest) -> Answer | None:
        desk.before = desk.do_nothing
        desk.step(Requested(7, ControlledShutdown(BrokerId(1), BrokerEpoch(-1))))
        desk.step(SessionExpired())
        return None

    desk.before = ask_and_expire
    desk.step(BrokersChanged())

    assert [(reply.request_id, reply.reply.error) for reply in desk.replies] == [
        (7, ErrorCode.NOT_CONTROLLER)
    ]


def test_a_request_that_is_being_met_when_the_term_ends_is_answered_once() -> None:
    desk = Desk(1, 2)
    desk.register_controller()
    desk.create_topic("t", (2, 1))
    desk.settle()
    desk.tool(SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY))

    desk.step(Requested(7, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))
    desk.step(SessionExpired())

    assert [(reply.request_id, reply.reply.error) for reply in desk.replies] == [
        (7, ErrorCode.NOT_CONTROLLER)
    ]


def test_a_damaged_controller_node_is_named_and_nobody_is_elected() -> None:
    desk = Desk(1)
    desk.tool(Create(paths.CONTROLLER, b"{"))

    desk.step(SessionStarted())

    assert desk.core.active is None
    assert [fault.path for fault in desk.faults] == [paths.CONTROLLER]


def test_an_answer_that_nobody_waits_for_is_dropped() -> None:
    desk = Desk(1)
    desk.register_controller()
    before = desk.requests.copy()

    desk.step(Answered(Ticket(ControllerEpoch(1), 0), Failed("late")))
    desk.step(OrderAnswered(BrokerId(1), 999, OrderResult()))

    assert desk.active.controller_epoch == 1
    assert desk.requests == before


def test_hints_that_wait_when_the_term_ends_go_with_it() -> None:
    desk = Desk(1)
    desk.register_controller()

    def hint_and_expire(request: ZooKeeperRequest) -> Answer | None:
        desk.before = desk.do_nothing
        desk.step(TopicsChanged())
        desk.step(SessionExpired())
        return None

    desk.before = hint_and_expire
    desk.step(BrokersChanged())

    assert desk.core.is_idle
    desk.step(OrderAnswered(BrokerId(1), 0, OrderResult()))
    assert desk.core.active is None
