from dataclasses import replace

import pytest

from cluster.controller.controller_state import ControllerState
from cluster.controller.core import TOPICS_READ_MAX
from cluster.controller.events import (
    BrokersChanged,
    DeletionRequested,
    TopicsWritten,
    UncleanElectionEnabled,
)
from cluster.controller.replica_states import ReplicaStatus
from cluster.model.config_entity import ConfigOverrides
from cluster.model.ids import MATCH_ANY, BrokerId
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.model.topic_config_specs import UNCLEAN_LEADER_ELECTION
from cluster.zk import paths
from cluster.zk.configs import encode_config
from cluster.zk.requests import Create, Delete, SetData
from cluster.zk.topics import decode_assignment, encode_assignment
from tests.cluster.controller.asked import (
    CreateStates,
    ReadAssignments,
    ReadBrokers,
    ReadUncleanTopics,
    WriteAssignment,
)
from tests.cluster.controller.harness import CONFIG, Harness, tp


def active_controller(*broker_ids: int) -> Harness:
    harness = Harness(*broker_ids)
    harness.register_controller()
    harness.orders.clear()
    return harness


def assignment(*replicas: tuple[int, ...], topic_id: str | None = "id") -> TopicAssignment:
    partitions = {
        number: PartitionAssignment(tuple(map(BrokerId, ids)))
        for number, ids in enumerate(replicas)
    }
    return TopicAssignment(partitions=partitions, topic_id=topic_id)


def stored(harness: Harness, topic: str) -> TopicAssignment:
    node = harness.zookeeper.node(paths.topic(topic))
    assert node is not None
    return decode_assignment(node)


def test_a_new_topic_is_led_by_the_first_replica_that_lives() -> None:
    harness = active_controller(1, 3)

    harness.create_topic("t", (2, 3, 1), (1, 2))
    harness.settle()

    assert harness.leaders("t") == [3, 1]
    assert harness.told() == [
        "1 LeaderAndIsr t-0:3/0[3,1] new, t-1:1/0[1] new",
        "1 UpdateMetadata live[1,3] t-0:3/0[3,1] offline[2], t-1:1/0[1] offline[2]",
        "3 LeaderAndIsr t-0:3/0[3,1] new",
        "3 UpdateMetadata live[1,3] t-0:3/0[3,1] offline[2], t-1:1/0[1] offline[2]",
    ]


def active_in_turns(partitions: int) -> Harness:
    harness = Harness(1, 2, 3, config=replace(CONFIG, partitions_in_a_turn=partitions))
    harness.register_controller()
    return harness


def test_of_many_new_partitions_some_are_led_before_others_are_taken_up() -> None:
    harness = Harness(1, 2, config=replace(CONFIG, partitions_in_a_turn=2))
    harness.register_controller()
    harness.orders.clear()

    harness.create_topic("t", (1,), (1,), (2,))
    harness.settle()

    assert [1, 1, 2] == harness.leaders("t")
    assert harness.told() == [
        "1 LeaderAndIsr t-0:1/0[1] new, t-1:1/0[1] new",
        "1 UpdateMetadata live[1,2] t-0:1/0[1], t-1:1/0[1]",
        "1 UpdateMetadata live[1,2] t-2:2/0[2]",
        "2 UpdateMetadata live[1,2] t-0:1/0[1], t-1:1/0[1]",
        "2 LeaderAndIsr t-2:2/0[2] new",
        "2 UpdateMetadata live[1,2] t-2:2/0[2]",
    ]
    statuses = [
        line.split(" partition ")[1].split()[0] + line.partition(" to ")[2][:3]
        for line in harness.lines
        if " Changed partition " in line
    ]
    assert statuses == ["t-0New", "t-1New", "t-2New", "t-0Onl", "t-1Onl", "t-2Onl"]


def test_a_broker_that_fails_does_not_wait_for_all_of_many_new_partitions() -> None:
    harness = active_in_turns(1)
    harness.create_topic("s", (2, 3))
    harness.settle()
    harness.tasks.clear()

    def lose_broker() -> None:
        harness.unregister(2)
        harness.step(BrokersChanged())
        assert (2, [-2, -2, -2]) == (harness.leaders("s")[0], harness.leaders("t"))

    harness.interfere(CreateStates, lose_broker)
    harness.create_topic("t", (2, 3), (2, 1), (1, 2), topic_id="other")
    harness.settle()

    topics, brokers = ControllerState.TOPIC_CHANGE, ControllerState.BROKER_CHANGE
    kinds = [task.kind for task in harness.tasks if task.kind in (topics, brokers)]
    assert [topics, brokers, topics, topics] == kinds[:4]
    assert ([3], [3, 1, 1]) == (harness.leaders("s"), harness.leaders("t"))
    assert not [line for line in harness.lines if "ERROR" in line]


