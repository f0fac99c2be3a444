"""ZooKeeper requests: what the controller reads and writes, and how it is answered.

Values only: `cluster.coordination` turns one into ZooKeeper's own requests.  At most one is under
way at a time.  Every write but those of an election names the zkVersion of `/controller_epoch` as
its fence, so that nothing of a controller that was replaced can land.  What overwrites something
names the zkVersion of that as well, so that no change of a leader or of an operator is lost unseen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple, TypeAlias

from cluster.model.admin import Reassignment
from cluster.model.broker import BrokerRegistration
from cluster.model.controller import Controller, ControllerEpochNode
from cluster.model.ids import NEVER_READ, BrokerId, ControllerEpoch, TopicPartition, ZkVersion
from cluster.model.topic import PartitionState, TopicAssignment


@dataclass(frozen=True, slots=True)
class ReadController:
    """Who is the controller, and under which epoch?  Arms the watch of `/controller`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerRead:
    """*is_own*: the node was made by the session that reads it.  None for what is not there."""

    controller: Controller | None
    is_own: bool
    epoch: ControllerEpochNode | None


@dataclass(frozen=True, slots=True)
class CreateControllerEpoch:
    """Make `/controller_epoch` with 0, on a cluster that never had a controller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterController:
    """Make `/controller` and raise the epoch to *controller_epoch*, in one transaction.

    Answered with the new zkVersion of `/controller_epoch`, which fences all that follows.
    """

    controller_epoch: ControllerEpoch
    expected_zk_version: ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveController:
    """Remove `/controller`, so that another broker is elected."""

    epoch_zk_version: ZkVersion


@dataclass(frozen=True, slots=True)
class ReadBrokers:
    """Who is registered?  Arms the watches of the registrations and of their list."""


@dataclass(frozen=True, slots=True)
class BrokersRead:
    brokers: Mapping[BrokerId, BrokerRegistration]


@dataclass(frozen=True, slots=True)
class ReadTopics:
    """Which topics are there?  Arms the watch of their list."""


@dataclass(frozen=True, slots=True)
class TopicsRead:
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadAssignments:
    """Which replicas do *topics* have?  Arms the watch of each."""

    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AssignmentsRead:
    """Topics that are gone, or whose node is damaged, are missing."""

    assignments: Mapping[str, TopicAssignment]


@dataclass(frozen=True, slots=True)
class ReadStates:
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class StatesRead:
    """Partitions without a state, or with a damaged one, are missing.

    *written* are the transactions that have written the states (their mzxids): a broker whose
    epoch is greater was not registered then as it is now.
    """

    states: Mapping[TopicPartition, PartitionState]
    written: Mapping[TopicPartition, int]


@dataclass(frozen=True, slots=True)
class ReadUncleanTopics:
    """Which of *topics* may elect a leader outside their ISR, by their config or the cluster's?"""

    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UncleanTopicsRead:
    topics: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReadDeletionRequests:
    """Which topics shall be deleted?  Arms the watch of the list."""


@dataclass(frozen=True, slots=True)
class DeletionRequestsRead:
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadReassignment:
    """Which partitions shall be reassigned?  Arms the watch of the node, there or not."""


@dataclass(frozen=True, slots=True)
class ReassignmentRead:
    """*czxid* tells a request from the next one in its place.

    The request is None when there is none, or a damaged one.
    """

    request: Reassignment | None = None
    czxid: int | None = None


@dataclass(frozen=True, slots=True)
class ReadIsrChanges:
    """Of which partitions has a leader changed the ISR?  Arms the watch of the notifications."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IsrChangesRead:
    """*names* are those of all notifications, damaged ones included."""

    names: tuple[str, ...]
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class ReadLogDirEvents:
    """On which brokers has a log directory failed?  Arms the watch of the notifications."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDirEventsRead:
    """*names* are those of all notifications, damaged ones included."""

    names: tuple[str, ...]
    broker_ids: tuple[BrokerId, ...]


