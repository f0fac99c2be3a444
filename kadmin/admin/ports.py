"""The ports of a live cluster: what it can be asked, and how a change of it ends.

Protocols and the values that they hand over.  `kadmin.admin.zookeeper` and `kadmin.admin.wire`
implement them, by ZooKeeper and by brokers; imports no client of either.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from cluster.model import outcome
from cluster.model.outcome import Committed

if TYPE_CHECKING:
    from cluster.model.config_entity import ConfigEntity, ConfigOverrides
    from cluster.model.fault import Fault
    from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
    from cluster.model.snapshot import ClusterSnapshot
    from kadmin.admin.answers import (
        AclSnapshot,
        Answers,
        ConfigSnapshot,
        GroupAnswers,
        GroupList,
        NoClusterHere,
        TopicNames,
        TopicsOfId,
    )
    from kadmin.arguments.entities import EntitySelection
    from kadmin.arguments.topics import TopicSelection
    from kadmin.plan.acls import AclPlan
    from kadmin.plan.config_plan import ConfigPlan
    from kadmin.plan.config_values import ConfigValue
    from kadmin.plan.election import ElectionPlan, PartitionElection  # noqa: F401 - as below
    from kadmin.plan.groups.changes import GroupPlan  # noqa: F401 - in a base, as text
    from kadmin.plan.groups.group import Group
    from kadmin.plan.groups.lag import Logs, Position
    from kadmin.plan.log_dirs import LogDirs
    from kadmin.plan.offsets import FoundOffset
    from kadmin.plan.reassignment.dir_moves import DirMove, Replica
    from kadmin.plan.reassignment.journal import ThrottleJournal
    from kadmin.plan.reassignment.moves import Move, MovePlan
    from kadmin.plan.record_deletion import DeletionPlan  # noqa: F401 - as below
    from kadmin.plan.supervision.run import MoveRun
    from kadmin.plan.topics import DefaultCounts, TopicPlan  # noqa: F401 - in a base, as text

Plan = TypeVar("Plan", contravariant=True)
Item = TypeVar("Item", covariant=True)
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """The condition of a change: it is refused when the fence has moved since it was read.

    *mark* is the cluster's own number, which every new controller moves; only the port that
    returned it can interpret it.  None where nothing is checked: a cluster that never had a
    controller, or brokers, which take no fence.  *lease* is the version of the lease of throttles
    that must not change, *run* the journal of a supervised run; None where that does not matter.
    """

    mark: int | None
    lease: "ZkVersion | None" = None
    run: "KeptRun | None" = None


LeaseFence: TypeAlias = "tuple[tuple[str, ZkVersion], ...]"
"""Places and their versions; only the port that returned them can interpret them."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """The journal of a supervised run, as it was read, and the fence of its supervisor's lease."""

    run_id: str
    zk_version: "ZkVersion"
    lease: "LeaseFence" = ()


@dataclass(frozen=True, slots=True)
class Partly(Generic[Key]):
    """A change that was made except for *refused*, partitions or groups, each with the reason that
    ZooKeeper or the broker gave.

    Nothing has changed that would need a new plan, so no new one is made.
    """

    refused: Mapping[Key, str]