def test_a_broker_that_is_back_before_new_partitions_have_their_turn_replicates_them() -> None:
    harness = active_in_turns(1)

    def bounce() -> None:
        harness.unregister(2)
        harness.step(BrokersChanged())
        harness.register(2)
        harness.step(BrokersChanged())

    harness.interfere(CreateStates, bounce)
    harness.create_topic("t", (1, 2), (2, 1))
    harness.settle()

    assert [1, 2] == harness.leaders("t")
    context = harness.active.context
    status = {context.replica_status(replica) for replica in context.replicas_of("t")}
    assert {ReplicaStatus.ONLINE} == status


def test_a_topic_is_deleted_before_all_of_its_partitions_had_their_turn() -> None:
    harness = active_in_turns(1)

    def delete() -> None:
        harness.tool(Create(paths.delete_topic("t")))
        harness.step(DeletionRequested())

    harness.interfere(CreateStates, delete)
    harness.create_topic("t", (1, 2), (2, 1), (1, 3))
    harness.settle()

    assert harness.zookeeper.node(paths.topic("t")) is None
    assert {} == harness.active.context.to_be_started
    assert [] == [line for line in harness.lines if "ERROR" in line]


def test_nobody_is_told_of_a_leader_that_is_not_written() -> None:
    harness = active_controller(1, 2)
    harness.refuse(CreateStates)

    harness.create_topic("t", (1, 2))
    harness.settle()

    assert harness.told() == []
    assert any("ZooKeeper refused to create its state" in line for line in harness.lines)


def test_a_topic_on_dead_brokers_waits_for_one_of_them() -> None:
    harness = active_controller(1)
    harness.create_topic("t", (2, 3))
    harness.settle()
    assert harness.leaders("t") == [-2]

    harness.register(3)
    harness.settle()

    assert harness.leaders("t") == [3]


def test_a_first_state_whose_answer_was_lost_is_not_made_twice() -> None:
    harness = active_controller(1, 2)
    harness.lose_answers_to(CreateStates, has_landed=True)

    harness.create_topic("t", (1, 2))
    harness.settle()

    assert harness.leaders("t") == [1]
    assert harness.count(CreateStates) == 1
    assert "2 LeaderAndIsr t-0:1/0[1,2] new" in harness.told()


def test_a_first_state_that_was_lost_on_the_way_is_made_again() -> None:
    harness = active_controller(1, 2)
    harness.lose_answers_to(CreateStates, has_landed=False)

    harness.create_topic("t", (1, 2))
    harness.settle()

    assert harness.leaders("t") == [1]
    assert harness.count(CreateStates) == 2


def test_a_state_that_stands_there_already_is_not_overwritten() -> None:
    harness = active_controller(1, 2)
    state = b'{"controller_epoch":1,"leader":2,"version":1,"leader_epoch":7,"isr":[2]}'
    partition = paths.partition(tp("t-0"))
    harness.create_topic("t", (1, 2))
    harness.tool(
        Create(paths.partitions("t")), Create(partition), Create(f"{partition}/state", state)
    )

    harness.settle()

    assert harness.told() == []
    assert any("its state exists already" in line for line in harness.lines)


def test_a_partition_node_without_a_state_gets_one() -> None:
    harness = active_controller(1, 2)
    harness.create_topic("t", (1, 2))
    harness.tool(Create(paths.partitions("t")), Create(paths.partition(tp("t-0"))))

    harness.settle()

    assert harness.leaders("t") == [1]


def test_more_partitions_are_led_too_and_the_others_left_alone() -> None:
    harness = active_controller(1, 2)
    harness.create_topic("t", (1, 2))
    harness.settle()
    harness.orders.clear()

    grown = encode_assignment(assignment((2, 1), (2, 1)))
    harness.tool(SetData(paths.topic("t"), grown, MATCH_ANY))
    harness.settle()

    assert harness.leaders("t") == [1, 2]
    assert "2 LeaderAndIsr t-1:2/0[2,1] new" in harness.told()
    assert harness.active.context.assignments[tp("t-0")].replicas == (1, 2)


def test_a_topic_without_an_id_gets_one() -> None:
    harness = active_controller(1)

    harness.tool(
        Create(
            paths.topic("t"), encode_assignment(replace(assignment((1,), topic_id=None), version=1))
        )
    )
    harness.settle()

    given = stored(harness, "t")
    assert (given.topic_id, given.version) == ("0" * 22, 3)
    assert harness.active.context.topics["t"] == given
    assert harness.leaders("t") == [1]


