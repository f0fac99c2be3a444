"""Whoever is in the ISR that ZooKeeper knows has everything that was acknowledged.

Each story is one in which a member lacked something once; without the mend it ends so again.
"""

from typing import Any, NamedTuple

import pytest

from cluster.controller import batch, bounces
from cluster.model.broker import BrokerRegistration
from cluster.replication.replica import Replica
from tests.sim.shrinking import violation_of
from tests.sim.story import Plot, Story
from tests.sim.violation import Kind

EVERYTHING = 2**62

followers_of = Replica._followers_of


class Instead(NamedTuple):
    """What stands in place of a mend."""

    owner: Any
    name: str
    value: Any


def waits_for_replicas_only(self: Replica, isr: Any, assignment: Any, *rest: Any) -> Any:
    """As Kafka's leaders: a member of the ISR that is no replica any more has everything."""
    followers = followers_of(self, isr, assignment, *rest)
    for broker_id, follower in followers.items():
        if broker_id not in assignment.replicas:
            follower.log_end_offset = EVERYTHING
    return followers


def knows_followers_still(self: Replica, state: Any) -> Any:
    """As Kafka's leaders: also if another broker led in between."""
    return self._followers if self.is_leader else {}


def tells_replicas_only(assignment: Any, isr: Any) -> Any:
    """As Kafka's controllers."""
    return assignment


def believes_nobody(*args: Any) -> frozenset[Any]:
    """As Kafka's controllers in ZooKeeper mode, which know of no clean shutdown."""
    return frozenset()


def says_nothing(self: BrokerRegistration, zxid: int) -> bool:
    """As Kafka's brokers in ZooKeeper mode, of which nobody knows what they have lost."""
    return False


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize(
    ("story", "instead"),
    [
        pytest.param(
            Story(8935),
            (
                Instead(Replica, "_followers_of", waits_for_replicas_only),
                Instead(batch, "with_members", tells_replicas_only),
            ),
            id="members that are no replicas",
        ),
        pytest.param(
            Story(4845, plot=Plot.PARTITION),
            (Instead(Replica, "_known_still", knows_followers_still),),
            id="what another leader may have changed",
        ),
        pytest.param(
            Story(900, plot=Plot.PARTITION),
            (
                Instead(bounces, "_intact", believes_nobody),
                Instead(BrokerRegistration, "has_lost_since", says_nothing),
            ),
            id="clean shutdowns",
        ),
        pytest.param(
            Story(160, plot=Plot.PARTITION),
            (Instead(BrokerRegistration, "has_lost_since", says_nothing),),
            id="who has lost records",
        ),
    ],
)
def test_without_this_a_member_of_the_isr_lacks_what_was_acknowledged(
    monkeypatch: pytest.MonkeyPatch, story: Story, instead: tuple[Instead, ...]
) -> None:
    for owner, name, value in instead:
        monkeypatch.setattr(owner, name, value)

    violation = violation_of(story)

    assert violation is not None
    assert violation.kind is Kind.LOST_RECORD


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize(
    "instead",
    [
        Instead(Replica, "_followers_of", waits_for_replicas_only),
        Instead(batch, "with_members", tells_replicas_only),
    ],
    ids=["Kafka's leaders under this controller", "these leaders under Kafka's controller"],
)
def test_leader_and_controller_each_wait_for_members_that_are_no_replicas(
    monkeypatch: pytest.MonkeyPatch, instead: Instead
) -> None:
    monkeypatch.setattr(*instead)

    assert violation_of(Story(8935)) is None
