from dataclasses import replace

import pytest

from cluster.controller import procedures
from cluster.controller.brokers import refusal_of
from cluster.controller.channel import RETRY_BACKOFF_MS
from cluster.controller.effects import CloseChannel, OpenChannel
from cluster.controller.events import BrokersChanged, Requested
from cluster.controller.orders import LeaderAndIsr
from cluster.controller.requests import ControlledShutdown, ControlledShutdownReply, ElectLeaders
from cluster.model.config_entity import ConfigOverrides
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, BrokerEpoch, BrokerId, ControllerEpoch
from cluster.model.topic import RECOVERING
from cluster.zk import paths
from cluster.zk.brokers import encode_broker
from cluster.zk.configs import encode_config
from cluster.zk.requests import Create, SetData
from tests.cluster.controller.asked import (
    ReadAssignments,
    ReadController,
    ReadStates,
    ReadTopics,
    WriteStates,
)
from tests.cluster.controller.harness import Harness, tp


def with_topic(*replicas: tuple[int, ...]) -> Harness:
    """Three brokers, a controller, and the topic t, of which everybody has heard."""
    harness = Harness(1, 2, 3)
    harness.register_controller()
    harness.create_topic("t", *replicas)
    harness.settle()
    harness.orders.clear()
    harness.lines.clear()
    return harness


def test_when_a_leader_dies_the_next_replica_in_the_isr_leads() -> None:
    harness = with_topic((2, 1, 3))

    harness.unregister(2)
    harness.settle()

    assert harness.told() == [
        "1 LeaderAndIsr t-0:1/1[1,3]",
        "1 UpdateMetadata live[1,3] t-0:1/1[1,3] offline[2]",
        "1 LeaderAndIsr t-0:1/1[1,3]",
        "1 UpdateMetadata live[1,3] t-0:1/1[1,3] offline[2]",
        "3 LeaderAndIsr t-0:1/1[1,3]",
        "3 UpdateMetadata live[1,3] t-0:1/1[1,3] offline[2]",
        "3 LeaderAndIsr t-0:1/1[1,3]",
        "3 UpdateMetadata live[1,3] t-0:1/1[1,3] offline[2]",
    ]


def test_of_many_partitions_some_are_led_again_before_others_are_decided_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = with_topic(*[(2, 1, 3)] * 5)
    monkeypatch.setattr(procedures, "AT_ONCE_MAX", 2)
    harness.requests.clear()

    harness.unregister(2)
    harness.settle()

    assert [1] * 5 == harness.leaders("t")
    kinds = (ReadStates, WriteStates)
    asked = [type(one) for one in harness.requests if isinstance(one, kinds)]
    assert asked[:6] == [ReadStates, WriteStates] * 3
    led = [line for line in harness.told() if line.startswith("3 LeaderAndIsr")]
    assert led[:3] == [
        "3 LeaderAndIsr t-0:1/1[1,3], t-1:1/1[1,3]",
        "3 LeaderAndIsr t-2:1/1[1,3], t-3:1/1[1,3]",
        "3 LeaderAndIsr t-4:1/1[1,3]",
    ]


def test_of_many_followers_that_die_some_leave_their_isrs_before_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = with_topic(*[(2, 1, 3)] * 3)
    monkeypatch.setattr(procedures, "AT_ONCE_MAX", 2)

    harness.unregister(3)
    harness.settle()

    led = [line for line in harness.told() if line.startswith("2 LeaderAndIsr")]
    assert led == ["2 LeaderAndIsr t-0:2/1[2,1], t-1:2/1[2,1]", "2 LeaderAndIsr t-2:2/1[2,1]"]


