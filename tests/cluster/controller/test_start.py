"""What a new controller does first, and in which order."""

from cluster.controller.zookeeper_requests import (
    CreateStates,
    DropDeletionRequests,
    DropNotifications,
    WriteStates,
)
from cluster.model.admin import LogDirEvent, PartitionList
from cluster.model.ids import BrokerId
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change, encode_log_dir_event
from cluster.zk.requests import Create
from tests.cluster.controller.desk import Desk, tp


def after_another(*replicas: tuple[int, ...]) -> Desk:
    """A cluster with topic t that had a controller in broker 1, and has none now."""
    desk = Desk(1, 2, 3)
    desk.register_controller()
    desk.create_topic("t", *replicas)
    desk.settle()
    desk.lose_controller()
    return desk


def test_everything_is_read_before_anybody_is_told_anything() -> None:
    desk = after_another((2, 1))
    desk.before = lambda request: desk.note_order_count()

    desk.register_controller()

    assert [type(request).__name__ for request in desk.requests[:9]] == [
        "ReadController",
        "RegisterController",
        "ReadLogDirEvents",
        "ReadIsrChanges",
        "ReadBrokers",
        "ReadTopics",
        "ReadAssignments",
        "ReadStates",
        "ReadDeletionRequests",
    ]
    assert set(desk.order_counts[:9]) == {0}


def test_brokers_hear_who_is_alive_before_they_hear_who_leads() -> None:
    desk = after_another((2, 1))

    desk.register_controller()

    assert desk.told() == [
        "1 UpdateMetadata live[1,2,3]",
        "1 LeaderAndIsr t-0:2/0[2,1]",
        "1 UpdateMetadata live[1,2,3] t-0:2/0[2,1]",
        "2 UpdateMetadata live[1,2,3]",
        "2 LeaderAndIsr t-0:2/0[2,1]",
        "2 UpdateMetadata live[1,2,3] t-0:2/0[2,1]",
        "3 UpdateMetadata live[1,2,3]",
        "3 UpdateMetadata live[1,2,3] t-0:2/0[2,1]",
    ]


def test_what_nobody_led_yet_is_led_now() -> None:
    desk = Desk(1, 2)
    desk.create_topic("t", (2, 1))

    desk.register_controller()

    assert desk.leaders("t") == [2]
    assert "2 LeaderAndIsr t-0:2/0[2,1] new" in desk.told()


def test_what_died_without_a_controller_is_noticed() -> None:
    desk = after_another((2, 1), (1, 2), (2,))
    desk.unregister(2)

    desk.register_controller()

    assert desk.leaders("t") == [1, 1, -1]
    isrs = [state.isr for p in ("t-0", "t-1", "t-2") if (state := desk.state(tp(p))) is not None]
    assert isrs == [(1,), (1,), (2,)]


def test_notifications_are_covered_by_what_is_read_and_removed() -> None:
    desk = Desk(1)
    change = encode_isr_change(PartitionList(partitions=(tp("t-0"),)))
    event = encode_log_dir_event(LogDirEvent(broker_id=BrokerId(1)))
    desk.tool(
        Create(f"{paths.isr_change_prefix()}0000000001", change),
        Create(f"{paths.log_dir_event_prefix()}0000000004", event),
    )

    desk.register_controller()

    assert desk.count(DropNotifications) == 1
    assert desk.zookeeper.children(paths.ISR_CHANGES) == ()
    assert desk.zookeeper.children(paths.LOG_DIR_EVENTS) == ()


def test_a_request_to_delete_what_is_not_there_is_dropped() -> None:
    desk = Desk(1)
    desk.tool(Create(paths.delete_topic("ghost")))

    desk.register_controller()

    assert desk.count(DropDeletionRequests) == 1
    assert desk.zookeeper.children(paths.DELETE_TOPICS) == ()


def test_a_request_to_delete_a_damaged_topic_is_kept() -> None:
    desk = Desk(1)
    desk.tool(Create(paths.topic("t"), b"{"), Create(paths.delete_topic("t")))

    desk.register_controller()

    assert desk.zookeeper.children(paths.DELETE_TOPICS) == ("t",)
    assert [fault.path for fault in desk.faults] == [paths.topic("t")]


def test_a_deletion_that_was_begun_is_finished() -> None:
    desk = after_another((1, 2))
    desk.tool(Create(paths.delete_topic("t")))

    desk.register_controller()
    desk.settle()

    assert desk.zookeeper.children(paths.TOPICS) == ()
    assert desk.zookeeper.children(paths.DELETE_TOPICS) == ()


def test_a_deletion_that_has_to_wait_for_a_broker_does_so_from_the_start() -> None:
    desk = after_another((1, 2))
    desk.unregister(2)
    desk.tool(Create(paths.delete_topic("t")))

    desk.register_controller()
    assert not any("StopReplica" in told and "delete" in told for told in desk.told())
    desk.register(2)
    desk.settle()

    assert desk.zookeeper.children(paths.TOPICS) == ()


def test_a_quiet_cluster_is_taken_over_without_a_write() -> None:
    desk = after_another((1, 2), (3, 1))

    desk.register_controller()

    assert desk.count(WriteStates) == desk.count(CreateStates) == 0