def test_an_id_whose_answer_was_lost_is_kept() -> None:
    harness = active_controller(1)
    harness.lose_answers_to(WriteAssignment, has_landed=True)

    harness.tool(Create(paths.topic("t"), encode_assignment(assignment((1,), topic_id=None))))
    harness.settle()

    assert stored(harness, "t").topic_id == harness.active.context.topics["t"].topic_id == "0" * 22


def test_an_id_is_given_to_what_stands_there_then() -> None:
    harness = active_controller(1)
    grown = encode_assignment(assignment((1,), (1,), topic_id=None))
    harness.interfere(
        WriteAssignment, lambda: harness.tool(SetData(paths.topic("t"), grown, MATCH_ANY))
    )

    harness.tool(Create(paths.topic("t"), encode_assignment(assignment((1,), topic_id=None))))
    harness.settle()

    assert stored(harness, "t").topic_id is not None
    assert harness.leaders("t") == [1, 1]


def test_a_topic_that_goes_before_it_gets_an_id_is_let_go() -> None:
    harness = active_controller(1)
    harness.interfere(WriteAssignment, lambda: harness.tool(Delete(paths.topic("t"))))

    harness.tool(Create(paths.topic("t"), encode_assignment(assignment((1,), topic_id=None))))
    harness.settle()

    assert harness.active.context.topics == {}


def test_where_topics_have_no_ids_none_is_given() -> None:
    harness = Harness(1, config=replace(CONFIG, gives_topic_ids=False))
    harness.register_controller()

    harness.tool(Create(paths.topic("t"), encode_assignment(assignment((1,), topic_id=None))))
    harness.settle()

    assert harness.leaders("t") == [1]
    assert harness.count(WriteAssignment) == 0


def test_a_topic_that_may_get_no_id_is_led_without() -> None:
    harness = active_controller(1)
    harness.refuse(WriteAssignment)

    harness.tool(Create(paths.topic("t"), encode_assignment(assignment((1,), topic_id=None))))
    harness.settle()

    assert harness.leaders("t") == [1]


def test_a_topic_that_was_removed_by_hand_is_forgotten() -> None:
    harness = active_controller(1)
    harness.create_topic("t", (1,))
    harness.settle()
    harness.remove_state(tp("t-0"))
    harness.orders.clear()

    harness.tool(Delete(paths.partitions("t")), Delete(paths.topic("t")))
    harness.settle()

    assert harness.active.context.topics == {}
    assert harness.active.context.states == {}
    assert harness.told() == []


def test_a_topic_that_was_removed_and_made_again_unseen_is_another() -> None:
    harness = active_controller(1, 2)
    harness.create_topic("t", (1,))
    harness.settle()
    harness.remove_state(tp("t-0"))
    harness.tool(Delete(paths.partitions("t")), Delete(paths.topic("t")))
    harness.hints.clear()

    harness.create_topic("t", (2,), topic_id="another")
    harness.hints.clear()
    harness.step(TopicsWritten(("t",)))

    assert harness.leaders("t") == [2]


def test_a_damaged_topic_is_taken_up_when_it_is_repaired() -> None:
    harness = active_controller(1)
    harness.tool(Create(paths.topic("t"), b"{"))
    harness.settle()
    assert harness.active.context.topics == {}

    harness.tool(SetData(paths.topic("t"), encode_assignment(assignment((1,))), MATCH_ANY))
    harness.settle()

    assert harness.leaders("t") == [1]


@pytest.mark.slow
def test_written_topics_are_read_together_so_many_at_a_time_and_other_work_has_its_turn() -> None:
    """After an outage every topic may have been written: 10,000 reads in a row took their time."""
    harness = active_controller(1)
    names = tuple(f"t{number}" for number in range(2 * TOPICS_READ_MAX + 1))
    for name in names:
        harness.create_topic(name, (1,))
    harness.settle()
    for name in (names[0], names[-1]):
        harness.tool(
            SetData(paths.topic(name), encode_assignment(assignment((1,), (1,))), MATCH_ANY)
        )
    harness.hints.clear()
    harness.requests.clear()

    begun = harness.core.step(TopicsWritten(names), harness.now_ms)
    # Known to be waiting, or to be read once more.
    assert () == harness.core.step(TopicsWritten((names[-1],)), harness.now_ms)
    assert () == harness.core.step(BrokersChanged(), harness.now_ms)
    assert () == harness.core.step(TopicsWritten((names[1],)), harness.now_ms)
    harness.carry_out(begun)

    reads = [one for one in harness.requests if isinstance(one, ReadAssignments | ReadBrokers)]
    assert [
        ReadAssignments(names[:TOPICS_READ_MAX]),
        ReadAssignments(names[TOPICS_READ_MAX:-1]),
        ReadBrokers(),
        ReadAssignments((names[-1], names[1])),
    ] == reads
    assert [[1, 1], [1, 1]] == [harness.leaders(name) for name in (names[0], names[-1])]
    assert harness.core.is_idle


