"""Names of brokers: which ids mean a broker of the cluster?

A broker is one that is alive, or one of which some partition has a replica.
"""

from collections.abc import Collection, Iterable, Sequence

from cluster.model.ids import BrokerId
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from kadmin.errors import KadminError, hint_for_missing
from kadmin.wording import brokers_text, verb_of


class NoSuchBroker(KadminError):
    """Ids that no broker of the cluster has; *known* are those that there are.

    *remedy* completes the hint where a broker may be meant that is to come.
    """

    def __init__(
        self,
        missing: Collection[BrokerId],
        known: Iterable[BrokerId],
        remedy: str | None = None,
    ) -> None:
        first, *_ = names = sorted(missing)
        hint = hint_for_missing(
            str(first), [str(broker) for broker in known], listed_by="kadmin brokers --describe"
        )
        super().__init__(
            no_broker_text(names),
            hint=hint if remedy is None else f"{hint}; {remedy}",
        )
        self.brokers = tuple(sorted(missing))


def no_broker_text(missing: Sequence[BrokerId]) -> str:
    return f"there {verb_of(missing, 'is')} no {brokers_text(missing)}"


def hosts_of(topics: Iterable[TopicSnapshot]) -> set[BrokerId]:
    """Return those that have replicas of *topics*, alive or not."""
    return {
        replica
        for topic in topics
        for partition in topic.assignment.partitions.values()
        for replica in partition.replicas
    }


def hosting_brokers(snapshot: ClusterSnapshot) -> set[BrokerId]:
    """Return all that have replicas or are to get some, alive or not."""
    return hosts_of(snapshot.topics.values()).union(*snapshot.moving.values())


def dead_brokers(snapshot: ClusterSnapshot) -> list[BrokerId]:
    """Return those that have replicas and are not alive, in order."""
    return sorted(hosting_brokers(snapshot) - snapshot.brokers.keys())


def unknown_brokers(snapshot: ClusterSnapshot, named: Iterable[BrokerId]) -> list[BrokerId]:
    """Return those of *named* that are none of the cluster, whose topics are all in *snapshot*."""
    hosts = hosting_brokers(snapshot)
    return sorted(
        broker for broker in set(named) if broker not in snapshot.live and broker not in hosts
    )


def refuse_unknown_brokers(
    snapshot: ClusterSnapshot, named: Iterable[BrokerId], remedy: str | None = None
) -> None:
    """Raise NoSuchBroker for those of *named* that are none of the cluster, as `unknown_brokers`
    has it."""
    unknown = unknown_brokers(snapshot, named)
    if unknown:
        known = sorted(snapshot.brokers.keys() | hosting_brokers(snapshot))
        raise NoSuchBroker(unknown, known, remedy)
