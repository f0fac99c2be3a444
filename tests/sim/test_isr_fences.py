"""Whoever is in the ISR that ZooKeeper knows has everything that was acknowledged.

Each story is one in which a member lacked something once; without the mend it ends so again.
"""

from typing import Any, NamedTuple

import pytest

from cluster.controller import bounces
from cluster.model.broker import BrokerRegistration
from cluster.replication.replica import Replica
from tests.sim.shrinking import violation_of
from tests.sim.story import Plot, Story
from tests.sim.violation import Kind


class Instead(NamedTuple):
    """What stands in place of a mend."""

    owner: Any
    name: str
    value: Any


def knows_followers_still(self: Replica, state: Any) -> Any:
    """As Kafka's leaders: also if another broker led in between."""
    return self._followers if self.is_leader else {}


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
