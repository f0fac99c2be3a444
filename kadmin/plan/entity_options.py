"""The options that name an entity, and the order of entities."""

from typing import Final

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from kadmin.quoting import quoted

SHORT_OPTIONS: Final = {
    EntityKind.TOPICS: "--topic",
    EntityKind.BROKERS: "--broker",
    EntityKind.CLIENTS: "--client",
    EntityKind.USERS: "--user",
    EntityKind.IPS: "--ip",
}


def order_of(entity: ConfigEntity) -> tuple[tuple[bool, int, str], ...]:
    """Return a key to sort by: defaults first, then by name, numbers by value."""
    return tuple(
        (
            part.name is not None,
            int(part.name) if part.name is not None and part.name.isdecimal() else -1,
            part.name or "",
        )
        for part in parts_of(entity)
    )


def parts_of(entity: ConfigEntity) -> tuple[Entity, ...]:
    """Return the user and the client of a client of a user, of others the one that it is."""
    return (entity.root,) if entity.child is None else (entity.root, entity.child)


def options_of(entity: ConfigEntity) -> str:
    """Return the options that name *entity*, for a command line to paste."""
    return " ".join(
        SHORT_OPTIONS[part.kind] + "-defaults"
        if part.name is None
        else f"{SHORT_OPTIONS[part.kind]} {quoted(part.name)}"
        for part in parts_of(entity)
    )
