from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest

from cluster.controller.active_controller import ControllerConfig
from cluster.controller.controller_state import ControllerState
from cluster.controller.events import BrokersChanged, DeletionRequested
from cluster.controller.orders import LeaderAndIsr, Order, OrderResult, StopReplica, UpdateMetadata
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, BrokerId
from cluster.zk import paths
from cluster.zk.requests import Create, Delete, Lost, SetData, ZkReply
from tests.cluster.controller.asked import (
    Asked,
    DeleteDeletionRequests,
    DeleteTopic,
    WriteAssignment,
    WriteStates,
)
from tests.cluster.controller.harness import CONFIG, Harness, obeyed, tp

Answers: TypeAlias = Callable[[BrokerId, Order], OrderResult | None]


def with_topic(*replicas: tuple[int, ...], config: ControllerConfig = CONFIG) -> Harness:
    harness = Harness(1, 2, 3, config=config)
    harness.register_controller()
    harness.create_topic("t", *replicas)
    harness.settle()
    harness.orders.clear()
    return harness


def request(harness: Harness, topic: str = "t") -> None:
    harness.tool(Create(paths.delete_topic(topic)))
    harness.settle()


def is_gone(harness: Harness, topic: str = "t") -> bool:
    nodes = (paths.topic(topic), paths.topic_config(topic), paths.delete_topic(topic))
    return all(harness.zookeeper.node(path) is None for path in nodes)


def test_a_topic_goes_from_clients_first_then_from_disks_then_from_zookeeper() -> None:
    harness = with_topic((1, 2))
    harness.tool(Create(paths.topic_config("t"), b'{"version":1,"config":{}}'))

    request(harness)

    assert harness.told() == [
        "1 UpdateMetadata live[1,2,3] t-0:-2/0[1,2]",
        "1 StopReplica t-0/-2",
        "1 StopReplica t-0/-2 delete",
        "2 UpdateMetadata live[1,2,3] t-0:-2/0[1,2]",
        "2 StopReplica t-0/-2",
        "2 StopReplica t-0/-2 delete",
        "3 UpdateMetadata live[1,2,3] t-0:-2/0[1,2]",
    ]
    assert is_gone(harness)
    assert harness.active.context.topics == {}


def test_a_topic_waits_for_a_dead_replica_and_is_deleted_when_it_is_back() -> None:
    harness = with_topic((1, 2))
    harness.unregister(2)
    harness.settle()

    request(harness)
    assert not is_gone(harness)
    assert "1 StopReplica t-0/-2 delete" in harness.told()

    harness.register(2)
    harness.settle()
    assert is_gone(harness)
    assert "2 StopReplica t-0/-2 delete" in harness.told()


def test_a_replica_that_dies_while_it_deletes_is_waited_for() -> None:
    harness = with_topic((1, 2))
    harness.answer = lambda broker_id, order: obeyed(broker_id, order) if broker_id != 2 else None
    request(harness)
    assert not is_gone(harness)

    harness.unregister(2)
    harness.settle()
    status = harness.active.context.replica_status(Replica(BrokerId(2), tp("t-0")))
    assert status is ReplicaStatus.DELETION_INELIGIBLE
    harness.answer = obeyed
    harness.register(2)
    harness.settle()

    assert is_gone(harness)


def test_the_logs_of_a_topic_of_many_partitions_are_deleted_in_turns() -> None:
    many = [(1, 2, 3)] * 3
    harness = with_topic(*many, config=replace(CONFIG, partitions_in_a_turn=1))
    harness.tasks.clear()

    def come() -> None:
        harness.register(4)
        harness.step(BrokersChanged())

    harness.interfere(WriteStates, come)
    request(harness)

    deletions, brokers = ControllerState.TOPIC_DELETION, ControllerState.BROKER_CHANGE
    kinds = [task.kind for task in harness.tasks if task.kind in (deletions, brokers)]
    assert [deletions, brokers] == kinds[:2]
    deleted = [one for one in harness.told() if one.startswith("2 StopReplica") and "delete" in one]
    assert [f"2 StopReplica t-{number}/-2 delete" for number in range(3)] == deleted
    assert is_gone(harness)
    assert {} == harness.active.context.logs_to_delete


