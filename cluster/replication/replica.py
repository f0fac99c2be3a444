"""A replica of a partition: its role on this broker, and how much of the partition is committed.

Knows offsets and epochs, neither bytes nor clients.

As the leader it tracks each follower's log end, and the high watermark is the least log end over
the maximal ISR: a record that a member of it lacks does not count as committed.  Followers join the
ISR and leave it by proposals, one at a time (`isr`).

The invariant behind all of this: at every moment, each member of the ISR in ZooKeeper has
everything that was acknowledged.  So a leader waits for the whole ISR, also for a member that is
no longer a replica, until ZooKeeper has the ISR without that member; and it counts for a follower
only what the follower fetched in this leader epoch, or in the ones right before it that this broker
led as well: under any other leader the follower may have truncated its log.

The high watermark falls only where a follower's log is truncated below it, after an unclean
election: no consumer has read, and no producer with acks=all was acknowledged, beyond it.  It is
written to the disk only from time to time.  A crash leaves an older one, which
`LogDirectory.high_watermark` keeps within the log's start and end, and which the leader raises
again when the ISR has fetched.

Source: Kafka's Partition.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from cluster.formats.record_batch import OFFSET_MAX
from cluster.model.ids import (
    NO_LEADER,
    NO_LEADER_EPOCH,
    UNKNOWN_BROKER_EPOCH,
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    ZkVersion,
)
from cluster.model.topic import RECOVERED, PartitionAssignment, PartitionState, kept_once
from cluster.replication.follower_state import FetchTime, FollowerState
from cluster.replication.isr import Fate, PendingIsrChange, fate_of
from cluster.replication.replica_roles import ROLE_VALID_PREVIOUS, ReplicaRole

NO_STATE: Final = PartitionState(
    NO_LEADER, (), NO_LEADER_EPOCH, ControllerEpoch(-1), zk_version=ZkVersion(-1)
)

LOOK_AGAIN: Final = 2**62
"""The argument of watchers for another reason than (only) appended bytes."""

Watcher: TypeAlias = Callable[[int], None]
"""Called with the number of appended bytes, which may be 0, or LOOK_AGAIN."""

NO_WATCHERS: Final[dict[object, Watcher]] = {}
NO_FOLLOWERS: Final[Mapping[BrokerId, FollowerState]] = {}
"""Shared, and never written to: an empty dictionary of its own costs each replica 64 bytes."""


class IsrRules(NamedTuple):
    """Settings that all leaders of a broker share."""

    lag_max_ms: int
    """`replica.lag.time.max.ms`: for how long a member of the ISR may lack records."""
    is_alive: Callable[[BrokerId], bool]
    """Whether a broker is registered, according to the controller."""


class Replica:
    """The replica of one partition on broker *broker_id*."""

    __slots__ = (
        "_at_end",
        "_end_watchers",
        "_followers",
        "_is_alone",
        "_log_end_offset",
        "_min_isr",
        "_rules",
        "_watchers",
        "assignment",
        "broker_id",
        "commits_at_once",
        "committable_end",
        "epoch_start_offset",
        "high_watermark",
        "is_leader",
        "is_under_min_isr",
        "proposal",
        "role",
        "state",
        "took_over_ms",
    )

    def __init__(
        self, broker_id: BrokerId, high_watermark: int, min_isr: int, rules: IsrRules
    ) -> None:
        self._rules = rules
        self._watchers = NO_WATCHERS
        self._end_watchers = NO_WATCHERS
        self._followers = NO_FOLLOWERS
        self._at_end: tuple[FollowerState, ...] = ()
        """The followers that have all of the leader's log."""
        self._is_alone = False
        """Whether the leader alone is the maximal ISR."""
        self.commits_at_once = False
        """Whether no follower is waited for: what is appended is committed."""
        self.proposal: PendingIsrChange | None = None
        """The proposal whose result is not known yet."""
        self._log_end_offset = 0
        """The leader's log end."""
        self.broker_id = broker_id
        self.state = NO_STATE
        """As leader: with the last ISR that is known to be written, and its zkVersion."""
        self.assignment = PartitionAssignment(())
        self.high_watermark = high_watermark
        """The first offset that is not committed."""
        self.committable_end = OFFSET_MAX
        """As leader: the offset up to which its disk has what must be flushed
        (`flush.messages`).
        """
        self.epoch_start_offset = 0
        """As leader: its log end when the leader epoch began."""
        self.took_over_ms: int | None = None
        """As leader: when it took over, from another broker or from itself before a restart; None
        if long ago.
        """
        self.role = ReplicaRole.NONE
        self.is_leader = False
        """Whether the role is LEADER: each request reads it."""
        self._min_isr = min_isr
        self.is_under_min_isr = False
        """Whether acks=all has to be refused."""

    @property
    def leader_epoch(self) -> LeaderEpoch:
        return self.state.leader_epoch

    @property
    def maximal_isr(self) -> tuple[BrokerId, ...]:
        """The ISR, and those that a pending proposal may have added."""
        return self.state.isr if self.proposal is None else self.proposal.maximal_isr

    @property
    def is_under_min_maximal_isr(self) -> bool:
        """Whether too few have what was appended, whatever the result of the proposal."""
        return len(self.maximal_isr) < self._min_isr_now()

    @property
    def followers(self) -> Collection[FollowerState]:
        """Of a leader: the replicas in the order of the assignment, then members of the ISR that
        are no longer replicas; empty otherwise.
        """
        return self._followers.values()

    def set_min_isr(self, min_isr: int) -> None:
        """Set `min.insync.replicas` to *min_isr*.

        A partition with fewer replicas needs all of them.
        """
        self._min_isr = min_isr
        self.is_under_min_isr = len(self.state.isr) < self._min_isr_now()

    @property
    def is_at_min_isr(self) -> bool:
        """Whether acks=all has to be refused as soon as the ISR loses a member."""
        return len(self.state.isr) == self._min_isr_now()

    def _min_isr_now(self) -> int:
        return min(self._min_isr, len(self.assignment.replicas))

    # Roles.

    def lead(
        self,
        state: PartitionState,
        assignment: PartitionAssignment,
        log_end_offset: int,
        now_ms: int,
    ) -> None:
        """Become the leader; the ISR is now the controller's, whatever was proposed."""
        assert state.leader == self.broker_id
        assert self.high_watermark <= log_end_offset, "no more is committed than there is"
        if self.state.leader != self.broker_id and (state.leader_epoch > 0 or log_end_offset > 0):
            # Not for a new partition.
            self.took_over_ms = now_ms
        known = self._known_still(state)
        self._enter(ReplicaRole.LEADER)
        self.epoch_start_offset = log_end_offset
        self._log_end_offset = log_end_offset
        for follower in known.values():
            is_in_isr = follower.broker_id in state.isr
            follower.begin_epoch(now_ms, log_end_offset, is_in_isr=is_in_isr)
        self._followers = self._followers_of(state.isr, assignment, known, now_ms)
        self._at_end = ()
        # A leader recovers from an unclean election by leading: its next proposal contains that.
        if state.leader_recovery_state != RECOVERED:
            state = state._replace(leader_recovery_state=RECOVERED)
        self._take(state, assignment)
        # In the new ISR this leader may be alone: then its whole log is committed.
        self._advance(now_ms)
        self.notify(LOOK_AGAIN)

    def _known_still(self, state: PartitionState) -> Mapping[BrokerId, FollowerState]:
        """The followers' states, if this broker leads in the epoch before that of *state*.

        In an epoch between, for which this broker received no order, another may have led, and a
        follower that truncated its log then has less than it had.
        """
        is_unbroken = state.leader_epoch == self.state.leader_epoch + 1
        return self._followers if self.is_leader and is_unbroken else NO_FOLLOWERS

    def _followers_of(
        self,
        isr: tuple[BrokerId, ...],
        assignment: PartitionAssignment,
        known: Mapping[BrokerId, FollowerState],
        now_ms: int,
    ) -> dict[BrokerId, FollowerState]:
        """All replicas and all members of *isr* but this broker, *known* ones with their state."""
        followers: dict[BrokerId, FollowerState] = {}
        for broker_id in (*assignment.replicas, *isr):
            if broker_id == self.broker_id or broker_id in followers:
                continue
            follower = known.get(broker_id)
            if follower is None:
                follower = FollowerState(broker_id)
                follower.begin_leadership(now_ms, is_in_isr=broker_id in isr)
            followers[broker_id] = follower
        return followers

    def follow(self, state: PartitionState, assignment: PartitionAssignment) -> None:
        """Become a follower of the leader in *state*, which may be NO_LEADER."""
        assert state.leader != self.broker_id
        self._enter(ReplicaRole.FOLLOWER)
        self._take(state, assignment)
        # Requests that wait for this leader must not wait on: watchers look again and answer them.
        self.notify(LOOK_AGAIN)

    def go_offline(self) -> None:
        """Stop leading or following: the disk has failed."""
        self._enter(ReplicaRole.OFFLINE)
        self.notify(LOOK_AGAIN)

    def end(self) -> None:
        """Stop leading or following: the broker no longer has this replica."""
        self._enter(ReplicaRole.NONE)
        self.notify(LOOK_AGAIN)

    def _enter(self, role: ReplicaRole) -> None:
        assert self.role in ROLE_VALID_PREVIOUS[role], f"{self.role} became {role}"
        self.role = role
        self.is_leader = role is ReplicaRole.LEADER
        self.proposal = None
        if not self.is_leader:
            self._followers = NO_FOLLOWERS
            self._at_end = ()

    def _take(self, state: PartitionState, assignment: PartitionAssignment) -> None:
        assert state.leader_epoch >= self.state.leader_epoch, "older orders are refused before"
        self.state = state
        self.assignment = assignment
        self._isr_changed()

    def _isr_changed(self) -> None:
        assert not self.is_leader or all(
            member in self._followers for member in self.maximal_isr if member != self.broker_id
        ), "a leader waits for the whole ISR"
        self._is_alone = self.is_leader and self.maximal_isr == (self.broker_id,)
        self.commits_at_once = self._is_alone and not self._followers
        self.set_min_isr(self._min_isr)

    # The high watermark.

    def advance_high_watermark(self, log_end_offset: int, size: int, now_ms: int) -> None:
        """Count records up to *log_end_offset* as written by the leader, *size* bytes in all.

        The high watermark stays while other members of the ISR may lack records, and while the ISR
        is smaller than the topic requires.
        """
        assert self.is_leader, "a leader appends"
        assert self.high_watermark <= self._log_end_offset <= log_end_offset, "no offset falls"
        self._log_end_offset = log_end_offset
        if self._at_end:
            for follower in self._at_end:
                follower.left_behind()
            self._at_end = ()
        if self._is_alone:
            if self.commits_at_once:
                offset = self.committable_end
                if log_end_offset < offset:
                    offset = log_end_offset
                if offset > self.high_watermark and not self.is_under_min_isr:
                    self.high_watermark = offset
            else:
                self._advance(now_ms)
            if self._watchers:
                notify_all(self._watchers, size)
        if self._end_watchers:
            notify_all(self._end_watchers, size)

    def has_flushed(self, committable_end: int, now_ms: int) -> None:
        """Count as committed what the leader's own disk has now, too."""
        self.committable_end = committable_end
        if self.is_leader and self._advance(now_ms):
            self.notify(LOOK_AGAIN)

    @property
    def holds_back(self) -> bool:
        """Whether this leader has records that it does not count as committed."""
        return self.is_leader and self.high_watermark < self._log_end_offset

    def recount(self, now_ms: int) -> None:
        """Compute again what is committed: `min.insync.replicas` may have fallen, or fewer
        followers may have to be waited for.
        """
        if self.is_leader:
            self._advance(now_ms)
            self.notify(LOOK_AGAIN)

    def _advance(self, now_ms: int) -> bool:
        """Raise the high watermark as far as the maximal ISR has fetched; returns whether it moved.

        Never lowers it.  A follower that keeps up and is about to join the ISR is waited for as
        well: otherwise it could never reach a high watermark that runs ahead of it.

        Source: Kafka's Partition.maybeIncrementLeaderHW.
        """
        if self.is_under_min_isr:
            return False
        offset = min(self._log_end_offset, self.committable_end)
        maximal_isr = self.maximal_isr
        for follower in self._followers.values():
            if follower.log_end_offset < offset and (
                follower.broker_id in maximal_isr or self._is_joining(follower, now_ms)
            ):
                offset = follower.log_end_offset
        if offset <= self.high_watermark:
            return False
        self.high_watermark = offset
        return True

    def _is_joining(self, follower: FollowerState, now_ms: int) -> bool:
        return follower.is_caught_up(
            self._log_end_offset, now_ms, self._rules.lag_max_ms
        ) and self._rules.is_alive(follower.broker_id)

    def follow_high_watermark(self, leader_high_watermark: int, log_end_offset: int) -> None:
        """Count as committed what the leader's high watermark covers, as far as this replica has
        it.

        Never lowers the high watermark: a new leader may not know yet what the one before had
        committed.
        """
        assert not self.is_leader, "a leader knows itself what is committed"
        assert self.high_watermark <= log_end_offset, "no more is committed than there is"
        offset = min(leader_high_watermark, log_end_offset)
        if offset > self.high_watermark:
            self.high_watermark = offset
            if self._watchers:
                notify_all(self._watchers, LOOK_AGAIN)

    def keep_within(self, log_start_offset: int, log_end_offset: int) -> None:
        """Keep the high watermark within a follower's log that was truncated or begun anew.

        Only here it falls, and only where an unclean election has lost committed records.
        """
        assert log_start_offset <= log_end_offset, "a log starts before its end"
        assert not self.is_leader, "a leader truncates nothing"
        self.high_watermark = min(max(self.high_watermark, log_start_offset), log_end_offset)

    # Followers.

    def fetched(
        self,
        broker_id: BrokerId,
        fetch_offset: int,
        log_start_offset: int,
        fetch_time: FetchTime,
        broker_epoch: BrokerEpoch = UNKNOWN_BROKER_EPOCH,
    ) -> PendingIsrChange | None:
        """Process a follower's fetch: it has everything before *fetch_offset*.

        Returns the proposal to add it to the ISR, when it may join; else None.  What an earlier
        incarnation of it fetched does not count for this one (KIP-903).
        """
        follower = self._followers.get(broker_id)
        if follower is None or UNKNOWN_BROKER_EPOCH < broker_epoch < follower.broker_epoch:
            return None
        has_moved = fetch_offset != follower.log_end_offset
        starts_later = log_start_offset != follower.log_start_offset
        follower.fetched(
            fetch_offset, log_start_offset, self._log_end_offset, fetch_time, broker_epoch
        )
        if fetch_offset >= self._log_end_offset and follower not in self._at_end:
            self._at_end += (follower,)
        proposal = self._expansion(follower)
        has_advanced = has_moved and self._advance(fetch_time.ms)
        if has_advanced or starts_later:
            notify_all(self._watchers, LOOK_AGAIN)
        return proposal

    def _expansion(self, follower: FollowerState) -> PendingIsrChange | None:
        """The proposal to add *follower*, if it has what is committed, and what this leader had
        when its epoch began: a later leader elected from the ISR must lack neither.
        """
        broker_id = follower.broker_id
        if (
            broker_id in self.state.isr
            or broker_id not in self.assignment.replicas
            or self.proposal is not None
            or follower.log_end_offset < self.high_watermark
            or follower.log_end_offset < self.epoch_start_offset
            or not self._rules.is_alive(broker_id)
        ):
            return None
        return self._propose((*self.state.isr, broker_id))

    def lagging(self, now_ms: int) -> tuple[FollowerState, ...]:
        """The members of the ISR that have lacked records for too long; none while a proposal is
        pending.
        """
        if not self.is_leader or self.proposal is not None:
            return ()
        return tuple(
            follower
            for follower in self._followers.values()
            if follower.broker_id in self.state.isr
            and not follower.is_caught_up(self._log_end_offset, now_ms, self._rules.lag_max_ms)
        )

    def without(self, lagging: Collection[FollowerState]) -> PendingIsrChange:
        """The proposal to remove *lagging*; never the leader itself."""
        leaving = {follower.broker_id for follower in lagging}
        return self._propose(tuple(one for one in self.state.isr if one not in leaving))

    def _propose(self, proposed: Iterable[BrokerId]) -> PendingIsrChange:
        """Propose the replicas among *proposed*, and the leader.

        A state that was edited by hand may name others, or a replica twice; no controller accepts
        those, so that the ISR could never change again.
        """
        assert self.proposal is None, "one proposal at a time"
        members = {self.broker_id, *self.assignment.replicas}
        isr = tuple(one for one in dict.fromkeys((*proposed, self.broker_id)) if one in members)
        epochs = tuple(
            self._followers[one].broker_epoch if one in self._followers else UNKNOWN_BROKER_EPOCH
            for one in isr
        )
        self.proposal = PendingIsrChange(self.state, isr, epochs)
        self._isr_changed()
        return self.proposal

    def accepted(self, proposal: PendingIsrChange, state: PartitionState, now_ms: int) -> bool:
        """Adopt *state*, which ZooKeeper has after *proposal*.

        False, and nothing changes, if an order of the controller has overtaken the proposal.
        """
        if proposal is not self.proposal or (
            state.leader_epoch != self.state.leader_epoch
            or state.zk_version < self.state.zk_version
        ):
            return False
        self.proposal = None
        self.state = self.state._replace(isr=kept_once(state.isr), zk_version=state.zk_version)
        self._followers = self._followers_of(state.isr, self.assignment, self._followers, now_ms)
        self._at_end = tuple(one for one in self._at_end if one.broker_id in self._followers)
        self._isr_changed()
        self._advance(now_ms)
        # Also where the high watermark stays: acks=all may be possible again, or no longer.
        self.notify(LOOK_AGAIN)
        return True

    def refused(self, proposal: PendingIsrChange, error: int) -> bool:
        """Process the refusal of *proposal*; returns whether a retry makes sense."""
        if proposal is not self.proposal:
            return False
        fate = fate_of(error)
        if fate is Fate.REVERT:
            self.proposal = None
            self._isr_changed()
        return fate is Fate.RETRY

    def low_watermark(self, log_start_offset: int) -> int:
        """The least log start of this leader, which is at *log_start_offset*, and of all live
        followers.
        """
        starts = (
            follower.log_start_offset
            for follower in self._followers.values()
            if self._rules.is_alive(follower.broker_id)
        )
        return min((log_start_offset, *starts))

    # Watchers.

    def watch(self, watcher: Watcher) -> object:
        """Call *watcher* when more is committed, and when the role changes; the result ends that,
        by `unwatch`.
        """
        key = object()
        if self._watchers is NO_WATCHERS:
            self._watchers = {}
        self._watchers[key] = watcher
        return key

    def watch_end(self, watcher: Watcher) -> object:
        """As `watch`, but for appended records, committed or not: what followers wait for."""
        key = object()
        if self._end_watchers is NO_WATCHERS:
            self._end_watchers = {}
        self._end_watchers[key] = watcher
        return key

    def unwatch(self, key: object) -> None:
        """No effect when it was ended before."""
        self._watchers.pop(key, None)
        self._end_watchers.pop(key, None)
        if not self._watchers:
            self._watchers = NO_WATCHERS
        if not self._end_watchers:
            self._end_watchers = NO_WATCHERS

    def log_start_moved(self) -> None:
        """Notify watchers that the log start moved; requests do not wait for it."""
        notify_all(self._watchers, 0)

    def notify(self, size: int) -> None:
        """Notify all watchers."""
        notify_all(self._watchers, size)
        notify_all(self._end_watchers, size)


def notify_all(watchers: dict[object, Watcher], size: int) -> None:
    for watcher in tuple(watchers.values()):
        watcher(size)
