"""The partitions of one fetcher, grouped by the phases of their states, and their session.

The phases are: looking for the divergence, looking for the leader's range, fetching, truncating,
and waiting.  Knows neither the leader nor a clock.
"""

from collections.abc import Iterator

from cluster.broker.replica_fetcher.followed_partition import FollowedPartition
from cluster.model.ids import TopicPartition
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.replication.fetch_phases import FetchPhase
from cluster.replication.fetch_session_handler import FetchSessionHandler, PartKey
from cluster.replication.throttle import ReplicationThrottle
from cluster.wire.messages.fetch import FetchPartition


class FetchedPartitions:
    __slots__ = (
        "_part_size_max",
        "_without_id",
        "by_id",
        "by_name",
        "cutting",
        "delayed",
        "out_of_range",
        "session",
        "throttled",
        "truncating",
    )

    def __init__(self, part_size_max: int) -> None:
        """*part_size_max* bounds the bytes that are fetched of a partition at once."""
        self._part_size_max = part_size_max
        self._without_id: set[PartKey] = set()
        self.by_name: dict[str, dict[int, FollowedPartition]] = {}
        self.by_id: dict[bytes, dict[int, FollowedPartition]] = {}
        """The same partitions, without those of topics with an unknown id."""
        self.session: FetchSessionHandler[FetchPartition] = FetchSessionHandler()
        self.truncating: dict[PartKey, FollowedPartition] = {}
        self.out_of_range: dict[PartKey, FollowedPartition] = {}
        self.cutting: set[PartKey] = set()
        self.throttled: set[PartKey] = set()
        """Those that are held back, since the throttle's rate was exceeded."""
        self.delayed: dict[PartKey, int] = {}
        """When each resumes, in ms; the first one first."""

    def __iter__(self) -> Iterator[FollowedPartition]:
        for partitions in self.by_name.values():
            yield from partitions.values()

    @property
    def is_empty(self) -> bool:
        return not self.by_name

    @property
    def count(self) -> int:
        return sum(map(len, self.by_name.values()))

    @property
    def have_ids(self) -> bool:
        """Whether the id of each topic is known."""
        return not self._without_id

    def add(self, followed: FollowedPartition) -> None:
        """Add a partition, which first looks for its divergence."""
        topic, index, topic_id = followed.key
        partitions = self.by_name.setdefault(topic, {})
        assert index not in partitions
        partitions[index] = followed
        if topic_id == NO_TOPIC_ID:
            self._without_id.add(followed.key)
        else:
            self.by_id.setdefault(topic_id, {})[index] = followed
        self.truncating[followed.key] = followed

    def remove(self, partition: TopicPartition) -> bool:
        """Remove a partition; returns whether it was being truncated.  No effect for an unknown
        one.
        """
        partitions = self.by_name.get(partition.topic, {})
        followed = partitions.pop(partition.partition, None)
        if followed is None:
            return False
        if not partitions:
            del self.by_name[partition.topic]
        key = followed.key
        self._without_id.discard(key)
        if key.topic_id != NO_TOPIC_ID:
            of_id = self.by_id[key.topic_id]
            del of_id[key.partition]
            if not of_id:
                del self.by_id[key.topic_id]
        self.leave_phase(key)
        self.delayed.pop(key, None)
        if key not in self.cutting:
            return False
        self.cutting.discard(key)
        return True

    # Phases.

    def find_divergence(self, followed: FollowedPartition) -> None:
        """Let a partition that fetches look once more for its divergence from the leader's log."""
        followed.state.find_divergence()
        self.session.forget(followed.key)
        self.truncating[followed.key] = followed

    def begin_fetching(self, followed: FollowedPartition) -> None:
        followed.state.fetch()
        self.put(followed)

    def put(self, followed: FollowedPartition) -> None:
        """Fetch from the log end."""
        self.session.put(followed.key, followed.part(self._part_size_max))

    def lose_range(self, followed: FollowedPartition) -> None:
        """Let a partition that fetches look for the leader's range."""
        followed.state.lose_range()
        self.session.forget(followed.key)
        self.out_of_range[followed.key] = followed

    def go_on(self, followed: FollowedPartition) -> None:
        """Continue a partition that was truncated, or has waited."""
        if followed.state.phase is FetchPhase.FETCHING:
            self.put(followed)
        else:
            self.truncating[followed.key] = followed

    def leave_phase(self, key: PartKey) -> None:
        """Take a partition out of its phase, so that nothing is requested for it."""
        self.session.forget(key)
        self.throttled.discard(key)
        self.truncating.pop(key, None)
        self.out_of_range.pop(key, None)

    # Waiting.

    def delay(self, followed: FollowedPartition, until_ms: int) -> None:
        """Request nothing for a partition until then; the others wait no longer than it."""
        followed.state.delay()
        self.leave_phase(followed.key)
        self.delayed[followed.key] = until_ms

    def resume(self, now_ms: int) -> int | None:
        """Resume those that have waited long enough; returns when the next one has, in ms."""
        for key, due_ms in tuple(self.delayed.items()):
            if due_ms > now_ms:
                return due_ms
            del self.delayed[key]
            followed = self.by_name[key.topic][key.partition]
            followed.state.resume()
            self.go_on(followed)
        return None

    def hold_back(self, throttle: ReplicationThrottle, now_ms: int) -> None:
        """Fetch no throttled partitions while they exceed their rate, except those that have what
        is committed: a member of the ISR must not fall out of it.

        Source: Kafka's ReplicaFetcherThread.shouldFollowerThrottle.
        """
        is_exceeded = throttle.is_exceeded(now_ms)
        for followed in self:
            if followed.state.phase is not FetchPhase.FETCHING:
                continue
            key = followed.key
            is_held = is_exceeded and throttle.is_throttled(key.topic, key.partition)
            if is_held and not followed.is_in_sync:
                self.session.forget(key)
                self.throttled.add(key)
            elif key in self.throttled:
                self.throttled.discard(key)
                self.put(followed)
