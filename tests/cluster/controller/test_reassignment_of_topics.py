"""Reassignments of topics that are deleted, extended or recreated; what is under way is listed."""

from dataclasses import replace

import pytest

from cluster.controller.events import (
    Requested,
)
from cluster.controller.orders import LeaderAndIsr
from cluster.controller.requests import (
    AlterReassignments,
    AlterReassignmentsReply,
    ListReassignments,
    ListReassignmentsReply,
)
from cluster.model.admin import Reassignment
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.zk import paths
from cluster.zk.admin import encode_reassignment
from cluster.zk.requests import Create, Delete, SetData
from cluster.zk.topics import decode_assignment, encode_assignment
from tests.cluster.controller.asked import CreateStates, WriteAssignment
from tests.cluster.controller.harness import Harness, tp
from tests.cluster.controller.reassigning import (
    T0,
    alter,
    answer_all,
    assigned,
    cancel,
    catch_up,
    cluster_with,
    forget,
    half_way,
    leadership,
    moving,
    reassign,
    replicas,
    told_to,
)


def test_a_topic_waits_with_its_deletion_until_nothing_moves_any_more() -> None:
    harness = cluster_with((1, 2), (1, 2))
    reassign(harness, 3)
    reassign(harness, 3, partition=tp("t-1"))
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    assert harness.zookeeper.node(paths.topic("t")) is not None

    catch_up(harness, 1, 2, 3)
    assert harness.zookeeper.node(paths.topic("t")) is not None

    catch_up(harness, 1, 2, 3, partition=tp("t-1"))

    assert harness.zookeeper.node(paths.topic("t")) is None
    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()


def test_a_topic_waits_with_its_deletion_until_the_logs_of_removed_replicas_are_gone() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    assert harness.zookeeper.node(paths.topic("t")) is not None

    harness.silent = set()
    answer_all(harness, 2)

    assert harness.zookeeper.node(paths.topic("t")) is None


def test_a_topic_that_waits_to_be_deleted_still_gets_leaders() -> None:
    """Or its reassignment would never end, and the deletion never begin."""
    harness = cluster_with((2,))
    reassign(harness, 3)
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()

    harness.unregister(2)
    harness.settle()
    assert leadership(harness)[0] == -1
    harness.register(2)
    harness.settle()
    assert leadership(harness)[0] == 2

    catch_up(harness, 2, 3)
    assert harness.zookeeper.node(paths.topic("t")) is None


@pytest.mark.parametrize("is_by_znode", [False, True])
@pytest.mark.parametrize("dies", [False, True])
def test_a_move_is_given_up_so_that_the_topic_is_deleted(is_by_znode: bool, dies: bool) -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3, 2)
    harness.tool(Create(paths.delete_topic("t")))
    if dies:
        harness.unregister(3)
    harness.settle()
    other = alter(harness, {T0: (1, 3)})
    assert other[T0] is not None
    assert assigned(harness) == moving((3, 2, 1), adding=(3,), removing=(1,))

    if is_by_znode:
        request = Reassignment(targets={T0: (BrokerId(1), BrokerId(2))})
        harness.tool(Create(paths.REASSIGN_PARTITIONS, encode_reassignment(request)))
        harness.settle()
    else:
        cancel(harness)

    assert harness.zookeeper.node(paths.topic("t")) is None
    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()
    assert harness.zookeeper.node(paths.REASSIGN_PARTITIONS) is None


HALF_DELETED = (
    b'{"version":3,"topic_id":"id","partitions":{"0":[2,1]},"adding_replicas":{"0":[2]},'
    b'"removing_replicas":{"0":[1]}}'
)


