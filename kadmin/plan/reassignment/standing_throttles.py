"""The throttles that are set in a cluster: who has set each, and what does it slow down?

Pure.  A throttle that is in the lease was set by a reassignment, and is an orphan once nothing
needs it; any other is an operator's own, or another tool's.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from cluster.model.config_entity import (
    ConfigEntity,
    ConfigOverrides,
    Entity,
    EntityKind,
    broker_entity,
    topic_entity,
)
from cluster.model.fault import Thing
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from kadmin.plan.entity_options import order_of
from kadmin.plan.log_dirs import LogDirs
from kadmin.plan.reassignment.dir_moves import Replica, running_dir_moves
from kadmin.plan.reassignment.journal import Owner, ThrottleJournal, is_set_by, unwound
from kadmin.plan.reassignment.status import active_partitions
from kadmin.plan.reassignment.throttles import (
    FOLLOWER_RATE,
    FOLLOWER_REPLICAS,
    LEADER_RATE,
    LEADER_REPLICAS,
    LOG_DIR_RATE,
    throttles_in,
)
from kadmin.wording import counted, counted_partitions, verb_of

BROKER_DEFAULTS: Final = ConfigEntity(Entity(EntityKind.BROKERS, None))


class Holder(StrEnum):
    REASSIGNMENT = "reassignment"
    """One that is under way, or waits under its supervisor."""
    ORPHAN = "orphan"
    """A reassignment that is over, or whose process is gone."""
    OPERATOR = "operator"
    """Not known to the lease: an operator, or another tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleView:
    """What is to be known of the throttles of a cluster at a moment.

    *snapshot* has all topics with states and configs.  *configs* are those of all brokers and
    topics that may have throttles.  *log_dirs* is empty where no broker was asked.  *interrupted*
    are supervised runs that have neither ended nor a supervisor, *supervised* those that have one.
    """

    snapshot: ClusterSnapshot
    configs: Mapping[ConfigEntity, ConfigOverrides]
    journal: ThrottleJournal = field(default_factory=ThrottleJournal)
    log_dirs: LogDirs = field(default_factory=dict)
    interrupted: tuple[str, ...] = ()
    supervised: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle:
    """One config that slows replicas down.

    *owners* are the runs in the lease that it may be of.  *before* is the value that is restored
    when it is released, None where there was none.  *slows* are the replicas that it slows down
    now: those that are not in the ISR, or are copied to another log directory.
    """

    entity: ConfigEntity
    key: str
    value: str
    holder: Holder
    owners: tuple[Owner, ...] = ()
    before: str | None = None
    slows: tuple[Replica, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether a reassignment needs it, or it slows nothing down and is no orphan."""
        return self.holder is Holder.REASSIGNMENT or (
            self.holder is Holder.OPERATOR and not self.slows
        )


def needed_for(view: ThrottleView) -> str | None:
    """Return what the throttles of reassignments may be meant for; None where nothing is left."""
    moving = active_partitions(view.snapshot)
    if moving:
        count = len(moving)
        return f"{counted_partitions(sorted(moving))} {'is' if count == 1 else 'are'} being moved"
    for fault in view.snapshot.faults:
        if fault.subject.thing is Thing.TOPIC:
            return f"a topic cannot be read, and may be moving: {fault}"
    slowed = {entity for entity, keys in view.journal.entries.items() if LOG_DIR_RATE in keys}
    copied = [
        move.replica
        for move in running_dir_moves(view.log_dirs)
        if broker_entity(move.replica.broker) in slowed
    ]
    if copied:
        verb = verb_of(copied, "is")
        return f"{counted(len(copied), 'replica')} {verb} being copied to another log directory"
    if view.supervised:
        return f"the run {view.supervised[-1]} is under way"
    return None


def standing_throttles(view: ThrottleView) -> list[Throttle]:
    """Return all throttles that are set, brokers by number and topics by name."""
    is_needed = needed_for(view) is not None
    slowed = slowed_replicas(view)
    found = []
    # Brokers first: their rates are what the lists of topics refer to.
    ordered = sorted(
        throttles_in(view.configs).items(), key=lambda item: (item[0].kind, order_of(item[0]))
    )
    for entity, keys in ordered:
        for key in keys:
            value = view.configs[entity].values[key]
            throttle = Throttle(
                entity=entity,
                key=key,
                value=value,
                holder=Holder.OPERATOR,
                slows=tuple(sorted(set(slowed.get((entity, key), ())), key=replica_order)),
            )
            entry = view.journal.entries.get(entity, {}).get(key)
            if entry is not None and is_set_by(entry, value):
                throttle = replace(
                    throttle,
                    holder=Holder.REASSIGNMENT if is_needed else Holder.ORPHAN,
                    owners=owners_of(view.journal, entity),
                    before=unwound(entry, value, is_shared=view.journal.is_shared)[0],
                )
            found.append(throttle)
    return found


def owners_of(journal: ThrottleJournal, entity: ConfigEntity) -> tuple[Owner, ...]:
    """Return the runs that move something of a topic; of a broker all that there are."""
    if entity.kind is EntityKind.BROKERS:
        return journal.owners
    return tuple(owner for owner in journal.owners if entity.root.name in owner.partitions)


def slowed_replicas(view: ThrottleView) -> dict[tuple[ConfigEntity, str], list[Replica]]:
    """Return the replicas that each throttle slows down now, by entity and key.

    A list of replicas and the rate of a broker work only together.
    """
    found: dict[tuple[ConfigEntity, str], list[Replica]] = {}
    for topic in view.snapshot.topics.values():
        of_topic = topic_entity(topic.name)
        for replica, leader in lagging(topic, view.snapshot):
            number = replica.partition.partition
            for list_key, rate_key, broker in (
                (LEADER_REPLICAS, LEADER_RATE, leader),
                (FOLLOWER_REPLICAS, FOLLOWER_RATE, replica.broker),
            ):
                of_broker = rate_holder(view, rate_key, broker)
                named = topic.config.values.get(list_key)
                if of_broker is not None and named is not None and names(named, number, broker):
                    found.setdefault((of_topic, list_key), []).append(replica)
                    found.setdefault((of_broker, rate_key), []).append(replica)
    for move in running_dir_moves(view.log_dirs):
        limited = rate_holder(view, LOG_DIR_RATE, move.replica.broker)
        if limited is not None:
            found.setdefault((limited, LOG_DIR_RATE), []).append(move.replica)
    return found


def lagging(topic: TopicSnapshot, snapshot: ClusterSnapshot) -> Iterator[tuple[Replica, BrokerId]]:
    """Return the replicas on live brokers that are not in the ISR, each with its leader."""
    for number, part in topic.assignment.partitions.items():
        state = topic.states.get(number)
        if state is None:
            continue
        for broker in part.replicas:
            if broker in snapshot.live and broker not in state.isr:
                yield Replica(broker, TopicPartition(topic.name, number)), state.leader


def replica_order(replica: Replica) -> tuple[TopicPartition, BrokerId]:
    return replica.partition, replica.broker


def rate_holder(view: ThrottleView, key: str, broker: BrokerId) -> ConfigEntity | None:
    """Return whose rate *key* the broker has: its own, or the default of all."""
    for entity in (broker_entity(broker), BROKER_DEFAULTS):
        if entity in view.configs and key in view.configs[entity].values:
            return entity
    return None


def names(text: str, number: int, broker: BrokerId) -> bool:
    """Return whether a list of throttled replicas names that of partition *number* at *broker*."""
    parts = [part.strip() for part in text.split(",")]
    return "*" in parts or f"{number}:{broker}" in parts