@pytest.mark.parametrize("comes_back_at_once", [True, False])
def test_a_broker_that_goes_between_turns_of_a_deletion_is_waited_for(
    comes_back_at_once: bool,
) -> None:
    harness = with_topic((1, 2), (1, 2), (2, 1), config=replace(CONFIG, partitions_in_a_turn=1))

    def go() -> None:
        harness.unregister(2)
        harness.step(BrokersChanged())
        if comes_back_at_once:
            harness.register(2)
            harness.step(BrokersChanged())

    harness.interfere(WriteStates, go)
    request(harness)
    assert comes_back_at_once == is_gone(harness)
    if not comes_back_at_once:
        harness.register(2)
        harness.settle()

    assert is_gone(harness)


def test_a_topic_that_waits_loses_another_broker_and_waits_for_both() -> None:
    harness = with_topic((1, 2, 3))
    harness.unregister(2)
    harness.lose_controller()
    harness.tool(Create(paths.delete_topic("t")))
    harness.register_controller()

    harness.unregister(3)
    harness.settle()
    harness.register(2)
    harness.settle()
    assert not is_gone(harness)
    harness.register(3)
    harness.settle()

    assert is_gone(harness)


def test_a_replica_that_cannot_delete_holds_its_topic_up_but_no_other() -> None:
    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        if isinstance(order, StopReplica) and broker_id == 2:
            failed = [p.partition for p in order.partitions if p.partition.topic == "t"]
            return OrderResult(errors=dict.fromkeys(failed, int(ErrorCode.KAFKA_STORAGE_ERROR)))
        return obeyed(broker_id, order)

    harness = with_topic((1, 2))
    harness.create_topic("u", (2, 1))
    harness.settle()
    harness.answer = answer

    request(harness, "t")
    request(harness, "u")

    assert not is_gone(harness, "t")
    assert is_gone(harness, "u")


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
    harness = with_topic((1, 2))
    harness.unregister(2)
    harness.settle()
    harness.answer = cannot_lead_on(2)
    harness.register(2)
    harness.settle()
    assert not harness.active.context.is_live(BrokerId(2), tp("t-0"))

    request(harness)

    assert is_gone(harness)
    harness.answer = obeyed
    harness.create_topic("t", (2,), topic_id="another")
    harness.settle()
    assert harness.leaders("t") == [2]


def test_a_topic_that_waited_for_a_broker_is_deleted_when_that_cannot_open_the_log() -> None:
    harness = with_topic((1, 2))
    harness.unregister(2)
    harness.settle()
    request(harness)
    harness.answer = cannot_lead_on(2)

    harness.register(2)
    harness.settle()

    assert is_gone(harness)


def test_a_topic_on_a_failed_disk_waits_with_the_reason_until_its_broker_starts() -> None:
    harness = with_topic((1, 2))
    harness.answer = cannot_lead_on(2, refuses_deletion=True)

    request(harness)

    waits = "broker 2 does not delete t-0: KAFKA_STORAGE_ERROR"
    (note,) = (note for note in harness.notes if "waits" in note)
    assert note == f"controller=1 topic=t waits to be deleted: {waits}"
    assert not is_gone(harness)
    harness.answer = obeyed
    harness.unregister(2)
    harness.settle()
    assert not is_gone(harness)
    harness.register(2)
    harness.settle()
    assert is_gone(harness)


@pytest.mark.parametrize("was_never_led", [False, True])
def test_a_topic_stays_until_every_live_broker_has_stopped_telling_of_it(
    was_never_led: bool,
) -> None:
    """Brokers also know of a topic of which one partition has never had a leader."""

    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        is_silent = isinstance(order, UpdateMetadata) and broker_id == 3
        return None if is_silent else obeyed(broker_id, order)

    harness = with_topic((1, 2), *[(9,)] * was_never_led)
    harness.answer = answer
    request(harness)
    if was_never_led:
        harness.register(9)
        harness.settle()
    assert not is_gone(harness)

    harness.answer = obeyed
    harness.pass_time()

    assert is_gone(harness)


