"""Answers of a coordinator; handlers leave out what a version of their API lacks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition

UNKNOWN_MEMBER: Final = ""
"""The member id of a client that has none yet."""
NO_GENERATION: Final = -1
NO_OFFSET: Final = -1
NO_LEADER: Final = ""


class JoinedMember(NamedTuple):
    """A member as its leader sees it, with its metadata for the chosen protocol."""

    member_id: str
    group_instance_id: str | None
    metadata: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinAnswer:
    """The generation that a member is in; only the leader gets *members*."""

    error: ErrorCode = ErrorCode.NONE
    member_id: str = UNKNOWN_MEMBER
    generation: int = NO_GENERATION
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader_id: str = NO_LEADER
    skip_assignment: bool = False
    """Whether the leader must not assign: the group is stable and keeps what it has."""
    members: tuple[JoinedMember, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncAnswer:
    """The assignment of one member."""

    error: ErrorCode = ErrorCode.NONE
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


class HeartbeatAnswer(NamedTuple):
    """Whether a member is still in its generation."""

    error: ErrorCode


class LeftMember(NamedTuple):
    """The result of one member in a LeaveGroup."""

    member_id: str
    group_instance_id: str | None
    error: ErrorCode


class LeaveAnswer(NamedTuple):
    """*members* in the order of the request; empty with an *error*."""

    error: ErrorCode
    members: tuple[LeftMember, ...] = ()


class SameError(Mapping[TopicPartition, ErrorCode]):
    """The same *error* of all *partitions*, without an entry for each."""

    __slots__ = ("error", "partitions")

    def __init__(self, partitions: Mapping[TopicPartition, object], error: ErrorCode) -> None:
        self.partitions = partitions
        self.error = error

    def __getitem__(self, partition: TopicPartition) -> ErrorCode:
        if partition not in self.partitions:
            raise KeyError(partition)
        return self.error

    def __iter__(self) -> Iterator[TopicPartition]:
        return iter(self.partitions)

    def __len__(self) -> int:
        return len(self.partitions)


class CommitAnswer(NamedTuple):
    """The error of each partition, in the order of the request."""

    errors: Mapping[TopicPartition, ErrorCode]


class DeleteGroupAnswer(NamedTuple):
    """Whether a group was deleted."""

    error: ErrorCode


class DeleteOffsetsAnswer(NamedTuple):
    """The error of each partition; empty with an *error* of the group."""

    error: ErrorCode
    errors: Mapping[TopicPartition, ErrorCode]


Answer: TypeAlias = (
    JoinAnswer
    | SyncAnswer
    | HeartbeatAnswer
    | LeaveAnswer
    | CommitAnswer
    | DeleteGroupAnswer
    | DeleteOffsetsAnswer
)


class FetchedOffset(NamedTuple):
    """A committed offset as OffsetFetch answers it."""

    offset: int = NO_OFFSET
    leader_epoch: int = -1
    metadata: str = ""
    error: ErrorCode = ErrorCode.NONE


class FetchAnswer(NamedTuple):
    """The offsets of a group; empty with an *error*."""

    error: ErrorCode
    offsets: Mapping[TopicPartition, FetchedOffset]
