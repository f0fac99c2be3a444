"""The configs that throttles are: of topics and brokers alike, some of which may not be alive."""

from collections.abc import Mapping, Sequence

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, EntityKind
from cluster.model.fault import Fault
from kadmin.admin.wire.wire_configs import WireConfigs


class WireThrottles(WireConfigs):
    """A `ConfigAdmin` for topics and brokers in one; a dead broker costs only its own configs."""

    def read(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]:
        """A broker that is not alive is a fault: nobody else tells what it has."""
        alive = set(self.live_brokers())
        topics: list[ConfigEntity] = []
        told: list[ConfigEntity] = []
        silent: list[ConfigEntity] = []
        for entity in entities:
            if entity.kind is EntityKind.TOPICS:
                topics.append(entity)
            else:
                (told if entity.root.name in alive else silent).append(entity)
        found = {**super().read(topics)[0], **super().read(told)[0]}
        configs = {entity: found[entity] for entity in entities if entity in found}
        return configs, list(map(fault_of, silent))


def fault_of(entity: ConfigEntity) -> Fault:
    reason = "it is not alive, and nobody else tells its configs"
    return Fault(
        subject=subjects.config(entity),
        where=str(entity),
        version=None,
        reason=reason,
        text=f"{entity}: {reason}",
    )
