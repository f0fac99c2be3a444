from dataclasses import replace

from cluster.controller.events import IsrChangesNotified, OrderAnswered
from cluster.controller.notifications import error_name
from cluster.controller.orders import LeaderAndIsr, Order, OrderResult
from cluster.model.admin import LogDirEvent, PartitionList
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, BrokerId
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change, encode_log_dir_event
from cluster.zk.requests import Create, SetData, ZkReply
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from tests.cluster.controller.asked import Asked, ReadBrokers
from tests.cluster.controller.harness import CONFIG, Harness, obeyed, tp


def with_topic(*replicas: tuple[int, ...]) -> Harness:
    harness = Harness(1, 2, 3)
    harness.register_controller()
    harness.create_topic("t", *replicas)
    harness.settle()
    harness.orders.clear()
    return harness


def lose_disk(harness: Harness, broker: int, *partitions: str) -> None:
    """Let *broker* fail *partitions*, and say that it has lost a directory."""
    lost = {tp(partition) for partition in partitions}

    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        if isinstance(order, LeaderAndIsr) and broker_id == broker:
            failed = int(ErrorCode.KAFKA_STORAGE_ERROR)
            ordered = [each.partition for each in order.partitions]
            return OrderResult(errors={p: failed if p in lost else 0 for p in ordered})
        return obeyed(broker_id, order)

    harness.answer = answer
    event = encode_log_dir_event(LogDirEvent(broker_id=BrokerId(broker)))
    harness.tool(Create(f"{paths.log_dir_event_prefix()}0000000000", event))
    harness.settle()


def test_brokers_hear_of_an_isr_that_a_leader_has_changed() -> None:
    harness = with_topic((1, 2), (2, 3))
    harness.write_isr(tp("t-0"), (1,))
    change = encode_isr_change(PartitionList(partitions=(tp("t-0"), tp("ghost-4"))))

    harness.tool(Create(f"{paths.isr_change_prefix()}0000000000", change))
    harness.settle()

    assert harness.told() == [
        f"{broker} UpdateMetadata live[1,2,3] t-0:1/0[1]" for broker in (1, 2, 3)
    ]
    assert harness.zookeeper.children(paths.ISR_CHANGES) == ()
    assert harness.active.context.states[tp("t-0")] == harness.state(tp("t-0"))


def test_a_damaged_notification_is_removed_and_named() -> None:
    harness = with_topic((1, 2))

    harness.tool(Create(f"{paths.isr_change_prefix()}0000000000", b"{"))
    harness.settle()

    assert harness.zookeeper.children(paths.ISR_CHANGES) == ()
    assert len(harness.faults) == 1
    assert harness.told() == []


def test_a_hint_without_a_notification_does_nothing() -> None:
    harness = with_topic((1, 2))

    harness.step(IsrChangesNotified())

    assert harness.told() == []


def test_what_was_on_a_failed_disk_gets_another_leader() -> None:
    harness = with_topic((1, 2), (1, 2), (1,))

    lose_disk(harness, 1, "t-0", "t-2")

    assert harness.leaders("t") == [2, 1, -1]
    assert "[Controller id=1] Mark replicas t-0,t-2 on broker 1 as offline" in harness.lines
    assert "3 UpdateMetadata live[1,2,3] t-0:2/1[2] offline[1]" in harness.told()
    assert harness.zookeeper.children(paths.LOG_DIR_EVENTS) == ()


def test_a_replica_on_a_failed_disk_is_not_elected() -> None:
    harness = with_topic((1, 2))
    lose_disk(harness, 1, "t-0")

    harness.unregister(2)
    harness.settle()

    assert harness.leaders("t") == [-1]


def test_after_a_restart_the_disk_counts_as_whole() -> None:
    harness = with_topic((1,))
    lose_disk(harness, 1, "t-0")
    harness.answer = obeyed

    harness.unregister(1)
    harness.settle()
    harness.register(1)
    harness.settle()

    assert harness.leaders("t") == [1]


def test_an_event_of_a_broker_that_is_gone_is_only_removed() -> None:
    harness = with_topic((1, 2))

    lose_disk(harness, 9)

    assert harness.told() == []
    assert harness.zookeeper.children(paths.LOG_DIR_EVENTS) == ()


def test_an_answer_of_an_earlier_life_says_nothing_about_this_one() -> None:
    harness = with_topic((2, 1))
    harness.silent.add(2)
    harness.create_topic("u", (2, 1))
    harness.settle()
    harness.unregister(2)
    harness.register(2)
    failed = OrderResult(errors={tp("u-0"): int(ErrorCode.KAFKA_STORAGE_ERROR)})

    def answer_late(request: Asked) -> ZkReply | None:
        if isinstance(request, ReadBrokers):
            harness.before = harness.do_nothing
            harness.step(OrderAnswered(BrokerId(2), harness.correlation_ids[2], failed))
        return None

    harness.before = answer_late
    harness.silent.clear()
    harness.settle()

    assert harness.active.context.replicas_on_offline_dirs.get(BrokerId(2), {}) == {}
    assert not any("Mark replicas" in line for line in harness.lines)


def test_an_answer_about_a_partition_that_is_gone_is_ignored() -> None:
    harness = with_topic((1, 2))
    harness.answer = lambda broker_id, order: OrderResult(errors={tp("ghost-0"): 56})

    harness.create_topic("u", (1, 2))
    harness.settle()

    assert harness.leaders("u") == [1]


def test_an_order_that_is_refused_as_a_whole_is_logged_by_its_error() -> None:
    harness = with_topic((1, 2))
    harness.answer = lambda broker_id, order: OrderResult(error=ErrorCode.STALE_BROKER_EPOCH)

    harness.create_topic("u", (2,))
    harness.settle()

    assert (
        "[Controller id=1] Received error STALE_BROKER_EPOCH in LeaderAndIsr response "
        "LeaderAndIsrResponseData(errorCode=77, partitionErrors=[], topics=[]) from broker 2"
    ) in harness.lines


def test_errors_have_the_names_of_kafka_and_unknown_ones_their_number() -> None:
    assert error_name(77) == "STALE_BROKER_EPOCH"
    assert error_name(9999) == "9999"


def test_without_traces_only_what_an_operator_asks_for_is_written() -> None:
    harness = Harness(1, 2, config=replace(CONFIG, writes_traces=False))
    harness.register_controller()
    harness.create_topic("t", (1, 2))
    harness.settle()
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()

    kinds = {parse_line(f"[2026-11-21 15:41:00,123] INFO {line}").kind for line in harness.lines}

    assert kinds == {Kind.PARTITION_STATE, Kind.ISR_CHANGE, Kind.SUMMARY}


def test_a_broker_without_an_address_answers_too() -> None:
    harness = with_topic((1, 2))
    node = harness.zookeeper.node(paths.broker(BrokerId(2)))
    assert node is not None
    assert node.data is not None
    bare = node.data.replace(b'"PLAINTEXT://h2:9092"', b"")

    harness.tool(SetData(paths.broker(BrokerId(2)), bare, MATCH_ANY))
    harness.settle()

    assert harness.active.context.brokers[BrokerId(2)].endpoints == ()
    assert harness.leaders("t") == [1]
