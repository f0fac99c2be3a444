"""The spread of a topic over brokers: who has more of it than others?

The measures are those of CMAK (Kafka Manager), by its definitions, so that numbers can be compared:
a broker is skewed that has more of the topic's replicas than their mean over the brokers that have
any, rounded up; its leaders are, if it leads more partitions than their mean, rounded up.

Source: CMAK, `ActorModel.TopicIdentity`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from cluster.model.ids import NO_LEADER, BrokerId
from cluster.model.snapshot import TopicSnapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerShare:
    """What a broker has of a topic: the *partitions* of which it has a replica, in order, and those
    that it leads."""

    broker: BrokerId
    partitions: tuple[int, ...]
    leaders: tuple[int, ...]
    is_skewed: bool
    is_leader_skewed: bool


def shares_of(topic: TopicSnapshot) -> list[BrokerShare]:
    """Return the share of each broker that has a replica of *topic*, or leads a partition."""
    replicas: dict[BrokerId, list[int]] = {}
    leaders: dict[BrokerId, list[int]] = {}
    states = topic.states
    partitions = topic.assignment.partitions
    for partition, assignment in partitions.items():
        for broker in dict.fromkeys(assignment.replicas):
            replicas.setdefault(broker, []).append(partition)
        state = states.get(partition)
        if state is not None and state.leader != NO_LEADER:
            leaders.setdefault(state.leader, []).append(partition)
    brokers = sorted(replicas.keys() | leaders.keys())
    if not brokers:
        return []
    replica_mean = rounded_up(sum(map(len, replicas.values())), len(brokers))
    leader_mean = rounded_up(len(partitions), len(brokers))
    return [
        BrokerShare(
            broker=broker,
            partitions=tuple(replicas.get(broker, ())),
            leaders=tuple(leaders.get(broker, ())),
            is_skewed=len(replicas.get(broker, ())) > replica_mean,
            is_leader_skewed=len(leaders.get(broker, ())) > leader_mean,
        )
        for broker in brokers
    ]


def rounded_up(count: int, of: int) -> int:
    return -(-count // of)


def percent(count: int, of: int, without: int = 0) -> int:
    """Return *count* in percent of *of*, rounded down; *without* where there is nothing."""
    return 100 * count // of if of else without


def percent_of(facts: Iterable[bool]) -> int:
    known = list(facts)
    return percent(sum(known), len(known))
