"""Proposals: one that Kafka's own tool could have made, on brokers that are there."""

from itertools import product

import pytest

from cluster.model.ids import BrokerId
from kadmin.arguments.numbers import BadBrokerList, parse_broker_list
from kadmin.arguments.reassignment_files import parse_targets, parse_topics, targets_text
from kadmin.errors import ExitCode
from kadmin.plan.place import MixedRacks, NotEnoughBrokers
from kadmin.plan.reassignment.generate import NoReplicas, Proposal, propose
from kadmin.plan.topic_refusals import NoSuchTopic
from tests.kadmin.builders import brokers, cluster, ids, topic
from tests.kadmin.plan.reassignment.builders import kafka_cluster, part, targets
from tests.kadmin.plan.reassignment.transcripts import transcript

GENERATE = transcript("51-generate")
THREE = ids("0,1,2")


def proposal(
    snapshot=None, topics=("t1",), on=THREE, *, is_rack_aware=True, draws=((0, 0),) * 9
) -> Proposal:
    rest = iter(draws)
    return propose(
        kafka_cluster() if snapshot is None else snapshot,
        topics,
        on,
        is_rack_aware=is_rack_aware,
        draw=lambda: next(rest),
    )


@pytest.mark.parametrize(("number", "is_rack_aware"), [(0, True), (1, False)])
def test_a_proposal_of_kafka_s_tool_is_reproduced_byte_for_byte(
    number: int, is_rack_aware: bool
) -> None:
    topics = parse_topics(GENERATE.files["topics.json"], "topics.json")
    title, current, _, heading, proposed = GENERATE.said(number)
    assert (title, heading) == (
        "Current partition replica assignment",
        "Proposed partition reassignment configuration",
    )

    found = set()
    for draws in product(product(range(3), repeat=2), repeat=2):
        made = proposal(topics=topics, is_rack_aware=is_rack_aware, draws=draws)
        assert targets_text(made.current) == current
        found.add(targets_text(made.proposed))

    assert proposed in found


def test_a_proposal_for_few_brokers_is_refused_as_by_kafka_s_tool() -> None:
    assert "Replication factor: 3 larger than available brokers: 2." in GENERATE.said(2)[0]

    with pytest.raises(NotEnoughBrokers):
        proposal(topics=("t1", "t3"), on=ids("1,2"))


def test_a_proposal_for_few_brokers_tells_which_are_not_alive() -> None:
    with pytest.raises(NotEnoughBrokers, match=r"available brokers: 1 \(1\); not alive: 8, 9$"):
        proposal(topics=("t1",), on=ids("1,8,9"))
    with pytest.raises(NotEnoughBrokers, match=r"available brokers: 1 \(1\)$"):
        proposal(topics=("t1",), on=ids("1"))


def test_brokers_that_are_not_alive_are_left_out_and_told() -> None:
    made = proposal(on=ids("0,1,9"))

    assert made.left_out == (9,)
    assert {broker for target in made.proposed.values() for broker in target.replicas} == {0, 1}


def test_all_topics_that_are_not_there_are_named() -> None:
    with pytest.raises(NoSuchTopic) as raised:
        proposal(topics=("gone", "t1", "lost"))

    assert "'gone'" in str(raised.value)
    assert "'lost'" in str(raised.value)


def test_a_topic_that_is_being_moved_keeps_the_number_of_replicas_it_is_to_have() -> None:
    moving = cluster(brokers("0 1 2"), topic("t", "2,0,1 0,1", adding="2", removing="1"))

    made = proposal(moving, ("t",))

    assert made.current == targets("t-0:2,0,1", "t-1:0,1")
    assert {len(target.replicas) for target in made.proposed.values()} == {2}


def test_a_topic_with_uneven_partitions_is_told() -> None:
    made = proposal(cluster(brokers("0 1 2"), topic("t", "2 0,1"), topic("s", "0 1")), ("t", "s"))

    assert made.uneven_topics == ("t",)
    assert {len(target.replicas) for target in made.proposed.values()} == {1}
    assert list(made.proposed) == [part("s-0"), part("s-1"), part("t-0"), part("t-1")]


def test_a_topic_without_partitions_gets_none() -> None:
    made = proposal(cluster(brokers("0 1 2"), topic("t", "")), ("t",))

    assert (made.current, made.proposed) == ({}, {})


def test_racks_are_respected_unless_they_are_to_be_left_aside() -> None:
    racked = cluster(brokers("0:a 1:a 2:b 3:b"), topic("t", "0,1 2,3"))
    mixed = cluster(brokers("0:a 1"), topic("t", "0,1"))

    made = proposal(racked, ("t",), ids("0,1,2,3"))

    assert all(len({b // 2 for b in target.replicas}) == 2 for target in made.proposed.values())
    with pytest.raises(MixedRacks):
        proposal(mixed, ("t",))
    assert proposal(mixed, ("t",), is_rack_aware=False).proposed


def test_a_proposal_can_be_taken_as_it_is() -> None:
    made = proposal(topics=("t1", "t3"))

    assert list(parse_targets(targets_text(made.proposed), "p")) == list(made.current)


def test_a_list_of_brokers_is_sorted() -> None:
    assert parse_broker_list("10, 2,0") == (BrokerId(0), BrokerId(2), BrokerId(10))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1,1,2,0", "broker list contains duplicate entries: 0, 1"),
        ("0,x,-1,", "broker list contains what is no broker id: 'x', '-1', ''"),
    ],
)
def test_a_list_of_brokers_that_cannot_be_meant_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadBrokerList) as raised:
        parse_broker_list(text)

    assert (str(raised.value), raised.value.exit_code) == (message, ExitCode.USAGE)


def test_a_first_partition_without_replicas_does_not_say_how_many_there_shall_be() -> None:
    live = brokers("0 1 2")

    with pytest.raises(NoReplicas, match="t-0 has no replicas"):
        proposal(cluster(live, topic("t", "- 0")), ["t"])
    made = proposal(cluster(live, topic("t", "0,1 -")), ["t"])
    repeating = proposal(cluster(live, topic("t", "0,0,0")), ["t"])

    assert (["t-0"], ("t",)) == (list(map(str, made.current)), made.uneven_topics)
    assert [2, 2] == [len(target.replicas) for target in made.proposed.values()]
    assert [1] == [len(target.replicas) for target in repeating.proposed.values()]
