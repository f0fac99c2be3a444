"""What becomes of the requests in `/admin/reassign_partitions`?"""

import json

from cluster.model.admin import Reassignment
from cluster.model.ids import MATCH_ANY, BrokerId, TopicPartition
from cluster.model.topic import TopicAssignment
from cluster.zk import paths
from cluster.zk.admin import decode_reassignment, encode_reassignment
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import Create, Delete, SetData
from cluster.zk.topics import encode_assignment
from tests.cluster.controller.asked import ReadTopics, WriteReassignment
from tests.cluster.controller.harness import Harness, tp
from tests.cluster.controller.reassigning import (
    T0,
    alter,
    assigned,
    catch_up,
    cluster_with,
    moving,
    notify,
    reassign,
    replicas,
    writes,
)
from tests.sim.zookeeper import Commit, SimZooKeeper


def document(targets: dict[TopicPartition, tuple[int, ...]]) -> bytes:
    named = {partition: tuple(map(BrokerId, target)) for partition, target in targets.items()}
    return encode_reassignment(Reassignment(targets=named))


def request(harness: Harness, targets: dict[TopicPartition, tuple[int, ...]]) -> None:
    harness.tool(Create(paths.REASSIGN_PARTITIONS, document(targets)))
    harness.settle()


def left(harness: Harness) -> set[TopicPartition] | None:
    """The partitions that the request still names; None when it is gone."""
    node = harness.zookeeper.node(paths.REASSIGN_PARTITIONS)
    return None if node is None else set(decode_reassignment(node))


def test_a_request_is_gone_when_its_last_partition_has_its_replicas() -> None:
    """In the order of Kafka 2.8: the topic's node, and then the request."""
    harness = cluster_with((1, 2), (1, 2))

    request(harness, {T0: (3, 2), tp("t-1"): (1, 2)})

    assert left(harness) == {T0}
    assert writes(harness) == [
        "topic [3, 2, 1] +[3] -[1]",
        "state 1/1[1, 2]",
        "state 1/1[1, 2]",
        "topic [3, 2, 1] +[3] -[1]",
        "request 1",
    ]

    harness.requests.clear()
    catch_up(harness, 1, 2, 3)

    assert left(harness) is None
    assert writes(harness)[-2:] == ["topic [3, 2] +[] -[]", "request 0"]


def test_what_cannot_be_met_is_taken_out_and_holds_nothing_up() -> None:
    harness = cluster_with((1, 2), (1, 2))

    request(harness, {tp("x-0"): (1,), tp("t-1"): (), tp("t-7"): (1,), T0: (3, 2)})

    assert left(harness) == {T0}
    assert assigned(harness).adding == (3,)
    assert assigned(harness, tp("t-1")) == replicas(1, 2)
    assert [note for note in harness.notes if "is not reassigned" in note] == [
        "controller=1 partition=x-0 is not reassigned: The partition does not exist.",
        "controller=1 partition=t-1 is not reassigned: Empty replica list specified in partition "
        "reassignment.",
        "controller=1 partition=t-7 is not reassigned: The partition does not exist.",
    ]


def test_a_request_without_anything_goes() -> None:
    harness = cluster_with((1, 2))

    request(harness, {})
    assert left(harness) is None

    request(harness, {tp("x-0"): (1,)})
    assert left(harness) is None


def test_a_dead_broker_may_be_asked_for() -> None:
    harness = cluster_with((1, 2))

    request(harness, {T0: (9, 2)})
    assert left(harness) == {T0}

    harness.register(9)
    harness.settle()
    catch_up(harness, 1, 2, 9)
    assert assigned(harness) == replicas(9, 2)
    assert left(harness) is None


def test_a_damaged_request_is_reported_and_left_until_somebody_replaces_it() -> None:
    harness = cluster_with((1, 2))
    harness.tool(Create(paths.REASSIGN_PARTITIONS, b'{"partitions":7}'))
    harness.settle()
    assert [fault.path for fault in harness.faults] == [paths.REASSIGN_PARTITIONS]

    reassign(harness, 3, 2)
    catch_up(harness, 1, 2, 3)
    assert assigned(harness) == replicas(3, 2)

    harness.tool(Delete(paths.REASSIGN_PARTITIONS))
    request(harness, {T0: (1, 2)})
    assert assigned(harness).adding == (1,)


