"""Beans of the group coordinator."""

from typing import Final

from cluster.metrics.beans import BeanType

GROUP_MANAGER: Final = BeanType("kafka.coordinator.group", "GroupMetadataManager")
GROUPS: Final = GROUP_MANAGER.gauge("NumGroups", "Groups that this broker coordinates.")
GROUPS_BY_STATE: Final = {
    state: GROUP_MANAGER.gauge(f"NumGroups{state}", f"Groups in the state {state}.")
    for state in ("PreparingRebalance", "CompletingRebalance", "Stable", "Empty", "Dead")
}
OFFSETS: Final = GROUP_MANAGER.gauge(
    "NumOffsets", "Offsets that the groups of this broker have committed."
)