def test_topics_that_were_written_for_an_earlier_epoch_are_not_read_in_the_next() -> None:
    harness = active_controller(1)
    harness.create_topic("t", (1,))
    harness.settle()
    harness.core.step(BrokersChanged(), harness.now_ms)
    harness.core.step(TopicsWritten(("t",)), harness.now_ms)

    harness.lose_controller()
    harness.register_controller()
    harness.requests.clear()
    harness.step(TopicsWritten(("t",)))

    assert [ReadAssignments(("t",))] == harness.requests
    assert harness.core.is_idle


# Unclean elections


def offline(harness: Harness) -> None:
    """Leave t-0 with a dead replica in its ISR and a live one outside."""
    harness.create_topic("t", (1, 2))
    harness.settle()
    harness.write_isr(tp("t-0"), (2,))
    state = harness.state(tp("t-0"))
    assert state is not None
    harness.write_state(tp("t-0"), state._replace(leader=BrokerId(2)))
    harness.active.context.states[tp("t-0")] = state._replace(leader=BrokerId(2))
    harness.unregister(2)
    harness.settle()


def test_nobody_outside_the_isr_leads_by_itself() -> None:
    harness = active_controller(1, 2)

    offline(harness)

    assert harness.leaders("t") == [-1]
    assert any("OfflinePartitionLeaderElectionStrategy(false)" in line for line in harness.lines)


def test_a_topic_may_allow_leaders_outside_the_isr() -> None:
    harness = active_controller(1, 2)
    config = encode_config(ConfigOverrides(values={UNCLEAN_LEADER_ELECTION: "true"}))
    harness.tool(Create(paths.topic_config("t"), config))

    offline(harness)

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr, state.leader_recovery_state) == (1, (1,), 1)
    assert any("leaderRecoveryState=RECOVERING" in line for line in harness.lines)


def test_a_cluster_may_allow_them_where_the_topic_says_nothing() -> None:
    harness = active_controller(1, 2)
    harness.client.allows_unclean = True

    offline(harness)

    assert harness.leaders("t") == [1]


def test_allowing_it_later_elects_at_once() -> None:
    harness = active_controller(1, 2)
    offline(harness)
    harness.client.allows_unclean = True

    harness.step(UncleanElectionEnabled("another"))
    assert harness.leaders("t") == [-1]
    harness.step(UncleanElectionEnabled("t"))

    assert harness.leaders("t") == [1]


def test_as_long_as_the_isr_lives_nobody_asks_what_is_allowed() -> None:
    harness = active_controller(1, 2)
    harness.create_topic("t", (2, 1))
    harness.settle()

    harness.unregister(2)
    harness.settle()

    assert harness.count(ReadUncleanTopics) == 0


def test_a_topic_that_cannot_be_called_so_is_left_alone_and_told_of_once() -> None:
    harness = Harness(1)
    harness.create_topic("a b", (1,))
    harness.create_topic("t", (1,))
    harness.register_controller()
    harness.create_topic("x" * 300, (1,))
    harness.create_topic("u", (1,))
    harness.settle()

    assert list(harness.active.context.topics) == ["t", "u"]
    assert not [line for line in harness.told() if "a b" in line or "xxx" in line]
    left = [note for note in harness.notes if "is left alone" in note]
    assert [note.partition(" is left alone")[0] for note in left] == [
        "controller=1 topic='a b'",
        f"controller=1 topic='{'x' * 300}'",
    ]


def test_a_request_to_delete_what_cannot_be_a_topic_stays() -> None:
    harness = active_controller(1)
    harness.create_topic("a b", (1,))
    harness.tool(Create(paths.delete_topic("a b")))
    harness.settle()

    assert harness.zookeeper.node(paths.delete_topic("a b")) is not None
    assert harness.zookeeper.node(paths.topic("a b")) is not None


def test_replicas_that_somebody_wrote_by_hand_are_a_set() -> None:
    """And a partition without any does not stop the others."""
    harness = active_controller(1, 2)

    harness.create_topic("t", (1, 1, 1), (), (2, 1, 2))
    harness.settle()

    assert [
        "1 LeaderAndIsr t-0:1/0[1] new, t-2:2/0[2,1] new",
        "1 UpdateMetadata live[1,2] t-0:1/0[1], t-2:2/0[2,1]",
        "2 LeaderAndIsr t-2:2/0[2,1] new",
        "2 UpdateMetadata live[1,2] t-0:1/0[1], t-2:2/0[2,1]",
    ] == harness.told()