def test_a_request_that_is_written_over_is_not_read_again() -> None:
    harness = cluster_with((1, 2))
    request(harness, {T0: (3, 2)})

    harness.tool(SetData(paths.REASSIGN_PARTITIONS, document({T0: (1, 3)}), MATCH_ANY))
    harness.settle()
    assert assigned(harness) == moving((3, 2, 1), adding=(3,), removing=(1,))

    catch_up(harness, 1, 2, 3)
    assert assigned(harness) == replicas(3, 2)
    assert left(harness) == {T0}


def test_a_request_in_the_place_of_one_that_was_removed_is_another() -> None:
    harness = cluster_with((1, 2))
    request(harness, {T0: (3, 2)})

    harness.tool(Delete(paths.REASSIGN_PARTITIONS))
    request(harness, {T0: (1, 2)})

    assert assigned(harness) == replicas(1, 2)
    assert left(harness) is None


def test_a_request_of_a_topic_that_was_just_made_is_met() -> None:
    harness = cluster_with((1, 2))
    harness.create_topic("new", (1, 2), topic_id="id2")
    harness.hints.clear()

    request(harness, {tp("new-0"): (3, 2)})

    assert assigned(harness, tp("new-0")).adding == (3,)
    assert harness.count(ReadTopics) == 1


def test_a_request_of_a_partition_that_was_just_made_is_met() -> None:
    harness = cluster_with((1, 2))
    partitions = {0: replicas(1, 2), 1: replicas(2, 1)}
    grown = TopicAssignment(partitions=partitions, topic_id="id")
    harness.tool(SetData(paths.topic("t"), encode_assignment(grown), MATCH_ANY))
    harness.hints.clear()

    request(harness, {tp("t-1"): (3, 2)})

    assert assigned(harness, tp("t-1")).adding == (3,)


def test_the_api_takes_a_partition_out_of_the_request() -> None:
    harness = cluster_with((1, 2), (1, 2))
    request(harness, {T0: (3, 2), tp("t-1"): (3, 2)})
    harness.requests.clear()

    reassign(harness, 1, 3)

    assert left(harness) == {tp("t-1")}
    assert writes(harness)[0] == "request 1"

    assert alter(harness, {tp("t-1"): None}) == {tp("t-1"): None}
    assert left(harness) is None


def test_what_the_api_has_refused_stays_in_the_request() -> None:
    harness = cluster_with((1, 2))
    request(harness, {T0: (3, 2)})

    alter(harness, {T0: (9,)})

    assert left(harness) == {T0}


def test_a_new_controller_meets_the_request_that_it_finds() -> None:
    harness = cluster_with((1, 2), (1, 2))
    reassign(harness, 3, 2, partition=tp("t-1"))
    harness.lose_controller()
    harness.tool(Create(paths.REASSIGN_PARTITIONS, document({T0: (3, 2), tp("x-0"): (1,)})))

    harness.register_controller()

    assert left(harness) == {T0}
    assert assigned(harness).adding == (3,)
    states = [line for line in writes(harness) if line.startswith("state")]
    assert states == ["state 1/1[1, 2]", "state 1/2[1, 2]"]  # Each gets one epoch, in A1.


def test_a_new_controller_completes_the_request_that_it_finds_half_done() -> None:
    harness = cluster_with((1, 2))
    request(harness, {T0: (3, 2)})
    harness.lose_controller()

    harness.register_controller()
    assert left(harness) == {T0}
    catch_up(harness, 1, 2, 3)

    assert left(harness) is None
    assert assigned(harness) == replicas(3, 2)


def test_a_request_that_an_operator_changes_meanwhile_loses_nothing() -> None:
    harness = cluster_with((1, 2))
    harness.create_topic("u", (1, 2), topic_id="id2")
    harness.settle()
    request(harness, {T0: (3, 2), tp("u-0"): (3, 2)})
    overwrite_before_the_write(harness, document({T0: (3, 2), tp("u-0"): (3, 2), tp("x-0"): (1,)}))

    catch_up(harness, 1, 2, 3)

    assert left(harness) == {tp("u-0"), tp("x-0")}


def overwrite_before_the_write(harness: Harness, data: bytes) -> None:
    harness.interfere(
        WriteReassignment,
        lambda: harness.tool(SetData(paths.REASSIGN_PARTITIONS, data, MATCH_ANY)),
    )