Made: TypeAlias = Committed | Partly[Any]
Outcome: TypeAlias = outcome.Outcome | Partly[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining(Generic[Item]):
    """What of a change the cluster has not taken up yet; a controller, if there is one, does it."""

    items: Sequence[Item]
    has_controller: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DirsAsked:
    """What brokers say of moves to other log directories that they were asked for.

    Those *begun* are done, or on their way.  Those *awaited* are of replicas that are not there
    yet: they will be made in the right directory; or their broker has not answered.  *refused* are
    those that have to end here, with the reason.
    """

    begun: "Sequence[DirMove]"
    awaited: "Sequence[DirMove]"
    refused: "Mapping[Replica, str]"


class Writer(Protocol[Plan]):
    """A connection to a cluster that can be changed by plans of one kind."""

    def fence(self) -> Fence:
        """What a change is made under; to be asked before it is planned.

        Raises:
            RefusedError: nothing may be written here.
        """

    def write(self, fence: Fence, plan: Plan) -> Outcome:
        """Carry *plan* out, whole or not at all; one that changes nothing writes nothing.

        What stands in its way comes back as an `Outcome` other than `Committed`.  Only where the
        cluster decides on each partition by itself can it be done in part.
        """


class TopicAdmin(Writer["TopicPlan"], Protocol):
    """A connection that reads the topics and changes them."""

    def names(self, wanted: "Sequence[str]" = ()) -> "TopicNames":
        """The names of all topics; where they may not be seen, those of *wanted* that exist."""

    def broker_ids(self) -> "Sequence[BrokerId]":
        """The ids of the live brokers, sorted."""

    def topics_of_id(self, topic_id: str) -> "TopicsOfId":
        """The topics whose id is *topic_id*, written as brokers write it."""

    def snapshot(
        self, selection: "TopicSelection", *, with_states: bool = True, with_topics: bool = True
    ) -> "ClusterSnapshot":
        """The brokers, the controller, and the topics of *selection* with configs and states.

        Without *with_states* the topics have none, without *with_topics* there are none at all.
        """

    def with_refusals(self, snapshot: "ClusterSnapshot") -> "ClusterSnapshot":
        """*snapshot* with what the brokers of its topics say that they do not serve."""

    def with_eligible_leaders(self, snapshot: "ClusterSnapshot") -> "ClusterSnapshot":
        """*snapshot* with the eligible leaders of all its partitions, where brokers list them."""

    def default_counts(self) -> "DefaultCounts | None":
        """Return the default partition count and replication factor; None where they are
        unknown.
        """

    def default_min_isr(self) -> int | None:
        """Return the default min.insync.replicas of a topic; None where it is unknown."""

    def without_leader(self, partitions: "Sequence[TopicPartition]") -> "Remaining[TopicPartition]":
        """Those of *partitions* that have no leader now."""

    def not_deleted(self, topics: Sequence[str]) -> Remaining[str]:
        """Those of *topics* that are still there."""


class ConfigAdmin(Writer["ConfigPlan"], Protocol):
    """A connection that reads the configs and changes them."""

    def absence(self) -> "NoClusterHere | None":
        """Why there seems to be no cluster here; None where there is one."""

    def topic_names(self, selection: "TopicSelection") -> Sequence[str]:
        """The names of all topics, or of those alone that *selection* names, if all are there."""

    def find(self, selection: "EntitySelection") -> "list[ConfigEntity]":
        """The entities that *selection* names, and of those it does not name all that have
        configs; topics are not looked up."""

    def read(
        self, entities: "Sequence[ConfigEntity]"
    ) -> "tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]":
        """What was set for each of *entities*, in their order, and what cannot be understood."""

    def read_all(
        self, entities: "Sequence[ConfigEntity]"
    ) -> "tuple[Mapping[ConfigEntity, Sequence[ConfigValue]], Sequence[Fault]]":
        """All that the topics or brokers *entities* have or could have; else as `read`."""

    def snapshot(self, entities: "Sequence[ConfigEntity]") -> "ConfigSnapshot":
        """What changes of *entities* are planned from."""

    def dry_run(self, plans: "Sequence[ConfigPlan]") -> None:
        """Refuse *plans* if one of them could not be written; writes nothing."""


class ElectionAdmin(Writer["ElectionPlan"], Protocol):
    """A connection that reads the leaders and has others elected.

    A plan is written when the controller has been asked; `not_elected` returns what is not done
    yet.
    """

    def snapshot(
        self, selection: "TopicSelection", *, with_topics: bool = True
    ) -> "ClusterSnapshot":
        """The brokers and, *with_topics*, the topics of *selection* with their states."""

    def under_way(self) -> "Sequence[TopicPartition]":
        """The partitions of an election that has been asked for and keeps others from being."""

    def end_offsets(
        self, replicas: "Mapping[TopicPartition, Sequence[BrokerId]]"
    ) -> "Mapping[TopicPartition, Mapping[BrokerId, int]]":
        """The log end offsets of *replicas*, as far as they can be had."""

    def not_elected(
        self, elections: "Sequence[PartitionElection]"
    ) -> "Remaining[PartitionElection]":
        """Those of *elections*, which move leaders, that the controller has yet to go through."""


class ReplicaTeller(Protocol):
    """A connection that reads replicas from their brokers."""

    def log_dirs(self, partitions: "Sequence[TopicPartition] | None") -> "LogDirs | None":
        """Return what live brokers keep of *partitions*, None for all, by log directory.

        A broker that does not answer is left out; None where no broker can be asked.
        """

    def end_offsets(
        self, replicas: "Mapping[TopicPartition, Sequence[BrokerId]]"
    ) -> "Mapping[TopicPartition, Mapping[BrokerId, int]]":
        """The log end offsets of *replicas*, as far as they can be had."""


class ReassignmentAdmin(Writer["MovePlan"], ReplicaTeller, Protocol):
    """A connection that reads the replicas and has them moved.

    A plan is written when the controller has been asked for the moves that it has not received yet,
    its `asked`; `not_moved` returns what is not done yet.
    """

    @property
    def configs(self) -> ConfigAdmin:
        """The configs of the same cluster, which throttles are."""

    @property
    def takes_one_request(self) -> bool:
        """Whether the controller takes no request while it carries one out."""

    def cluster_id(self) -> str | None:
        """The id of the cluster; None before Kafka 0.10.1, which has none."""

    def snapshot(
        self,
        selection: "TopicSelection",
        *,
        with_states: bool = True,
        with_configs: bool = False,
    ) -> "ClusterSnapshot":
        """The brokers, the controller, what is being moved, and the topics of *selection*.

        The topics need no states without *with_states*, and configs only *with_configs*.
        """

    def waves(self, plan: "MovePlan") -> "Sequence[MovePlan]":
        """*plan* in parts that can be asked for at once, each when the one before it is done; none
        where there is nothing to ask for.  Writes nothing.

        Raises:
            RefusedError: what this cluster cannot be asked for, such as log directories.
        """

    def move_dirs(self, moves: "Sequence[DirMove]") -> "DirsAsked":
        """Ask brokers for *moves* of their replicas to other log directories, whatever is known of
        them here; asking again changes nothing.

        Raises:
            RefusedError: this cluster cannot be asked for that.
        """

    def journal(self) -> "ThrottleJournal":
        """The throttles that reassignments have set, where all who use this cluster find them.

        Raises:
            RefusedError: it is damaged.
        """

    def write_journal(self, fence: Fence, journal: "ThrottleJournal") -> Outcome:
        """Keep *journal*, where it still is in the version that it bears; an empty one is kept
        nowhere."""

    def not_moved(self, moves: "Sequence[Move]") -> "Remaining[Move]":
        """Those of *moves* that are still being done, or that the controller has not begun."""


class RunStore(Protocol):
    """The journals of supervised runs, and the lease of which one supervisor has at a time."""

    @property
    def place(self) -> str:
        """Where the journals are, for an operator."""

    @property
    def unseen(self) -> str:
        """Which runs may be elsewhere, and why they are not read; empty where these are all."""

    def run_ids(self) -> Sequence[str]:
        """The runs that are kept, the oldest first."""

    def read(self, run_id: str) -> "MoveRun | None":
        """The run as it is kept now; None where there is none.

        Raises:
            RefusedError: it is damaged.
        """

    def create(self, run: "MoveRun") -> Outcome:
        """Keep *run*, which is new, unless another has not ended; of older ones that have ended
        only the last are kept."""

    def write(self, run: "MoveRun") -> Outcome:
        """Keep *run* in the place of the one that was read in the version that it bears; a
        supervisor only while it has the lease."""

    def claim(self, me: str) -> str | None:
        """Take the lease for the supervisor *me*, or wait for it in the queue; return who has it.

        A lease that was lost is claimed anew, behind those that wait.  None: no other supervisor
        has it, and *me* not yet; an earlier session of *me* may keep it until that expires.
        """

    def lease_fence(self) -> "LeaseFence":
        """What is checked with each write, and passes as long as this supervisor has the lease that
        it claimed last."""

    def holds_lease(self) -> bool:
        """Whether that goes on, as far as it can be seen without a request."""

    def supervisor(self) -> str | None:
        """Who has the lease; None where it is free, which an old one is after a session timeout."""

    def release(self) -> None:
        """Give the lease back, or leave the queue."""


class LeaseKeeper(Protocol):
    """The lease of throttles in ZooKeeper, for a connection to brokers that may not reach it."""

    def read(self, zookeeper: str, cluster_id: str) -> "ThrottleJournal | None":
        """The lease of the cluster with *cluster_id*, whose brokers name *zookeeper*; None where
        that cannot be reached, is another cluster's, or has no say any more.

        Raises:
            RefusedError: it is damaged.
        """

    def write(self, journal: "ThrottleJournal") -> Outcome | None:
        """Keep *journal* in place of the one that was read last; None where that is not allowed,
        from when on `read` returns None."""


class AclAdmin(Writer["AclPlan"], Protocol):
    """A connection that reads the rules of the authorizer, and changes them."""

    def snapshot(self) -> "AclSnapshot":
        """All rules."""

    def dry_run(self, plans: "Sequence[AclPlan]") -> None:
        """Refuse *plans* if one of them could not be written; writes nothing."""


class RecordAdmin(Writer["DeletionPlan"], Protocol):
    """A connection to the leaders of partitions, who delete what comes before an offset.

    A plan is written when every live replica has deleted it; of a partition that is refused, its
    leader may have.
    """

    def snapshot(self, selection: "TopicSelection") -> "ClusterSnapshot":
        """The topics of *selection*.

        Raises:
            NoSuchTopic: it names one that is not there, or matches none.
        """

    def offsets(
        self, partitions: "Iterable[TopicPartition]", moment: int
    ) -> "Answers[FoundOffset]":
        """The offsets of *partitions* at *moment*, ms since 1970 or a number of
        `kadmin.plan.offsets`."""


class LogTeller(Protocol):
    """A connection to the leaders of partitions."""

    def logs(self, partitions: "Iterable[TopicPartition]", *, with_starts: bool) -> "Logs":
        """Where the logs of *partitions* end and, *with_starts*, begin."""

    def offsets_at(
        self, partitions: "Iterable[TopicPartition]", time_ms: int
    ) -> "Answers[FoundOffset]":
        """The first records of *partitions* that are not older than *time_ms*."""

    def record_times(self, positions: "Iterable[Position]") -> "Mapping[Position, int | None]":
        """The time of the first record at or behind each of *positions*, as far as it is known;
        None where no record is there."""


class GroupAdmin(Writer["GroupPlan"], LogTeller, Protocol):
    """A connection to what keeps groups, their coordinators or ZooKeeper, and to the leaders of
    what they read.

    No offsets are written into a group that has members.
    """

    def listing(self) -> "GroupList":
        """The groups of consumers, sorted by name."""

    def describe(self, names: Iterable[str]) -> "GroupAnswers[Group]":
        """The groups *names*; one that does not exist is Dead."""

    def committed(self, names: Iterable[str]) -> "GroupAnswers[Mapping[TopicPartition, int]]":
        """The offsets that the groups *names* have committed."""

    def topic_partitions(self) -> "Sequence[TopicPartition]":
        """All partitions that there are."""

    def can_keep(self, name: str) -> bool:
        """Whether there can be a group called *name*."""
