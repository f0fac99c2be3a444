"""Throttles of a reassignment: which replicas and brokers are to be slowed down?

Source: kafka.admin.ReassignPartitionsCommand.calculateProposedMoveMap (2.6 … 3.9) and what
follows it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cluster.model.config_entity import (
    ConfigEntity,
    ConfigOverrides,
    broker_entity,
    topic_entity,
)
from cluster.model.ids import BrokerId
from kadmin.plan.entity_options import order_of
from kadmin.plan.reassignment.dir_moves import DirMove
from kadmin.plan.reassignment.moves import Move
from kadmin.plan.reassignment.progress import Progress

LEADER_RATE: Final = "leader.replication.throttled.rate"
FOLLOWER_RATE: Final = "follower.replication.throttled.rate"
LOG_DIR_RATE: Final = "replica.alter.log.dirs.io.max.bytes.per.second"
LEADER_REPLICAS: Final = "leader.replication.throttled.replicas"
FOLLOWER_REPLICAS: Final = "follower.replication.throttled.replicas"

THROTTLES: Final = (LEADER_RATE, FOLLOWER_RATE, LOG_DIR_RATE, LEADER_REPLICAS, FOLLOWER_REPLICAS)


def topic_throttles(moves: Iterable[Move]) -> dict[str, dict[str, str]]:
    """Return the configs of each topic that name the replicas to be slowed down, in Kafka's form.

    Lists are sorted as texts, so that `10:1` precedes `2:1`.  A config that would name no replica
    is left out.
    """
    leaders: dict[str, set[str]] = {}
    followers: dict[str, set[str]] = {}
    for move in moves:
        topic, number = move.partition.topic, move.partition.partition
        leaders.setdefault(topic, set()).update(f"{number}:{b}" for b in move.sources)
        followers.setdefault(topic, set()).update(f"{number}:{b}" for b in move.destinations)
    return {
        topic: {
            key: ",".join(sorted(named[topic]))
            for key, named in ((LEADER_REPLICAS, leaders), (FOLLOWER_REPLICAS, followers))
            if named[topic]
        }
        for topic in sorted(leaders)
    }


def broker_throttles(moves: Iterable[Move], rate: int) -> dict[BrokerId, Mapping[str, str]]:
    """Return the configs of every broker that sends or takes, where each may use *rate* bytes
    per s."""
    named = {broker for move in moves for broker in (*move.sources, *move.destinations)}
    return {broker: {LEADER_RATE: str(rate), FOLLOWER_RATE: str(rate)} for broker in sorted(named)}


def log_dir_throttles(moves: Iterable[DirMove], rate: int) -> dict[BrokerId, Mapping[str, str]]:
    """Return the configs of every broker that has a replica in another directory than is asked
    for."""
    named = {move.replica.broker for move in moves if move.progress is not Progress.DONE}
    return {broker: {LOG_DIR_RATE: str(rate)} for broker in sorted(named)}


def throttles(moves: Sequence[Move], rate: int | None) -> dict[ConfigEntity, Mapping[str, str]]:
    """Return all configs that slow *moves* down to *rate* bytes per s at each broker; none
    without one."""
    if rate is None:
        return {}
    of_topics = topic_throttles(moves).items()
    of_brokers = broker_throttles(moves, rate).items()
    return {
        **{topic_entity(name): keys for name, keys in of_topics},
        **{broker_entity(id_): keys for id_, keys in of_brokers},
    }


def with_log_dir_throttles(
    wanted: Mapping[ConfigEntity, Mapping[str, str]], moves: Sequence[DirMove], rate: int | None
) -> dict[ConfigEntity, Mapping[str, str]]:
    """Return *wanted*, and what slows down to *rate* bytes per s at each broker what *moves*
    copy there from one directory to another; nothing more without one."""
    merged = dict(wanted)
    if rate is not None:
        for broker, keys in log_dir_throttles(moves, rate).items():
            entity = broker_entity(broker)
            merged[entity] = {**merged.get(entity, {}), **keys}
    return merged


def throttles_in(
    configs: Mapping[ConfigEntity, ConfigOverrides],
) -> dict[ConfigEntity, tuple[str, ...]]:
    """Return the throttles that are set, by key, of those of *configs* that have one, in order."""
    found = {
        entity: tuple(key for key in THROTTLES if key in config.values)
        for entity, config in sorted(configs.items(), key=lambda item: order_of(item[0]))
    }
    return {entity: keys for entity, keys in found.items() if keys}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottlesNow:
    """The throttles when nothing moves any more.

    Those of reassignments were *cleared*; *restored* are the values that replaced them, by entity
    and key, where there was one before.  *foreign* are those that no reassignment is known to have
    set.  Those of *silent* brokers, which do not answer, stay until they do.
    """

    cleared: tuple[ConfigEntity, ...]
    restored: Mapping[ConfigEntity, Mapping[str, str]]
    foreign: Mapping[ConfigEntity, tuple[str, ...]]
    silent: tuple[ConfigEntity, ...] = ()