def test_of_many_replicas_some_begin_before_others_are_told_and_clients_hear_of_all_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = with_topic(*[(2, 1, 3)] * 4)
    harness.unregister(3)
    harness.settle()
    harness.orders.clear()
    monkeypatch.setattr(procedures, "AT_ONCE_MAX", 1)

    harness.register(3)
    harness.settle()

    parts = [
        "3 LeaderAndIsr t-0:2/1[2,1], t-1:2/1[2,1], t-2:2/1[2,1]",
        "3 LeaderAndIsr t-3:2/1[2,1]",
    ]
    told = harness.told()
    assert [line for line in told if "LeaderAndIsr" in line] == parts
    to_broker_2 = [line for line in told if line.startswith("2 UpdateMetadata live[1,2,3] t-")]
    assert ["t-0" in line and "t-3" in line for line in to_broker_2] == [True]


def test_a_controller_that_is_replaced_between_two_parts_tells_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = with_topic(*[(2, 1, 3)] * 4)
    harness.unregister(3)
    harness.settle()
    harness.orders.clear()
    epoch = harness.active.controller_epoch
    monkeypatch.setattr(procedures, "AT_ONCE_MAX", 1)
    harness.interfere(
        ReadController, lambda: harness.tool(SetData(paths.CONTROLLER_EPOCH, b"9", MATCH_ANY))
    )

    harness.register(3)
    harness.settle()

    # The first part waits behind what broker 3 was told before, and goes with the channel.
    assert not [
        order
        for _, order in harness.orders
        if isinstance(order, LeaderAndIsr) and order.controller_epoch == epoch
    ]
    assert harness.resignations[0].reason == "a newer controller was seen"


def test_when_a_follower_dies_it_leaves_the_isr_and_the_epoch_rises() -> None:
    harness = with_topic((2, 1))

    harness.unregister(1)
    harness.settle()

    assert harness.told() == [
        "2 LeaderAndIsr t-0:2/1[2]",
        "2 UpdateMetadata live[2,3] t-0:2/1[2] offline[1]",
        "2 UpdateMetadata live[2,3]",
        "3 UpdateMetadata live[2,3] t-0:2/1[2] offline[1]",
        "3 UpdateMetadata live[2,3]",
    ]


def test_the_last_replica_in_the_isr_stays_in_it_without_leading() -> None:
    harness = with_topic((2,))

    harness.unregister(2)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr, state.leader_epoch) == (-1, (2,), 1)


def test_brokers_hear_of_a_death_that_concerns_no_partition() -> None:
    harness = with_topic((1, 2))

    harness.unregister(3)
    harness.settle()

    assert harness.told() == ["1 UpdateMetadata live[1,2]", "2 UpdateMetadata live[1,2]"]


def test_a_new_broker_is_told_everything_before_it_is_told_to_lead() -> None:
    harness = with_topic((2, 1))
    harness.unregister(2)
    harness.settle()
    harness.orders.clear()

    harness.register(2)
    harness.settle()

    assert harness.told() == [
        "1 UpdateMetadata live[1,3,2]",
        "1 UpdateMetadata live[1,3,2] t-0:1/1[1]",
        "2 UpdateMetadata live[1,3,2] t-0:1/1[1]",
        "2 LeaderAndIsr t-0:1/1[1]",
        "2 UpdateMetadata live[1,3,2] t-0:1/1[1]",
        "3 UpdateMetadata live[1,3,2]",
        "3 UpdateMetadata live[1,3,2] t-0:1/1[1]",
    ]


def test_a_partition_without_a_leader_gets_one_when_a_replica_of_its_isr_comes_back() -> None:
    harness = with_topic((2,))
    harness.unregister(2)
    harness.settle()

    harness.register(2)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr, state.leader_epoch) == (2, (2,), 2)


def test_a_broker_that_was_away_unnoticed_has_failed_and_started() -> None:
    harness = with_topic((2, 1))

    harness.unregister(2)
    harness.register(2)
    harness.hints.clear()
    harness.step(BrokersChanged())

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr) == (1, (1,))
    assert "2 LeaderAndIsr t-0:1/1[1]" in harness.told()


