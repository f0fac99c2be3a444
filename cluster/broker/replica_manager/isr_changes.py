"""ISR changes that this broker's leaders propose, and their way to the controller or to ZooKeeper.

One request is in flight at a time, while others wait, up to `PROPOSALS_MAX`.  It is sent to the
controller (AlterPartition): in this process, or over the wire.  Where the controller is a Kafka
broker that does not know the request (before 2.7), the states are written to ZooKeeper instead, as
its own leaders do.

A proposal that was sent may have been accepted until an answer refuses it, so its leader continues
to count with it (`cluster.replication.isr`); after a lost answer the same proposal is sent again,
and is answered as if it were the first one.

Source: Kafka's AlterPartitionManager, and Partition.maybeExpandIsr and maybeShrinkIsr.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Final, NamedTuple, TypeAlias, cast

from cluster.broker.handling import Body, Cancel
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import NoAnswer, PeerConnection, Ports
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.controller.requests import (
    AlterPartition,
    AlterPartitionReply,
    AskedTopic,
    IsrMember,
    IsrProposal,
)
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER, BrokerId, LeaderEpoch, TopicPartition, ZkVersion
from cluster.model.topic import RECOVERED, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.replication.isr import PendingIsrChange
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    BrokerState,
    PartitionData,
    TopicData,
)

RETRY_BACKOFF_MS: Final = 50
"""Kafka's, of the AlterPartitionManager."""
PROPOSALS_MAX: Final = 500
"""How many changes one request has: other work of the controller, and this broker's clients, have
their turns in between.  Kafka's leaders send all at once.
"""
LOOKED_AT_ONCE: Final = 1000
"""How many partitions are checked for lag before requests go on."""
NEWEST_VERSION: Final = 3
NAMES_VERSION: Final = 1
"""The newest version that calls topics by their names."""
EPOCHS_VERSION: Final = 3
"""The first version with the broker epochs of the members."""

Verdict: TypeAlias = PartitionState | ErrorCode
Verdicts: TypeAlias = Mapping[TopicPartition, Verdict]


class Proposed(NamedTuple):
    """A change that a leader waits for."""

    hosted: HostedPartition
    change: PendingIsrChange