@pytest.mark.parametrize("way_out", ["broker", "cancel"])
@pytest.mark.parametrize("is_marked_later", [False, True])
def test_a_topic_that_goes_is_not_brought_into_being_to_be_moved(
    is_marked_later: bool, way_out: str
) -> None:
    """Its deletion has taken the states, and waits for a dead broker; nothing else moves it."""
    harness = Harness(1, 3)
    harness.tool(Create(paths.topic("t"), HALF_DELETED))
    if is_marked_later:
        harness.refuse(CreateStates)
        harness.register_controller()
        harness.before = harness.do_nothing
    harness.tool(Create(paths.delete_topic("t")))
    if is_marked_later:
        harness.settle()
    else:
        harness.register_controller()
    forget(harness)

    harness.register(4)
    harness.settle()
    harness.unregister(3)
    harness.settle()
    harness.register(3)
    harness.settle()

    assert harness.state(T0) is None
    assert told_to(harness, LeaderAndIsr) == []
    assert harness.zookeeper.node(paths.topic("t")) is not None

    if way_out == "broker":
        harness.register(2)
        harness.settle()
    else:
        cancel(harness)

    assert harness.zookeeper.node(paths.topic("t")) is None
    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()
    # The next topic of the name has what it needs.
    harness.create_topic("t", (1, 2), topic_id="id2")
    harness.settle()
    assert leadership(harness)[0] == 1


def test_partitions_that_are_added_meanwhile_are_kept() -> None:
    harness = cluster_with((1, 2))

    def add_partition() -> None:
        node = harness.zookeeper.node(paths.topic("t"))
        assert node is not None
        assignment = decode_assignment(node)
        partitions = {**assignment.partitions, 1: replicas(2, 3)}
        grown = TopicAssignment(partitions=partitions, topic_id=assignment.topic_id)
        harness.tool(SetData(paths.topic("t"), encode_assignment(grown), MATCH_ANY))

    harness.interfere(WriteAssignment, add_partition)
    reassign(harness, 3)

    assert assigned(harness) == moving((3, 1, 2), adding=(3,), removing=(1, 2))
    assert assigned(harness, tp("t-1")) == replicas(2, 3)
    assert leadership(harness, tp("t-1"))[0] == 2


def test_a_topic_that_is_gone_is_not_reassigned() -> None:
    harness = cluster_with((1, 2))

    def remove() -> None:
        harness.remove_state(T0)
        harness.tool(Delete(paths.partitions("t")), Delete(paths.topic("t")))

    harness.interfere(WriteAssignment, remove)

    refusals = alter(harness, {T0: (3,)})

    refusal = refusals[T0]
    assert refusal is not None
    assert refusal.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert "t" not in harness.active.context.topics


def test_a_deletion_that_was_asked_for_takes_new_partitions_back_amid_a_reassignment() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()

    node = harness.zookeeper.node(paths.topic("t"))
    assert node is not None
    assignment = decode_assignment(node)
    grown = replace(assignment, partitions={**assignment.partitions, 1: replicas(2, 3)})
    harness.tool(SetData(paths.topic("t"), encode_assignment(grown), MATCH_ANY))
    catch_up(harness, 1, 2, 3)

    assert harness.zookeeper.node(paths.topic("t")) is None


def ongoing(
    harness: Harness, *partitions: TopicPartition
) -> dict[TopicPartition, PartitionAssignment]:
    harness.step(Requested(len(harness.replies), ListReassignments(partitions or None)))
    reply = harness.replies[-1].reply
    assert isinstance(reply, ListReassignmentsReply)
    return dict(reply.assignments)


def test_what_is_under_way_is_listed() -> None:
    harness = cluster_with((1, 2), (1, 2))
    assert ongoing(harness) == {}
    reassign(harness, 3)
    moved = moving((3, 1, 2), adding=(3,), removing=(1, 2))

    assert ongoing(harness) == {T0: moved}
    assert ongoing(harness, T0, tp("t-1"), tp("x-7")) == {T0: moved}
    assert ongoing(harness, tp("t-1")) == {}


def test_a_broker_that_is_not_the_controller_says_so() -> None:
    harness = Harness(1)
    harness.step(Requested(0, AlterReassignments({T0: None})))
    harness.step(Requested(1, ListReassignments(None)))

    assert [reply.reply for reply in harness.replies] == [
        AlterReassignmentsReply(ErrorCode.NOT_CONTROLLER),
        ListReassignmentsReply(ErrorCode.NOT_CONTROLLER),
    ]


def test_a_state_that_is_ahead_of_every_controller_keeps_who_was_to_be_given_up() -> None:
    harness = half_way(1, 2)
    before = harness.write_state_ahead(T0)

    refusals = alter(harness, {T0: None})

    assert refusals == {
        T0: ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "The partition's state could not be written.")
    }
    assert harness.state(T0) == before
    assert not harness.resignations
    assert any("keeps its state: Leader and isr path written" in note for note in harness.notes)
