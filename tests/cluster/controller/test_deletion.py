from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from cluster.controller.active_controller import ControllerConfig
from cluster.controller.events import DeletionRequested
from cluster.controller.orders import LeaderAndIsr, Order, OrderResult, StopReplica, UpdateMetadata
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.controller.zookeeper_requests import (
    Answer,
    DeleteTopicNodes,
    DropDeletionRequests,
    Verdict,
    WriteAssignment,
    WriteResult,
    Written,
    ZooKeeperRequest,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, BrokerId
from cluster.zk import paths
from cluster.zk.requests import Create, Delete, SetData
from tests.cluster.controller.desk import CONFIG, Desk, obeyed, tp

Answers: TypeAlias = Callable[[BrokerId, Order], OrderResult | None]


def with_topic(*replicas: tuple[int, ...], config: ControllerConfig = CONFIG) -> Desk:
    desk = Desk(1, 2, 3, config=config)
    desk.register_controller()
    desk.create_topic("t", *replicas)
    desk.settle()
    desk.orders.clear()
    return desk


def request(desk: Desk, topic: str = "t") -> None:
    desk.tool(Create(paths.delete_topic(topic)))
    desk.settle()


def is_gone(desk: Desk, topic: str = "t") -> bool:
    nodes = (paths.topic(topic), paths.topic_config(topic), paths.delete_topic(topic))
    return all(desk.zookeeper.node(path) is None for path in nodes)


def test_a_topic_goes_from_clients_first_then_from_disks_then_from_zookeeper() -> None:
    desk = with_topic((1, 2))
    desk.tool(Create(paths.topic_config("t"), b'{"version":1,"config":{}}'))

    request(desk)

    assert desk.told() == [
        "1 UpdateMetadata live[1,2,3] t-0:-2/0[1,2]",
        "1 StopReplica t-0/-2",
        "1 StopReplica t-0/-2 delete",
        "2 UpdateMetadata live[1,2,3] t-0:-2/0[1,2]",
        "2 StopReplica t-0/-2",
        "2 StopReplica t-0/-2 delete",
        "3 UpdateMetadata live[1,2,3] t-0:-2/0[1,2]",
    ]
    assert is_gone(desk)
    assert desk.active.context.topics == {}


def test_a_topic_waits_for_a_dead_replica_and_is_deleted_when_it_is_back() -> None:
    desk = with_topic((1, 2))
    desk.unregister(2)
    desk.settle()

    request(desk)
    assert not is_gone(desk)
    assert "1 StopReplica t-0/-2 delete" in desk.told()

    desk.register(2)
    desk.settle()
    assert is_gone(desk)
    assert "2 StopReplica t-0/-2 delete" in desk.told()


def test_a_replica_that_dies_while_it_deletes_is_waited_for() -> None:
    desk = with_topic((1, 2))
    desk.answer = lambda broker_id, order: obeyed(broker_id, order) if broker_id != 2 else None
    request(desk)
    assert not is_gone(desk)

    desk.unregister(2)
    desk.settle()
    status = desk.active.context.replica_status(Replica(BrokerId(2), tp("t-0")))
    assert status is ReplicaStatus.DELETION_INELIGIBLE
    desk.answer = obeyed
    desk.register(2)
    desk.settle()

    assert is_gone(desk)


def test_a_topic_that_waits_loses_another_broker_and_waits_for_both() -> None:
    desk = with_topic((1, 2, 3))
    desk.unregister(2)
    desk.lose_controller()
    desk.tool(Create(paths.delete_topic("t")))
    desk.register_controller()

    desk.unregister(3)
    desk.settle()
    desk.register(2)
    desk.settle()
    assert not is_gone(desk)
    desk.register(3)
    desk.settle()

    assert is_gone(desk)


def test_a_replica_that_cannot_delete_holds_its_topic_up_but_no_other() -> None:
    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        if isinstance(order, StopReplica) and broker_id == 2:
            failed = [p.partition for p in order.partitions if p.partition.topic == "t"]
            return OrderResult(errors=dict.fromkeys(failed, int(ErrorCode.KAFKA_STORAGE_ERROR)))
        return obeyed(broker_id, order)

    desk = with_topic((1, 2))
    desk.create_topic("u", (2, 1))
    desk.settle()
    desk.answer = answer

    request(desk, "t")
    request(desk, "u")

    assert not is_gone(desk, "t")
    assert is_gone(desk, "u")


def cannot_lead_on(*broken: int, refuses_deletion: bool = False) -> Answers:
    """The answers of brokers of which the *broken* ones have no use of their disk."""
    storage_error = int(ErrorCode.KAFKA_STORAGE_ERROR)

    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        refused = isinstance(order, LeaderAndIsr) or (
            isinstance(order, StopReplica) and refuses_deletion
        )
        if broker_id in broken and refused:
            assert isinstance(order, LeaderAndIsr | StopReplica)
            partitions = [each.partition for each in order.partitions]
            return OrderResult(errors=dict.fromkeys(partitions, storage_error))
        return obeyed(broker_id, order)

    return answer


def test_a_topic_whose_log_cannot_be_opened_is_deleted_by_the_broker_that_has_it() -> None:
    desk = with_topic((1, 2))
    desk.unregister(2)
    desk.settle()
    desk.answer = cannot_lead_on(2)
    desk.register(2)
    desk.settle()
    assert not desk.active.context.is_live(BrokerId(2), tp("t-0"))

    request(desk)

    assert is_gone(desk)
    desk.answer = obeyed
    desk.create_topic("t", (2,), topic_id="another")
    desk.settle()
    assert desk.leaders("t") == [2]


def test_a_topic_that_waited_for_a_broker_is_deleted_when_that_cannot_open_the_log() -> None:
    desk = with_topic((1, 2))
    desk.unregister(2)
    desk.settle()
    request(desk)
    desk.answer = cannot_lead_on(2)

    desk.register(2)
    desk.settle()

    assert is_gone(desk)


def test_a_topic_on_a_failed_disk_waits_with_the_reason_until_its_broker_starts() -> None:
    desk = with_topic((1, 2))
    desk.answer = cannot_lead_on(2, refuses_deletion=True)

    request(desk)

    waits = "broker 2 does not delete t-0: KAFKA_STORAGE_ERROR"
    (note,) = (note for note in desk.notes if "waits" in note)
    assert note == f"controller=1 topic=t waits to be deleted: {waits}"
    assert not is_gone(desk)
    desk.answer = obeyed
    desk.unregister(2)
    desk.settle()
    assert not is_gone(desk)
    desk.register(2)
    desk.settle()
    assert is_gone(desk)


def test_a_topic_stays_until_every_live_broker_has_stopped_telling_of_it() -> None:
    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        is_silent = isinstance(order, UpdateMetadata) and broker_id == 3
        return None if is_silent else obeyed(broker_id, order)

    desk = with_topic((1, 2))
    desk.answer = answer
    request(desk)
    assert not is_gone(desk)

    desk.answer = obeyed
    desk.pass_time()

    assert is_gone(desk)


def test_a_broker_that_dies_is_not_waited_for_to_stop_telling() -> None:
    desk = with_topic((1, 2))
    desk.answer = lambda broker_id, order: obeyed(broker_id, order) if broker_id != 3 else None
    request(desk)
    assert not is_gone(desk)

    desk.unregister(3)
    desk.settle()

    assert is_gone(desk)


def test_a_topic_that_was_never_led_is_deleted_too() -> None:
    desk = with_topic((8, 9))
    desk.register(8)
    desk.register(9)

    request(desk)

    assert is_gone(desk)


def test_new_partitions_of_a_topic_that_is_deleted_are_taken_back() -> None:
    desk = with_topic((1, 2))
    desk.unregister(2)
    desk.settle()
    request(desk)
    node = desk.zookeeper.node(paths.topic("t"))
    assert node is not None
    assert node.data is not None

    grown = node.data.replace(b'"0":[1,2]', b'"0":[1,2],"1":[1,2]')
    desk.tool(SetData(paths.topic("t"), grown, MATCH_ANY))
    desk.settle()

    restored = desk.zookeeper.node(paths.topic("t"))
    assert restored is not None
    assert restored.data == node.data
    assert desk.count(WriteAssignment) == 1


def test_where_deletion_is_switched_off_requests_go_and_topics_stay() -> None:
    desk = with_topic((1, 2), config=replace(CONFIG, may_delete_topics=False))

    request(desk)

    assert desk.zookeeper.node(paths.topic("t")) is not None
    assert desk.zookeeper.children(paths.DELETE_TOPICS) == ()
    assert desk.told() == []


def test_a_request_for_nothing_is_dropped() -> None:
    desk = with_topic((1, 2))

    request(desk, "ghost")

    assert desk.zookeeper.children(paths.DELETE_TOPICS) == ()
    assert desk.count(DropDeletionRequests) == 1


def test_a_request_that_overtakes_the_news_of_its_topic_is_kept() -> None:
    desk = with_topic((1, 2))
    desk.create_topic("u", (1,), topic_id="u")
    desk.tool(Create(paths.delete_topic("u")))
    desk.hints.clear()

    desk.step(DeletionRequested())

    assert is_gone(desk, "u")


def test_a_topic_that_is_moved_waits_until_that_is_over() -> None:
    desk = Desk(1, 2, 3)
    data = b'{"version":3,"topic_id":"id","partitions":{"0":[1,2]},"adding_replicas":{"0":[2]}}'
    desk.tool(Create(paths.topic("t"), data))
    desk.register_controller()

    request(desk)
    desk.register(4)
    desk.settle()

    assert not is_gone(desk)
    assert "t" in desk.active.context.ineligible


def test_a_topic_that_is_removed_by_hand_while_it_waits_takes_its_request_with_it() -> None:
    desk = with_topic((8,))
    request(desk)
    assert desk.zookeeper.children(paths.DELETE_TOPICS) == ("t",)

    desk.tool(Delete(paths.topic("t")))
    desk.settle()

    assert desk.zookeeper.children(paths.DELETE_TOPICS) == ()
    assert desk.active.context.to_delete == {}


def test_the_next_topic_of_the_name_survives_a_deletion_whose_answer_was_lost() -> None:
    desk = with_topic((1, 2))

    def delete_and_make_again(request: ZooKeeperRequest) -> Answer | None:
        if not isinstance(request, DeleteTopicNodes):
            return None
        desk.before = desk.do_nothing
        desk.carry_out_wish(request)
        desk.create_topic("t", (3,), topic_id="another")
        return Written((WriteResult(Verdict.LOST),))

    desk.before = delete_and_make_again
    request(desk)

    assert desk.active.context.topics["t"].topic_id == "another"
    assert desk.leaders("t") == [3]
    assert desk.count(DeleteTopicNodes) == 1


def test_a_deletion_that_was_lost_on_the_way_is_made_again() -> None:
    desk = with_topic((1, 2))
    desk.lose_answers_to(DeleteTopicNodes, has_landed=False)

    request(desk)

    assert is_gone(desk)
    assert desk.count(DeleteTopicNodes) == 2


def test_nodes_that_may_not_be_removed_are_left_with_a_word_to_the_operator() -> None:
    desk = with_topic((1, 2))
    desk.refuse(DeleteTopicNodes)

    request(desk)

    assert desk.zookeeper.node(paths.topic("t")) is not None
    assert any("has no logs any more, but znodes: REFUSED" in note for note in desk.notes)

    desk.before = desk.do_nothing
    desk.unregister(3)
    desk.settle()

    assert is_gone(desk)
