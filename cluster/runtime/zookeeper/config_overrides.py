"""Which configs of topics and brokers stand in ZooKeeper?

Knows neither who asks nor what the configs mean; damaged ones cost their owner alone.
"""

import asyncio
from collections.abc import Mapping, Sequence

from kazoo.exceptions import KazooException

from cluster.broker.ports import Outcome, TopicOverrides
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import CorruptZnodeError
from cluster.runtime.zookeeper.registration import read
from cluster.runtime.zookeeper.session import Session
from cluster.zk.configs import config_path, decode_config


async def read_topic_overrides(session: Session, topics: Sequence[str]) -> TopicOverrides:
    """The overrides of *topics*; empty for one that has none."""
    entities = [Entity(EntityKind.TOPICS, topic) for topic in topics]
    found = await asyncio.gather(*(read_overrides(session, entity) for entity in entities))
    return dict(zip(topics, found, strict=True))


async def read_overrides(session: Session, entity: Entity) -> Mapping[str, str] | Outcome:
    """The overrides of *entity*; if they are damaged, the error, which is that entity's alone."""
    node = await read(session, config_path(ConfigEntity(entity)))
    try:
        return {} if node is None else decode_config(node).values
    except CorruptZnodeError as error:
        return failed(error)


def failed(error: CorruptZnodeError | KazooException) -> Outcome:
    """The outcome for whoever asked, when ZooKeeper fails or what stands there is damaged."""
    return Outcome(ErrorCode.UNKNOWN_SERVER_ERROR, f"ZooKeeper: {error!r}")