def test_a_broker_that_dies_is_not_waited_for_to_stop_telling() -> None:
    harness = with_topic((1, 2))
    harness.answer = lambda broker_id, order: obeyed(broker_id, order) if broker_id != 3 else None
    request(harness)
    assert not is_gone(harness)

    harness.unregister(3)
    harness.settle()

    assert is_gone(harness)


def test_a_topic_that_was_never_led_is_deleted_too() -> None:
    harness = with_topic((8, 9))
    harness.register(8)
    harness.register(9)

    request(harness)

    assert is_gone(harness)


def test_new_partitions_of_a_topic_that_is_deleted_are_taken_back() -> None:
    harness = with_topic((1, 2))
    harness.unregister(2)
    harness.settle()
    request(harness)
    node = harness.zookeeper.node(paths.topic("t"))
    assert node is not None
    assert node.data is not None

    grown = node.data.replace(b'"0":[1,2]', b'"0":[1,2],"1":[1,2]')
    harness.tool(SetData(paths.topic("t"), grown, MATCH_ANY))
    harness.settle()

    restored = harness.zookeeper.node(paths.topic("t"))
    assert restored is not None
    assert restored.data == node.data
    assert harness.count(WriteAssignment) == 1


def test_where_deletion_is_switched_off_requests_go_and_topics_stay() -> None:
    harness = with_topic((1, 2), config=replace(CONFIG, may_delete_topics=False))

    request(harness)

    assert harness.zookeeper.node(paths.topic("t")) is not None
    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()
    assert harness.told() == []


def test_a_request_for_nothing_is_dropped() -> None:
    harness = with_topic((1, 2))

    request(harness, "ghost")

    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()
    assert harness.count(DeleteDeletionRequests) == 1


def test_a_request_that_overtakes_the_news_of_its_topic_is_kept() -> None:
    harness = with_topic((1, 2))
    harness.create_topic("u", (1,), topic_id="u")
    harness.tool(Create(paths.delete_topic("u")))
    harness.hints.clear()

    harness.step(DeletionRequested())

    assert is_gone(harness, "u")


def test_a_topic_that_is_moved_waits_until_that_is_over() -> None:
    harness = Harness(1, 3)
    data = b'{"version":3,"topic_id":"id","partitions":{"0":[1,2]},"adding_replicas":{"0":[2]}}'
    harness.tool(Create(paths.topic("t"), data))
    harness.register_controller()

    request(harness)
    harness.register(4)
    harness.settle()

    assert not is_gone(harness)
    assert "t" in harness.active.context.topics_ineligible_for_deletion


def test_a_topic_that_is_removed_by_hand_while_it_waits_takes_its_request_with_it() -> None:
    harness = with_topic((8,))
    request(harness)
    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ("t",)

    harness.tool(Delete(paths.topic("t")))
    harness.settle()

    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()
    assert harness.active.context.topics_to_be_deleted == {}


def test_the_next_topic_of_the_name_survives_a_deletion_whose_answer_was_lost() -> None:
    harness = with_topic((1, 2))

    def delete_and_make_again(request: Asked) -> ZkReply | None:
        if not isinstance(request, DeleteTopic):
            return None
        harness.before = harness.do_nothing
        harness.serve()
        harness.create_topic("t", (3,), topic_id="another")
        return Lost()

    harness.before = delete_and_make_again
    request(harness)

    assert harness.active.context.topics["t"].topic_id == "another"
    assert harness.leaders("t") == [3]
    assert harness.count(DeleteTopic) == 1


def test_a_deletion_that_was_lost_on_the_way_is_made_again() -> None:
    harness = with_topic((1, 2))
    harness.lose_answers_to(DeleteTopic, has_landed=False)

    request(harness)

    assert is_gone(harness)
    assert harness.count(DeleteTopic) == 2


def test_nodes_that_may_not_be_removed_are_left_with_a_word_to_the_operator() -> None:
    harness = with_topic((1, 2))
    harness.refuse(DeleteTopic)

    request(harness)

    assert harness.zookeeper.node(paths.topic("t")) is not None
    assert any("has no logs any more, but znodes: REFUSED" in note for note in harness.notes)

    harness.before = harness.do_nothing
    harness.unregister(3)
    harness.settle()

    assert is_gone(harness)
