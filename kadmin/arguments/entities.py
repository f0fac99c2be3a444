"""A selection of entities: which does the operator mean?

Understands kafka-configs' two ways to name them.  Knows neither which exist nor their configs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from kadmin.errors import UsageError
from kadmin.plan.entity_options import SHORT_OPTIONS

DEFAULT: Final = "\0"
"""Stands for `--entity-default` among the names; no argument of a command can hold it."""

assert SHORT_OPTIONS.keys() == set(EntityKind)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One entity of a kind, or all of them where *entity* is None.

    A topic's name may be a glob, or several by comma.
    """

    kind: EntityKind
    entity: Entity | None = None


@dataclass(frozen=True, slots=True)
class EntitySelection:
    """The entities that were asked for; with *client*, clients of the users that *root* means."""

    root: Wanted
    client: Wanted | None = None

    @property
    def parts(self) -> tuple[Wanted, ...]:
        return (self.root,) if self.client is None else (self.root, self.client)

    def only_one(self) -> ConfigEntity | None:
        """Return the entity that is named; None when some or all of a kind are meant."""
        if self.root.entity is None:
            return None
        if self.client is None:
            return ConfigEntity(self.root.entity)
        if self.client.entity is None:
            return None
        return ConfigEntity(self.root.entity, self.client.entity)


def select_entities(
    kinds: Sequence[EntityKind], names: Sequence[str], short: Sequence[Entity] = ()
) -> EntitySelection:
    """Match `--entity-type`s with the names and defaults given, in the order of the command line.

    *names* holds DEFAULT for `--entity-default`; *short* are the entities of `--topic` and its
    like.  A kind that is left without a name means all of it.

    Raises:
        UsageError: no kind, one twice, two that do not go together, a name too many or a bad one.
    """
    if len(names) > len(kinds):
        raise UsageError(
            "--entity-name and --entity-default need an --entity-type each",
            hint="kadmin configs --describe --entity-type topics --entity-name NAME",
        )
    wanted = [
        Wanted(kind) if name is None else Wanted(kind, entity_of(kind, name))
        for kind, name in zip_longest(kinds, names)
    ]
    wanted += [Wanted(entity.kind, checked(entity)) for entity in short]
    if not wanted:
        raise UsageError(
            "At least one entity type must be specified",
            hint="kadmin configs --describe --entity-type topics",
        )
    by_kind = {part.kind: part for part in wanted}
    if len(by_kind) < len(wanted):
        raise UsageError(
            "an entity type is given twice",
            hint="one command for each entity, but topics go together: --topic NAME,NAME",
        )
    if len(wanted) == 1:
        return EntitySelection(wanted[0])
    if by_kind.keys() != {EntityKind.USERS, EntityKind.CLIENTS}:
        raise UsageError(
            "Only 'users' and 'clients' entity types may be specified together, not "
            + " and ".join(part.kind for part in wanted),
            hint="one command for each; a client of a user is --user NAME --client ID",
        )
    return EntitySelection(by_kind[EntityKind.USERS], by_kind[EntityKind.CLIENTS])


def entity_of(kind: EntityKind, name: str) -> Entity:
    return checked(Entity(kind, None if name == DEFAULT else name))


def checked(entity: Entity) -> Entity:
    """Return the entity, unless its name is one that Kafka could not mean."""
    name = entity.name
    if name is None:
        if entity.kind is EntityKind.TOPICS:
            raise UsageError(
                "there are no defaults for all topics",
                hint="set the brokers' key instead: kadmin configs --alter --broker-defaults"
                " --add-config log.retention.ms=…",
            )
        return entity
    if not name:
        raise UsageError(
            f"the entity name for {entity.kind} must not be empty",
            hint=f"kadmin configs --describe --entity-type {entity.kind}",
        )
    if entity.kind is EntityKind.BROKERS and not (name.isascii() and name.isdecimal()):
        raise UsageError(
            f"The entity name for brokers must be a valid integer broker id, but it is: {name}",
            hint="'kadmin brokers --list' shows the ids; all brokers are --broker-defaults",
        )
    if entity.kind is EntityKind.IPS:
        check_address(name)
    return entity


def check_address(text: str) -> None:
    from ipaddress import ip_address

    try:
        ip_address(text)
    except ValueError as error:
        raise UsageError(
            f"'{text}' is no IP address",
            hint="write it like 10.0.0.1 or fd00::1; --ip-defaults is for all that have no own",
        ) from error
