"""Fetches of followers: what a leader learns from a request for the next records.

Source: Kafka's Partition.updateFollowerFetchState.
"""

from collections.abc import Sequence

from cluster.broker.ports import Clock
from cluster.broker.replica_manager.delayed_fetch import Answer
from cluster.broker.replica_manager.fetch_reading import Found, Limits
from cluster.broker.replica_manager.fetch_sessions import NO_ERROR, Want
from cluster.broker.replica_manager.isr_changes import IsrChanges
from cluster.broker.replica_manager.partitions import Partitions
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.replication.follower_state import FetchTime
from cluster.replication.throttle import ReplicationThrottle


def note_fetches(
    partitions: Partitions,
    isr_changes: IsrChanges,
    wants: Sequence[Want],
    found: Found,
    limits: Limits,
    fetch_time: FetchTime,
) -> None:
    """Note how far a follower has fetched the partitions that it may fetch from.

    Where its log diverges from the leader's, its fetch offset has no meaning.  Partitions that its
    fetch leaves out, since it has everything, have *fetch_time* already.
    """
    follower = BrokerId(limits.replica_id)
    epoch = BrokerEpoch(limits.replica_epoch)
    for want, data in zip(wants, found.data, strict=True):
        if data.error is not NO_ERROR or data.diverging is not None:
            continue
        assert want.topic is not None, "there is no data of a topic that is not known"
        hosted = partitions.find_index(want.topic, want.part.partition)
        assert hosted is not None, "there is no data of a partition that is not here"
        change = hosted.replica.fetched(
            follower, want.part.fetch_offset, want.part.log_start_offset, fetch_time, epoch
        )
        if change is not None:
            isr_changes.propose(hosted, change)


def counting(throttle: ReplicationThrottle, clock: Clock, answer: Answer) -> Answer:
    """Return *answer* with a count of the bytes for throttled followers, for their rate."""

    def give(wants: Sequence[Want], found: Found) -> None:
        if throttle.is_active:
            size = sum(
                len(data.records)
                for want, data in zip(wants, found.data, strict=True)
                if want.topic is not None
                and data.records is not None
                and throttle.is_throttled(want.topic, want.part.partition)
            )
            throttle.record(size, clock.now_ms())
        answer(wants, found)

    return give
