"""Which ISRs does the controller let leaders have, and what becomes of the others?"""

import pytest

from cluster.controller.events import Requested
from cluster.controller.requests import (
    AlteredPartition,
    AlterPartition,
    AlterPartitionReply,
    AskedTopic,
    ControlledShutdown,
    IsrMember,
    IsrProposal,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, ZkVersion
from cluster.model.topic import RECOVERED, RECOVERING, PartitionState
from cluster.zk import paths
from cluster.zk.requests import Create, Lost, ZkReply
from tests.cluster.controller.asked import Asked, WriteStates
from tests.cluster.controller.harness import Harness, tp
from tests.cluster.controller.test_notifications import lose_disk, with_topic

NAMED = AskedTopic(name="t")


def state_of(harness: Harness, partition: str = "t-0") -> PartitionState:
    state = harness.state(tp(partition))
    assert state is not None
    return state


def proposal(
    *isr: int | tuple[int, int],
    leader_epoch: int = 0,
    partition_epoch: int = 0,
    recovery_state: int = RECOVERED,
) -> IsrProposal:
    """Members with or without their broker epochs."""
    members = tuple(
        IsrMember(BrokerId(member[0]), BrokerEpoch(member[1]))
        if isinstance(member, tuple)
        else IsrMember(BrokerId(member))
        for member in isr
    )
    return IsrProposal(
        LeaderEpoch(leader_epoch), ZkVersion(partition_epoch), members, recovery_state
    )


def propose(
    harness: Harness,
    broker_id: int,
    topics: dict[AskedTopic, dict[int, IsrProposal]],
    broker_epoch: int | None = None,
) -> AlterPartitionReply:
    epoch = harness.broker_epoch(broker_id) if broker_epoch is None else broker_epoch
    request = AlterPartition(BrokerId(broker_id), BrokerEpoch(epoch), topics)
    harness.step(Requested(7, request))
    reply = harness.replies.pop()
    assert (reply.request_id, harness.replies) == (7, [])
    assert isinstance(reply.reply, AlterPartitionReply)
    return reply.reply


def propose_one(harness: Harness, broker_id: int, wanted: IsrProposal) -> AlteredPartition:
    """Propose it for t-0."""
    reply = propose(harness, broker_id, {NAMED: {0: wanted}})
    assert reply.error is ErrorCode.NONE
    assert reply.topics.keys() == {NAMED}
    return reply.topics[NAMED][0]


def test_a_leader_changes_its_isr_and_nothing_else() -> None:
    harness = with_topic((1, 2, 3))
    before = state_of(harness)

    altered = propose_one(harness, 1, proposal(1, 3))

    after = before._replace(isr=(BrokerId(1), BrokerId(3)), zk_version=ZkVersion(1))
    assert altered == AlteredPartition(ErrorCode.NONE, after)
    assert state_of(harness) == harness.active.context.states[tp("t-0")] == after
    assert harness.told() == [
        f"{broker} UpdateMetadata live[1,2,3] t-0:1/0[1,3]" for broker in (1, 2, 3)
    ]


def test_the_state_that_is_written_bears_the_epoch_of_its_controller() -> None:
    harness = with_topic((1, 2, 3))
    harness.lose_controller()
    harness.tool(Create("/x"))
    harness.register_controller()

    propose_one(harness, 1, proposal(1, 2))

    assert state_of(harness).controller_epoch == harness.active.controller_epoch == 2


def test_members_are_named_in_the_life_in_which_they_caught_up() -> None:
    harness = with_topic((1, 2, 3))
    epochs = [(broker, harness.broker_epoch(broker)) for broker in (1, 2, 3)]
    assert propose_one(harness, 1, proposal(epochs[0], 2)).error is ErrorCode.NONE

    good = propose_one(harness, 1, proposal(*epochs, partition_epoch=1))
    harness.unregister(3)
    harness.register(3)
    harness.settle()
    state = state_of(harness)
    assert state.isr == (1, 2)
    members = (*epochs[:2], epochs[2])
    late = propose_one(
        harness,
        1,
        proposal(*members, leader_epoch=state.leader_epoch, partition_epoch=state.zk_version),
    )

    assert good.error is ErrorCode.NONE
    assert late == AlteredPartition(ErrorCode.INELIGIBLE_REPLICA)
    assert state_of(harness) == state


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        pytest.param(proposal(1, leader_epoch=2), ErrorCode.NOT_CONTROLLER, id="newer leadership"),
        pytest.param(proposal(1, partition_epoch=3), ErrorCode.NOT_CONTROLLER, id="newer state"),
        pytest.param(
            proposal(1, leader_epoch=0, partition_epoch=3),
            ErrorCode.NOT_CONTROLLER,
            id="newer state, older leadership",
        ),
        pytest.param(proposal(1, leader_epoch=0), ErrorCode.FENCED_LEADER_EPOCH, id="older epoch"),
        pytest.param(
            proposal(1, leader_epoch=1, partition_epoch=1),
            ErrorCode.INVALID_UPDATE_VERSION,
            id="older state",
        ),
        pytest.param(
            proposal(1, leader_epoch=1, partition_epoch=2, recovery_state=RECOVERING),
            ErrorCode.INVALID_REQUEST,
            id="recovering out of nothing",
        ),
        pytest.param(
            proposal(1, leader_epoch=1, partition_epoch=2, recovery_state=2),
            ErrorCode.INVALID_REQUEST,
            id="no recovery state",
        ),
        pytest.param(
            proposal(2, leader_epoch=1, partition_epoch=2),
            ErrorCode.INVALID_REQUEST,
            id="without its leader",
        ),
        pytest.param(
            proposal(leader_epoch=1, partition_epoch=2), ErrorCode.INVALID_REQUEST, id="empty"
        ),
        pytest.param(
            proposal(1, 2, 2, leader_epoch=1, partition_epoch=2),
            ErrorCode.INVALID_REQUEST,
            id="one of them twice",
        ),
        pytest.param(
            proposal(1, 2, 4, leader_epoch=1, partition_epoch=2),
            ErrorCode.INVALID_REQUEST,
            id="no replica",
        ),
        pytest.param(
            proposal(1, 2, 3, leader_epoch=1, partition_epoch=2),
            ErrorCode.INELIGIBLE_REPLICA,
            id="dead",
        ),
    ],
)
def test_what_a_leader_may_not_have(wanted: IsrProposal, expected: ErrorCode) -> None:
    """Broker 3 has gone (leader epoch 1, version 1), and 1 has shrunk its ISR (version 2)."""
    harness = with_topic((1, 2, 3))
    harness.register(4)
    harness.unregister(3)
    harness.settle()
    altered = propose_one(harness, 1, proposal(1, leader_epoch=1, partition_epoch=1))
    assert altered.error is ErrorCode.NONE
    before = state_of(harness)
    assert (before.isr, before.leader_epoch, before.zk_version) == ((1,), 1, 2)
    if expected is not ErrorCode.INVALID_UPDATE_VERSION:
        refused = propose_one(harness, 1, wanted)
    else:
        # What stands there already is fine under any version.
        altered = propose_one(harness, 1, wanted)
        assert altered == AlteredPartition(ErrorCode.NONE, before)
        refused = propose_one(
            harness, 1, wanted._replace(isr=(*wanted.isr, IsrMember(BrokerId(2))))
        )

    assert refused == AlteredPartition(expected)
    assert state_of(harness) == before


