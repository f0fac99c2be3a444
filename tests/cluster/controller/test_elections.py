"""How do operators get other leaders, and what are they told when they do not?"""

import pytest

from cluster.controller.events import Requested
from cluster.controller.orders import LeaderAndIsr, UpdateMetadata
from cluster.controller.requests import (
    ControlledShutdown,
    ElectionResult,
    ElectLeaders,
    ElectLeadersReply,
)
from cluster.model.admin import PartitionList
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, NO_LEADER, BrokerEpoch, BrokerId, LeaderEpoch
from cluster.model.topic import RECOVERING
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change, encode_preferred_election
from cluster.zk.requests import Create, Delete, SetData
from tests.cluster.controller.asked import (
    CreateStates,
    DeletePreferredElection,
    ReadPreferredElection,
    WriteStates,
)
from tests.cluster.controller.harness import Harness, tp
from tests.cluster.controller.test_notifications import lose_disk, with_topic

NOT_NEEDED = ElectionResult(
    ErrorCode.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition."
)


def elect(
    harness: Harness, *partitions: str, is_unclean: bool = False
) -> dict[str, ElectionResult]:
    request = ElectLeaders(tuple(map(tp, partitions)), is_unclean=is_unclean)
    harness.step(Requested(7, request))
    reply = harness.replies.pop().reply
    assert isinstance(reply, ElectLeadersReply)
    return {str(partition): result for partition, result in reply.results.items()}


def elected(leader: int) -> ElectionResult:
    return ElectionResult(ErrorCode.NONE, leader=BrokerId(leader))


def not_found(partition: str, strategy: str, error: ErrorCode) -> ElectionResult:
    message = f"Failed to elect leader for partition {partition} under strategy {strategy}"
    return ElectionResult(error, message)


def with_leader_away(*replicas: tuple[int, ...]) -> Harness:
    """Broker 2 was away, and has caught up since: it leads nothing."""
    harness = with_topic(*replicas)
    harness.unregister(2)
    harness.settle()
    harness.register(2)
    harness.settle()
    for number, members in enumerate(replicas):
        harness.write_isr(tp(f"t-{number}"), members)
    harness.told()
    return harness


def request_by_znode(harness: Harness, *partitions: str) -> None:
    data = encode_preferred_election(PartitionList(partitions=tuple(map(tp, partitions))))
    harness.tool(Create(paths.PREFERRED_ELECTION, data))


def is_requested(harness: Harness) -> bool:
    return harness.zookeeper.node(paths.PREFERRED_ELECTION) is not None


# Preferred leaders


def test_a_preferred_leader_that_is_back_leads_again() -> None:
    harness = with_leader_away((2, 1, 3), (1, 2))

    results = elect(harness, "t-0", "t-1")

    assert results == {"t-0": elected(2), "t-1": NOT_NEEDED}
    assert harness.leaders("t") == [2, 1]
    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.isr, state.leader_epoch) == ((2, 1, 3), 2)
    role = "LeaderAndIsr t-0:2/2[2,1,3]"
    assert [line for line in harness.told() if "LeaderAndIsr" in line] == [
        f"{broker} {role}" for broker in (1, 2, 3)
    ]


def test_a_preferred_leader_that_cannot_lead_is_named_with_its_partition() -> None:
    harness = with_leader_away((2, 1, 3), (2, 3), (2, 1))
    harness.write_isr(tp("t-0"), (1, 3))
    lose_disk(harness, 2, "t-1")
    harness.write_isr(tp("t-1"), (2, 3))

    results = elect(harness, "t-0", "t-1", "t-2")

    strategy = "PreferredReplicaPartitionLeaderElectionStrategy"
    error = ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    assert results == {
        "t-0": not_found("t-0", strategy, error),
        "t-1": not_found("t-1", strategy, error),
        "t-2": elected(2),
    }
    assert harness.leaders("t") == [1, 3, 2]


def test_a_broker_that_shuts_down_is_nobodys_preferred_leader() -> None:
    harness = with_leader_away((2, 1))
    harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))
    harness.replies.clear()

    assert elect(harness, "t-0")["t-0"].error is ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE


def test_each_partition_without_an_election_has_its_reason() -> None:
    harness = with_leader_away((2, 1))
    harness.silent = {1, 2, 3}
    harness.create_topic("u", (1,))
    harness.settle()
    harness.tool(Create(paths.delete_topic("u")))
    harness.settle()

    results = elect(harness, "u-0", "t-9", "ghost-0")

    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert results == {
        "u-0": ElectionResult(ErrorCode.INVALID_TOPIC_EXCEPTION, "The topic is being deleted"),
        "t-9": ElectionResult(unknown, "The partition does not exist."),
        "ghost-0": ElectionResult(unknown, "The partition does not exist."),
    }


def test_who_is_not_the_controller_says_so_of_each_partition() -> None:
    harness = Harness(1)

    assert elect(harness, "t-0", "t-1") == {
        "t-0": ElectionResult(ErrorCode.NOT_CONTROLLER),
        "t-1": ElectionResult(ErrorCode.NOT_CONTROLLER),
    }


def test_what_zookeeper_does_not_take_is_no_election() -> None:
    harness = with_leader_away((2, 1))
    harness.refuse(WriteStates)

    assert elect(harness, "t-0")["t-0"].error is ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    assert harness.leaders("t") == [1]


@pytest.mark.parametrize("has_landed", [True, False])
def test_an_election_whose_answer_was_lost_is_one_election(has_landed: bool) -> None:
    harness = with_leader_away((2, 1))
    harness.lose_answers_to(WriteStates, has_landed=has_landed)

    assert elect(harness, "t-0") == {"t-0": elected(2)}
    state = harness.state(tp("t-0"))
    assert state is not None
    assert state.leader_epoch == 2


# Unclean elections


def with_lost_leader() -> Harness:
    """Broker 2 has gone with what it alone had; t-1 is led by 1."""
    harness = with_topic((2, 3), (1, 2))
    harness.write_isr(tp("t-0"), (2,))
    harness.unregister(2)
    harness.settle()
    assert harness.leaders("t") == [NO_LEADER, 1]
    harness.told()
    return harness


def test_an_operator_may_have_a_leader_that_lacks_records() -> None:
    harness = with_lost_leader()

    results = elect(harness, "t-0", "t-1", is_unclean=True)

    assert results == {"t-0": elected(3), "t-1": NOT_NEEDED}
    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr, state.leader_recovery_state) == (3, (3,), RECOVERING)


def test_a_preferred_election_is_never_unclean() -> None:
    harness = with_lost_leader()

    assert elect(harness, "t-0")["t-0"].error is ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    assert harness.leaders("t") == [NO_LEADER, 1]


def test_nobody_to_elect_is_said_of_an_unclean_election_too() -> None:
    harness = with_lost_leader()
    harness.unregister(3)
    harness.settle()

    strategy = "OfflinePartitionLeaderElectionStrategy(true)"
    error = ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    assert elect(harness, "t-0", is_unclean=True) == {"t-0": not_found("t-0", strategy, error)}


def test_a_partition_that_nobody_has_led_yet_gets_its_first_leader() -> None:
    harness = with_topic((2, 1))
    harness.refuse(CreateStates)
    harness.create_topic("u", (3,))
    harness.settle()
    assert harness.leaders("u") == [-2]
    harness.before = harness.do_nothing

    assert elect(harness, "u-0") == {"u-0": elected(3)}


# /admin/preferred_replica_election


def test_a_tool_asks_by_a_znode_that_goes_when_the_elections_are_over() -> None:
    harness = with_leader_away((2, 1), (1, 2), (2, 3))
    harness.requests.clear()

    request_by_znode(harness, "t-0", "t-1", "ghost-0")
    harness.settle()

    assert harness.leaders("t") == [2, 1, 3]
    assert not is_requested(harness)
    kinds = [type(request) for request in harness.requests]
    assert kinds.index(WriteStates) < kinds.index(DeletePreferredElection)
    assert "controller=1 partition=t-0 is led by its preferred leader 2" in harness.notes
    text = "partition=ghost-0 gets no preferred leader: The partition does not exist."
    assert f"controller=1 {text}" in harness.notes
    assert not any("t-1" in note for note in harness.notes)


def test_each_request_by_a_znode_is_seen() -> None:
    harness = with_leader_away((2, 1), (2, 3))
    for partition in ("t-0", "t-1"):
        request_by_znode(harness, partition)
        harness.settle()

    assert harness.leaders("t") == [2, 2]


