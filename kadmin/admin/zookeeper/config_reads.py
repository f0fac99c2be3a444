"""Reads of configs: which entities have some, and which?

Sequences of requests, in few round trips.  Decides nothing.
"""

from collections.abc import Iterable, Mapping, Sequence

from cluster.coordination.configs import overrides_in
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, EntityKind
from cluster.model.errors import CorruptZnodeError, may_not_be_read
from cluster.model.fault import Fault
from cluster.zk import paths
from cluster.zk.configs import config_path, entity_of_path
from cluster.zk.requests import GetData, Refused, ZkReply
from cluster.zk.steps import Steps, items_in, node_in, read, read_children, read_paths_below
from kadmin.admin.answers import ConfigSnapshot
from kadmin.admin.zookeeper.faults import faults_of
from kadmin.admin.zookeeper.snapshot import (
    brokers_in,
    decoding_brokers,
    decoding_topics,
    topics_in,
)
from kadmin.plan.entities import EntitySelection, order_of


def find_entities(selection: EntitySelection) -> Steps[list[ConfigEntity]]:
    """The entities that *selection* names, and of those it does not name all that have a znode.

    Topics are not looked up: a name may be a pattern there.
    """
    root, client = selection.root, selection.client
    if root.entity is not None:
        roots = [ConfigEntity(root.entity)]
    else:
        roots = yield from read_entities_below([f"{paths.CONFIG}/{root.kind}"])
    if client is None:
        return sorted(roots, key=order_of)
    if client.entity is not None:
        return sorted((ConfigEntity(user.root, client.entity) for user in roots), key=order_of)
    parents = [f"{config_path(user)}/{client.kind}" for user in roots]
    return sorted((yield from read_entities_below(parents)), key=order_of)


def read_entities_below(parents: Iterable[str]) -> Steps[list[ConfigEntity]]:
    entities = []
    for path in (yield from read_paths_below(parents)):
        entity = entity_of_path(path.removeprefix(f"{paths.CONFIG}/"))
        assert entity is not None
        entities.append(entity)
    return entities


def read_configs(
    entities: Iterable[ConfigEntity],
) -> Steps[tuple[dict[ConfigEntity, ConfigOverrides], tuple[Fault, ...]]]:
    """The configs of *entities*, in their order, and what could not be understood of them.

    An entity without a znode has no configs.
    """
    entities = tuple(entities)
    nodes = [config_path(entity) for entity in entities]
    replies = yield from read(map(GetData, nodes))
    return apart(dict(zip(entities, map(overrides_told, nodes, replies), strict=True)))


def overrides_told(path: str, reply: ZkReply) -> ConfigOverrides | CorruptZnodeError:
    """The overrides at *path*; one that may not be read costs its owner alone."""
    return (
        may_not_be_read(path) if isinstance(reply, Refused) else overrides_in(node_in(path, reply))
    )


def apart(
    found: Mapping[ConfigEntity, ConfigOverrides | CorruptZnodeError],
) -> tuple[dict[ConfigEntity, ConfigOverrides], tuple[Fault, ...]]:
    """What could be understood of *found*, and what could not."""
    configs: dict[ConfigEntity, ConfigOverrides] = {}
    faults: list[CorruptZnodeError] = []
    for entity, overrides in found.items():
        if isinstance(overrides, CorruptZnodeError):
            faults.append(overrides)
        else:
            configs[entity] = overrides
    return configs, faults_of(faults)


def read_config_snapshot(entities: Sequence[ConfigEntity]) -> Steps[ConfigSnapshot]:
    """Read what changes of *entities* are planned from: two round trips, however many they are."""
    broker_ids = yield from read_children(paths.BROKER_IDS)
    topics = [str(entity.root.name) for entity in entities if entity.kind is EntityKind.TOPICS]
    nodes = [config_path(entity) for entity in entities]
    of_brokers, of_topics = decoding_brokers(broker_ids), decoding_topics(topics)
    broker_reply, topic_reply, *replies = yield from read(
        (of_brokers, of_topics, *map(GetData, nodes))
    )
    found = map(overrides_told, nodes, replies)
    configs, faults = apart(dict(zip(entities, found, strict=True)))
    told = zip(topics, items_in(of_topics, topic_reply), strict=True)
    return ConfigSnapshot(
        configs=configs,
        faults=faults,
        brokers=brokers_in(of_brokers, broker_reply, []),
        topics=topics_in(topics, of_topics, topic_reply, []),
        missing_topics=frozenset(topic for topic, item in told if item is None),
    )