def test_a_member_that_is_no_replica_any_more_may_stay_and_nobody_like_it_joins() -> None:
    harness = with_topic((1, 2, 3))
    harness.register(4)
    harness.settle()
    harness.write_isr(tp("t-0"), (1, 2, 3, 5))
    before = state_of(harness)
    harness.active.context.states[tp("t-0")] = before

    joins = propose_one(
        harness, 1, proposal(1, 2, 3, 4, leader_epoch=0, partition_epoch=before.zk_version)
    )
    harness.register(5)
    harness.settle()
    stays = propose_one(
        harness, 1, proposal(1, 2, 5, leader_epoch=0, partition_epoch=before.zk_version)
    )

    assert joins == AlteredPartition(ErrorCode.INVALID_REQUEST)
    assert stays.error is ErrorCode.NONE
    assert state_of(harness).isr == (1, 2, 5)


def test_only_the_leader_is_listened_to() -> None:
    harness = with_topic((1, 2, 3))

    assert propose_one(harness, 2, proposal(1, 2)).error is ErrorCode.INVALID_REQUEST
    assert propose_one(harness, 2, proposal(1, 2, 3)).error is ErrorCode.INVALID_REQUEST
    assert state_of(harness).isr == (1, 2, 3)


@pytest.mark.parametrize("by", [-1, 1])
def test_a_broker_of_another_life_is_refused_as_a_whole(by: int) -> None:
    harness = with_topic((1, 2))
    epoch = harness.broker_epoch(1)

    stale = propose(harness, 1, {NAMED: {0: proposal(1)}}, epoch + by)
    unknown = propose(harness, 9, {NAMED: {0: proposal(1)}}, epoch)

    assert stale == unknown == AlterPartitionReply(ErrorCode.STALE_BROKER_EPOCH)
    assert state_of(harness).isr == (1, 2)


