"""The end of replicas on this broker, with their data or without.

Source: Kafka's ReplicaManager.stopReplicas.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from cluster.broker.control.fences import ControllerFence, Sender
from cluster.broker.control.leadership import LeadershipListener
from cluster.broker.control.queue import codes_of
from cluster.broker.control.refused_partitions import RefusedPartitions
from cluster.broker.control.role_changes import Unserved
from cluster.broker.ports import Ports
from cluster.broker.procedures import Procedure
from cluster.broker.replica_fetcher.manager import ReplicaFetcherManager
from cluster.broker.replica_manager.log_dir_moves import LogDirMoves
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import EPOCH_DURING_DELETION, NO_LEADER_EPOCH, TopicPartition
from cluster.model.topic_name import can_be
from cluster.replication.replica import LOOK_AGAIN
from cluster.replication.replica_roles import ReplicaRole
from cluster.statechange.broker import (
    OrderTag,
    handling,
    offline_directory,
    received_stop_replica,
    stale_leader_epoch,
    stop_replica,
)
from cluster.storage.directories.log_directory import LogDirectory
from cluster.storage.errors import KafkaStorageError

ANY_EPOCH: Final = (NO_LEADER_EPOCH, EPOCH_DURING_DELETION)
"""From a controller that sends no epochs, and for a topic that is deleted."""


class Stop(NamedTuple):
    """One partition of a request."""

    partition: TopicPartition
    leader_epoch: int
    is_deleted: bool


class Stopped(NamedTuple):
    """The result of a request: *error* refuses all of it, *errors* are those of its partitions."""

    error: ErrorCode
    errors: Sequence[tuple[TopicPartition, ErrorCode]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaStops:
    """Stops replicas of this broker."""

    ports: Ports
    partitions: Partitions
    fence: ControllerFence
    replica_fetchers: ReplicaFetcherManager
    log_dir_moves: LogDirMoves
    unserved: Unserved
    refused_partitions: RefusedPartitions
    listeners: Sequence[LeadershipListener]

    def stop(self, sender: Sender, stops: Sequence[Stop]) -> Procedure[Stopped]:
        """Stop all replicas of an order, and wait until the deletions are durable.

        The controller forgets a topic when its replicas are reported as deleted.
        """
        tag, ports = sender.tag, self.ports
        ports.journal.state_change(handling(tag, "StopReplica", len(stops)))
        if ports.settings.traces_state_changes:
            for stop in filter(lambda stop: can_be(stop.partition), stops):
                ports.journal.state_change(received_stop_replica(tag, *stop))
        error = self.fence.refusal(sender, "StopReplica")
        if error is not ErrorCode.NONE:
            return Stopped(error, ())
        directories: dict[TopicPartition, LogDirectory] = {}

        def end(stop: Stop) -> ErrorCode:
            directory = ports.logs.place_of(stop.partition)
            code = self.end_one(tag, stop)
            if stop.is_deleted and directory is not None and code is ErrorCode.NONE:
                directories[stop.partition] = directory
            return code

        codes = yield from codes_of(ports.clock, stops, end)
        self.replica_fetchers.close_idle()
        if directories:
            yield partial(ports.disks.do, ports.logs.settle_deletions)
        lost = {of for of, directory in directories.items() if directory.health.failure is not None}
        return Stopped(
            error,
            [
                (of, ErrorCode.KAFKA_STORAGE_ERROR if of in lost else code)
                for (of, _, _), code in zip(stops, codes, strict=True)
            ],
        )

    def end_one(self, tag: OrderTag, stop: Stop) -> ErrorCode:
        """Stop one replica; one that this broker does not have is stopped already.

        Without deletion the replica stays as it is, with its role, until the next order.
        """
        hosted = self.partitions.find(stop.partition)
        journal = self.ports.journal
        ignored = stop_replica(stop.is_deleted)
        if self._is_out_of_reach(hosted, stop):
            journal.state_change(offline_directory(tag, ignored, stop.partition))
            return ErrorCode.KAFKA_STORAGE_ERROR
        if hosted is not None:
            current = hosted.replica.leader_epoch
            if stop.leader_epoch not in ANY_EPOCH and stop.leader_epoch < current:
                journal.state_change(
                    stale_leader_epoch(tag, ignored, stop.partition, stop.leader_epoch, current)
                )
                return ErrorCode.FENCED_LEADER_EPOCH
        self.replica_fetchers.stop((stop.partition,))
        self.unserved.pop(stop.partition, None)
        self.refused_partitions.forget(stop.partition)
        if not stop.is_deleted:
            if hosted is not None:
                hosted.replica.notify(LOOK_AGAIN)
            return ErrorCode.NONE
        self.partitions.remove(stop.partition)
        for listener in self.listeners:
            listener.stopped(stop.partition)
        # The next start removes what a crash leaves of a copy without its log.
        self.log_dir_moves.give_up(stop.partition)
        unique_id = self.ports.random_stream.unique_id().hex()
        try:
            self.ports.logs.delete(stop.partition, unique_id, self.ports.clock.now_ms())
        except KafkaStorageError as error:
            journal.error(f"the log of {stop.partition} is not deleted: {error}")
            return ErrorCode.KAFKA_STORAGE_ERROR
        return ErrorCode.NONE

    def notice_failed_directories(self) -> tuple[TopicPartition, ...]:
        """Stop what waits for partitions whose disk has failed, and return these."""
        failed = [hosted for hosted in self.partitions if hosted.log.is_offline]
        self.replica_fetchers.stop(hosted.partition for hosted in failed)
        self.replica_fetchers.close_idle()
        for hosted in failed:
            if hosted.replica.role is not ReplicaRole.OFFLINE:
                hosted.replica.go_offline()
                for listener in self.listeners:
                    listener.stopped(hosted.partition)
        return tuple(hosted.partition for hosted in failed)

    def _is_out_of_reach(self, hosted: HostedPartition | None, stop: Stop) -> bool:
        """Whether the log is, or may be, in a directory that has failed.

        Not true for a log that could not be opened in a working directory: its files can be
        deleted.
        """
        if hosted is not None:
            return hosted.log.is_offline
        is_lost = self.partitions.is_lost(stop.partition)
        can_be_deleted = self.ports.logs.place_of(stop.partition) is not None
        return is_lost and not (stop.is_deleted and can_be_deleted)