@pytest.mark.parametrize("order", [(2, 3, 4), (4, 2, 3), (3, 4, 2)])
@pytest.mark.parametrize("intact", [2, 3, 4])
def test_of_all_that_were_away_unnoticed_one_leads_that_has_lost_nothing(
    order: tuple[int, ...], intact: int
) -> None:
    harness = Harness(1, 2, 3, 4)
    harness.register_controller()
    harness.create_topic("t", order)
    harness.settle()
    epochs = {broker_id: harness.broker_epoch(broker_id) for broker_id in order}

    for broker_id in order:
        harness.unregister(broker_id)
        since = epochs[broker_id] if broker_id == intact else -1
        harness.register(broker_id, intact_since=since)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr) == (intact, (intact,))


def test_who_is_back_with_everything_stays_in_the_isr_rather_than_who_is_gone() -> None:
    harness = Harness(1, 2, 3)
    harness.register_controller()
    harness.create_topic("t", (3, 2))
    harness.settle()
    since = harness.broker_epoch(2)

    harness.unregister(2)
    harness.register(2, intact_since=since)
    harness.unregister(3)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr) == (2, (2,))


NEVER = -1


@pytest.mark.parametrize("has_new_controller", [True, False])
@pytest.mark.parametrize("whole", [2, 3, 4])
def test_of_all_that_were_gone_at_once_one_leads_that_comes_back_with_everything(
    whole: int, has_new_controller: bool
) -> None:
    """Two machines have lost power; the session of the third has only ended."""
    harness = Harness(1, 2, 3, 4)
    harness.register_controller()
    harness.create_topic("t", (3, 4, 2))
    harness.settle()
    since = harness.broker_epoch(whole)
    if has_new_controller:
        harness.lose_controller()
    for broker_id in (2, 3, 4):
        harness.unregister(broker_id)
    if has_new_controller:
        harness.register_controller()
    harness.settle()
    gone = harness.state(tp("t-0"))

    for broker_id in (2, 3, 4):
        harness.register(broker_id, intact_since=since if broker_id == whole else NEVER)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert gone is not None
    assert (gone.leader, gone.isr, gone.leader_epoch) == (-1, (3, 4, 2), 1)
    assert state is not None
    assert (state.leader, state.isr) == (whole, (whole,))


def test_whoever_of_them_comes_back_first_leads() -> None:
    harness = with_topic((2, 3))
    harness.unregister(2)
    harness.unregister(3)
    harness.settle()

    harness.register(2)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr) == (2, (2,))


@pytest.mark.parametrize("has_new_controller", [True, False])
def test_who_has_lost_records_leaves_the_isr_to_members_that_are_away(
    has_new_controller: bool,
) -> None:
    """The last of them leads, also if its machine has stopped, too: then no replica has more."""
    harness = Harness(1, 2, 3, 4)
    harness.register_controller()
    harness.create_topic("t", (2, 3, 4))
    harness.settle()
    for broker_id in (2, 3, 4):
        harness.unregister(broker_id)
    harness.settle()

    seen = []
    for broker_id in (2, 4, 3):
        if has_new_controller:
            harness.lose_controller()
        harness.register(broker_id, intact_since=NEVER)
        if has_new_controller:
            harness.register_controller()
        harness.settle()
        state = harness.state(tp("t-0"))
        assert state is not None
        seen.append((state.leader, state.isr))

    assert seen == [(-1, (3, 4)), (-1, (3,)), (3, (3,))]


def test_a_state_that_is_written_before_a_broker_is_noticed_hides_no_loss() -> None:
    harness = with_topic((2, 3))
    harness.unregister(2)
    harness.unregister(3)
    harness.settle()

    harness.register(2, intact_since=NEVER)
    harness.write_isr(tp("t-0"), (2, 3))
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr) == (-1, (3,))


def test_a_state_of_another_partition_that_is_newer_than_a_loss_hides_none() -> None:
    """No controller saw that broker 2 came back after a loss of power, and was killed then."""
    harness = with_topic((2, 3), (1,))
    harness.lose_controller()
    harness.unregister(2)
    harness.unregister(3)
    harness.register(2, intact_since=NEVER)
    since = harness.broker_epoch(2)
    harness.unregister(2)
    harness.write_isr(tp("t-1"), (1,))
    harness.register_controller()

    harness.register(2, intact_since=since)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr) == (-1, (3,))


