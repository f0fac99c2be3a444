"""What does the controller understand of a request for leaders, and when is it answered?"""

import weakref
from functools import partial
from typing import Any

import pytest

from cluster.api.controller_slices import submit_in_slices
from cluster.broker.procedures import run
from cluster.controller.requests import ElectionResult, ElectLeaders, ElectLeadersReply
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from tests.cluster.api.world import Answer, World, versions
from tests.support.collector import collector_disabled

FIRST, SECOND = TopicPartition("orders", 0), TopicPartition("orders", 1)
NOT_NEEDED = ElectionResult(ErrorCode.ELECTION_NOT_NEEDED, "not needed")
NOT_AVAILABLE = ElectionResult(ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, "no leader")
PREFERRED, UNCLEAN = 0, 1


def elected(leader: int) -> ElectionResult:
    return ElectionResult(ErrorCode.NONE, leader=BrokerId(leader))


def ask(
    world: World,
    *partitions: TopicPartition,
    version: int = 2,
    election_type: int = PREFERRED,
    timeout_ms: int = 1000,
) -> Answer:
    """Ask for *partitions*, or for all when none is named."""
    named: dict[str, list[int]] = {}
    for partition in partitions:
        named.setdefault(partition.topic, []).append(partition.partition)
    topics = [TopicPartitions(topic, numbers) for topic, numbers in named.items()]
    body = ElectLeadersRequest(election_type, topics if partitions else None, timeout_ms)
    return world.ask(ApiKey.ELECT_LEADERS, body, version)


def results(body: Any) -> dict[str, tuple[ErrorCode, str | None]]:
    return {
        f"{topic.topic}-{one.partition_id}": (ErrorCode(one.error_code), one.error_message)
        for topic in body.replica_election_results
        for one in topic.partition_result
    }


@pytest.mark.parametrize("version", versions(ApiKey.ELECT_LEADERS))
def test_the_controller_is_asked_and_its_word_given_on(world: World, version: int):
    reply = ElectLeadersReply({FIRST: NOT_NEEDED, SECOND: NOT_AVAILABLE})
    world.controller.reply = reply

    answer = ask(
        world, FIRST, SECOND, version=version, election_type=UNCLEAN if version >= 1 else PREFERRED
    )

    assert [ElectLeaders((FIRST, SECOND), is_unclean=version >= 1)] == world.controller.requests
    assert ErrorCode.NONE == answer.body.error_code
    assert {
        "orders-0": (ErrorCode.ELECTION_NOT_NEEDED, "not needed"),
        "orders-1": (ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, "no leader"),
    } == results(answer.body)


@pytest.mark.parametrize("version", versions(ApiKey.ELECT_LEADERS))
def test_whoever_asks_for_all_is_told_of_those_with_an_election(world: World, version: int):
    world.tell_all({"orders": {0: (1, 2), 1: (2, 1)}, "trades": {0: (1,)}})
    third = TopicPartition("trades", 0)
    world.controller.reply = ElectLeadersReply(
        {FIRST: NOT_NEEDED, SECOND: elected(2), third: NOT_AVAILABLE}
    )

    answer = ask(world, version=version)

    assert [ElectLeaders((FIRST, SECOND, third))] == world.controller.requests
    assert {
        "orders-1": (ErrorCode.NONE, None),
        "trades-0": (ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, "no leader"),
    } == results(answer.body)


def test_the_answer_waits_until_clients_are_told_of_the_leaders(world: World):
    world.tell_all({"orders": {0: (1, 2), 1: (2, 1)}})
    world.controller.reply = ElectLeadersReply(
        {FIRST: elected(2), SECOND: elected(1), TopicPartition("orders", 2): NOT_NEEDED}
    )

    answer = ask(world, FIRST, SECOND)
    assert answer.is_waiting
    world.tell_all({"orders": {0: (1, 2)}}, leaders={("orders", 0): 2})
    assert answer.is_waiting
    world.tell_all({"orders": {1: (2, 1)}}, leaders={("orders", 1): 1})

    assert {
        "orders-0": (ErrorCode.NONE, None),
        "orders-1": (ErrorCode.NONE, None),
        "orders-2": (ErrorCode.ELECTION_NOT_NEEDED, "not needed"),
    } == results(answer.body)