def test_who_is_not_the_controller_says_so() -> None:
    harness = Harness(1)

    reply = propose(harness, 1, {NAMED: {0: proposal(1)}})

    assert reply == AlterPartitionReply(ErrorCode.NOT_CONTROLLER)


def test_a_broker_that_shuts_down_joins_no_isr() -> None:
    harness = with_topic((1, 2, 3))
    harness.step(Requested(1, ControlledShutdown(BrokerId(3), BrokerEpoch(-1))))
    harness.replies.clear()
    state = state_of(harness)
    assert state.isr == (1, 2)

    altered = propose_one(
        harness,
        1,
        proposal(1, 2, 3, leader_epoch=state.leader_epoch, partition_epoch=state.zk_version),
    )

    assert altered.error is ErrorCode.INELIGIBLE_REPLICA


def test_a_replica_whose_disk_has_failed_joins_no_isr() -> None:
    harness = with_topic((1, 2, 3))
    lose_disk(harness, 3, "t-0")
    state = state_of(harness)
    assert state.isr == (1, 2)

    altered = propose_one(
        harness,
        1,
        proposal(1, 2, 3, leader_epoch=state.leader_epoch, partition_epoch=state.zk_version),
    )

    assert altered.error is ErrorCode.INELIGIBLE_REPLICA


def test_a_leader_that_has_recovered_may_grow_its_isr() -> None:
    harness = with_topic((2, 1))
    harness.client.allows_unclean = True
    harness.unregister(1)
    harness.settle()
    harness.unregister(2)
    harness.register(1)
    harness.settle()
    state = state_of(harness)
    assert (state.leader, state.isr, state.leader_recovery_state) == (1, (1,), RECOVERING)
    harness.register(2)
    harness.settle()

    def attempt(*isr: int, recovery_state: int) -> AlteredPartition:
        epochs = {
            "leader_epoch": state.leader_epoch,
            "partition_epoch": state_of(harness).zk_version,
        }
        return propose_one(harness, 1, proposal(*isr, recovery_state=recovery_state, **epochs))

    assert attempt(1, 2, recovery_state=RECOVERING).error is ErrorCode.INVALID_REQUEST
    assert attempt(1, recovery_state=RECOVERING).state == state_of(harness)
    recovered = attempt(1, 2, recovery_state=RECOVERED).state
    assert recovered is not None
    assert (recovered.isr, recovered.leader_recovery_state) == ((1, 2), RECOVERED)
    assert attempt(1, recovery_state=RECOVERING).error is ErrorCode.INVALID_REQUEST


def test_each_partition_has_its_own_answer() -> None:
    harness = with_topic((1, 2), (1, 2), (2, 1))
    other, ghost = AskedTopic(name="u"), AskedTopic(topic_id="ghost")
    asked = AskedTopic(topic_id="id")
    wanted = proposal(1)

    named = propose(harness, 1, {NAMED: {0: wanted, 2: wanted, 3: wanted}, other: {0: wanted}})
    harness.told()
    by_id = propose(harness, 1, {ghost: {0: wanted, 1: wanted}, asked: {1: wanted, 0: wanted}})

    def errors(reply: AlterPartitionReply) -> dict[AskedTopic, dict[int, str]]:
        return {
            topic: {number: altered.error.name for number, altered in partitions.items()}
            for topic, partitions in reply.topics.items()
        }

    assert errors(named) == {
        NAMED: {0: "NONE", 2: "INVALID_REQUEST", 3: "UNKNOWN_TOPIC_OR_PARTITION"},
        other: {0: "UNKNOWN_TOPIC_OR_PARTITION"},
    }
    assert errors(by_id) == {
        ghost: {0: "UNKNOWN_TOPIC_ID", 1: "UNKNOWN_TOPIC_ID"},
        asked: {1: "NONE", 0: "NONE"},
    }
    # Also of the partition that had its ISR already.
    assert harness.told()[0] == "1 UpdateMetadata live[1,2,3] t-0:1/0[1], t-1:1/0[1]"


def test_an_id_names_the_topic_that_has_it_now() -> None:
    """One that was removed and made again is another topic, though of the same name."""
    harness = with_topic((1, 2))
    harness.unregister(3)
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    harness.create_topic("t", (1, 2), topic_id="another")
    harness.settle()

    old = propose(harness, 1, {AskedTopic(topic_id="id"): {0: proposal(1)}})
    new = propose(harness, 1, {AskedTopic(topic_id="another"): {0: proposal(1)}})

    (old_answer,) = old.topics.values()
    (new_answer,) = new.topics.values()
    assert old_answer == {0: AlteredPartition(ErrorCode.UNKNOWN_TOPIC_ID)}
    assert new_answer[0].error is ErrorCode.NONE


