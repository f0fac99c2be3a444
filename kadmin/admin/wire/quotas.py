"""Quotas of users, clients and addresses, as brokers describe them.

kafka-python has the messages, and no methods for them.
"""

from collections.abc import Sequence
from typing import Any, Final

from kafka.errors import UnsupportedVersionError, for_code
from kafka.protocol.admin import AlterClientQuotasRequest, DescribeClientQuotasRequest

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.config_spec import ValueKind
from cluster.model.config_table import find_spec
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.arguments.entities import Wanted
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.entity_options import parts_of

TYPES: Final = {
    EntityKind.USERS: "user",
    EntityKind.CLIENTS: "client-id",
    EntityKind.IPS: "ip",
}
KINDS: Final = {name: kind for kind, name in TYPES.items()}
EXACT: Final = 0
DEFAULT: Final = 1
ANY: Final = 2
LONG_MAX: Final = 2**63 - 1

WHAT: Final = "client quotas"
SINCE: Final = "2.6"


def read_quotas(
    connection: WireConnection, parts: Sequence[Wanted]
) -> dict[ConfigEntity, dict[str, str]]:
    """Return the quotas of all entities that consist of *parts* and nothing else.

    One without is left out.

    Raises:
        NotServed: the brokers are too old.
        KafkaError: the brokers' error, which `connect_brokers` translates.
    """
    require_quotas(connection)
    request = DescribeClientQuotasRequest(
        components=[component_of(part) for part in parts], strict=True
    )
    answer = connection.ask(request)
    if answer.error_code == UnsupportedVersionError.errno:
        raise unknown_kind(connection)
    if answer.error_code != 0:
        raise for_code(answer.error_code)(answer.error_message or "quotas")
    return {
        entity: {
            value.key: quota_text(entity.kind, value.key, value.value) for value in entry.values
        }
        for entry in answer.entries or ()
        if (entity := entity_of(entry.entity)) is not None
    }


def require_quotas(connection: WireConnection) -> None:
    if not connection.serves(DescribeClientQuotasRequest):
        raise NotServed(connection.settings.bootstrap, WHAT, SINCE)


def unknown_kind(connection: WireConnection) -> NotServed:
    return NotServed(connection.settings.bootstrap, "quotas of addresses", "2.8")


def component_of(part: Wanted) -> tuple[str, int, str | None]:
    if part.entity is None:
        return (TYPES[part.kind], ANY, None)
    if part.entity.name is None:
        return (TYPES[part.kind], DEFAULT, None)
    return (TYPES[part.kind], EXACT, part.entity.name)


def entity_of(components: Sequence[Any]) -> ConfigEntity | None:
    """Return whose quota it is; None for a combination of kinds that kadmin does not know."""
    parts = {
        KINDS[part.entity_type]: Entity(KINDS[part.entity_type], part.entity_name)
        for part in components
        if part.entity_type in KINDS
    }
    if len(parts) == len(components) == 1:
        return ConfigEntity(*parts.values())
    if len(components) == 2 and parts.keys() == {EntityKind.USERS, EntityKind.CLIENTS}:
        return ConfigEntity(parts[EntityKind.USERS], parts[EntityKind.CLIENTS])
    return None


def quota_text(kind: EntityKind, name: str, value: float) -> str:
    """Return *value*, which goes over the wire as a double, in the form that brokers write it."""
    spec = find_spec(kind, name)
    if spec is not None and spec.kind is not ValueKind.DOUBLE:
        return str(min(int(value), LONG_MAX))
    return repr(value)


def alter_quotas(
    connection: WireConnection, plan: ConfigPlan, *, validates_only: bool = False
) -> tuple[int, str | None]:
    """Change what *plan* changes, or only ask whether that would be taken.

    Returns the answer's error code and reason.

    Raises:
        NotServed: the brokers are too old.
    """
    require_quotas(connection)
    before, after = plan.before.values, plan.after.values
    operations = [
        *((key, float(text), False) for key, text in after.items() if before.get(key) != text),
        *((key, 0.0, True) for key in before if key not in after),
    ]
    entity = [(TYPES[part.kind], part.name) for part in parts_of(plan.entity)]
    request = AlterClientQuotasRequest(entries=[(entity, operations)], validate_only=validates_only)
    [answer] = connection.send(request).entries
    if answer.error_code == UnsupportedVersionError.errno:
        raise unknown_kind(connection)
    return int(answer.error_code), answer.error_message