@pytest.mark.parametrize("has_new_controller", [False, True], ids=["seen", "unseen"])
@pytest.mark.parametrize(
    ("flushed_since", "expected"),
    [(1, (2, (2,))), (NEVER, (-1, (3,))), (2**40, (-1, (3,)))],
    ids=["a machine stopped", "a disk is new", "a disk was new before"],
)
def test_whoever_comes_back_first_leads_where_each_record_was_flushed_to_its_disk(
    flushed_since: int, expected: tuple[int, tuple[int, ...]], has_new_controller: bool
) -> None:
    harness = with_topic((2, 3))
    config = ConfigOverrides(values={"flush.messages": "1"})
    harness.tool(Create(paths.topic_config("t"), encode_config(config)))
    harness.unregister(2)
    harness.unregister(3)
    harness.settle()

    if has_new_controller:
        harness.lose_controller()
    harness.register(2, intact_since=NEVER, flushed_since=flushed_since)
    if has_new_controller:
        harness.register_controller()
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr) == expected


def test_an_unclean_election_does_not_wait_for_members_that_are_away() -> None:
    harness = with_topic((2, 3))
    harness.unregister(2)
    harness.unregister(3)
    harness.settle()
    harness.register(2, intact_since=NEVER)
    harness.settle()

    harness.step(Requested(1, ElectLeaders((tp("t-0"),), is_unclean=True)))

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr, state.leader_recovery_state) == (2, (2,), RECOVERING)


def test_who_may_have_lost_records_leaves_an_isr_of_which_the_others_are_gone() -> None:
    harness = with_topic((2, 1, 3))
    harness.unregister(1)
    harness.unregister(3)
    harness.unregister(2)
    harness.register(2)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr) == (-1, (1, 3))


def test_the_only_replica_that_was_away_unnoticed_leads_again_under_another_epoch() -> None:
    harness = with_topic((2,))

    harness.unregister(2)
    harness.register(2)
    harness.hints.clear()
    harness.step(BrokersChanged())

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr, state.leader_epoch) == (2, (2,), 2)
    assert "2 LeaderAndIsr t-0:2/2[2]" in harness.told()


def test_a_shutdown_of_an_earlier_life_does_not_count_for_the_next() -> None:
    harness = with_topic((2, 1))
    harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))

    harness.unregister(2)
    harness.register(2)
    harness.settle()
    harness.unregister(1)
    harness.write_isr(tp("t-0"), (1, 2))
    harness.settle()

    assert harness.leaders("t") == [2]


def test_who_comes_is_there_for_the_elections_that_those_who_go_leave() -> None:
    harness = with_topic((2, 3))
    harness.unregister(3)
    harness.settle()
    harness.write_isr(tp("t-0"), (2, 3))

    harness.unregister(2)
    harness.register(3)
    harness.hints.clear()
    harness.step(BrokersChanged())

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr) == (3, (3,))
    assert "controller=1 brokers new=[3] dead=[2] bounced=[] modified=[]" in harness.notes


def test_orders_for_a_broker_carry_the_epoch_of_its_life() -> None:
    harness = with_topic((2, 1))
    harness.unregister(2)
    harness.register(2)
    harness.orders.clear()

    harness.settle()

    epochs = {order.broker_epoch for broker_id, order in harness.orders if broker_id == 2}
    assert epochs == {harness.broker_epoch(2)}


def test_new_addresses_are_told_to_all() -> None:
    harness = with_topic((1, 2))
    node = harness.zookeeper.node(paths.broker(BrokerId(2)))
    assert node is not None
    assert node.data is not None

    moved = node.data.replace(b"9092", b"9999")
    harness.tool(SetData(paths.broker(BrokerId(2)), moved, MATCH_ANY))
    harness.settle()

    assert [broker_id for broker_id, _ in harness.orders] == [1, 2, 3]
    assert harness.channels[-1] == OpenChannel(harness.active.context.brokers[BrokerId(2)])
    assert harness.active.context.brokers[BrokerId(2)].endpoints[0].port == 9999


