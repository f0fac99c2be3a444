from dataclasses import replace

from cluster.controller.events import TopicChanged, UncleanElectionEnabled
from cluster.controller.zookeeper_requests import (
    CreateStates,
    ReadUncleanTopics,
    WriteAssignment,
)
from cluster.coordination.reads import UNCLEAN_KEY
from cluster.model.config_entity import ConfigOverrides
from cluster.model.ids import MATCH_ANY, BrokerId
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.zk import paths
from cluster.zk.configs import encode_config
from cluster.zk.requests import Create, Delete, SetData
from cluster.zk.topics import decode_assignment, encode_assignment
from tests.cluster.controller.desk import CONFIG, Desk, tp


def active_controller(*broker_ids: int) -> Desk:
    desk = Desk(*broker_ids)
    desk.register_controller()
    desk.orders.clear()
    return desk


def assignment(*replicas: tuple[int, ...], topic_id: str | None = "id") -> TopicAssignment:
    partitions = {
        number: PartitionAssignment(tuple(map(BrokerId, ids)))
        for number, ids in enumerate(replicas)
    }
    return TopicAssignment(partitions=partitions, topic_id=topic_id)


def stored(desk: Desk, topic: str) -> TopicAssignment:
    node = desk.zookeeper.node(paths.topic(topic))
    assert node is not None
    return decode_assignment(node)


def test_a_new_topic_is_led_by_the_first_replica_that_lives() -> None:
    desk = active_controller(1, 3)

    desk.create_topic("t", (2, 3, 1), (1, 2))
    desk.settle()

    assert desk.leaders("t") == [3, 1]
    assert desk.told() == [
        "1 LeaderAndIsr t-0:3/0[3,1] new, t-1:1/0[1] new",
        "1 UpdateMetadata live[1,3] t-0:3/0[3,1] offline[2], t-1:1/0[1] offline[2]",
        "3 LeaderAndIsr t-0:3/0[3,1] new",
        "3 UpdateMetadata live[1,3] t-0:3/0[3,1] offline[2], t-1:1/0[1] offline[2]",
    ]


def test_nobody_is_told_of_a_leader_that_is_not_written() -> None:
    desk = active_controller(1, 2)
    desk.refuse(CreateStates)

    desk.create_topic("t", (1, 2))
    desk.settle()

    assert desk.told() == []
    assert any("ZooKeeper refused to create its state" in line for line in desk.lines)


def test_a_topic_on_dead_brokers_waits_for_one_of_them() -> None:
    desk = active_controller(1)
    desk.create_topic("t", (2, 3))
    desk.settle()
    assert desk.leaders("t") == [-2]

    desk.register(3)
    desk.settle()

    assert desk.leaders("t") == [3]


def test_a_first_state_whose_answer_was_lost_is_not_made_twice() -> None:
    desk = active_controller(1, 2)
    desk.lose_answers_to(CreateStates, has_landed=True)

    desk.create_topic("t", (1, 2))
    desk.settle()

    assert desk.leaders("t") == [1]
    assert desk.count(CreateStates) == 1
    assert "2 LeaderAndIsr t-0:1/0[1,2] new" in desk.told()


def test_a_first_state_that_was_lost_on_the_way_is_made_again() -> None:
    desk = active_controller(1, 2)
    desk.lose_answers_to(CreateStates, has_landed=False)

    desk.create_topic("t", (1, 2))
    desk.settle()

    assert desk.leaders("t") == [1]
    assert desk.count(CreateStates) == 2


def test_a_state_that_stands_there_already_is_not_overwritten() -> None:
    desk = active_controller(1, 2)
    state = b'{"controller_epoch":1,"leader":2,"version":1,"leader_epoch":7,"isr":[2]}'
    partition = paths.partition(tp("t-0"))
    desk.create_topic("t", (1, 2))
    desk.tool(Create(paths.partitions("t")), Create(partition), Create(f"{partition}/state", state))

    desk.settle()

    assert desk.told() == []
    assert any("its state exists already" in line for line in desk.lines)


def test_a_partition_node_without_a_state_gets_one() -> None:
    desk = active_controller(1, 2)
    desk.create_topic("t", (1, 2))
    desk.tool(Create(paths.partitions("t")), Create(paths.partition(tp("t-0"))))

    desk.settle()

    assert desk.leaders("t") == [1]


def test_more_partitions_are_led_too_and_the_others_left_alone() -> None:
    desk = active_controller(1, 2)
    desk.create_topic("t", (1, 2))
    desk.settle()
    desk.orders.clear()

    grown = encode_assignment(assignment((2, 1), (2, 1)))
    desk.tool(SetData(paths.topic("t"), grown, MATCH_ANY))
    desk.settle()

    assert desk.leaders("t") == [1, 2]
    assert "2 LeaderAndIsr t-1:2/0[2,1] new" in desk.told()
    assert desk.active.context.assignments[tp("t-0")].replicas == (1, 2)


def test_a_topic_without_an_id_gets_one() -> None:
    desk = active_controller(1)

    desk.tool(
        Create(
            paths.topic("t"), encode_assignment(replace(assignment((1,), topic_id=None), version=1))
        )
    )
    desk.settle()

    given = stored(desk, "t")
    assert (given.topic_id, given.version) == ("0" * 22, 3)
    assert desk.active.context.topics["t"] == given
    assert desk.leaders("t") == [1]


