"""Changes of the configs of a topic or of brokers, by AlterConfigs requests.

Brokers since 2.3 accept the changes alone; older ones need all configs sent again.
"""

from typing import Final

from kafka.admin import AlterConfigOp
from kafka.protocol.admin import AlterConfigsRequest, IncrementalAlterConfigsRequest

from cluster.model.config_entity import EntityKind
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.describe_configs import ALL_BROKERS, BROKER, TOPIC, broker_to_ask
from kadmin.errors import RefusedError
from kadmin.plan.config_plan import HIDDEN, NULL, ConfigPlan
from kadmin.plan.entity_options import options_of

SET: Final = AlterConfigOp.SET.value
DELETE: Final = AlterConfigOp.DELETE.value


class HiddenWouldBeLost(RefusedError):
    """All configs would have to be sent again, and the values of some cannot be read."""

    def __init__(self, plan: ConfigPlan, names: list[str]) -> None:
        super().__init__(
            f"brokers older than 2.3 drop what a change does not repeat, and do not return"
            f" {', '.join(names)} of {plan.entity}: nothing was written",
            hint="set them in the same command, by --add-config-file; or use ZooKeeper:"
            f" kadmin configs --zookeeper HOST:PORT --alter {options_of(plan.entity)} …",
        )
        self.names = tuple(names)


def alter_resource(
    connection: WireConnection, plan: ConfigPlan, *, validates_only: bool = False
) -> tuple[int, str | None]:
    """Change what *plan* changes of a topic or of brokers, or only ask whether that would be taken.

    Returns the answer's error code and reason.

    Raises:
        HiddenWouldBeLost: it cannot be changed without losing something else.
    """
    entity = plan.entity.root
    kind, name, broker = TOPIC, str(entity.name), None
    if entity.kind is EntityKind.BROKERS:
        kind, name = BROKER, ALL_BROKERS if entity.name is None else entity.name
        broker = broker_to_ask(name)
    if connection.serves(IncrementalAlterConfigsRequest):
        resource = (kind, name, changes_of(plan))
        request = IncrementalAlterConfigsRequest(resources=[resource], validate_only=validates_only)
    else:
        replacing = (kind, name, replacement_of(plan))
        request = AlterConfigsRequest(resources=[replacing], validate_only=validates_only)
    response = (
        connection.send(request) if broker is None else connection.send_patiently(request, broker)
    )
    [answer] = response.responses
    return int(answer.error_code), answer.error_message


def changes_of(plan: ConfigPlan) -> list[tuple[str, int, str | None]]:
    """Return each change as key, operation and value."""
    before, after = plan.before.values, plan.after.values
    changed = [name for name, value in after.items() if before.get(name) != value]
    return [
        *((name, SET, after[name]) for name in changed),
        *((name, DELETE, None) for name in before if name not in after),
    ]


def replacement_of(plan: ConfigPlan) -> list[tuple[str, str]]:
    """Return all configs that there shall be, changed or not.

    Raises:
        HiddenWouldBeLost: one of them is not known.
    """
    after = plan.after.values
    hidden = sorted(name for name, value in after.items() if value in (HIDDEN, NULL))
    if hidden:
        raise HiddenWouldBeLost(plan, hidden)
    return list(after.items())