def test_a_request_whose_end_gets_no_answer_is_gone_all_the_same() -> None:
    for has_landed in (False, True):
        harness = cluster_with((1, 2))
        request(harness, {T0: (3, 2)})
        harness.lose_answers_to(WriteReassignment, has_landed=has_landed)

        catch_up(harness, 1, 2, 3)

        assert left(harness) is None
        assert assigned(harness) == replicas(3, 2)


def test_a_request_that_cannot_be_removed_is_said_to_be_so() -> None:
    harness = cluster_with((1, 2))
    request(harness, {T0: (3, 2)})
    harness.refuse(WriteReassignment)

    catch_up(harness, 1, 2, 3)

    assert assigned(harness) == replicas(3, 2)
    assert "controller=1 ZooKeeper refuses to change the request to reassign" in harness.notes


def test_a_topic_that_is_to_be_deleted_finishes_what_was_asked_before() -> None:
    """The request is refused to a new controller, but what stands in the topic goes on."""
    harness = cluster_with((1, 2))
    request(harness, {T0: (3, 2)})
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    harness.lose_controller()

    harness.register_controller()
    assert left(harness) is None
    assert assigned(harness).adding == (3,)

    catch_up(harness, 1, 2, 3)
    assert harness.zookeeper.node(paths.topic("t")) is None


def test_a_topic_that_is_removed_by_hand_leaves_no_request() -> None:
    harness = cluster_with((1, 2))
    request(harness, {T0: (3, 2)})

    harness.remove_state(T0)
    harness.tool(Delete(paths.partitions("t")), Delete(paths.topic("t")))
    harness.settle()

    assert left(harness) is None


def test_the_znodes_are_written_in_the_order_of_a_real_controller() -> None:
    """As Kafka 2.8.2 wrote them, by its transaction log, from the request to its end; the leader's
    own change of the ISR is among them.  Kafka took the second partition of its request first.
    """
    written: list[tuple[str, int, object]] = []
    harness = Harness(0, 1, 2)
    harness.zookeeper = SimZooKeeper(
        lambda _, path: harness.hints.append(path),
        lambda commit: written.append(as_written(commit)),
    )
    harness.tool_session = harness.zookeeper.connect()
    harness.session = harness.zookeeper.connect()
    for path in PERSISTENT_PATHS:
        harness.tool(Create(path))
    for broker_id in (0, 1, 2):
        harness.register(broker_id)
    harness.register_controller()
    harness.create_topic("t1", (2, 0), (0, 1), topic_id="VcrVJPOVR7SVkgM35bYjEg")
    harness.settle()
    written.clear()

    request(harness, {tp("t1-1"): (0, 2), tp("t1-0"): (2, 0)})
    harness.write_isr(tp("t1-1"), (0, 1, 2))
    notify(harness, tp("t1-1"))

    first, second = "t1/partitions/0/state", "t1/partitions/1/state"
    shown = [
        (path.removeprefix("/brokers/topics/"), version, data)
        for path, version, data in written
        if not path.startswith(paths.ISR_CHANGES)
    ]
    both, half_way = [[2, 0], [0, 2, 1]], ({"1": [2]}, {"1": [1]})
    assert shown == [
        (paths.REASSIGN_PARTITIONS, 0, 2),
        ("t1", 1, (both, *half_way)),
        (second, 1, (0, 1, [0, 1])),
        (first, 1, (2, 1, [2, 0])),
        ("t1", 2, (both, *half_way)),
        (paths.REASSIGN_PARTITIONS, 1, 1),
        (second, 2, (0, 1, [0, 1, 2])),
        (second, 3, (0, 2, [0, 1, 2])),
        (second, 4, (0, 3, [0, 2])),
        ("t1", 3, ([[2, 0], [0, 2]], {}, {})),
        (paths.REASSIGN_PARTITIONS, -1, None),
    ]


def as_written(commit: Commit) -> tuple[str, int, object]:
    """The path, the zkVersion and what matters of the content; -1 and None for what is gone."""
    node = commit.after
    if node is None:
        return commit.path, -1, None
    document = json.loads(node.data or b"{}")
    data: object = None
    if commit.path.endswith("/state"):
        data = (document["leader"], document["leader_epoch"], document["isr"])
    elif commit.path == paths.REASSIGN_PARTITIONS:
        data = len(document["partitions"])
    elif commit.path.startswith(paths.TOPICS) and document:
        data = (
            list(document["partitions"].values()),
            document["adding_replicas"],
            document["removing_replicas"],
        )
    return commit.path, node.zk_version, data
