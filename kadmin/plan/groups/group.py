"""Consumer groups as their coordinators, or ZooKeeper, describe them: states, members, partitions.

Knows neither brokers nor ZooKeeper: the caller passes what they have answered.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.errors import KadminError, hint_for_missing
from kadmin.wording import listed

STABLE: Final = "Stable"
EMPTY: Final = "Empty"
DEAD: Final = "Dead"
PREPARING_REBALANCE: Final = "PreparingRebalance"
COMPLETING_REBALANCE: Final = "CompletingRebalance"
UNKNOWN: Final = "Unknown"

STATES: Final = (
    *(PREPARING_REBALANCE, COMPLETING_REBALANCE, STABLE, DEAD, EMPTY),
    *("Assigning", "Reconciling"),
)
"""The states of both group protocols, in Kafka's order."""
REBALANCING: Final = frozenset(
    {PREPARING_REBALANCE, COMPLETING_REBALANCE, "Assigning", "Reconciling"}
)
OLD_NAMES: Final = {"AwaitingSync": COMPLETING_REBALANCE}
"""Names of states before Kafka 1.1."""

CLASSIC: Final = "Classic"
CONSUMER: Final = "Consumer"
TYPES: Final = (CLASSIC, CONSUMER)

ZOOKEEPER: Final = "ZooKeeper"
"""The type of groups of old consumers, which no broker knows."""

CONSUMER_PROTOCOL: Final = "consumer"
CONSUMER_PROTOCOLS: Final = frozenset({"", CONSUMER_PROTOCOL})
"""The protocol types of groups of consumers: none where the group only keeps offsets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedGroup:
    """A group in a list; *state* and *type* are None where its broker is too old to name them,
    *coordinator* where it has none."""

    name: str
    protocol_type: str
    state: str | None
    type: str | None
    coordinator: BrokerId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member; *assigned* is sorted, and None where no broker returned its assignment.

    *client_id* and *host* are empty where they are not known, as in ZooKeeper.
    """

    id: str
    client_id: str
    host: str
    instance_id: str | None = None
    assigned: tuple[TopicPartition, ...] | None = ()

    def __str__(self) -> str:
        name = f"{self.client_id} ({self.id})" if self.client_id else self.id
        return f"{name} on {self.host}" if self.host else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinator:
    """The broker that keeps a group."""

    id: BrokerId
    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group as its coordinator describes it; one that it does not know is Dead.

    *coordinator* is None for a group in ZooKeeper.
    """

    name: str
    state: str
    assignor: str
    coordinator: Coordinator | None
    members: tuple[Member, ...] = ()
    protocol_type: str = ""

    @property
    def is_alive(self) -> bool:
        """Whether it has members, whose commits would overwrite what others put in."""
        return self.state not in (EMPTY, DEAD)

    @property
    def is_rebalancing(self) -> bool:
        return self.state in REBALANCING


class NoSuchGroup(KadminError):
    """Groups that do not exist."""

    def __init__(self, names: Sequence[str], known: Sequence[str] = ()) -> None:
        which = (
            f"consumer group '{names[0]}' does not exist"
            if len(names) == 1
            else f"these consumer groups do not exist: {listed(names)}"
        )
        super().__init__(
            which, hint=hint_for_missing(names[0], known, listed_by="kadmin groups --list")
        )
        self.names = tuple(names)
