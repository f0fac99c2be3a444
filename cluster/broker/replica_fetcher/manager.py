"""All fetchers of a broker, and which of them fetches which partition.

Source: Kafka's ReplicaFetcherManager and AbstractFetcherManager.
"""

from collections.abc import Iterable

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.broker.replica_fetcher.fetcher import FetchCounts, ReplicaFetcher
from cluster.broker.replica_fetcher.truncations import LogTruncations
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.java_hash import java_abs, java_hash, signed
from cluster.replication.throttle import ReplicationThrottle


class ReplicaFetcherManager:
    """Has one or more fetchers for each leader that this broker follows."""

    def __init__(
        self,
        ports: Ports,
        cache: MetadataCache,
        throttle: ReplicationThrottle,
        truncations: LogTruncations,
    ) -> None:
        """*throttle* bounds what is fetched from all leaders together."""
        self._throttle = throttle
        self._ports = ports
        self._cache = cache
        self._truncations = truncations
        self._count_per_leader = 1
        self._fetchers: dict[tuple[BrokerId, int], ReplicaFetcher] = {}
        self._followed: dict[TopicPartition, tuple[HostedPartition, ReplicaFetcher]] = {}
        self._ended = FetchCounts()
        """Those of fetchers that have ended."""
        cache.watch(self._metadata_changed)

    @property
    def fetchers(self) -> tuple[ReplicaFetcher, ...]:
        return tuple(self._fetchers.values())

    @property
    def fetched_bytes(self) -> int:
        return self._ended.bytes + sum(each.counts.bytes for each in self.fetchers)

    @property
    def reassigned_bytes(self) -> int:
        """The part of `fetched_bytes` for replicas that were being added."""
        return self._ended.reassigned_bytes + sum(
            each.counts.reassigned_bytes for each in self.fetchers
        )

    def follow(self, followers: Iterable[HostedPartition]) -> None:
        """Begin to fetch partitions from the leaders that their replicas follow; none of them is
        fetched yet.
        """
        for hosted in followers:
            partition = hosted.partition
            assert partition not in self._followed, "a new leader epoch has a new state"
            if hosted.log.is_offline:
                continue
            leader_id = hosted.replica.state.leader
            key = (leader_id, fetcher_number(partition, self._count_per_leader))
            fetcher = self._fetchers.get(key)
            if fetcher is None:
                fetcher = self._fetchers[key] = ReplicaFetcher(
                    self._ports, self._cache, self._truncations, self._throttle, *key
                )
            self._followed[partition] = (hosted, fetcher)
            fetcher.add(hosted)

    def stop(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch partitions no more: pending answers do not change them.

        `close_idle` follows, when the whole order is done.
        """
        for partition in partitions:
            followed = self._followed.pop(partition, None)
            if followed is not None:
                followed[1].remove(partition)

    def follow_anew(self, hosted: HostedPartition) -> None:
        """Fetch a partition by its present topic id, and into its present log; no effect for one
        that is not fetched.
        """
        if hosted.partition in self._followed:
            self.stop((hosted.partition,))
            self.follow((hosted,))

    def close_idle(self) -> None:
        """End the fetchers that have nothing to fetch any more."""
        for key, fetcher in tuple(self._fetchers.items()):
            if fetcher.is_idle:
                fetcher.close()
                del self._fetchers[key]
                self._ended.bytes += fetcher.counts.bytes
                self._ended.reassigned_bytes += fetcher.counts.reassigned_bytes

    def resize(self, count_per_leader: int) -> None:
        """Use *count_per_leader* fetchers for each leader (`num.replica.fetchers`)."""
        if count_per_leader == self._count_per_leader:
            return
        self._count_per_leader = count_per_leader
        moved = [hosted for hosted, _ in self._followed.values()]
        self.stop(tuple(self._followed))
        self.follow(moved)
        self.close_idle()

    def close(self) -> None:
        """Fetch nothing any more: the logs are about to be closed."""
        self.stop(tuple(self._followed))
        self.close_idle()

    def _metadata_changed(self) -> None:
        for fetcher in self._fetchers.values():
            fetcher.metadata_changed()


def fetcher_number(partition: TopicPartition, count: int) -> int:
    """The number of the fetcher, of a leader's *count*, that fetches *partition*."""
    number = signed(31 * java_hash(partition.topic) + partition.partition)
    return java_abs(number) % count