def test_every_broker_has_a_channel_as_long_as_it_is_registered() -> None:
    harness = with_topic((1, 2))
    assert [type(effect) for effect in harness.channels] == [OpenChannel] * 3
    harness.channels.clear()

    harness.unregister(3)
    harness.settle()
    harness.unregister(2)
    harness.register(2)
    harness.settle()

    assert [
        effect.broker.broker_id if isinstance(effect, OpenChannel) else -effect.broker_id
        for effect in harness.channels
    ] == [-3, -2, 2]
    assert CloseChannel(BrokerId(3)) in harness.channels


def test_a_watch_that_fired_for_nothing_does_nothing() -> None:
    harness = with_topic((1, 2))

    harness.step(BrokersChanged())

    assert harness.told() == []


def test_an_order_that_fails_is_sent_again_until_the_broker_is_gone() -> None:
    harness = with_topic((2, 1))
    harness.answer = lambda broker_id, order: None
    harness.register(4)
    harness.settle()
    first = harness.told()

    harness.now_ms += RETRY_BACKOFF_MS
    harness.pass_time()

    assert harness.told() == first
    assert len(first) == 4


# Controlled shutdown


def test_leaders_are_moved_from_a_broker_that_wants_to_stop() -> None:
    harness = with_topic((2, 1, 3), (1, 2), (2,))

    harness.step(Requested(1, ControlledShutdown(BrokerId(2), harness.broker_epoch(2))))

    (reply,) = harness.replies
    assert reply.reply == ControlledShutdownReply(ErrorCode.NONE)
    assert harness.leaders("t") == [1, 1, 2]
    assert "2 StopReplica t-1/0" in harness.told()
    state = harness.state(tp("t-1"))
    assert state is not None
    assert state.isr == (1,)


def test_the_controller_listens_to_brokers_that_are_registered_as_they_say() -> None:
    harness = Harness(1, 2)
    epoch = harness.broker_epoch(2)
    assert refusal_of(harness.core.active, BrokerId(2), epoch) is ErrorCode.NOT_CONTROLLER
    harness.register_controller()

    def refusal(broker_id: int, broker_epoch: int) -> ErrorCode:
        return refusal_of(harness.core.active, BrokerId(broker_id), BrokerEpoch(broker_epoch))

    assert refusal(2, epoch) is ErrorCode.NONE
    assert refusal(3, epoch) is ErrorCode.BROKER_ID_NOT_REGISTERED
    for other in (epoch - 1, epoch + 1, -1):
        assert refusal(2, other) is ErrorCode.STALE_BROKER_EPOCH


def test_what_cannot_be_moved_remains() -> None:
    harness = with_topic((2, 3))
    harness.unregister(3)
    harness.settle()

    harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))

    (reply,) = harness.replies
    assert reply.reply == ControlledShutdownReply(ErrorCode.NONE, (tp("t-0"),))
    assert any("ControlledShutdownPartitionLeaderElectionStrategy" in x for x in harness.lines)


def test_a_shutdown_that_is_asked_for_again_moves_what_can_be_moved_by_then() -> None:
    harness = with_topic((2, 3), (2, 1))
    harness.write_isr(tp("t-0"), (2,))
    harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))
    harness.write_isr(tp("t-0"), (2, 3))

    harness.step(Requested(2, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))

    assert [reply.reply for reply in harness.replies] == [
        ControlledShutdownReply(ErrorCode.NONE, (tp("t-0"),)),
        ControlledShutdownReply(ErrorCode.NONE),
    ]
    assert harness.leaders("t") == [3, 1]


def test_of_brokers_that_shut_down_together_none_gets_what_another_had() -> None:
    harness = with_topic((2, 3, 1), (2, 3))
    harness.step(Requested(1, ControlledShutdown(BrokerId(3), BrokerEpoch(-1))))
    harness.step(Requested(2, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))

    assert [reply.reply for reply in harness.replies] == [
        ControlledShutdownReply(ErrorCode.NONE),
        ControlledShutdownReply(ErrorCode.NONE, (tp("t-1"),)),
    ]
    assert harness.leaders("t") == [1, 2]


