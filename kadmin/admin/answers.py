"""What ZooKeeper or brokers answer about a cluster.

Apart from the ports, so that a command which only lists topics imports nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from kadmin.errors import KadminError

if TYPE_CHECKING:
    from cluster.model.acl import PatternType, ResourceAcls, ResourcePattern, ResourceType
    from cluster.model.broker import BrokerRegistration
    from cluster.model.config_entity import ConfigEntity, ConfigOverrides
    from cluster.model.fault import Fault
    from cluster.model.ids import BrokerId, TopicPartition
    from cluster.model.topic import TopicAssignment
    from kadmin.plan.groups.group import ListedGroup

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers(Generic[Answer]):
    """The answers of leaders about their partitions; *unanswered* has the others, each with the
    reason.
    """

    found: "Mapping[TopicPartition, Answer]"
    unanswered: "Mapping[TopicPartition, str]"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAnswers(Generic[Answer]):
    """What coordinators answered about their groups; *unanswered* has the others, with reasons."""

    found: Mapping[str, Answer]
    unanswered: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupList:
    """The groups that brokers list, sorted by name; *silent* brokers did not answer, for a
    reason."""

    groups: "tuple[ListedGroup, ...]"
    silent: "Mapping[BrokerId, str]"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicNames:
    """The names of all topics, sorted, and of those that wait for their deletion.

    *faults* are those that no topic can be called by.
    """

    names: tuple[str, ...]
    marked_for_deletion: frozenset[str]
    faults: "tuple[Fault, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicsOfId:
    """The topics with one id, in order of name; in a sound cluster it is one at most.

    *faults* are the topics whose id is not known, since they are damaged or locked.
    """

    names: tuple[str, ...]
    faults: "tuple[Fault, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSnapshot:
    """What changes of configs depend on.

    *configs* and *topics* have the requested entities, the latter those that are topics.
    Unreadable content is left out: of the configs it is among the *faults*, a topic or a broker is
    as if it were unknown.  *missing_topics* were requested and do not exist.  With
    *is_from_brokers* all this was read from brokers, which then receive the change as well.
    """

    configs: "Mapping[ConfigEntity, ConfigOverrides]"
    faults: "tuple[Fault, ...]"
    brokers: "Mapping[BrokerId, BrokerRegistration]"
    topics: "Mapping[str, TopicAssignment]"
    missing_topics: frozenset[str]
    is_from_brokers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AclSnapshot:
    """The rules of all resources that have any, in order; those of *damaged* ones are not known.

    *hidden* are the kinds of resources of which it may not be seen which have rules; *unread* is
    what stands where no broker looks for rules.
    """

    acls: "Mapping[ResourcePattern, ResourceAcls]"
    damaged: "Mapping[ResourcePattern, Fault]"
    hidden: "Mapping[tuple[ResourceType, PatternType], Fault]" = field(default_factory=dict)
    unread: "tuple[Fault, ...]" = ()


class NoClusterHere(KadminError):
    """The ZooKeeper at *connect* answers, but no broker ever made what stands at *where*."""

    def __init__(self, connect: str, where: str) -> None:
        super().__init__(
            f"there is no cluster at {connect}: {where} does not exist",
            hint="check the chroot; brokers make that znode when they start",
        )
        self.connect = connect
