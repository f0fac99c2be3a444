"""A replica of a partition: its role on this broker, and how much of the partition is committed.

Knows offsets and epochs, neither bytes nor who asks.  Other replicas are not heard of: the high
watermark moves only while the leader is the whole ISR.

The high watermark falls only where a follower's log is truncated below it, after an unclean
election: what a consumer has seen, or a producer with acks=all was told of, stays below it.  It is
written to the disk from time to time only.  A crash leaves an older one, which is taken up to the
log's start and down to its end by `LogDirectory.high_watermark`, and which the leader of a whole
ISR raises again at once.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from cluster.model.ids import (
    NO_LEADER,
    NO_LEADER_EPOCH,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    ZkVersion,
)
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.replication.replica_roles import ROLE_VALID_PREVIOUS, ReplicaRole

NO_STATE: Final = PartitionState(
    NO_LEADER, (), NO_LEADER_EPOCH, ControllerEpoch(-1), zk_version=ZkVersion(-1)
)

LOOK_AGAIN: Final = 2**62
"""What watchers are told when it is not (only) bytes that have come."""

Watcher: TypeAlias = Callable[[int], None]
"""Told how many bytes have come, or LOOK_AGAIN."""


class Replica:
    """The replica of one partition on broker *broker_id*."""

    __slots__ = (
        "_is_whole_isr",
        "_min_isr",
        "_watchers",
        "assignment",
        "broker_id",
        "high_watermark",
        "is_leader",
        "is_under_min_isr",
        "role",
        "state",
    )

    def __init__(self, broker_id: BrokerId, high_watermark: int, min_isr: int) -> None:
        self._is_whole_isr = False
        self._watchers: dict[object, Watcher] = {}
        self.broker_id = broker_id
        self.state = NO_STATE
        self.assignment = PartitionAssignment(())
        self.high_watermark = high_watermark
        """The first offset that is not committed."""
        self.role = ReplicaRole.NONE
        self.is_leader = False
        """Whether the role is LEADER: what each request asks."""
        self._min_isr = min_isr
        self.is_under_min_isr = False
        """Whether acks=all has to be refused."""

    @property
    def leader_epoch(self) -> LeaderEpoch:
        return self.state.leader_epoch

    def set_min_isr(self, min_isr: int) -> None:
        """Let `min.insync.replicas` be *min_isr* from now on.

        Of a partition with fewer replicas all are enough.
        """
        self._min_isr = min_isr
        replicas = self.assignment.replicas
        self.is_under_min_isr = len(self.state.isr) < min(min_isr, len(replicas))

    def lead(
        self, state: PartitionState, assignment: PartitionAssignment, log_end_offset: int
    ) -> None:
        """Be the leader; the ISR is the controller's from now on."""
        assert state.leader == self.broker_id
        self._enter(ReplicaRole.LEADER)
        self._take(state, assignment)
        # In the new ISR this leader may be alone: then all that it has is committed.
        self.advance_high_watermark(log_end_offset, LOOK_AGAIN)

    def follow(self, state: PartitionState, assignment: PartitionAssignment) -> None:
        """Be a follower of the leader in *state*, which may be NO_LEADER."""
        assert state.leader != self.broker_id
        self._enter(ReplicaRole.FOLLOWER)
        self._take(state, assignment)
        # Who waits for this leader must not wait on: watchers look, and send their clients away.
        self.notify(LOOK_AGAIN)

    def go_offline(self) -> None:
        """Neither lead nor follow any more: its disk has failed."""
        self._enter(ReplicaRole.OFFLINE)
        self.notify(LOOK_AGAIN)

    def end(self) -> None:
        """Neither lead nor follow any more: the broker has no such replica from now on."""
        self._enter(ReplicaRole.NONE)
        self.notify(LOOK_AGAIN)

    def _enter(self, role: ReplicaRole) -> None:
        assert self.role in ROLE_VALID_PREVIOUS[role], f"{self.role} became {role}"
        self.role = role
        self.is_leader = role is ReplicaRole.LEADER

    def _take(self, state: PartitionState, assignment: PartitionAssignment) -> None:
        assert state.leader_epoch >= self.state.leader_epoch, "older orders are refused before"
        self.state = state
        self.assignment = assignment
        self._is_whole_isr = state.isr == (self.broker_id,)
        self.set_min_isr(self._min_isr)

    def advance_high_watermark(self, log_end_offset: int, size: int) -> None:
        """Count records up to *log_end_offset* as written by the leader, *size* bytes in all.

        Never lowers the high watermark.  It stays while other members of the ISR may lack records,
        and while the ISR is smaller than the topic demands.  Source: Kafka's
        Partition.maybeIncrementLeaderHW.
        """
        if (
            self._is_whole_isr
            and log_end_offset > self.high_watermark
            and not self.is_under_min_isr
        ):
            self.high_watermark = log_end_offset
        if self._watchers:
            self.notify(size)

    def follow_high_watermark(self, leader_high_watermark: int, log_end_offset: int) -> None:
        """Count as committed what the leader says is, as far as this replica has it.

        Never lowers the high watermark: a new leader may not know yet what the one before had
        committed.
        """
        offset = min(leader_high_watermark, log_end_offset)
        if offset > self.high_watermark:
            self.high_watermark = offset
            if self._watchers:
                self.notify(LOOK_AGAIN)

    def keep_within(self, log_start_offset: int, log_end_offset: int) -> None:
        """Let the high watermark lie within a follower's log that was truncated or begun anew.

        Here alone it falls, and only where an unclean election has given up what was committed.
        """
        self.high_watermark = min(max(self.high_watermark, log_start_offset), log_end_offset)

    def watch(self, watcher: Watcher) -> object:
        """Let *watcher* be told of news; the result ends that, by `unwatch`."""
        key = object()
        self._watchers[key] = watcher
        return key

    def unwatch(self, key: object) -> None:
        """Without effect when it was ended before."""
        self._watchers.pop(key, None)

    def notify(self, size: int) -> None:
        for watcher in tuple(self._watchers.values()):
            watcher(size)
