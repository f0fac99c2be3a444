"""Which entities have configs, and which?

Reads `/config` in few round trips.  Decides nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cluster.model.broker import BrokerRegistration
from cluster.model.config_entity import NO_OVERRIDES, ConfigEntity, ConfigOverrides, EntityKind
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId
from cluster.model.topic import TopicAssignment
from cluster.zk import paths
from cluster.zk.configs import config_path, decode_config, entity_of_path
from cluster.zk.znode import Znode
from kadmin.admin.zookeeper.connection import Connection, NoSuchChroot
from kadmin.admin.zookeeper.snapshot import decode_brokers, decode_topics
from kadmin.errors import KadminError
from kadmin.plan.entities import EntitySelection, order_of


class NoConfigsHere(KadminError):
    """The ZooKeeper answers, but nobody ever made `/config` below this chroot."""

    def __init__(self, connect: str) -> None:
        super().__init__(
            f"there is no cluster at {connect}: {paths.CONFIG} does not exist",
            hint="check the chroot; brokers make that znode when they start",
        )
        self.connect = connect


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSnapshot:
    """What changes of configs depend on.

    *configs* and *topics* hold the entities that were asked for, the latter those that are topics.
    What cannot be understood is left out: of the configs it is among the *faults*, a topic or a
    broker is as if nothing were known of it.  *missing_topics* were asked for and are not there.
    Where brokers told all this, *is_told_by_brokers*, it is them who are asked for the change.
    """

    configs: Mapping[ConfigEntity, ConfigOverrides]
    faults: tuple[CorruptZnodeError, ...]
    brokers: Mapping[BrokerId, BrokerRegistration]
    topics: Mapping[str, TopicAssignment]
    missing_topics: frozenset[str]
    is_told_by_brokers: bool = False


def has_config(connection: Connection) -> bool:
    """Whether a broker, or a tool before the first one, has made `/config`.

    Raises:
        NoSuchChroot: not even the chroot is there.
    """
    root, config = connection.read(["/", paths.CONFIG])
    if root is None:
        raise NoSuchChroot(connection.settings.connect)
    return config is not None


def find_entities(connection: Connection, selection: EntitySelection) -> list[ConfigEntity]:
    """The entities that *selection* names, and of those it does not name all that have a znode.

    Topics are not looked up: a name may be a pattern there.
    """
    root, client = selection.root, selection.client
    if root.entity is not None:
        roots = [ConfigEntity(root.entity)]
    else:
        roots = children_of(connection, [f"{paths.CONFIG}/{root.kind}"])
    if client is None:
        return sorted(roots, key=order_of)
    if client.entity is not None:
        return sorted((ConfigEntity(user.root, client.entity) for user in roots), key=order_of)
    parents = [f"{config_path(user)}/{client.kind}" for user in roots]
    return sorted(children_of(connection, parents), key=order_of)


def children_of(connection: Connection, parents: Sequence[str]) -> list[ConfigEntity]:
    entities = []
    for parent, names in zip(parents, connection.children(parents), strict=True):
        for name in names or ():
            entity = entity_of_path(f"{parent}/{name}".removeprefix(f"{paths.CONFIG}/"))
            assert entity is not None
            entities.append(entity)
    return entities


def read_configs(
    connection: Connection, entities: Iterable[ConfigEntity]
) -> tuple[dict[ConfigEntity, ConfigOverrides], list[CorruptZnodeError]]:
    """The configs of *entities*, in their order, and what could not be understood of them.

    An entity without a znode has no configs.
    """
    wanted = list(entities)
    return decode_configs(wanted, connection.read([config_path(entity) for entity in wanted]))


def decode_configs(
    entities: Sequence[ConfigEntity], nodes: Sequence[Znode | None]
) -> tuple[dict[ConfigEntity, ConfigOverrides], list[CorruptZnodeError]]:
    configs: dict[ConfigEntity, ConfigOverrides] = {}
    faults: list[CorruptZnodeError] = []
    for entity, node in zip(entities, nodes, strict=True):
        try:
            configs[entity] = NO_OVERRIDES if node is None else decode_config(node)
        except CorruptZnodeError as fault:
            faults.append(fault)
    return configs, faults


def read_config_snapshot(
    connection: Connection, entities: Sequence[ConfigEntity]
) -> ConfigSnapshot:
    """Read what changes of *entities* are planned from: two round trips, however many they are."""
    [broker_ids] = connection.children([paths.BROKER_IDS])
    topics = [str(entity.root.name) for entity in entities if entity.kind is EntityKind.TOPICS]
    nodes = connection.read(
        [
            *map(config_path, entities),
            *map(paths.topic, topics),
            *(f"{paths.BROKER_IDS}/{broker_id}" for broker_id in broker_ids or ()),
        ]
    )
    topics_start, brokers_start = len(entities), len(entities) + len(topics)
    configs, faults = decode_configs(entities, nodes[:topics_start])
    topic_nodes = nodes[topics_start:brokers_start]
    return ConfigSnapshot(
        configs=configs,
        faults=tuple(faults),
        brokers=decode_brokers(nodes[brokers_start:], []),
        topics=decode_topics(topics, topic_nodes, []),
        missing_topics=frozenset(
            topic for topic, node in zip(topics, topic_nodes, strict=True) if node is None
        ),
    )