def test_a_topic_that_shall_be_deleted_keeps_no_broker_from_stopping() -> None:
    harness = with_topic((2, 1))
    harness.active.context.topics_to_be_deleted["t"] = None

    harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))

    (reply,) = harness.replies
    assert reply.reply == ControlledShutdownReply(ErrorCode.NONE)
    assert harness.leaders("t") == [2]
    assert harness.told() == []


def test_a_broker_that_shuts_down_gets_no_new_leaderships() -> None:
    harness = with_topic((1, 2))
    harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))

    harness.create_topic("u", (2, 3))
    harness.settle()

    assert harness.leaders("u") == [3]


def test_a_broker_that_shuts_down_hears_of_its_successors() -> None:
    harness = with_topic((2, 1))

    harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))

    assert "2 LeaderAndIsr t-0:1/1[1]" in harness.told()


def test_a_shutdown_that_an_earlier_life_asked_for_is_refused() -> None:
    harness = with_topic((2, 1))

    harness.step(
        Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(harness.broker_epoch(2) - 1)))
    )
    harness.step(Requested(2, ControlledShutdown(BrokerId(9), BrokerEpoch(-1))))

    assert [reply.reply for reply in harness.replies] == [
        ControlledShutdownReply(ErrorCode.STALE_BROKER_EPOCH),
        ControlledShutdownReply(ErrorCode.BROKER_NOT_AVAILABLE),
    ]
    assert harness.leaders("t") == [2]


# Elections against others who write


def test_a_leader_that_changes_the_isr_in_between_makes_the_controller_read_again() -> None:
    harness = with_topic((2, 1, 3))
    harness.interfere(WriteStates, lambda: harness.write_isr(tp("t-0"), (2, 1)))

    harness.unregister(2)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr, state.leader_epoch, state.zk_version) == (1, (1,), 1, 2)


def test_a_replica_leaves_an_isr_that_changes_in_between() -> None:
    harness = with_topic((2, 1, 3))
    harness.interfere(WriteStates, lambda: harness.write_isr(tp("t-0"), (2, 3)))

    harness.unregister(3)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.isr, state.leader_epoch) == (2, (2,), 1)


def test_an_election_whose_answer_was_lost_happens_once() -> None:
    harness = with_topic((2, 1, 3))
    harness.lose_answers_to(WriteStates, has_landed=True)

    harness.unregister(2)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.leader, state.leader_epoch, state.zk_version) == (1, 1, 1)
    assert harness.active.context.states[tp("t-0")] == state


def test_an_election_that_was_lost_on_the_way_is_made_again() -> None:
    harness = with_topic((2, 1, 3))
    harness.lose_answers_to(WriteStates, has_landed=False)

    harness.unregister(2)
    harness.settle()

    assert harness.leaders("t") == [1]


def test_leaving_an_isr_is_found_done_when_its_answer_was_lost() -> None:
    harness = with_topic((2, 1, 3))
    harness.lose_answers_to(WriteStates, has_landed=True)

    harness.unregister(3)
    harness.settle()

    state = harness.state(tp("t-0"))
    assert state is not None
    assert (state.isr, state.leader_epoch, state.zk_version) == ((2, 1), 1, 1)


def test_what_zookeeper_refuses_stays_as_it_was_and_is_logged() -> None:
    harness = with_topic((2, 1, 3))
    harness.refuse(WriteStates)

    harness.unregister(2)
    harness.settle()

    assert harness.leaders("t") == [2]
    failures = [line for line in harness.lines if "ZooKeeper refused" in line]
    assert len(failures) == 2


def test_a_state_that_somebody_removed_is_no_leader_and_no_crash() -> None:
    harness = with_topic((2, 1, 3))
    harness.remove_state(tp("t-0"))

    harness.unregister(2)
    harness.settle()

    assert harness.state(tp("t-0")) is None
    assert any("LeaderAndIsr information doesn't exist for t-0" in x for x in harness.lines)
    assert any("its state is not in ZooKeeper" in x for x in harness.lines)


