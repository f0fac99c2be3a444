"""What a new controller does first, and in which order."""

from dataclasses import replace

from cluster.controller.orders import UpdateMetadata
from cluster.model.admin import LogDirEvent, PartitionList
from cluster.model.ids import BrokerId
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change, encode_log_dir_event
from cluster.zk.requests import Create
from tests.cluster.controller.asked import (
    CreateStates,
    DeleteDeletionRequests,
    DeleteNotifications,
    ReadDeletionRequests,
    WriteStates,
)
from tests.cluster.controller.harness import CONFIG, Harness, tp


def after_another(*replicas: tuple[int, ...]) -> Harness:
    """A cluster with topic t that had a controller in broker 1, and has none now."""
    harness = Harness(1, 2, 3)
    harness.register_controller()
    harness.create_topic("t", *replicas)
    harness.settle()
    harness.lose_controller()
    return harness


def test_everything_is_read_before_anybody_is_told_anything() -> None:
    harness = after_another((2, 1))
    harness.before = lambda request: harness.note_order_count()

    harness.register_controller()

    assert [type(request).__name__ for request in harness.requests[:9]] == [
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
    assert set(harness.order_counts[:9]) == {0}


def test_brokers_hear_who_is_alive_before_they_hear_who_leads() -> None:
    harness = after_another((2, 1))

    harness.register_controller()

    assert harness.told() == [
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
    harness = Harness(1, 2)
    harness.create_topic("t", (2, 1))

    harness.register_controller()

    assert harness.leaders("t") == [2]
    assert "2 LeaderAndIsr t-0:2/0[2,1] new" in harness.told()


def test_what_died_without_a_controller_is_noticed() -> None:
    harness = after_another((2, 1), (1, 2), (2,))
    harness.unregister(2)

    harness.register_controller()

    assert harness.leaders("t") == [1, 1, -1]
    isrs = [state.isr for p in ("t-0", "t-1", "t-2") if (state := harness.state(tp(p))) is not None]
    assert isrs == [(1,), (1,), (2,)]


def test_leaders_are_elected_before_isrs_shrink() -> None:
    """Records wait for a leader, and not for a smaller ISR."""
    harness = after_another((2, 1), (1, 2), (1, 2))
    harness.unregister(2)

    harness.register_controller()

    written = [
        [str(partition) for partition in request.states]
        for request in harness.requests
        if isinstance(request, WriteStates)
    ]
    assert written == [["t-0"], ["t-1", "t-2"]]


def test_notifications_are_covered_by_what_is_read_and_removed() -> None:
    harness = Harness(1)
    change = encode_isr_change(PartitionList(partitions=(tp("t-0"),)))
    event = encode_log_dir_event(LogDirEvent(broker_id=BrokerId(1)))
    harness.tool(
        Create(f"{paths.isr_change_prefix()}0000000001", change),
        Create(f"{paths.log_dir_event_prefix()}0000000004", event),
    )

    harness.register_controller()

    assert harness.count(DeleteNotifications) == 1
    assert harness.zookeeper.children(paths.ISR_CHANGES) == ()
    assert harness.zookeeper.children(paths.LOG_DIR_EVENTS) == ()


def test_a_request_to_delete_what_is_not_there_is_dropped() -> None:
    harness = Harness(1)
    harness.tool(Create(paths.delete_topic("ghost")))

    harness.register_controller()

    assert harness.count(DeleteDeletionRequests) == 1
    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()


def test_a_request_to_delete_a_damaged_topic_is_kept() -> None:
    harness = Harness(1)
    harness.tool(Create(paths.topic("t"), b"{"), Create(paths.delete_topic("t")))

    harness.register_controller()

    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ("t",)
    assert [fault.path for fault in harness.faults] == [paths.topic("t")]


def test_a_deletion_that_was_begun_is_finished() -> None:
    harness = after_another((1, 2))
    harness.tool(Create(paths.delete_topic("t")))

    harness.register_controller()
    harness.settle()

    assert harness.zookeeper.children(paths.TOPICS) == ()
    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()


def test_a_deletion_that_has_to_wait_for_a_broker_does_so_from_the_start() -> None:
    harness = after_another((1, 2))
    harness.unregister(2)
    harness.tool(Create(paths.delete_topic("t")))

    harness.register_controller()
    assert not any("StopReplica" in told and "delete" in told for told in harness.told())
    harness.register(2)
    harness.settle()

    assert harness.zookeeper.children(paths.TOPICS) == ()


def test_a_quiet_cluster_is_taken_over_without_a_write() -> None:
    harness = after_another((1, 2), (3, 1))

    harness.register_controller()

    assert harness.count(WriteStates) == harness.count(CreateStates) == 0


def test_a_topic_that_comes_and_shall_go_while_a_controller_starts_is_deleted() -> None:
    """Its request is no senseless one, though the topic was not there when topics were read."""
    harness = after_another((2, 1))

    def create_and_request() -> None:
        harness.create_topic("u", (1, 2))
        harness.tool(Create(paths.delete_topic("u")))

    harness.interfere(ReadDeletionRequests, create_and_request)

    harness.register_controller()

    assert harness.zookeeper.node(paths.topic("u")) is None
    assert "controller=1 topic=u deleted" in harness.notes


def test_a_controller_that_publishes_no_metadata_decides_the_same() -> None:
    """As in a simulation, whose brokers have no clients."""
    decided = []
    for publishes in (True, False):
        harness = Harness(1, 2, 3, config=replace(CONFIG, publishes_metadata=publishes))
        harness.register_controller()
        harness.create_topic("t", (2, 1), (3, 2))
        harness.settle()
        harness.unregister(2)
        harness.settle()
        has_metadata = any(isinstance(order, UpdateMetadata) for _, order in harness.orders)
        decided.append((harness.leaders("t"), harness.state(tp("t-1")), has_metadata))

    assert [decided[0][:2]] * 2 == [one[:2] for one in decided]
    assert [True, False] == [one[2] for one in decided]
