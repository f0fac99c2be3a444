"""Events: what happens to a coordinator."""

from typing import NamedTuple, TypeAlias

from cluster.group.replay import Replay
from cluster.group.requests import Request
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import LeaderEpoch, TopicPartition


class Requested(NamedTuple):
    """A request; answered by one `Respond` with the same *request_id*, now or later."""

    request_id: int
    request: Request


class Appended(NamedTuple):
    """All in-sync replicas have the batch of an `Append`, which is at *log_offset*."""

    partition: int
    append_id: int
    log_offset: int


class AppendFailed(NamedTuple):
    """The batch of an `Append` was refused, or not replicated in time: the log may have it."""

    partition: int
    append_id: int
    error: ErrorCode


class Elected(NamedTuple):
    """This broker leads a partition of `__consumer_offsets` from now on."""

    partition: int
    leader_epoch: LeaderEpoch


class Loaded(NamedTuple):
    """The log of a partition was read to its end, all of which is replicated, as `Load` wants."""

    partition: int
    leader_epoch: LeaderEpoch
    replay: Replay


class Resigned(NamedTuple):
    """This broker does not lead the partition any more, as of *leader_epoch*.

    None where no controller said so: the replica is deleted, or its disk has failed.
    """

    partition: int
    leader_epoch: LeaderEpoch | None


class TopicsDeleted(NamedTuple):
    """Partitions that were deleted with their topics: their offsets are not needed any more."""

    partitions: tuple[TopicPartition, ...]


class ExpirationDue(NamedTuple):
    """Old offsets are to be removed, as of *now_ms* of a wall clock that can be trusted."""

    now_ms: int


class TransactionEnded(NamedTuple):
    """The marker of a transaction is in the log of a partition of `__consumer_offsets`."""

    partition: int
    producer_id: int
    is_commit: bool


Event: TypeAlias = (
    Requested
    | Appended
    | AppendFailed
    | Elected
    | Loaded
    | Resigned
    | TopicsDeleted
    | ExpirationDue
    | TransactionEnded
)