def test_an_id_whose_answer_was_lost_is_kept() -> None:
    desk = active_controller(1)
    desk.lose_answers_to(WriteAssignment, has_landed=True)

    desk.tool(Create(paths.topic("t"), encode_assignment(assignment((1,), topic_id=None))))
    desk.settle()

    assert stored(desk, "t").topic_id == desk.active.context.topics["t"].topic_id == "0" * 22


def test_an_id_is_given_to_what_stands_there_then() -> None:
    desk = active_controller(1)
    grown = encode_assignment(assignment((1,), (1,), topic_id=None))
    desk.interfere(WriteAssignment, lambda: desk.tool(SetData(paths.topic("t"), grown, MATCH_ANY)))

    desk.tool(Create(paths.topic("t"), encode_assignment(assignment((1,), topic_id=None))))
    desk.settle()

    assert stored(desk, "t").topic_id is not None
    assert desk.leaders("t") == [1, 1]


def test_a_topic_that_goes_before_it_gets_an_id_is_let_go() -> None:
    desk = active_controller(1)
    desk.interfere(WriteAssignment, lambda: desk.tool(Delete(paths.topic("t"))))

    desk.tool(Create(paths.topic("t"), encode_assignment(assignment((1,), topic_id=None))))
    desk.settle()

    assert desk.active.context.topics == {}


def test_where_topics_have_no_ids_none_is_given() -> None:
    desk = Desk(1, config=replace(CONFIG, gives_topic_ids=False))
    desk.register_controller()

    desk.tool(Create(paths.topic("t"), encode_assignment(assignment((1,), topic_id=None))))
    desk.settle()

    assert desk.leaders("t") == [1]
    assert desk.count(WriteAssignment) == 0


def test_a_topic_that_may_get_no_id_is_led_without() -> None:
    desk = active_controller(1)
    desk.refuse(WriteAssignment)

    desk.tool(Create(paths.topic("t"), encode_assignment(assignment((1,), topic_id=None))))
    desk.settle()

    assert desk.leaders("t") == [1]


def test_a_topic_that_was_removed_by_hand_is_forgotten() -> None:
    desk = active_controller(1)
    desk.create_topic("t", (1,))
    desk.settle()
    desk.remove_state(tp("t-0"))
    desk.orders.clear()

    desk.tool(Delete(paths.partitions("t")), Delete(paths.topic("t")))
    desk.settle()

    assert desk.active.context.topics == {}
    assert desk.active.context.states == {}
    assert desk.told() == []


def test_a_topic_that_was_removed_and_made_again_unseen_is_another() -> None:
    desk = active_controller(1, 2)
    desk.create_topic("t", (1,))
    desk.settle()
    desk.remove_state(tp("t-0"))
    desk.tool(Delete(paths.partitions("t")), Delete(paths.topic("t")))
    desk.hints.clear()

    desk.create_topic("t", (2,), topic_id="another")
    desk.hints.clear()
    desk.step(TopicChanged("t"))

    assert desk.leaders("t") == [2]


def test_a_damaged_topic_is_taken_up_when_it_is_repaired() -> None:
    desk = active_controller(1)
    desk.tool(Create(paths.topic("t"), b"{"))
    desk.settle()
    assert desk.active.context.topics == {}

    desk.tool(SetData(paths.topic("t"), encode_assignment(assignment((1,))), MATCH_ANY))
    desk.settle()

    assert desk.leaders("t") == [1]


# Unclean elections


def offline(desk: Desk) -> None:
    """Leave t-0 with a dead replica in its ISR and a live one outside."""
    desk.create_topic("t", (1, 2))
    desk.settle()
    desk.write_isr(tp("t-0"), (2,))
    state = desk.state(tp("t-0"))
    assert state is not None
    desk.write_state(tp("t-0"), state._replace(leader=BrokerId(2)))
    desk.active.context.states[tp("t-0")] = state._replace(leader=BrokerId(2))
    desk.unregister(2)
    desk.settle()


def test_nobody_outside_the_isr_leads_by_itself() -> None:
    desk = active_controller(1, 2)

    offline(desk)

    assert desk.leaders("t") == [-1]
    assert any("OfflinePartitionLeaderElectionStrategy(false)" in line for line in desk.lines)


def test_a_topic_may_allow_leaders_outside_the_isr() -> None:
    desk = active_controller(1, 2)
    config = encode_config(ConfigOverrides(values={UNCLEAN_KEY: "true"}))
    desk.tool(Create(paths.topic_config("t"), config))

    offline(desk)

    state = desk.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr, state.leader_recovery_state) == (1, (1,), 1)
    assert any("leaderRecoveryState=RECOVERING" in line for line in desk.lines)


def test_a_cluster_may_allow_them_where_the_topic_says_nothing() -> None:
    desk = active_controller(1, 2)
    desk.allows_unclean = True

    offline(desk)

    assert desk.leaders("t") == [1]


def test_allowing_it_later_elects_at_once() -> None:
    desk = active_controller(1, 2)
    offline(desk)
    desk.allows_unclean = True

    desk.step(UncleanElectionEnabled("another"))
    assert desk.leaders("t") == [-1]
    desk.step(UncleanElectionEnabled("t"))

    assert desk.leaders("t") == [1]


def test_as_long_as_the_isr_lives_nobody_asks_what_is_allowed() -> None:
    desk = active_controller(1, 2)
    desk.create_topic("t", (2, 1))
    desk.settle()

    desk.unregister(2)
    desk.settle()

    assert desk.count(ReadUncleanTopics) == 0
