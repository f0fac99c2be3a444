"""Reassignments whose controller dies or loses answers: the next one goes on."""

import pytest

from cluster.controller.events import (
    Requested,
)
from cluster.controller.requests import (
    AlterPartition,
    AlterPartitionReply,
    AlterReassignments,
    AlterReassignmentsReply,
    AskedTopic,
    IsrMember,
    IsrProposal,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.model.topic import RECOVERED
from cluster.zk.requests import Lost, ZkReply
from tests.cluster.controller.asked import Asked, WriteAssignment, WriteReassignment, WriteStates
from tests.cluster.controller.harness import Harness
from tests.cluster.controller.reassigning import (
    T0,
    assigned,
    catch_up,
    cluster_with,
    leadership,
    reassign,
    replicas,
)


def fail_at(harness: Harness, number: int, *, has_landed: bool) -> list[Asked]:
    """Let the controller end with its *number*th write, which has landed or not; 0 for never.

    Returns the writes that it has made.
    """
    made: list[Asked] = []

    def before(request: Asked) -> ZkReply | None:
        if not isinstance(request, WriteAssignment | WriteStates | WriteReassignment):
            return None
        made.append(request)
        if len(made) != number:
            return None
        harness.before = harness.do_nothing
        if has_landed:
            harness.serve()
        harness.lose_controller()
        return Lost()

    harness.before = before
    return made


def move_through(harness: Harness) -> None:
    """Move t-0 from 1 and 2 to 3 and 4, give that up half way, and then to 2 and 4.

    Each is asked for until it is answered, by whoever is the controller then.
    """
    ask(harness, (3, 4))
    catch_up_all(harness, 1, 2, 3)
    ask(harness, None)
    ask(harness, (2, 4))
    catch_up_all(harness, 1, 2, 4)


def ask(harness: Harness, target: tuple[int, ...] | None) -> None:
    wanted = None if target is None else tuple(map(BrokerId, target))
    while True:
        harness.step(Requested(len(harness.replies), AlterReassignments({T0: wanted})))
        harness.settle()
        reply = harness.replies[-1].reply
        assert isinstance(reply, AlterReassignmentsReply)
        if reply.error is ErrorCode.NONE:
            refusal = reply.refusals[T0]
            # What was given up just before the controller ended cannot be given up again.
            is_over = refusal is not None and target is None
            assert refusal is None or is_over, refusal
            return
        take_over(harness)


def catch_up_all(harness: Harness, *isr: int) -> None:
    """The leader has to try again when the controller was faster."""
    catch_up(harness, *isr)
    take_over(harness)


def take_over(harness: Harness) -> None:
    if harness.core.active is None:
        harness.register_controller()


@pytest.mark.slow
@pytest.mark.parametrize("has_landed", [False, True])
def test_whichever_write_is_a_controllers_last_the_next_one_completes(has_landed: bool) -> None:
    """Nobody else changes anything; what is left in the end is the same as without any failure."""
    whole = cluster_with((1, 2), brokers=(1, 2, 3, 4))
    made = fail_at(whole, 0, has_landed=False)
    move_through(whole)
    assert assigned(whole) == replicas(2, 4)
    assert len(made) >= 10

    for number in range(1, len(made) + 1):
        harness = cluster_with((1, 2), brokers=(1, 2, 3, 4))
        fail_at(harness, number, has_landed=has_landed)

        move_through(harness)

        assert len(harness.resignations) == 1, number
        assert assigned(harness) == replicas(2, 4), number
        state = harness.state(T0)
        assert state is not None
        assert set(state.isr) == {2, 4}, number
        assert state.leader in state.isr
        context = harness.active.context
        assert [context.hosted_on(BrokerId(b)) for b in (1, 2, 3, 4)] == [(), (T0,), (), (T0,)]


@pytest.mark.parametrize("has_landed", [False, True])
@pytest.mark.parametrize("kind", [WriteAssignment, WriteStates])
def test_answers_that_are_lost_change_nothing(kind: type[Asked], has_landed: bool) -> None:
    harness = cluster_with((1, 2))
    harness.lose_answers_to(kind, has_landed=has_landed)
    reassign(harness, 3, 2)
    harness.lose_answers_to(kind, has_landed=has_landed)

    catch_up(harness, 1, 2, 3)

    assert assigned(harness) == replicas(3, 2)
    assert leadership(harness) == (3, 3, (2, 3))


def test_a_new_controller_goes_on_with_what_it_finds_in_the_topics() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    harness.write_isr(T0, (1, 2, 3))
    harness.lose_controller()

    harness.register_controller()

    assert assigned(harness) == replicas(3)


def propose(harness: Harness, *isr: int) -> None:
    """Its leader, broker 1, asks for this ISR of t-0."""
    state = harness.state(T0)
    assert state is not None
    proposal = IsrProposal(
        state.leader_epoch,
        state.zk_version,
        tuple(IsrMember(BrokerId(member)) for member in isr),
        RECOVERED,
    )
    asked = AlterPartition(
        BrokerId(1), harness.broker_epoch(1), {AskedTopic(name="t"): {0: proposal}}
    )
    harness.step(Requested(99, asked))
    harness.settle()


def test_a_leader_is_answered_before_the_reassignment_that_it_completes() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)

    propose(harness, 1, 2, 3)

    assert assigned(harness) == replicas(1, 3)
    reply = harness.replies[-1].reply
    assert isinstance(reply, AlterPartitionReply)
    altered = reply.topics[AskedTopic(name="t")][0]
    assert altered.state is not None
    assert (altered.state.leader_epoch, altered.state.isr) == (1, (1, 2, 3))


def test_a_leader_is_answered_once_when_the_controller_ends_behind_its_answer() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.replies.clear()
    fail_at(harness, 2, has_landed=False)

    propose(harness, 1, 2, 3)

    assert len(harness.resignations) == 1
    assert [type(reply.reply) for reply in harness.replies] == [AlterPartitionReply]
