"""One fetcher: it replicates some partitions from their leader, on one connection.

The next request is chosen after each answer: first for divergence, and for the leader's range where
an offset was out of it (`alignment`); then for records.  In a request for many partitions, each
proceeds by its own part of the answer: one that fails, or waits (`failures`), holds up no other.

Source: Kafka's AbstractFetcherThread, ReplicaFetcherThread and RemoteLeaderEndPoint.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, cast

from cluster.broker.handling import Body, Cancel, throw
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Endpoint, PeerConnection, Ports
from cluster.broker.replica_fetcher import leader_questions
from cluster.broker.replica_fetcher.alignment import LogAlignment
from cluster.broker.replica_fetcher.failures import FetchFailures, name_of
from cluster.broker.replica_fetcher.fetched_partitions import FetchedPartitions
from cluster.broker.replica_fetcher.followed_partition import FollowedPartition
from cluster.broker.replica_fetcher.leader_connection import LeaderConnection
from cluster.broker.replica_fetcher.leader_questions import (
    NEWEST_FETCH,
    NEWEST_FETCH_BY_NAMES,
    NEWEST_OFFSETS,
)
from cluster.broker.replica_fetcher.truncations import LogTruncations
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.formats.record_batch import CorruptBatchError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.replication.fetch_pace import EARLY_MAX, FetchPace, Pace
from cluster.replication.fetch_phases import FetchPhase
from cluster.replication.throttle import ReplicationThrottle
from cluster.replication.truncation import UNDEFINED
from cluster.storage.errors import KafkaStorageError, UnexpectedAppendOffset
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import FetchResponse, PartitionData

RESET_BY: Final = frozenset(
    {ErrorCode.INVALID_FETCH_SESSION_EPOCH, ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR}
)
"""Errors after which a session is begun anew, which makes the leader end the one that it has."""
HURRIED_WAIT_MS: Final = 10
"""How long a fetch waits for records while other partitions are about to resume."""
NEVER_MS: Final = 2**63


class FetchCounts:
    """What was fetched since the start of a fetcher."""

    __slots__ = ("bytes", "reassigned_bytes", "requests")

    def __init__(self) -> None:
        self.requests = self.bytes = self.reassigned_bytes = 0


class ReplicaFetcher:
    """Fetches from the leader *leader_id*, as its fetcher *number*."""

    def __init__(
        self,
        ports: Ports,
        cache: MetadataCache,
        truncations: LogTruncations,
        throttle: ReplicationThrottle,
        leader_id: BrokerId,
        number: int,
    ) -> None:
        self._ports = ports
        self._truncations = truncations
        self._throttle = throttle
        self._settings = settings = ports.settings.fetchers
        self._leader_id = leader_id
        self._number = number
        self._partitions = FetchedPartitions(settings.partition_size_max)
        self._pace = FetchPace()
        name, wake = str(self), self._wake
        self._leader = LeaderConnection(ports, cache, leader_id, number, name, self)
        self._failures = FetchFailures(ports, self._partitions, self._pace, leader_id, name, wake)
        self._alignment = LogAlignment(
            ports,
            truncations,
            self._partitions,
            self._failures,
            self._pace,
            leader_id,
            self._ask,
            wake,
        )
        self._flushing: set[FollowedPartition] = set()
        """Those whose records have to be durable before the leader learns that they are stored."""
        self._uses_ids = False
        """Whether the session names topics by their ids."""
        self._stop_turn: Cancel | None = None
        self.counts = FetchCounts()

    def __str__(self) -> str:
        """The name of the thread in Kafka."""
        return f"ReplicaFetcher-{self._number}-{self._leader_id}"

    # Which partitions.

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to fetch."""
        return self._partitions.is_empty

    @property
    def endpoint(self) -> Endpoint | None:
        """The leader's address; None before it was needed."""
        return self._leader.endpoint

    def lags(self) -> Iterator[tuple[TopicPartition, int]]:
        """By how many records each partition is behind its leader, by its last answer."""
        for followed in tuple(self._partitions):
            yield followed.partition, followed.lag_records

    @property
    def failed_count(self) -> int:
        """How many partitions are not fetched until the controller orders it anew."""
        return sum(one.state.phase is FetchPhase.FAILED for one in self._partitions)

    @property
    def count(self) -> int:
        """How many partitions are fetched."""
        return self._partitions.count

    def add(self, hosted: HostedPartition) -> None:
        """Fetch a partition whose replica follows this leader."""
        followed = FollowedPartition(hosted)
        self._partitions.add(followed)
        # A fetcher of the former leader may not have waited for the end of it.
        self._flush_if_owed(followed)
        self._wake()

    def remove(self, partition: TopicPartition) -> None:
        """Fetch a partition no more: at once, also if an answer for it is pending.  No effect for
        an unknown one.
        """
        if self._partitions.remove(partition):
            self._truncations.give_up(partition)

    def close(self) -> None:
        """Request nothing any more."""
        for followed in tuple(self._partitions):
            self.remove(followed.partition)
        self._partitions.session.end()
        self._leader.close()
        self._failures.close()
        if self._stop_turn is not None:
            self._stop_turn()

    # The connection.

    def metadata_changed(self) -> None:
        """Use the leader's present address, and do not wait if it has just come back."""
        if self._leader.metadata_changed():
            self._wake()

    def opened(self, connection: PeerConnection) -> None:
        """Continue on a new connection."""
        self._alignment.doubt(connection)
        self.go_on()

    def lost(self) -> None:
        """Name all partitions in the next fetch: the leader's session state is unknown."""
        self._partitions.session.begin_anew()

    def answered(self) -> None:
        """Log the results of an answer, and go on."""
        self._failures.report()
        pace = self._pace.answered(self._ports.clock.now_ms(), rests=self._leader.rests)
        if pace is not Pace.GO_ON:
            self._take_pace(pace)
        self.go_on()

    def _take_pace(self, pace: Pace) -> None:
        journal = self._ports.journal
        if pace is Pace.WORKS_AGAIN:
            journal.info(f"{self}: broker {self._leader_id} has answers again")
            return
        if pace is Pace.BEGIN_REST:
            journal.warning(
                f"{self}: broker {self._leader_id} has answered {EARLY_MAX} times at once, and"
                f" nothing came of it; it is asked again every {self._settings.backoff_ms} ms"
            )
        self._leader.rest()

    # The next request.

    def _wake(self) -> None:
        """Go on in the next turn of the loop, with all changes of this one."""
        if self._stop_turn is None and not self._leader.is_asking:
            self._stop_turn = self._ports.clock.call_later(0, self._take_turn)

    def _take_turn(self) -> None:
        self._stop_turn = None
        self.go_on()

    def go_on(self) -> None:
        """Send the next request, unless an answer is pending."""
        partitions = self._partitions
        if self._flushing or not self._leader.is_ready or partitions.is_empty:
            return
        connection = self._leader.open()
        if connection is None:
            return
        if partitions.truncating and self._alignment.find_divergences(connection):
            return
        if partitions.out_of_range:
            self._ask_ends(connection)
            return
        if self._throttle.is_active or partitions.throttled:
            partitions.hold_back(self._throttle, self._ports.clock.now_ms())
        if not partitions.session.is_empty:
            self._fetch(connection)
        elif partitions.throttled:
            self._leader.look_again_later()

    def _ask(
        self,
        api_key: ApiKey,
        version: int,
        body: Body,
        take: Callable[[Body], None],
        due_ms: int = NEVER_MS,
    ) -> None:
        """Send the leader a request, and go on with the answer, whatever its result."""
        self._pace.asked(due_ms)
        self._leader.ask(api_key, version, body, take)

    def _ask_ends(self, connection: PeerConnection) -> None:
        if connection.version(ApiKey.LIST_OFFSETS, NEWEST_OFFSETS) is None:
            self._leader.fail("it serves no version of ListOffsets that is known here")
        else:
            self._alignment.ask_ends(connection)

    # Records.

    def _fetch(self, connection: PeerConnection) -> None:
        settings, partitions = self._settings, self._partitions
        is_hurried = partitions.truncating or partitions.cutting
        wait_ms = min(HURRIED_WAIT_MS, settings.wait_max_ms) if is_hurried else settings.wait_max_ms
        newest = NEWEST_FETCH if partitions.have_ids else NEWEST_FETCH_BY_NAMES
        version = connection.version(ApiKey.FETCH, newest)
        if version is None:
            self._leader.fail("it serves no version of Fetch that is known here")
            return
        uses_ids = version > NEWEST_FETCH_BY_NAMES
        if uses_ids != self._uses_ids:
            # A leader refuses to continue a session that changes between names and ids.
            self._uses_ids = uses_ids
            partitions.session.begin_anew()
        registration = self._ports.registration
        body = leader_questions.fetch_request(
            registration.broker_id,
            registration.broker_epoch,
            partitions.session.next_request(),
            wait_ms,
            settings.min_bytes,
            settings.response_size_max,
            uses_ids=uses_ids,
        )
        due_ms = self._ports.clock.now_ms() + wait_ms // 2
        self._ask(ApiKey.FETCH, version, body, self._take_records, due_ms)

    def _take_records(self, body: Body) -> None:
        response = cast(FetchResponse, body)
        if response.error_code != ErrorCode.NONE:
            self._session_refused(response.error_code)
            return
        self.counts.requests += 1
        now_ms = self._ports.clock.now_ms()
        session = self._partitions.session
        size_max = self._settings.partition_size_max
        uses_ids, by_name, by_id = self._uses_ids, self._partitions.by_name, self._partitions.by_id
        for topic in response.responses:
            partitions = by_id.get(topic.topic_id) if uses_ids else by_name.get(topic.topic)
            if partitions is None:
                continue
            for data in topic.partitions:
                followed = partitions.get(data.partition_index)
                if followed is None or followed.state.phase is not FetchPhase.FETCHING:
                    continue
                key = followed.key
                if not followed.is_answer_to(session.asked(key)):
                    session.not_processed(key)
                    continue
                if data.error_code != ErrorCode.NONE:
                    self._failures.refuse(followed, data.error_code)
                elif data.diverging_epoch.epoch != UNDEFINED:
                    self._alignment.diverge(followed, data)
                elif self._take_data(followed, data, now_ms):
                    session.put(key, followed.part(size_max))
        session.answered(response.session_id)

    def _take_data(self, followed: FollowedPartition, data: PartitionData, now_ms: int) -> bool:
        """Append one partition's records; returns whether its next request changes."""
        replica = followed.replica
        high_watermark = replica.high_watermark
        try:
            has_changed = followed.take(data, now_ms)
        except CorruptBatchError as error:
            self._failures.delay(followed, f"CORRUPT_MESSAGE: {error}", passes=False)
            return False
        except UnexpectedAppendOffset as error:
            self._failures.fail(followed, str(error))
            return False
        except KafkaStorageError:
            # The directory's health has the reason, and the directory as a whole is reported.
            self.remove(followed.partition)
            return False
        except Exception as mistake:  # noqa: BLE001
            reason = f"what was fetched made this broker fail: {mistake!r}"
            self._failures.fail(followed, reason)
            # It goes on to the loop, which logs it, apart from the other partitions.
            self._ports.clock.call_later(0, partial(throw, mistake))
            return False
        size = len(data.records or b"")
        self.counts.bytes += size
        if replica.broker_id in replica.assignment.adding:
            self.counts.reassigned_bytes += size
        if self._throttle.is_active and self._throttle.is_throttled(*followed.key[:2]):
            self._throttle.record(size, now_ms)
        if followed.refusal_count > 0:
            self._failures.end(followed)
        self._flush_if_owed(followed)
        if has_changed or replica.high_watermark != high_watermark:
            self._pace.has_changed = True
        return has_changed

    def _flush_if_owed(self, followed: FollowedPartition) -> None:
        """Send the leader nothing more until the records that `flush.messages` requires are
        durable.

        The offset of a fetch acknowledges what is stored, and the leader counts it as committed.
        As in Kafka, all partitions of the fetcher wait.
        """
        if followed.log.owes_flush and followed not in self._flushing:
            self._flushing.add(followed)
            self._ports.disks.flush(followed.log, partial(self._flushed, followed))

    def _flushed(self, followed: FollowedPartition, error: KafkaStorageError | None) -> None:
        self._flushing.discard(followed)
        if error is not None:
            # As where an append fails.
            self.remove(followed.partition)
        if not self._flushing:
            self._wake()

    def _session_refused(self, error: int) -> None:
        if error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
            self._partitions.session.forget_session()
        elif error in RESET_BY:
            self._partitions.session.begin_anew()
        else:
            self._leader.fail(f"it refuses all with {name_of(error)}")