def test_what_clients_are_not_told_of_in_time_is_a_time_out(world: World):
    world.tell_all({"orders": {0: (1, 2), 1: (2, 1)}})
    world.controller.reply = ElectLeadersReply({FIRST: elected(2), SECOND: elected(2)})

    answer = ask(world, FIRST, SECOND, timeout_ms=50)
    world.clock.advance(49)
    assert answer.is_waiting
    world.clock.advance(1)

    assert {
        "orders-0": (ErrorCode.REQUEST_TIMED_OUT, None),
        "orders-1": (ErrorCode.NONE, None),
    } == results(answer.body)


@pytest.mark.parametrize("timeout_ms", [0, -1])
def test_without_time_only_what_clients_know_already_is_there(world: World, timeout_ms: int):
    world.tell_all({"orders": {0: (1, 2), 1: (2, 1)}})
    world.controller.reply = ElectLeadersReply({FIRST: elected(1), SECOND: elected(1)})

    answer = ask(world, FIRST, SECOND, timeout_ms=timeout_ms)

    assert {
        "orders-0": (ErrorCode.NONE, None),
        "orders-1": (ErrorCode.REQUEST_TIMED_OUT, None),
    } == results(answer.body)


def test_who_is_not_the_controller_says_so_of_each_partition(world: World):
    request = ElectLeaders((FIRST,))
    world.controller.reply = request.refused(ErrorCode.NOT_CONTROLLER)

    answer = ask(world, FIRST)

    assert {"orders-0": (ErrorCode.NOT_CONTROLLER, None)} == results(answer.body)


def test_an_unknown_type_of_election_is_refused_with_all_partitions(world: World):
    answer = ask(world, FIRST, election_type=2)

    assert ErrorCode.INVALID_REQUEST == answer.body.error_code
    message = "2 is no type of election"
    assert {"orders-0": (ErrorCode.INVALID_REQUEST, message)} == results(answer.body)
    assert [] == world.controller.requests


def test_the_controller_is_asked_for_a_long_list_in_slices_and_others_come_in_between(
    world: World,
):
    """A controller does what it is asked in one go; each slice waits for a turn of the loop."""
    partitions = [TopicPartition("orders", number) for number in range(2500)]
    world.controller.reply = ElectLeadersReply({FIRST: NOT_NEEDED})

    answer = ask(world, *partitions)

    assert 1 == len(world.controller.requests)
    world.clock.advance(0)
    assert partitions == [
        partition
        for request in world.controller.requests
        if isinstance(request, ElectLeaders)
        for partition in request.partitions
    ]
    assert [1000, 1000, 500] == [
        len(request.partitions)
        for request in world.controller.requests
        if isinstance(request, ElectLeaders)
    ]
    assert {"orders-0": (ErrorCode.ELECTION_NOT_NEEDED, "not needed")} == results(answer.body)


def note(ended: list[str], replies: object) -> None:
    ended.append("answered")


def test_what_a_long_list_held_goes_with_its_answer(world: World):
    """Without the collector of garbage, which stops a broker for what is answered."""
    world.controller.reply = ElectLeadersReply({})
    partitions = [TopicPartition("orders", number) for number in range(2500)]
    ended: list[str] = []
    done = partial(note, ended)
    held = weakref.ref(done)

    with collector_disabled():
        asking = submit_in_slices(
            world.broker.ports.controller,
            partitions,
            lambda part: ElectLeaders(part, is_unclean=False),
        )
        run(world.clock, asking, done)
        del done, asking
        waited = held() is not None
        world.clock.advance(0)
        is_held = held() is not None

    assert ["answered"] == ended
    assert waited
    assert not is_held


def test_what_is_elected_twice_is_told_as_it_went_the_first_time(world: World):
    world.tell_all({"orders": {0: (1, 2)}}, leaders={("orders", 0): 1})
    partitions = [FIRST] * 1001
    replies = [ElectLeadersReply({FIRST: elected(1)}), ElectLeadersReply({FIRST: NOT_NEEDED})]

    def submit(request: Any, done: Any) -> None:
        done(replies.pop(0))

    world.controller.submit = submit  # type: ignore[method-assign]
    answer = ask(world, *partitions)
    world.clock.advance(0)

    assert not replies
    assert {"orders-0": (ErrorCode.NONE, None)} == results(answer.body)