def test_nobody_is_told_when_no_partition_is_known() -> None:
    harness = with_topic((1, 2))

    propose(harness, 1, {AskedTopic(name="ghost"): {0: proposal(1)}})

    assert harness.told() == []


def test_a_topic_whose_deletion_has_begun_has_no_isr_to_change() -> None:
    harness = with_topic((1, 2))
    harness.silent = {1, 2, 3}
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    state = state_of(harness)

    altered = propose_one(
        harness,
        1,
        proposal(1, leader_epoch=state.leader_epoch, partition_epoch=state.zk_version),
    )

    assert altered.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_topic_that_waits_to_be_deleted_goes_on() -> None:
    """Its leader must not wait for a replica that has gone: producers write to it still."""
    harness = with_topic((1, 2, 3))
    harness.unregister(3)
    harness.settle()
    harness.tool(Create(paths.delete_topic("t")))
    harness.active.context.topics_to_be_deleted["t"] = None
    harness.active.context.topics_ineligible_for_deletion["t"] = None
    state = state_of(harness)

    altered = propose_one(
        harness,
        1,
        proposal(1, leader_epoch=state.leader_epoch, partition_epoch=state.zk_version),
    )

    assert altered.error is ErrorCode.NONE
    assert state_of(harness).isr == (1,)


# Writes whose fate is another


def test_somebody_who_wrote_in_between_is_not_overwritten() -> None:
    harness = with_topic((1, 2, 3))
    harness.interfere(WriteStates, lambda: harness.write_isr(tp("t-0"), (1, 2)))

    altered = propose_one(harness, 1, proposal(1, 3))

    assert altered.error is ErrorCode.INVALID_UPDATE_VERSION
    assert state_of(harness).isr == (1, 2)
    assert harness.active.context.states[tp("t-0")] == state_of(harness)
    # The next proposal is measured by what stands there.
    assert propose_one(harness, 1, proposal(1, partition_epoch=1)).error is ErrorCode.NONE


@pytest.mark.parametrize("has_landed", [True, False])
def test_a_change_whose_answer_was_lost_is_made_once(has_landed: bool) -> None:
    harness = with_topic((1, 2, 3))
    harness.lose_answers_to(WriteStates, has_landed=has_landed)

    altered = propose_one(harness, 1, proposal(1, 3))

    assert altered == AlteredPartition(ErrorCode.NONE, state_of(harness))
    assert (state_of(harness).isr, state_of(harness).zk_version) == ((1, 3), 1)
    assert harness.active.context.states[tp("t-0")] == state_of(harness)


def test_a_change_that_was_lost_while_somebody_wrote_has_failed() -> None:
    harness = with_topic((1, 2, 3))

    def before(request: Asked) -> ZkReply | None:
        if not isinstance(request, WriteStates):
            return None
        harness.write_isr(tp("t-0"), (1, 2))
        return Lost()

    harness.before = before

    altered = propose_one(harness, 1, proposal(1, 3))

    assert altered.error is ErrorCode.INVALID_UPDATE_VERSION
    assert state_of(harness).isr == (1, 2)


def test_what_zookeeper_refuses_is_an_error_of_the_partition() -> None:
    harness = with_topic((1, 2, 3))
    harness.refuse(WriteStates)

    altered = propose_one(harness, 1, proposal(1, 3))

    assert altered.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert harness.active.context.states[tp("t-0")] == state_of(harness)


def test_a_state_that_is_gone_has_no_isr() -> None:
    harness = with_topic((1, 2, 3))
    harness.remove_state(tp("t-0"))

    altered = propose_one(harness, 1, proposal(1, 3))

    assert altered.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_controller_that_was_replaced_changes_no_isr() -> None:
    harness = with_topic((1, 2, 3))

    def before(request: Asked) -> ZkReply | None:
        if not isinstance(request, WriteStates):
            return None
        harness.write_newer_state(tp("t-0"))
        return Lost()

    harness.before = before

    reply = propose(harness, 1, {NAMED: {0: proposal(1, 3)}})

    assert reply == AlterPartitionReply(ErrorCode.NOT_CONTROLLER)
    assert state_of(harness).isr == (1, 2, 3)
    assert harness.resignations[0].reason == "a newer controller was seen"


def test_an_isr_replaces_a_state_that_says_a_later_controller_than_there_is() -> None:
    harness = with_topic((1, 2, 3))
    ahead = harness.write_state_ahead(tp("t-0"))
    harness.lose_controller()
    harness.register_controller()
    proposed = proposal(1, 3, partition_epoch=ahead.zk_version)

    altered = propose_one(harness, 1, proposed)

    assert altered.error is ErrorCode.NONE
    assert (state_of(harness).isr, state_of(harness).controller_epoch) == ((1, 3), 2)
