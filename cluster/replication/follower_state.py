"""Followers as their leader sees them: their log ends, and when they last kept up.

Source: Kafka's Replica and ReplicaState.
"""

from typing import Final

from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerEpoch, BrokerId

UNKNOWN_OFFSET: Final = -1
"""For a follower that has not fetched from this leader yet: below every high watermark."""
NEVER_MS: Final = -(2**62)


class FetchTime:
    """When a follower fetched last, in ms; shared by all partitions that it fetches together.

    A follower that has everything of a partition need not name it in each fetch (KIP-227), and yet
    each fetch shows that the follower is alive.
    """

    __slots__ = ("before_ms", "ms")

    def __init__(self, ms: int) -> None:
        self.ms = ms
        self.before_ms = NEVER_MS
        """When it fetched before that."""

    def next(self, now_ms: int) -> None:
        """Record another fetch."""
        self.before_ms = self.ms
        self.ms = now_ms


class FollowerState:
    """A follower's state as the leader tracks it."""

    __slots__ = (
        "_fetch_time",
        "_leader_end_offset",
        "broker_epoch",
        "broker_id",
        "caught_up_ms",
        "log_end_offset",
        "log_start_offset",
    )

    def __init__(self, broker_id: BrokerId) -> None:
        self.broker_id = broker_id
        self.broker_epoch = UNKNOWN_BROKER_EPOCH
        """Of the incarnation that fetched last, where its requests contain it (from 3.5 on)."""
        self.log_end_offset = UNKNOWN_OFFSET
        """The follower has everything before: it has fetched from this offset."""
        self.log_start_offset = UNKNOWN_OFFSET
        self.caught_up_ms = NEVER_MS
        """When it last had all that the leader had; `FetchTime` may have a later time."""
        self._fetch_time = FetchTime(NEVER_MS)
        self._leader_end_offset = UNKNOWN_OFFSET
        """The leader's at that fetch."""

    def begin_leadership(self, now_ms: int, *, is_in_isr: bool) -> None:
        """Forget everything: another broker led before.

        A member of the ISR has as much time as any other until its first fetch.
        """
        self.log_end_offset = UNKNOWN_OFFSET
        self.log_start_offset = UNKNOWN_OFFSET
        self.broker_epoch = UNKNOWN_BROKER_EPOCH
        self._fetch_time = FetchTime(NEVER_MS)
        self._leader_end_offset = UNKNOWN_OFFSET
        self.caught_up_ms = now_ms if is_in_isr else NEVER_MS

    def begin_epoch(self, now_ms: int, leader_end_offset: int, *, is_in_isr: bool) -> None:
        """Begin another leader epoch with the same leader; the follower's log end stays."""
        self._leader_end_offset = leader_end_offset
        self._fetch_time = FetchTime(now_ms if is_in_isr else NEVER_MS)
        self.caught_up_ms = now_ms if is_in_isr else NEVER_MS

    def fetched(
        self,
        fetch_offset: int,
        log_start_offset: int,
        leader_end_offset: int,
        fetch_time: FetchTime,
        broker_epoch: BrokerEpoch,
    ) -> None:
        """Record a fetch from *fetch_offset*, when the leader's log ended at *leader_end_offset*.

        A follower under load never has everything: it keeps up if it now has all that there was
        when it fetched before.
        """
        if fetch_time is self._fetch_time:
            # It had everything up to the fetch before, though none of them named the partition.
            self.caught_up_ms = max(self.caught_up_ms, fetch_time.before_ms)
        if fetch_offset >= leader_end_offset:
            self.caught_up_ms = max(self.caught_up_ms, fetch_time.ms)
        elif fetch_offset >= self._leader_end_offset:
            self.caught_up_ms = max(self.caught_up_ms, self._fetch_time.ms)
        self.log_end_offset = fetch_offset
        self.log_start_offset = log_start_offset
        self.broker_epoch = broker_epoch
        # The time of this fetch, not of those that will share the object.
        self._fetch_time = (
            fetch_time if fetch_offset >= leader_end_offset else FetchTime(fetch_time.ms)
        )
        self._leader_end_offset = leader_end_offset

    def left_behind(self) -> None:
        """Note that the leader's log grows, while this follower had all of it.

        It has kept up until its last fetch, even if that did not name the partition.
        """
        self.caught_up_ms = max(self.caught_up_ms, self._fetch_time.ms)
        self._fetch_time = FetchTime(self._fetch_time.ms)

    def last_caught_up_ms(self, leader_end_offset: int) -> int:
        """When it last had everything for certain: at its last fetch, if it has it now."""
        if self.log_end_offset >= leader_end_offset:
            return max(self.caught_up_ms, self._fetch_time.ms)
        return self.caught_up_ms

    def is_caught_up(self, leader_end_offset: int, now_ms: int, lag_max_ms: int) -> bool:
        """Whether it has everything, or had so at most *lag_max_ms* ago."""
        return self.log_end_offset == leader_end_offset or now_ms - self.caught_up_ms <= lag_max_ms
