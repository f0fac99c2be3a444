"""Reads of configs: which entities have some, and which?

Sequences of requests, in few round trips.  Decides nothing.
"""

from collections.abc import Iterable, Iterator, Sequence

from cluster.model.config_entity import (
    NO_OVERRIDES,
    ConfigEntity,
    ConfigOverrides,
    Entity,
    EntityKind,
)
from cluster.model.errors import CorruptZnodeError, may_not_be_read
from cluster.model.fault import Fault
from cluster.zk import paths
from cluster.zk.configs import (
    PLAIN_KINDS,
    config_path,
    decode_mendable_config,
    entity_at,
    is_meant_by,
)
from cluster.zk.requests import GetChildren, GetData, Refused, ZkReply
from cluster.zk.steps import (
    Steps,
    items_in,
    names_in,
    node_in,
    read,
    read_children,
    read_paths_below,
)
from kadmin.admin.answers import ConfigSnapshot
from kadmin.admin.zookeeper.faults import faults_of, mendable_faults
from kadmin.admin.zookeeper.snapshot import (
    brokers_in,
    decoding_brokers,
    decoding_topics,
    topics_in,
)
from kadmin.arguments.entities import EntitySelection, Wanted
from kadmin.plan.entity_options import order_of


def find_entities(selection: EntitySelection) -> Steps[list[ConfigEntity]]:
    """Return the entities that *selection* names, and of those it does not name all that have a
    znode.

    Topics are not looked up: a name may be a pattern there.
    """
    root, client = selection.root, selection.client
    roots = yield from read_wanted([f"{paths.CONFIG}/{root.kind}"], [None], root)
    if client is None:
        return sorted(roots, key=order_of)
    parents = [f"{config_path(user)}/{client.kind}" for user in roots]
    users = [user.root for user in roots]
    return sorted((yield from read_wanted(parents, users, client)), key=order_of)


def read_wanted(
    parents: Sequence[str], users: Sequence[Entity | None], wanted: Wanted
) -> Steps[list[ConfigEntity]]:
    """Return the entities that are *wanted* below each of *parents*, which is that of one of
    *users*.

    One that is named need not have a znode, and may have others that no broker reads.
    """
    named = wanted.entity
    if named is None:
        return (yield from read_entities_below(parents))
    found = [ConfigEntity(named) if user is None else ConfigEntity(user, named) for user in users]
    if named.name is None or named.kind in PLAIN_KINDS:
        return found
    replies = yield from read(map(GetChildren, parents))
    below = (
        f"{parent}/{name}"
        for parent, reply in zip(parents, replies, strict=True)
        if not isinstance(reply, Refused)
        for name in names_in(parent, reply)
    )
    for entity in entities_at(below):
        if is_meant_by(named, entity.root if entity.child is None else entity.child):
            found.append(entity)
    return found


def read_entities_below(parents: Iterable[str]) -> Steps[list[ConfigEntity]]:
    return list(entities_at((yield from read_paths_below(parents))))


def entities_at(node_paths: Iterable[str]) -> Iterator[ConfigEntity]:
    for path in node_paths:
        entity = entity_at(path.removeprefix(f"{paths.CONFIG}/"))
        assert entity is not None
        yield entity


def read_configs(
    entities: Iterable[ConfigEntity],
) -> Steps[tuple[dict[ConfigEntity, ConfigOverrides], tuple[Fault, ...]]]:
    """Return the configs of *entities*, in their order, and what could not be understood of them.

    An entity without a znode has no configs.
    """
    entities = tuple(entities)
    replies = yield from read(GetData(config_path(entity)) for entity in entities)
    return apart(zip(entities, replies, strict=True))


def apart(
    found: Iterable[tuple[ConfigEntity, ZkReply]],
) -> tuple[dict[ConfigEntity, ConfigOverrides], tuple[Fault, ...]]:
    """Return what could be understood of *found*, and what could not; of what can be mended,
    both."""
    configs: dict[ConfigEntity, ConfigOverrides] = {}
    faults: list[CorruptZnodeError] = []
    for entity, reply in found:
        path = config_path(entity)
        if isinstance(reply, Refused):
            faults.append(may_not_be_read(path))
            continue
        node = node_in(path, reply)
        if node is None:
            configs[entity] = NO_OVERRIDES
            continue
        try:
            config = decode_mendable_config(node)
        except CorruptZnodeError as error:
            faults.append(error)
            continue
        configs[entity] = config
        if entity.is_raw and config.values:
            faults.append(node.corrupt("its name is not URL-encoded, so no broker reads it"))
        faults += mendable_faults(node, entity.kind, config)
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
    configs, faults = apart(zip(entities, replies, strict=True))
    answers = zip(topics, items_in(of_topics, topic_reply), strict=True)
    return ConfigSnapshot(
        configs=configs,
        faults=faults,
        brokers=brokers_in(of_brokers, broker_reply, []),
        topics=topics_in(topics, of_topics, topic_reply, []),
        missing_topics=frozenset(topic for topic, item in answers if item is None),
    )
