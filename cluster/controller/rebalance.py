"""Automatic leader rebalance: preferred leaders lead again some time after their return.

Source: Kafka's KafkaController.checkAndTriggerAutoLeaderRebalance.
"""

from collections.abc import Mapping
from typing import Final

from cluster.controller import elections
from cluster.controller.active_controller import ActiveController, LeaderRebalance
from cluster.controller.context import ControllerContext
from cluster.controller.procedures import Procedure
from cluster.model.ids import BrokerId, TopicPartition

FIRST_CHECK_MS: Final = 5000
"""After a new controller has begun: brokers may still be starting."""


def rebalance_leaders(active: ActiveController, config: LeaderRebalance) -> Procedure[None]:
    """Elect the preferred leaders of each broker that leads too few of the partitions that prefer
    it.

    A preferred leader that lags behind, or is not live, is left for a later check.
    """
    for broker_id, partitions in _by_preferred_leader(active.context).items():
        away = [p for p, leads in partitions.items() if not leads]
        if 100 * len(away) <= config.imbalance_percentage * len(partitions):
            continue
        able = [partition for partition in away if _can_lead(active.context, broker_id, partition)]
        if able:
            active.note(
                f"broker={broker_id} leads {len(partitions) - len(away)} of {len(partitions)}"
                f" partitions that prefer it: {len(able)} are moved to it"
            )
            yield from elections.elect_preferred_leaders(active, able)


def _by_preferred_leader(
    context: ControllerContext,
) -> Mapping[BrokerId, Mapping[TopicPartition, bool]]:
    """All partitions by their preferred leader, each with whether that one leads it.

    A partition that has had no leader yet counts as led by it.
    """
    found: dict[BrokerId, dict[TopicPartition, bool]] = {}
    for partition, assignment in context.assignments.items():
        if not context.is_to_be_deleted(partition):
            preferred = assignment.preferred_leader
            leads = partition not in context.states or context.leader_of(partition) == preferred
            found.setdefault(preferred, {})[partition] = leads
    return found


def _can_lead(context: ControllerContext, broker_id: BrokerId, partition: TopicPartition) -> bool:
    """Whether an election would find it, by the context; the election itself reads the state."""
    return context.is_live(broker_id, partition) and broker_id in context.states[partition].isr