class IsrChanges:
    """The proposals that wait, and those in flight."""

    __slots__ = (
        "_cache",
        "_connection",
        "_connection_to",
        "_logged_failures",
        "_logged_refusals",
        "_partitions",
        "_ports",
        "_sent",
        "_stop_opening",
        "_stop_timers",
        "_waiting",
        "expand_count",
        "refused_count",
        "shrink_count",
    )

    def __init__(self, ports: Ports, cache: MetadataCache, partitions: Partitions) -> None:
        self._ports = ports
        self._cache = cache
        self._partitions = partitions
        self._waiting: dict[TopicPartition, Proposed] = {}
        self.shrink_count = self.expand_count = self.refused_count = 0
        """How many changes were accepted, and refused, since the start of the broker."""
        self._sent: dict[TopicPartition, Proposed] = {}
        self._connection: PeerConnection | None = None
        self._connection_to: int = NO_LEADER
        self._stop_opening: Cancel | None = None
        self._stop_timers: dict[str, Cancel] = {}
        self._logged_failures: set[str] = set()
        """The reasons of failures that were logged since the last answer."""
        self._logged_refusals: dict[TopicPartition, tuple[PendingIsrChange, ErrorCode]] = {}
        """Of each partition the last refusal that was logged, until a proposal is accepted."""

    def start(self) -> None:
        """Check from now on for members of ISRs that lag, twice in the time that they may."""
        self._later("lag", max(1, self._ports.settings.lag_max_ms // 2), self._look_for_lag)

    def stop(self) -> None:
        """Stop proposing."""
        for stop in self._stop_timers.values():
            stop()
        self._stop_timers.clear()
        self._disconnect()
        self._waiting.clear()
        self._sent.clear()

    def _later(self, name: str, delay_ms: int, act: Callable[[], None]) -> None:
        def go_off() -> None:
            del self._stop_timers[name]
            act()

        if name not in self._stop_timers:
            self._stop_timers[name] = self._ports.clock.call_later(delay_ms, go_off)

    def _look_for_lag(self) -> None:
        for partition in tuple(self._logged_refusals):
            if self._partitions.find(partition) is None:
                del self._logged_refusals[partition]
        self._look_at(iter(tuple(self._partitions)))

    def _look_at(self, partitions: Iterator[HostedPartition]) -> None:
        """Check some of *partitions*, and the others when requests have had their turn; those that
        are gone by then have no leader.
        """
        now_ms = self._ports.clock.now_ms()
        some = tuple(islice(partitions, LOOKED_AT_ONCE))
        for hosted in some:
            replica = hosted.replica
            if not replica.is_leader:
                continue
            if replica.holds_back:
                # It may have waited for a follower that was about to join and has gone, or does
                # not keep up any more.  Without appends and fetches nothing else detects that.
                replica.recount(now_ms)
            lagging = replica.lagging(now_ms)
            if not lagging or hosted.log.is_offline:
                continue
            isr_before = replica.state.isr
            change = replica.without(lagging)
            behind = " ".join(
                f"(brokerId: {one.broker_id}, endOffset: {one.log_end_offset}, "
                f"lastCaughtUpTimeMs: {one.caught_up_ms})"
                for one in lagging
            )
            self._ports.journal.info(
                f"[Partition {hosted.partition} broker={replica.broker_id}] Shrinking ISR from "
                f"{joined(isr_before)} to {joined(change.isr)}. Leader: (highWatermark: "
                f"{replica.high_watermark}, endOffset: {hosted.log.log_end_offset}). "
                f"Out of sync replicas: {behind}."
            )
            self.propose(hosted, change)
        if len(some) == LOOKED_AT_ONCE:
            self._later("lag", 0, partial(self._look_at, partitions))
        else:
            self.start()

    def propose(self, hosted: HostedPartition, change: PendingIsrChange) -> None:
        """Propose *change*, with which its leader counts already."""
        self._waiting[hosted.partition] = Proposed(hosted, change)
        # What else changes in this turn goes with it.
        self._later("send", 0, self._send)

    def _send(self) -> None:
        if self._sent or not self._waiting:
            return
        while self._waiting and len(self._sent) < PROPOSALS_MAX:
            # Those that have waited longest.
            partition = next(iter(self._waiting))
            one = self._waiting.pop(partition)
            # A role that has changed since has taken its proposal with it.
            if one.hosted.replica.proposal is one.change:
                self._sent[partition] = one
        if not self._sent:
            return
        controller_id = self._cache.live_controller_id
        if controller_id == NO_LEADER:
            self._failed("no controller is known")
        elif controller_id == self._ports.registration.broker_id:
            self._disconnect()
            self._ports.controller.submit(self._request(), self._replied)
        else:
            self._send_to(controller_id)

    # In this process.

    def _request(self) -> AlterPartition:
        topics: dict[AskedTopic, dict[int, IsrProposal]] = {}
        for partition, (_, change) in self._sent.items():
            topics.setdefault(AskedTopic(name=partition.topic), {})[partition.partition] = (
                IsrProposal(
                    change.before.leader_epoch,
                    change.before.zk_version,
                    tuple(map(IsrMember, change.isr, change.broker_epochs)),
                    RECOVERED,
                )
            )
        registration = self._ports.registration
        return AlterPartition(registration.broker_id, registration.broker_epoch, topics)

    def _replied(self, reply: AlterPartitionReply) -> None:
        if reply.error != ErrorCode.NONE:
            self._failed(reply.error.name)
            return
        verdicts: dict[TopicPartition, Verdict] = {}
        for asked, partitions in reply.topics.items():
            assert asked.name is not None, "it was asked by name"
            for index, altered in partitions.items():
                verdict = altered.error if altered.state is None else altered.state
                verdicts[TopicPartition(asked.name, index)] = verdict
        self._decided(verdicts)

    # Over the wire.

    def _send_to(self, controller_id: int) -> None:
        connection = self._connection
        if connection is not None and connection.is_open and self._connection_to == controller_id:
            self._send_by(connection)
            return
        self._disconnect()
        settings = self._ports.settings
        controller = self._cache.brokers[controller_id]
        endpoint = controller.endpoints.get(settings.inter_broker_listener)
        if endpoint is None:
            self._failed(f"the controller has no listener {settings.inter_broker_listener}")
            return

        def opened(connection: PeerConnection | NoAnswer) -> None:
            self._stop_opening = None
            if isinstance(connection, NoAnswer):
                self._failed(f"controller {controller_id}: {connection.reason}")
                return
            self._connection, self._connection_to = connection, controller_id
            self._send_by(connection)

        self._stop_opening = self._ports.peers.connect(
            endpoint,
            str(self._ports.registration.broker_id),
            settings.controller_timeout_ms,
            opened,
        )

    def _send_by(self, connection: PeerConnection) -> None:
        version = connection.version(ApiKey.ALTER_PARTITION, NEWEST_VERSION)
        if version is None:
            states = {
                partition: change.before._replace(isr=change.isr, leader_recovery_state=RECOVERED)
                for partition, (_, change) in self._sent.items()
            }
            self._ports.store.write_isrs(states, self._written)
            return
        ids = {partition.topic: one.hosted.topic_id for partition, one in self._sent.items()}
        if NO_TOPIC_ID in ids.values():
            version = min(version, NAMES_VERSION)

        def answered(body: Body | NoAnswer) -> None:
            if isinstance(body, NoAnswer):
                self._disconnect()
                self._failed(f"controller {self._connection_to}: {body.reason}")
            else:
                self._answered(cast(AlterPartitionResponse, body), version, ids)

        connection.send(
            ApiKey.ALTER_PARTITION,
            version,
            self._wire_request(version, ids),
            self._ports.settings.controller_timeout_ms,
            answered,
        )

    def _wire_request(self, version: int, ids: Mapping[str, bytes]) -> AlterPartitionRequest:
        topics: dict[str, list[PartitionData]] = {}
        for partition, (_, change) in self._sent.items():
            with_epochs = version >= EPOCHS_VERSION
            topics.setdefault(partition.topic, []).append(
                PartitionData(
                    partition.partition,
                    change.before.leader_epoch,
                    () if with_epochs else change.isr,
                    tuple(map(BrokerState, change.isr, change.broker_epochs))
                    if with_epochs
                    else (),
                    RECOVERED,
                    change.before.zk_version,
                )
            )
        by_name = version <= NAMES_VERSION
        registration = self._ports.registration
        return AlterPartitionRequest(
            registration.broker_id,
            registration.broker_epoch,
            tuple(
                TopicData(topic if by_name else "", NO_TOPIC_ID if by_name else ids[topic], parts)
                for topic, parts in topics.items()
            ),
        )

    def _answered(
        self, response: AlterPartitionResponse, version: int, ids: Mapping[str, bytes]
    ) -> None:
        if response.error_code != ErrorCode.NONE:
            self._failed(f"the controller's error is {response.error_code}")
            return
        names = {topic_id: name for name, topic_id in ids.items()}
        verdicts: dict[TopicPartition, Verdict] = {}
        for topic in response.topics:
            name = topic.topic_name if version <= NAMES_VERSION else names.get(topic.topic_id)
            for part in topic.partitions:
                partition = TopicPartition(name or "", part.partition_index)
                sent = self._sent.get(partition)
                if sent is None:
                    continue
                verdicts[partition] = (
                    ErrorCode(part.error_code)
                    if part.error_code != ErrorCode.NONE
                    else sent.change.before._replace(
                        leader=BrokerId(part.leader_id),
                        leader_epoch=LeaderEpoch(part.leader_epoch),
                        isr=tuple(map(BrokerId, part.isr)),
                        zk_version=ZkVersion(part.partition_epoch),
                    )
                )
        self._decided(verdicts)

    def _disconnect(self) -> None:
        if self._stop_opening is not None:
            self._stop_opening()
            self._stop_opening = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # In ZooKeeper.

    def _written(self, written: Verdicts | ApiError) -> None:
        if isinstance(written, ApiError):
            self._failed(str(written.message))
        else:
            self._decided(written)

    # Outcomes.

    def _failed(self, reason: str) -> None:
        """Send all of it again after a while: its result is unknown.

        The same is tried twenty times a second, for as long as an outage takes, and logged once.
        """
        if reason not in self._logged_failures:
            self._logged_failures.add(reason)
            self._ports.journal.info(f"ISR changes are proposed again and again: {reason}")
        self._again(self._sent.values())

    def _again(self, unsettled: Iterable[Proposed]) -> None:
        """Send what has arrived meanwhile, and after a while the *unsettled* as well."""
        again = tuple(unsettled)
        for one in again:
            self._waiting.setdefault(one.hosted.partition, one)
        self._sent = {}
        if again:
            self._later("retry", RETRY_BACKOFF_MS, self._send)
        elif self._waiting:
            self._later("send", 0, self._send)

    def _decided(self, verdicts: Verdicts) -> None:
        self._logged_failures.clear()
        unsettled: list[Proposed] = []
        now_ms = self._ports.clock.now_ms()
        for partition, one in self._sent.items():
            hosted, change = one
            verdict = verdicts.get(partition)
            if verdict is None:
                unsettled.append(one)
            elif isinstance(verdict, PartitionState):
                self._logged_refusals.pop(partition, None)
                self._count(change)
                if hosted.replica.accepted(change, verdict, now_ms):
                    self._ports.journal.info(
                        f"[Partition {partition} broker={hosted.replica.broker_id}] ISR updated to "
                        f"{joined(verdict.isr)} and version updated to {verdict.zk_version}"
                    )
            else:
                self.refused_count += 1
                self._note_refusal(one, verdict)
                if hosted.replica.refused(change, verdict):
                    unsettled.append(one)
        self._again(unsettled)

    def _count(self, accepted: PendingIsrChange) -> None:
        size, size_before = len(accepted.isr), len(accepted.before.isr)
        self.shrink_count += size < size_before
        self.expand_count += size > size_before

    def _note_refusal(self, refused: Proposed, error: ErrorCode) -> None:
        """Log the refusal unless it was logged for the same proposal: each fetch may propose it
        again.
        """
        partition, replica = refused.hosted.partition, refused.hosted.replica
        refusal = (refused.change, error)
        if self._logged_refusals.get(partition) != refusal:
            self._logged_refusals[partition] = refusal
            self._ports.journal.info(
                f"[Partition {partition} broker={replica.broker_id}] the change of the "
                f"ISR to {joined(refused.change.isr)} was refused: {error.name}"
            )


def joined(isr: Iterable[int]) -> str:
    return ",".join(map(str, isr))
