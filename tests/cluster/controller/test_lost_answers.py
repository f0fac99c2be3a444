"""Whichever answer of ZooKeeper is lost, are brokers told the same in the end?

Each story is lived through once as it is, and then again for each write in it, whose answer is
lost, and which was made or was not.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import pytest

from cluster.controller.events import Requested
from cluster.controller.orders import LeaderAndIsr, Order, StopReplica, UpdateMetadata
from cluster.controller.requests import (
    AlterReassignments,
    ControlledShutdown,
    ElectLeaders,
)
from cluster.model.ids import NEVER_READ, BrokerEpoch, BrokerId
from cluster.zk import paths
from cluster.zk.requests import Create, Lost, ZkReply
from tests.cluster.controller.asked import (
    Asked,
    CreateStates,
    DeleteTopic,
    WriteAssignment,
    WriteReassignment,
    WriteStates,
)
from tests.cluster.controller.harness import Harness, tp
from tests.cluster.controller.reassigning import catch_up
from tests.cluster.controller.test_notifications import with_topic

REPLICAS: Final = ((2, 1, 3), (1, 2), (3, 1))


def broker_dies(harness: Harness) -> None:
    harness.unregister(2)
    harness.settle()


def broker_returns(harness: Harness) -> None:
    broker_dies(harness)
    harness.register(2)
    harness.settle()


def all_die_and_one_returns(harness: Harness) -> None:
    for broker_id in (2, 3):
        harness.unregister(broker_id)
    harness.settle()
    harness.register(3)
    harness.settle()


def preferred_leader_is_wanted(harness: Harness) -> None:
    broker_returns(harness)
    harness.write_isr(tp("t-0"), (1, 3, 2))
    harness.step(Requested(7, ElectLeaders((tp("t-0"), tp("t-1")), is_unclean=False)))


def broker_leaves_in_order(harness: Harness) -> None:
    harness.step(Requested(1, ControlledShutdown(BrokerId(2), BrokerEpoch(-1))))


def topic_is_made(harness: Harness) -> None:
    harness.create_topic("made", (1, 2), (2, 3), topic_id="made")
    harness.settle()


def topic_is_deleted(harness: Harness) -> None:
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()


def partition_is_moved(harness: Harness) -> None:
    wanted = {tp("t-1"): (BrokerId(3), BrokerId(1))}
    harness.step(Requested(3, AlterReassignments(wanted)))
    catch_up(harness, 1, 2, 3, partition=tp("t-1"))


WRITES: Final = (CreateStates, DeleteTopic, WriteAssignment, WriteReassignment, WriteStates)
NEVER: Final = -1

STORIES: Final[dict[str, Callable[[Harness], None]]] = {
    one.__name__: one
    for one in (
        broker_dies,
        broker_returns,
        all_die_and_one_returns,
        preferred_leader_is_wanted,
        broker_leaves_in_order,
        topic_is_made,
        topic_is_deleted,
        partition_is_moved,
    )
}


class Losing:
    """Loses the answer to the write of that number, and counts the writes."""

    def __init__(self, harness: Harness, number: int, *, has_landed: bool) -> None:
        self._harness = harness
        self._number = number
        self._has_landed = has_landed
        self.count = 0

    def __call__(self, request: Asked) -> ZkReply | None:
        if not isinstance(request, WRITES):
            return None
        self.count += 1
        if self.count - 1 != self._number:
            return None
        if self._has_landed:
            self._harness.serve()
        return Lost()


class Outcome(NamedTuple):
    """What is left of a story: in ZooKeeper, with the brokers, and with those who asked."""

    states: dict[str, str]
    told: dict[str, str]
    replies: list[str]


def outcome_of(harness: Harness) -> Outcome:
    """The last word on each partition: what was said before it may differ."""
    topics = {tp("t-0").topic: 3, "made": 2}
    states = {
        f"{topic}-{index}": str(state and state._replace(zk_version=NEVER_READ))
        for topic, count in topics.items()
        for index in range(count)
        for state in (harness.state(tp(f"{topic}-{index}")),)
    }
    told: dict[str, str] = {}
    for broker_id, order in harness.orders:
        told |= {f"{broker_id} {about}": said for about, said in said_by(order)}
    return Outcome(states, told, [str(reply.reply) for reply in harness.replies])


def said_by(order: Order) -> Iterator[tuple[str, str]]:
    match order:
        case LeaderAndIsr():
            for role in order.partitions:
                state = role.state
                yield (
                    f"role {role.partition}",
                    f"{state.leader} {state.leader_epoch} {state.isr} {role.assignment.replicas}",
                )
        case StopReplica():
            for stop in order.partitions:
                yield f"stop {stop.partition}", f"{stop.leader_epoch} {stop.is_deleted}"
        case UpdateMetadata():
            for published in order.partitions:
                state = published.state
                yield (
                    f"metadata {published.partition}",
                    f"{state.leader} {state.leader_epoch} {state.isr} {published.offline_replicas}",
                )


def lived(story: str, number: int, *, has_landed: bool) -> tuple[Outcome, int]:
    """What comes of *story*, and how many writes it took; the answer to one of them is lost."""
    harness = with_topic(*REPLICAS)
    harness.told()
    losing = Losing(harness, number, has_landed=has_landed)
    harness.before = losing
    STORIES[story](harness)
    harness.settle()
    return outcome_of(harness), losing.count


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES)
def test_what_is_told_does_not_depend_on_an_answer_that_was_lost(story: str) -> None:
    expected, count = lived(story, NEVER, has_landed=True)
    assert count > 0

    for number in range(count):
        for has_landed in (False, True):
            found, _ = lived(story, number, has_landed=has_landed)

            assert (number, has_landed, expected) == (number, has_landed, found)
