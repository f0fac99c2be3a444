"""What a bug of ours would break ends in an assertion, before brokers or ZooKeeper get it."""

from collections.abc import Sequence
from typing import Any

import pytest

from cluster.controller.batch import OrderBatch
from cluster.controller.procedures import Procedure, States, rewrite_states
from cluster.coordination.reads import StatesRead
from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition, ZkVersion
from tests.cluster.controller.harness import tp
from tests.cluster.controller.test_notifications import with_topic

PARTITION = tp("t-0")


def test_no_leader_epoch_falls_in_a_batch_of_orders() -> None:
    active = with_topic((1, 2)).active
    state = active.context.states[PARTITION]
    active.context.states[PARTITION] = state._replace(leader_epoch=LeaderEpoch(3))
    batch = OrderBatch(active)
    batch.add_leader_and_isr((BrokerId(1),), PARTITION)
    active.context.states[PARTITION] = state._replace(leader_epoch=LeaderEpoch(2))

    with pytest.raises(AssertionError, match="no epoch falls"):
        batch.add_leader_and_isr((BrokerId(1),), PARTITION)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"leader_epoch": LeaderEpoch(-1)}, "no epoch falls"),
        ({"zk_version": ZkVersion(7)}, "decided from the state that was read"),
    ],
    ids=["epoch", "version"],
)
def test_no_state_is_written_that_does_not_follow_the_one_in_zookeeper(
    change: dict[str, Any], reason: str
) -> None:
    harness = with_topic((1, 2))
    stored = harness.state(PARTITION)

    def decide(found: StatesRead, waiting: Sequence[TopicPartition]) -> Procedure[States]:
        yield from ()
        return {PARTITION: found.states[PARTITION]._replace(**change)}

    with pytest.raises(AssertionError, match=reason):
        harness.perform(
            rewrite_states(
                harness.active, [PARTITION], decide, lambda *written: None, lambda *failed: None
            )
        )
    assert stored == harness.state(PARTITION)
