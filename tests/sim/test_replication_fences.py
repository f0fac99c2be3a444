"""What replication rests on: without it some simulated story ends badly.

What these stories are too short for, the tests of the cores catch: `docs/safety.md` lists all.
"""

from typing import Any

import pytest

from cluster.broker.replica_fetcher import alignment as log_alignment
from cluster.broker.replica_manager import fetch_reading
from cluster.broker.replica_manager.delayed_produce import ProducePartitionStatus
from cluster.model.error_codes import ErrorCode
from cluster.replication.replica import Replica
from cluster.replication.truncation import Truncation
from tests.sim.shrinking import violation_of
from tests.sim.story import Plot, Story

STORIES_MAX = 250


def commits_what_it_has(self: Replica, now_ms: int) -> bool:
    """Instead of what all in sync have."""
    if self.is_under_min_isr or self._log_end_offset <= self.high_watermark:
        return False
    self.high_watermark = self._log_end_offset
    return True


def counts_on_no_proposal(self: Replica) -> Any:
    """Instead of counting with all that may be in the ISR by now."""
    return self.state.isr


def takes_anybody_in(self: Replica, follower: Any) -> Any:
    """Instead of those only who have all that is committed."""
    broker_id = follower.broker_id
    if broker_id in self.state.isr or self.proposal is not None:
        return None
    return self._propose((*self.state.isr, broker_id)) if self._rules.is_alive(broker_id) else None


def keeps_everything(told: Any, own: Any) -> Truncation:
    """Instead of cutting the log where it parts from the leader's."""
    return Truncation(own.end_offset, is_last=True)


def acknowledges_at_once(self: ProducePartitionStatus) -> ErrorCode:
    """Instead of waiting for those in sync."""
    return ErrorCode.NONE


def tells_no_divergence(hosted: Any, part: Any) -> Any:
    """Instead of saying where the follower's log parts from this one."""
    return None


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize(
    ("plot", "first", "owner", "name", "instead"),
    [
        pytest.param(
            Plot.PARTITION, 0, Replica, "_advance", commits_what_it_has, id="high watermark"
        ),
        pytest.param(
            Plot.PARTITION,
            24,
            Replica,
            "maximal_isr",
            property(counts_on_no_proposal),
            id="maximal ISR",
        ),
        pytest.param(
            Plot.PARTITION, 2, Replica, "_expansion", takes_anybody_in, id="who may join the ISR"
        ),
        pytest.param(
            Plot.CLUSTER, 1, log_alignment, "truncation_by", keeps_everything, id="truncation"
        ),
        pytest.param(
            Plot.PARTITION, 0, ProducePartitionStatus, "error", acknowledges_at_once, id="acks=all"
        ),
        pytest.param(
            Plot.PARTITION, 6, fetch_reading, "divergence_of", tells_no_divergence, id="divergence"
        ),
    ],
)
def test_without_this_some_story_ends_badly(
    monkeypatch: pytest.MonkeyPatch, plot: Plot, first: int, owner: Any, name: str, instead: Any
) -> None:
    """Before the *first* story there is nothing for it to stop, which takes time to find."""
    monkeypatch.setattr(owner, name, instead)

    stories = (Story(seed, plot=plot) for seed in range(first, first + STORIES_MAX))

    assert any(map(violation_of, stories))
