"""One fetcher: it keeps the replicas of some partitions equal to their leader's, on one connection.

What is asked next is decided after each answer: first where logs part from the leader's, and where
the leader's begin and end that are out of reach; then the records.  Of what is asked about many
partitions at once, each goes its own way by its part of the answer: one that fails, or waits, keeps
no other from going on.

Source: Kafka's AbstractFetcherThread, ReplicaFetcherThread and RemoteLeaderEndPoint.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final, cast

from cluster.broker import leader_questions
from cluster.broker.control_queue import throw
from cluster.broker.followed_partition import FollowedPartition
from cluster.broker.handling import Body, Cancel
from cluster.broker.log_truncations import LogTruncations
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.partitions import HostedPartition
from cluster.broker.ports import Endpoint, NoAnswer, PeerConnection, Ports
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.record_batch import CorruptBatchError
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.replication.fetch_phases import FetchPhase
from cluster.replication.fetch_session_handler import FetchSessionHandler, PartKey
from cluster.replication.fetch_state import NEWS_TO_COME, Reaction, reaction_to
from cluster.replication.throttle import ReplicationThrottle
from cluster.replication.truncation import (
    UNDEFINED,
    EpochEnd,
    Reset,
    Truncation,
    reset_to,
    truncation_by,
)
from cluster.storage.errors import KafkaStorageError, UnexpectedAppendOffset
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import FetchPartition, FetchResponse, PartitionData
from cluster.wire.messages.offset_for_leader_epoch import EpochEndOffset

NEWEST_FETCH: Final = 17
NEWEST_BY_NAMES: Final = 12
"""The last version of a fetch that names topics by their names (KIP-516)."""
RESET_BY: Final = frozenset(
    {ErrorCode.INVALID_FETCH_SESSION_EPOCH, ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR}
)
"""After these a session is begun anew, as which the leader ends the one that it has."""
IN_BAND_VERSION: Final = 12
"""From this version of a fetch on, its answer says where the logs part (KIP-595)."""
NEWEST_EPOCHS: Final = 4
NEWEST_OFFSETS: Final = 6
NOT_ANSWERED: Final = EpochEndOffset(ErrorCode.UNKNOWN_SERVER_ERROR)
HURRIED_WAIT_MS: Final = 10
"""How long a fetch waits for records while other partitions are about to go on."""
IN_VAIN_MAX: Final = 10
"""How many answers in a row may come before their time and change nothing.  Some do as leaders and
sessions come and go; without an end one leader would keep this broker busy with nothing else."""
NEVER_MS: Final = 2**63
NAMED_MAX: Final = 5
"""How many partitions a line names."""


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
        self._cache = cache
        self._truncations = truncations
        self._throttle = throttle
        self._settings = ports.settings.fetchers
        self._leader_id = leader_id
        self._number = number
        self._partitions: dict[str, dict[int, FollowedPartition]] = {}
        self._session: FetchSessionHandler[FetchPartition] = FetchSessionHandler()
        self._uses_ids = False
        """Whether the session names topics by their ids."""
        self._by_id: dict[bytes, dict[int, FollowedPartition]] = {}
        """The same partitions, but for those of topics of which no id is known."""
        self._without_id: set[PartKey] = set()
        """Those others."""
        self._truncating: dict[PartKey, FollowedPartition] = {}
        self._out_of_range: dict[PartKey, FollowedPartition] = {}
        self._cutting: set[PartKey] = set()
        self._throttled: set[PartKey] = set()
        """Those that are held back, since more than their rate was fetched."""
        self._delayed: dict[PartKey, int] = {}
        """When each goes on, in ms; the first one first."""
        self._connection: PeerConnection | None = None
        self._endpoint: Endpoint | None = None
        """Where the connection leads, or shall lead."""
        self._is_asking = False
        """Whether an answer is awaited, or a connection."""
        self._backs_off = False
        self._due_ms = 0
        """From when on an answer that changes nothing is as usual."""
        self._has_changed = False
        """Whether the answer that is taken has changed what is asked next, or what is committed."""
        self._in_vain_count = 0
        self._is_vanity_told = False
        """Whether server.log says that answers change nothing."""
        self._stop_connecting: Cancel | None = None
        self._stop_backoff: Cancel | None = None
        self._stop_delay: Cancel | None = None
        self._stop_turn: Cancel | None = None
        self._is_silent = False
        """Whether server.log says that the leader does not answer."""
        self._refused: dict[str, list[TopicPartition]] = {}
        """What there is to tell of one answer: reasons, and the partitions of each."""
        self._works_again: list[TopicPartition] = []
        self._fenced: list[TopicPartition] = []
        """Of one answer, those of which the leader has a newer epoch."""

    # Which partitions.

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to fetch."""
        return not self._partitions

    def add(self, hosted: HostedPartition) -> None:
        """Fetch a partition whose replica follows this leader."""
        followed = FollowedPartition(hosted)
        partition = followed.partition
        partitions = self._partitions.setdefault(partition.topic, {})
        assert partition.partition not in partitions
        partitions[partition.partition] = followed
        self._truncating[followed.key] = followed
        topic_id = followed.key.topic_id
        if topic_id == NO_TOPIC_ID:
            self._without_id.add(followed.key)
        else:
            self._by_id.setdefault(topic_id, {})[partition.partition] = followed
        self._wake()

    def remove(self, partition: TopicPartition) -> None:
        """Fetch a partition no more: at once, whatever is on its way.  Without effect for another
        one.
        """
        partitions = self._partitions.get(partition.topic, {})
        followed = partitions.pop(partition.partition, None)
        if followed is None:
            return
        if not partitions:
            del self._partitions[partition.topic]
        key = followed.key
        self._session.forget(key)
        self._truncating.pop(key, None)
        self._out_of_range.pop(key, None)
        self._delayed.pop(key, None)
        self._throttled.discard(key)
        self._without_id.discard(key)
        if key.topic_id != NO_TOPIC_ID:
            of_id = self._by_id[key.topic_id]
            del of_id[key.partition]
            if not of_id:
                del self._by_id[key.topic_id]
        if key in self._cutting:
            self._cutting.discard(key)
            self._truncations.give_up(partition)

    def close(self) -> None:
        """Ask nothing any more."""
        for partitions in tuple(self._partitions.values()):
            for followed in tuple(partitions.values()):
                self.remove(followed.partition)
        self._disconnect()
        for stop in (self._stop_delay, self._stop_turn):
            if stop is not None:
                stop()

    def _followed(self, key: PartKey) -> FollowedPartition | None:
        return self._partitions.get(key.topic, {}).get(key.partition)

    # The connection.

    def metadata_changed(self) -> None:
        """Go where the leader is now, and do not wait if it has just come back."""
        endpoint = self._leader_endpoint()
        if endpoint is None:
            if self._connection is None:
                # When it is back, it is asked at once.
                self._endpoint = None
        elif endpoint != self._endpoint and not self.is_idle:
            self._disconnect()
            self._wake()

    def _leader_endpoint(self) -> Endpoint | None:
        leader = self._cache.brokers.get(self._leader_id)
        if leader is None:
            return None
        return leader.endpoints.get(self._ports.settings.inter_broker_listener)

    def _connect(self) -> None:
        self._endpoint = endpoint = self._leader_endpoint()
        if endpoint is None:
            # Whoever says that it is back says where.
            return
        self._is_asking = True
        client_id = f"broker-{self._ports.registration.broker_id}-fetcher-{self._number}"
        self._stop_connecting = self._ports.peers.connect(
            endpoint, client_id, self._settings.timeout_ms, self._opened
        )

    def _opened(self, connection: PeerConnection | NoAnswer) -> None:
        self._is_asking = False
        self._stop_connecting = None
        if isinstance(connection, NoAnswer):
            self._connection_failed(connection.reason)
            return
        self._connection = connection
        if not self._is_in_band(connection) and connection.version(
            ApiKey.OFFSET_FOR_LEADER_EPOCH, NEWEST_EPOCHS
        ):
            # It may have been started again, and lost its end.  Fetches do not tell: so ask.
            for partitions in self._partitions.values():
                for followed in partitions.values():
                    if followed.state.phase is FetchPhase.FETCHING:
                        followed.state.find_divergence()
                        self._session.forget(followed.key)
                        self._truncating[followed.key] = followed
        self._go_on()

    def _disconnect(self) -> None:
        """Begin anew: the answer that is on its way is not heard any more."""
        for stop in (self._stop_connecting, self._stop_backoff):
            if stop is not None:
                stop()
        self._stop_connecting = self._stop_backoff = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._is_asking = self._backs_off = False
        self._endpoint = None
        self._session.begin_anew()

    def _connection_failed(self, reason: str) -> None:
        """Try again after a while.  People are told once, and when it works again."""
        endpoint = self._endpoint
        self._disconnect()
        self._endpoint = endpoint
        if self.is_idle:
            return
        if not self._is_silent:
            self._is_silent = True
            at = "" if endpoint is None else f" at {endpoint.host}:{endpoint.port}"
            count = sum(map(len, self._partitions.values()))
            self._ports.journal.warning(
                f"{self}: broker {self._leader_id}{at}, which leads {count} partitions that are"
                f" followed here, does not answer: {reason}; it is asked again every"
                f" {self._settings.backoff_ms} ms"
            )
        self._backs_off = True
        self._look_again_later()

    def _pace(self) -> None:
        """Leave the leader alone for a while when it has answered again and again in vain.

        Kafka's fetchers go on at once, and burn a core where a leader does not know their session
        however often it is begun.
        """
        if self._has_changed or self._ports.clock.now_ms() >= self._due_ms:
            self._in_vain_count = 0
            if self._is_vanity_told:
                self._is_vanity_told = False
                self._ports.journal.info(f"{self}: broker {self._leader_id} has answers again")
            return
        self._in_vain_count += 1
        if self._in_vain_count < IN_VAIN_MAX or self._backs_off:
            return
        self._in_vain_count = 0
        if not self._is_vanity_told:
            self._is_vanity_told = True
            self._ports.journal.warning(
                f"{self}: broker {self._leader_id} has answered {IN_VAIN_MAX} times at once, and"
                f" nothing came of it; it is asked again every {self._settings.backoff_ms} ms"
            )
        self._backs_off = True
        self._look_again_later()

    def _look_again_later(self) -> None:
        if self._stop_backoff is not None:
            self._stop_backoff()
        self._stop_backoff = self._ports.clock.call_later(
            self._settings.backoff_ms, self._end_backoff
        )

    def _end_backoff(self) -> None:
        self._backs_off = False
        self._stop_backoff = None
        self._go_on()

    def __str__(self) -> str:
        """As Kafka names the thread."""
        return f"ReplicaFetcher-{self._number}-{self._leader_id}"

    # What is asked next.

    def _wake(self) -> None:
        """Go on in the next turn of the loop, with all that has come up in this one."""
        if self._stop_turn is None and not self._is_asking:
            self._stop_turn = self._ports.clock.call_later(0, self._take_turn)

    def _take_turn(self) -> None:
        self._stop_turn = None
        self._go_on()

    def _go_on(self) -> None:
        """Ask what is to be asked next, unless an answer is awaited already."""
        if self._is_asking or self._backs_off or self.is_idle:
            return
        connection = self._connection
        if connection is None or not connection.is_open:
            self._connection = None
            self._session.begin_anew()
            self._connect()
            return
        if self._truncating and self._find_divergences(connection):
            return
        if self._out_of_range:
            self._ask_ends(connection)
            return
        if self._throttle.is_active or self._throttled:
            self._hold_back()
        if not self._session.is_empty:
            self._fetch(connection)
        elif self._throttled and self._stop_backoff is None:
            self._look_again_later()

    def _ask(
        self,
        connection: PeerConnection,
        api_key: ApiKey,
        version: int,
        body: Body,
        take: Callable[[Body], None],
        due_ms: int = NEVER_MS,
    ) -> None:
        """Ask the leader, and go on with the answer, whatever becomes of it."""
        self._is_asking = True
        self._has_changed = False
        self._due_ms = due_ms
        timeout_ms = self._settings.timeout_ms
        connection.send(api_key, version, body, timeout_ms, partial(self._answered, take))

    def _answered(self, take: Callable[[Body], None], body: Body | NoAnswer) -> None:
        self._is_asking = False
        if isinstance(body, NoAnswer):
            self._connection_failed(body.reason)
            return
        if self._is_silent:
            self._is_silent = False
            self._ports.journal.info(f"{self}: broker {self._leader_id} answers again")
        is_taken = False
        try:
            take(body)
            is_taken = True
        finally:
            if not is_taken:
                # A mistake of ours goes on to the loop, which logs it; and the fetcher goes on.
                self._connection_failed("its answer made this broker fail")
        if self._refused or self._works_again or self._fenced:
            self._tell()
        self._pace()
        self._go_on()

    # Where logs part.

    def _is_in_band(self, connection: PeerConnection) -> bool:
        return (connection.version(ApiKey.FETCH, NEWEST_FETCH) or 0) >= IN_BAND_VERSION

    def _find_divergences(self, connection: PeerConnection) -> bool:
        """Let all partitions go on that need not ask, and ask for the others; whether any does."""
        is_in_band = self._is_in_band(connection)
        version = connection.version(ApiKey.OFFSET_FOR_LEADER_EPOCH, NEWEST_EPOCHS)
        asked: dict[PartKey, FollowedPartition] = {}
        for key, followed in self._truncating.items():
            epoch = followed.state.last_fetched_epoch
            if epoch == UNDEFINED or (version is None and not is_in_band):
                # Nobody knows better than the high watermark: what is committed, both have.
                own = followed.own_log()
                offset = truncation_by(EpochEnd(UNDEFINED, UNDEFINED), own).offset
                self._cut(followed, Truncation(offset, is_last=True))
            elif is_in_band:
                self._begin_fetching(followed)
            else:
                asked[key] = followed
        self._truncating = dict(asked)
        if not asked:
            return False
        assert version is not None
        self._ask(
            connection,
            ApiKey.OFFSET_FOR_LEADER_EPOCH,
            version,
            leader_questions.epochs_request(self._ports.registration.broker_id, asked),
            partial(self._take_epochs, asked),
        )
        return True

    def _take_epochs(self, asked: Mapping[PartKey, FollowedPartition], body: Body) -> None:
        answers = dict(leader_questions.epoch_answers(body))
        for key, followed in asked.items():
            if self._truncating.get(key) is not followed:
                continue
            answer = answers.get(followed.partition, NOT_ANSWERED)
            if answer.error_code != ErrorCode.NONE:
                self._refuse(followed, answer.error_code)
                continue
            told = EpochEnd(answer.leader_epoch, answer.end_offset)
            del self._truncating[key]
            self._cut(followed, truncation_by(told, followed.own_log()))

    def _diverge(self, followed: FollowedPartition, data: PartitionData) -> None:
        """Cut a log of which the answer to a fetch says that it parts from the leader's."""
        self._throttled.discard(followed.key)
        told = EpochEnd(*data.diverging_epoch)
        followed.leader_high_watermark = data.high_watermark
        self._session.forget(followed.key)
        self._cut(followed, truncation_by(told, followed.own_log()))

    def _cut(self, followed: FollowedPartition, truncation: Truncation) -> None:
        if truncation.offset < 0:
            self._delay(followed, f"its log is to end at {truncation.offset}", passes=False)
            return
        log = followed.log
        followed.state.cut(is_last=truncation.is_last)
        if truncation.offset >= log.log_end_offset:
            # Only epochs that began without records may have to go.
            log.truncate_to(truncation.offset, self._ports.clock.now_ms())
            self._has_cut(followed)
            return
        offset = truncation.offset
        if offset < followed.replica.high_watermark:
            self._ports.journal.warning(
                f"{followed.partition} is truncated to {offset}, below its high watermark of"
                f" {followed.replica.high_watermark}, as leader {self._leader_id} says"
            )
        self._has_changed = True
        self._cutting.add(followed.key)
        done = partial(self._cut_is_over, followed, offset)
        self._truncations.truncate(followed.partition, offset, done)

    def _restart(self, followed: FollowedPartition, offset: int) -> None:
        followed.state.cut(is_last=True)
        self._has_changed = True
        self._cutting.add(followed.key)
        done = partial(self._cut_is_over, followed, offset)
        self._truncations.restart_at(followed.partition, offset, done)

    def _cut_is_over(self, followed: FollowedPartition, offset: int) -> None:
        """The log is cut, unless it is damaged there or its disk has failed."""
        self._cutting.discard(followed.key)
        if followed.log.is_offline:
            self.remove(followed.partition)
            return
        if followed.log.log_end_offset > offset:
            followed.has_cut()
            self._fail(followed, f"its log is damaged and cannot be truncated to {offset}")
            self._tell()
            return
        self._has_cut(followed)
        self._wake()

    def _has_cut(self, followed: FollowedPartition) -> None:
        followed.has_cut()
        if followed.state.phase is FetchPhase.FETCHING:
            self._put(followed)
        else:
            self._truncating[followed.key] = followed

    # What is out of the leader's range.

    def _ask_ends(self, connection: PeerConnection) -> None:
        asked = dict(self._out_of_range)
        self._ask_offsets(connection, asked, leader_questions.LATEST, self._take_latest)

    def _ask_offsets(
        self,
        connection: PeerConnection,
        asked: Mapping[PartKey, FollowedPartition],
        timestamp: int,
        take: Callable[[Mapping[PartKey, int]], None],
    ) -> None:
        version = connection.version(ApiKey.LIST_OFFSETS, NEWEST_OFFSETS)
        if version is None:
            self._connection_failed("it serves no version of ListOffsets that is known here")
            return
        body = leader_questions.offsets_request(
            self._ports.registration.broker_id, asked, timestamp
        )

        def taken(answer: Body) -> None:
            answers = dict(leader_questions.offset_answers(answer))
            offsets: dict[PartKey, int] = {}
            for key, followed in asked.items():
                if self._out_of_range.get(key) is followed:
                    failure = (ErrorCode.UNKNOWN_SERVER_ERROR, 0)
                    error, offset = answers.get(followed.partition, failure)
                    if error == ErrorCode.NONE:
                        offsets[key] = offset
                    else:
                        self._refuse(followed, error)
            if offsets:
                take(offsets)

        self._ask(connection, ApiKey.LIST_OFFSETS, version, body, taken)

    def _take_latest(self, ends: Mapping[PartKey, int]) -> None:
        assert self._connection is not None
        asked = {key: self._out_of_range[key] for key in ends}
        take = partial(self._take_earliest, ends)
        self._ask_offsets(self._connection, asked, leader_questions.EARLIEST, take)

    def _take_earliest(self, ends: Mapping[PartKey, int], starts: Mapping[PartKey, int]) -> None:
        for key, start in starts.items():
            followed = self._out_of_range.pop(key)
            self._reset(followed, start, ends[key])

    def _reset(self, followed: FollowedPartition, leader_start: int, leader_end: int) -> None:
        """Go on within what the leader has."""
        if min(leader_start, leader_end) < 0:
            reason = f"the leader's log goes from {leader_start} to {leader_end}"
            self._delay(followed, reason, passes=False)
            return
        log_end_offset = followed.log.log_end_offset
        reset: Reset = reset_to(leader_start, leader_end, log_end_offset)
        self._ports.journal.warning(
            f"{followed.partition} ends at {log_end_offset} here, and goes from {leader_start} to"
            f" {leader_end} at its leader {self._leader_id}: it is fetched from {reset.offset} on"
        )
        if reset.restarts:
            self._restart(followed, reset.offset)
        elif reset.offset < log_end_offset:
            # A leader that was elected uncleanly: where the logs part is found out behind that.
            self._cut(followed, Truncation(reset.offset, is_last=False))
        else:
            # The offset is one that it has; what it says of our epoch is to be seen.
            self._delay(followed, "the leader has its offset, and does not know it", passes=True)

    # Records.

    def _begin_fetching(self, followed: FollowedPartition) -> None:
        followed.state.fetch()
        self._put(followed)

    def _hold_back(self) -> None:
        """Fetch no throttled partitions while they exceed their rate, but for those that have what
        is committed: a member of the ISR shall not fall out of it.

        Source: Kafka's ReplicaFetcherThread.shouldFollowerThrottle.
        """
        throttle = self._throttle
        is_exceeded = throttle.is_exceeded(self._ports.clock.now_ms())
        for topic, partitions in self._partitions.items():
            for index, followed in partitions.items():
                if followed.state.phase is not FetchPhase.FETCHING:
                    continue
                is_held = is_exceeded and throttle.is_throttled(topic, index)
                if is_held and not followed.is_in_sync:
                    self._session.forget(followed.key)
                    self._throttled.add(followed.key)
                elif followed.key in self._throttled:
                    self._throttled.discard(followed.key)
                    self._put(followed)

    def _put(self, followed: FollowedPartition) -> None:
        """Fetch from where the log ends."""
        self._session.put(followed.key, followed.part(self._settings.partition_size_max))

    def _fetch(self, connection: PeerConnection) -> None:
        settings = self._settings
        is_hurried = self._truncating or self._cutting
        wait_ms = min(HURRIED_WAIT_MS, settings.wait_max_ms) if is_hurried else settings.wait_max_ms
        version = connection.version(ApiKey.FETCH, NEWEST_FETCH)
        if version is None:
            self._connection_failed("it serves no version of Fetch that is known here")
            return
        if self._without_id:
            version = min(version, NEWEST_BY_NAMES)
        uses_ids = version > NEWEST_BY_NAMES
        if uses_ids != self._uses_ids:
            # A leader refuses a session that goes on by other names.
            self._uses_ids = uses_ids
            self._session.begin_anew()
        session = self._session.next_request()
        registration = self._ports.registration
        body = leader_questions.fetch_request(
            registration.broker_id,
            registration.broker_epoch,
            session,
            wait_ms,
            settings.min_bytes,
            settings.response_size_max,
            uses_ids=uses_ids,
        )
        due_ms = self._ports.clock.now_ms() + wait_ms // 2
        self._ask(connection, ApiKey.FETCH, version, body, self._take_records, due_ms)

    def _take_records(self, body: Body) -> None:
        response = cast(FetchResponse, body)
        if response.error_code != ErrorCode.NONE:
            self._session_refused(response.error_code)
            return
        now_ms = self._ports.clock.now_ms()
        session = self._session
        size_max = self._settings.partition_size_max
        uses_ids, by_name, by_id = self._uses_ids, self._partitions, self._by_id
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
                    continue
                if data.error_code != ErrorCode.NONE:
                    self._refuse(followed, data.error_code)
                elif data.diverging_epoch.epoch != UNDEFINED:
                    self._diverge(followed, data)
                elif self._take_data(followed, data, now_ms):
                    session.put(key, followed.part(size_max))
        session.answered(response.session_id)

    def _take_data(self, followed: FollowedPartition, data: PartitionData, now_ms: int) -> bool:
        """Append one partition's records; whether there is something else to be asked next."""
        replica = followed.replica
        high_watermark = replica.high_watermark
        try:
            has_changed = followed.take(data, now_ms)
        except CorruptBatchError as error:
            self._delay(followed, f"CORRUPT_MESSAGE: {error}", passes=False)
            return False
        except UnexpectedAppendOffset as error:
            self._fail(followed, str(error))
            return False
        except KafkaStorageError:
            # The directory's health has the reason, and people are told of the directory.
            self.remove(followed.partition)
            return False
        except Exception as mistake:  # noqa: BLE001
            self._fail(followed, f"what was fetched made this broker fail: {mistake!r}")
            # It goes on to the loop, which logs it, apart from the other partitions.
            self._ports.clock.call_later(0, partial(throw, mistake))
            return False
        if self._throttle.is_active and self._throttle.is_throttled(*followed.key[:2]):
            self._throttle.record(len(data.records or b""), now_ms)
        if followed.refusal_count > 0:
            followed.refusal_count = 0
            if followed.is_told:
                followed.is_told = False
                self._works_again.append(followed.partition)
        if has_changed or replica.high_watermark != high_watermark:
            self._has_changed = True
        return has_changed

    def _session_refused(self, error: int) -> None:
        if error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
            self._session.forget_session()
        elif error in RESET_BY:
            self._session.begin_anew()
        else:
            self._connection_failed(f"it refuses all with {name_of(error)}")

    # What does not work.

    def _refuse(self, followed: FollowedPartition, error: int) -> None:
        """React to an error of the leader."""
        reaction = reaction_to(error)
        if reaction is Reaction.RESET and followed.state.phase is FetchPhase.FETCHING:
            followed.state.lose_range()
            self._has_changed = True
            self._session.forget(followed.key)
            self._out_of_range[followed.key] = followed
        elif reaction is Reaction.AWAIT_ORDER:
            self._stop_asking(followed)
            self._fenced.append(followed.partition)
        else:
            self._delay(followed, name_of(error), passes=error in NEWS_TO_COME)

    def _delay(self, followed: FollowedPartition, reason: str, *, passes: bool) -> None:
        followed.state.delay()
        self._leave_phase(followed.key)
        clock, backoff_ms = self._ports.clock, self._settings.backoff_ms
        self._delayed[followed.key] = clock.now_ms() + backoff_ms
        if self._stop_delay is None:
            self._stop_delay = clock.call_later(backoff_ms, self._resume)
        if followed.is_refused(passes=passes):
            self._refused.setdefault(reason, []).append(followed.partition)

    def _resume(self) -> None:
        """Go on with those that have waited long enough."""
        self._stop_delay = None
        clock = self._ports.clock
        now_ms = clock.now_ms()
        for key, due_ms in tuple(self._delayed.items()):
            if due_ms > now_ms:
                self._stop_delay = clock.call_later(due_ms - now_ms, self._resume)
                break
            del self._delayed[key]
            followed = self._followed(key)
            assert followed is not None
            followed.state.resume()
            if followed.state.phase is FetchPhase.FETCHING:
                self._put(followed)
            else:
                self._truncating[key] = followed
        self._wake()

    def _stop_asking(self, followed: FollowedPartition) -> None:
        followed.state.fail()
        self._leave_phase(followed.key)

    def _fail(self, followed: FollowedPartition, reason: str) -> None:
        self._stop_asking(followed)
        self._ports.journal.error(
            f"{self}: {followed.partition} is not fetched until the controller orders it anew:"
            f" {reason}"
        )

    def _leave_phase(self, key: PartKey) -> None:
        self._has_changed = True
        self._session.forget(key)
        self._throttled.discard(key)
        self._truncating.pop(key, None)
        self._out_of_range.pop(key, None)

    def _tell(self) -> None:
        """Say in few lines what an answer has come to."""
        journal = self._ports.journal
        for reason, partitions in self._refused.items():
            journal.warning(
                f"{self}: {named(partitions)} cannot be fetched from broker {self._leader_id}:"
                f" {reason}; asked again every {self._settings.backoff_ms} ms"
            )
        self._refused.clear()
        if self._works_again:
            journal.info(f"{self}: {named(self._works_again)} can be fetched again")
            self._works_again.clear()
        if self._fenced:
            # As usual as a leader that moves: it has heard of it a moment before us.
            journal.info(
                f"{self}: the controller's order is awaited for {named(self._fenced)}: broker"
                f" {self._leader_id} has a newer leader epoch"
            )
            self._fenced.clear()


def name_of(error: int) -> str:
    try:
        return ErrorCode(error).name
    except ValueError:
        return f"error {error}"


def named(partitions: Iterable[TopicPartition]) -> str:
    """Some of *partitions* by name, and how many there are besides."""
    names = list(map(str, partitions))
    more = len(names) - NAMED_MAX
    return ", ".join(names[:NAMED_MAX]) + (f" and {more} others" if more > 0 else "")
