"""The configs that throttles are: of topics and brokers alike, some of which may not be alive."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, EntityKind
from cluster.model.fault import Fault
from cluster.model.outcome import Committed, Conflict, ConflictKind
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.wire.connection import PAUSE_S, WireConnection
from kadmin.admin.wire.wire_configs import WireConfigs
from kadmin.plan.config_plan import ConfigPlan

LOOKS_MAX: Final = 100
"""In all a few seconds."""


class WireThrottles(WireConfigs):
    """A `ConfigAdmin` for topics and brokers in one; a dead broker costs only its own configs.

    *is_kept* returns whether the lease of throttles is the one that was read or written last.
    Brokers accept no fence, so that it is checked right before a write.
    """

    def __init__(
        self,
        connection: WireConnection,
        warn: Callable[[str], None],
        is_kept: Callable[[], bool] = lambda: True,
        *,
        leaves_out_silent: bool = False,
    ) -> None:
        super().__init__(connection, warn, leaves_out_silent=leaves_out_silent)
        self.is_kept = is_kept

    def read(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]:
        """Read configs; a dead broker is a fault, since no other broker has its configs, and so is
        a silent one, if those are left out."""
        # The defaults of all brokers have no name, and each broker returns them.
        returned = {None, *self.live_brokers()}
        topics: list[ConfigEntity] = []
        answering: list[ConfigEntity] = []
        silent: list[ConfigEntity] = []
        for entity in entities:
            if entity.kind is EntityKind.TOPICS:
                topics.append(entity)
            else:
                (answering if entity.root.name in returned else silent).append(entity)
        of_brokers, faults = super().read(answering)
        found = {**super().read(topics)[0], **of_brokers}
        configs = {entity: found[entity] for entity in entities if entity in found}
        return configs, [*map(fault_of, silent), *filter(is_temporary, faults)]

    def write(self, fence: Fence, plan: ConfigPlan) -> Outcome:
        """Change configs, and wait until brokers return the changed values.

        A broker applies its own a moment later; a read in between would miss a throttle that was
        just set, and the throttle would be forgotten.
        """
        if fence.lease is not None and not self.is_kept():
            return Conflict("the lease of throttles", ConflictKind.VERSION)
        outcome = super().write(fence, plan)
        for _ in range(LOOKS_MAX):
            if not isinstance(outcome, Committed) or self.is_in_effect(plan):
                break
            self.connection.budget.pause(PAUSE_S)
        return outcome

    def is_in_effect(self, plan: ConfigPlan) -> bool:
        """Return whether brokers return the changes of *plan*; also True if the entity is gone."""
        found = self.read([plan.entity])[0].get(plan.entity)
        names = [change.name for change in plan.changes]
        return found is None or all(
            found.values.get(name) == plan.after.values.get(name) for name in names
        )


def is_temporary(fault: Fault) -> bool:
    return fault.is_temporary


def fault_of(entity: ConfigEntity) -> Fault:
    reason = "it is not alive, and only it can show its configs"
    return Fault(
        subject=subjects.config(entity),
        where=str(entity),
        version=None,
        reason=reason,
        text=f"{entity}: {reason}",
        is_temporary=True,
    )