def test_a_state_of_a_newer_controller_ends_the_term() -> None:
    harness = with_topic((2, 1, 3))
    harness.write_newer_state(tp("t-0"))

    harness.unregister(2)
    harness.settle()

    assert harness.resignations[0].reason == "a newer controller was seen"
    assert {ReadAssignments, ReadStates, ReadTopics} <= set(map(type, harness.requests))


@pytest.mark.parametrize("newer", [0, 1, 2])
def test_one_state_of_a_newer_controller_among_others_is_enough(newer: int) -> None:
    harness = with_topic((2, 1, 3), (2, 3, 1), (2, 1))
    harness.write_newer_state(tp(f"t-{newer}"))

    harness.unregister(2)
    harness.settle()

    assert ["a newer controller was seen"] == [each.reason for each in harness.resignations]


def test_a_state_that_says_a_later_controller_than_there_is_fails_its_partition_alone() -> None:
    harness = Harness(1, 2, 3)
    harness.create_topic("t", (2, 1, 3), (2, 3, 1))
    harness.register_controller()
    ahead = harness.write_state_ahead(tp("t-0"))
    harness.lines.clear()

    harness.unregister(2)
    harness.settle()

    assert not harness.resignations
    assert (harness.state(tp("t-0")), harness.leaders("t")) == (ahead, [2, 3])
    failures = [line for line in harness.lines if "StateChangeFailedException" in line]
    assert [line for line in failures if "t-1" in line] == []
    assert failures == [
        "[Controller id=1 epoch=1] Controller 1 epoch 1 failed to change state for partition t-0"
        " from OfflinePartition to OnlinePartition\nkafka.common.StateChangeFailedException:"
        " Aborted leader election for partition t-0 since the LeaderAndIsr path was already written"
        " by another controller. This probably means that the current controller 1 went through a"
        " soft failure and another controller was elected with epoch 9.",
        "[Controller id=1 epoch=1] Controller 1 epoch 1 initiated state change of replica 2 for"
        " partition t-0 from OnlineReplica to OfflineReplica failed\n"
        "kafka.common.StateChangeFailedException: Leader and isr path written by another"
        " controller. This probably means the current controller with epoch 1 went through a soft"
        " failure and another controller was elected with epoch 9. Aborting state change by this"
        " controller",
    ]


def test_a_new_controller_stays_when_it_finds_a_state_that_is_ahead() -> None:
    harness = with_topic((2, 1, 3))
    harness.write_state_ahead(tp("t-0"))
    harness.lose_controller()

    harness.register_controller()
    harness.unregister(3)
    harness.settle()

    assert [each.reason for each in harness.resignations] == ["the ZooKeeper session is over"]
    assert harness.active.controller_epoch == 2
    assert harness.active.context.has_live_leader(tp("t-0"))


def test_a_partition_whose_state_was_ahead_is_led_again_when_that_is_mended() -> None:
    harness = with_topic((2, 1, 3))
    state = harness.write_state_ahead(tp("t-0"))
    harness.unregister(2)
    harness.settle()

    harness.write_state(tp("t-0"), state._replace(controller_epoch=ControllerEpoch(1)))
    harness.register(2)
    harness.settle()

    assert harness.active.context.has_live_leader(tp("t-0"))


def test_what_a_broker_refuses_is_its_own_and_costs_no_orders() -> None:
    """Its registration changes for that, and nobody has to be told."""
    harness = with_topic((2, 1))
    path, count = paths.broker(BrokerId(2)), len(harness.orders)
    refusing = replace(harness.active.context.brokers[BrokerId(2)], refused={tp("t-0"): "no room"})

    harness.tool(SetData(path, encode_broker(refusing), MATCH_ANY))
    harness.step(BrokersChanged())

    assert count == len(harness.orders)
    known = harness.active.context.brokers[BrokerId(2)]
    assert {tp("t-0"): "no room"} == known.refused