@dataclass(frozen=True, slots=True)
class ReadPreferredElection:
    """For which partitions has a tool asked to elect the preferred leader?  Arms the watch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferredElectionRead:
    """*zk_version* is None when nobody has asked; a damaged request names no *partitions*."""

    zk_version: ZkVersion | None
    partitions: tuple[TopicPartition, ...] = ()


class StateWrite(NamedTuple):
    """What shall stand in a partition's state; its `zk_version` is the one to be overwritten."""

    partition: TopicPartition
    state: PartitionState


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateStates:
    """Make the state of partitions that have none, and the nodes above it."""

    writes: tuple[StateWrite, ...]
    epoch_zk_version: ZkVersion

    def __post_init__(self) -> None:
        assert all(write.state.zk_version == NEVER_READ for write in self.writes)
        assert self.epoch_zk_version >= 0, "a write without its fence"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteStates:
    """Overwrite the states of partitions, each on its own."""

    writes: tuple[StateWrite, ...]
    epoch_zk_version: ZkVersion

    def __post_init__(self) -> None:
        assert all(write.state.zk_version >= 0 for write in self.writes)
        assert self.epoch_zk_version >= 0, "a write without its fence"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAssignment:
    """Overwrite the node of *topic*; the `zk_version` of *assignment* is the one expected there."""

    topic: str
    assignment: TopicAssignment
    epoch_zk_version: ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTopicNodes:
    """Remove a topic, its config and the request to delete it; what is gone already is no error."""

    topic: str
    epoch_zk_version: ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class DropDeletionRequests:
    """Remove the requests to delete *topics*; what is gone already is no error."""

    topics: tuple[str, ...]
    epoch_zk_version: ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReassignment:
    """Leave *request* of what shall be reassigned; the node goes when that is nothing.

    The `zk_version` of *request* is the one expected there.
    """

    request: Reassignment
    epoch_zk_version: ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class DropNotifications:
    """Remove notifications that were dealt with; what is gone already is no error."""

    isr_changes: tuple[str, ...] = ()
    log_dir_events: tuple[str, ...] = ()
    epoch_zk_version: ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class DropPreferredElection:
    """Remove the request for preferred leaders, unless it was written anew."""

    zk_version: ZkVersion
    epoch_zk_version: ZkVersion


class Verdict(Enum):
    """How a write ended.

    CONFLICT: what should be overwritten is another version, or gone, or what should be made is
    there.  FENCED: there is a newer controller.  LOST: the answer did not arrive, and only a new
    read tells whether the write did.  REFUSED: ZooKeeper will not have it, for example for want of
    permission.
    """

    DONE = auto()
    CONFLICT = auto()
    FENCED = auto()
    LOST = auto()
    REFUSED = auto()


class WriteResult(NamedTuple):
    """*zk_version* is the new one where a write is DONE and has one, else NEVER_READ."""

    verdict: Verdict
    zk_version: ZkVersion = NEVER_READ


@dataclass(frozen=True, slots=True)
class Written:
    """One result for each write of the request, in its order; one in all where it has none."""

    results: tuple[WriteResult, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """The request as a whole could not be carried out; none of its results are known."""

    reason: str


Read: TypeAlias = (
    ReadController
    | ReadBrokers
    | ReadTopics
    | ReadAssignments
    | ReadStates
    | ReadUncleanTopics
    | ReadDeletionRequests
    | ReadReassignment
    | ReadIsrChanges
    | ReadLogDirEvents
    | ReadPreferredElection
)
Write: TypeAlias = (
    CreateControllerEpoch
    | RegisterController
    | RemoveController
    | CreateStates
    | WriteStates
    | WriteAssignment
    | DeleteTopicNodes
    | DropDeletionRequests
    | WriteReassignment
    | DropNotifications
    | DropPreferredElection
)
ZooKeeperRequest: TypeAlias = Read | Write
Answer: TypeAlias = (
    ControllerRead
    | BrokersRead
    | TopicsRead
    | AssignmentsRead
    | StatesRead
    | UncleanTopicsRead
    | DeletionRequestsRead
    | ReassignmentRead
    | IsrChangesRead
    | LogDirEventsRead
    | PreferredElectionRead
    | Written
    | Failed
)
