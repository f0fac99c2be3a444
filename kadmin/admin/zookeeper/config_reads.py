"""Reads of configs: which entities have some, and which?

Reads `/config` in few round trips.  Decides nothing.
"""

from collections.abc import Iterable, Sequence

from cluster.model.config_entity import NO_OVERRIDES, ConfigEntity, ConfigOverrides, EntityKind
from cluster.model.errors import CorruptZnodeError
from cluster.zk import paths
from cluster.zk.configs import config_path, decode_config, entity_of_path
from cluster.zk.znode import Znode
from kadmin.admin.ports import ConfigSnapshot, NoClusterHere
from kadmin.admin.zookeeper.connection import Connection, NoSuchChroot
from kadmin.admin.zookeeper.snapshot import decode_brokers, decode_topics
from kadmin.plan.entities import EntitySelection, order_of


def find_absence(connection: Connection) -> NoClusterHere | None:
    """Why there seems to be no cluster: neither a broker nor a tool has made `/config`.

    Raises:
        NoSuchChroot: not even the chroot is there.
    """
    root, config = connection.read(["/", paths.CONFIG])
    if root is None:
        raise NoSuchChroot(connection.settings.connect)
    return NoClusterHere(connection.settings.connect, paths.CONFIG) if config is None else None


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