def test_what_could_not_be_done_for_a_znode_is_noted_and_the_znode_goes() -> None:
    harness = with_leader_away((2, 1))
    harness.write_isr(tp("t-0"), (1,))

    request_by_znode(harness, "t-0")
    harness.settle()

    assert not is_requested(harness)
    assert "controller=1 partition=t-0 is led by 1 still, not by 2" in harness.notes


@pytest.mark.parametrize("data", [b"", b"{", b'{"version":1}', b'{"partitions":[{"topic":3}]}'])
def test_a_damaged_request_is_named_and_removed(data: bytes) -> None:
    harness = with_topic((2, 1))

    harness.tool(Create(paths.PREFERRED_ELECTION, data))
    harness.settle()

    assert not is_requested(harness)
    assert [fault.path for fault in harness.faults] == [paths.PREFERRED_ELECTION]


def test_a_request_that_waited_for_a_controller_is_met_by_the_next_one() -> None:
    harness = with_leader_away((2, 1))
    harness.lose_controller()
    request_by_znode(harness, "t-0")

    harness.register_controller()

    assert harness.leaders("t") == [2]
    assert not is_requested(harness)


def test_a_controller_that_ends_between_election_and_removal_leaves_the_request() -> None:
    """The next one finds the leader in its place, and removes the request."""
    harness = with_leader_away((2, 1), (2, 3))
    harness.end_before(DeletePreferredElection)
    request_by_znode(harness, "t-0", "t-1")
    harness.settle()
    assert harness.leaders_in_zookeeper("t", 2) == [2, 2]
    assert is_requested(harness)

    harness.register_controller()

    assert harness.active.controller_epoch == 2
    assert not is_requested(harness)
    states = [harness.state(tp(f"t-{number}")) for number in range(2)]
    assert [state.leader_epoch for state in states if state is not None] == [2, 2]


def test_a_request_that_is_written_anew_meanwhile_is_the_next_ones() -> None:
    harness = with_leader_away((2, 1), (2, 3))
    request_by_znode(harness, "t-0")
    data = encode_preferred_election(PartitionList(partitions=(tp("t-1"),)))
    harness.interfere(
        WriteStates, lambda: harness.tool(SetData(paths.PREFERRED_ELECTION, data, MATCH_ANY))
    )

    harness.settle()

    assert harness.leaders("t") == [2, 2]
    assert not is_requested(harness)


def test_a_request_that_somebody_takes_back_is_no_error() -> None:
    harness = with_leader_away((2, 1))
    request_by_znode(harness, "t-0")
    harness.interfere(WriteStates, lambda: harness.tool(Delete(paths.PREFERRED_ELECTION)))

    harness.settle()

    assert harness.leaders("t") == [2]
    assert harness.count(ReadPreferredElection) >= 2
    assert not harness.resignations


# A leader epoch that has fallen in ZooKeeper, as after a backup was restored


def test_an_election_is_above_the_epoch_that_brokers_know() -> None:
    harness = with_leader_away((2, 3))
    known = harness.state(tp("t-0"))
    assert known is not None
    assert known.leader_epoch > 0
    harness.write_state(tp("t-0"), known._replace(leader_epoch=LeaderEpoch(0)))
    harness.orders.clear()

    harness.unregister(3)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (2, known.leader_epoch + 1) == (state.leader, state.leader_epoch)
    sent = {
        each.state.leader_epoch
        for _, order in harness.orders
        if isinstance(order, LeaderAndIsr)
        for each in order.partitions
    }
    assert {state.leader_epoch} == sent
    assert harness.resignations == []


def test_an_isr_change_is_sent_with_the_epoch_that_brokers_know() -> None:
    harness = with_leader_away((2, 3))
    known = harness.state(tp("t-0"))
    assert known is not None
    fallen = known._replace(leader_epoch=LeaderEpoch(0), isr=(BrokerId(3),))
    harness.write_state(tp("t-0"), fallen)
    harness.orders.clear()

    change = encode_isr_change(PartitionList(partitions=(tp("t-0"),)))
    harness.tool(Create(paths.isr_change_prefix(), change, is_sequential=True))
    harness.settle()

    (sent, *_) = [order for _, order in harness.orders if isinstance(order, UpdateMetadata)]
    ((_, state, *_),) = sent.partitions
    assert (known.leader_epoch, fallen.isr) == (state.leader_epoch, state.isr)
