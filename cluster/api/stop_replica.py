"""StopReplica: which replicas shall end, and which of them lose their data?

Source: Kafka's ReplicaManager.stopReplicas.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple, cast

from cluster.broker.context import Context
from cluster.broker.control_queue import Finished, in_slices
from cluster.broker.fences import command_of, refusal
from cluster.broker.handling import Peer, Reply
from cluster.broker.partitions import HostedPartition
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.replication.replica import LOOK_AGAIN
from cluster.statechange.broker import (
    Command,
    handling,
    offline_directory,
    received_stop_replica,
    stale_leader_epoch,
    stop_replica,
)
from cluster.storage.errors import KafkaStorageError
from cluster.storage.log_directory import LogDirectory
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.stop_replica import (
    StopReplicaPartitionError,
    StopReplicaRequest,
    StopReplicaResponse,
)

ANY_EPOCH: Final = (-1, -2)
"""From a controller that names no epochs, and for a topic that is deleted."""


class Stop(NamedTuple):
    """One partition of the request."""

    partition: TopicPartition
    leader_epoch: int
    is_deleted: bool


def handle(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    context.control_queue.enter(partial(obey, context, request, reply))


def obey(context: Context, request: RequestFrame, reply: Reply, finished: Finished) -> None:
    body = cast(StopReplicaRequest, request.body)
    command = command_of(context, request)
    stops = tuple(stops_of(body))
    journal = context.ports.journal
    journal.state_change(handling(command, "StopReplica", len(stops)))
    if context.ports.settings.traces_state_changes:
        for stop in stops:
            journal.state_change(received_stop_replica(command, *stop))
    error = refusal(context, command, "StopReplica", body.broker_epoch)
    ending = Ending(context, command)

    def done() -> None:
        reply(StopReplicaResponse(error, ending.errors()))
        finished()

    ending.end(stops if error is ErrorCode.NONE else (), done)


def stops_of(body: StopReplicaRequest) -> Iterator[Stop]:
    """The partitions, in whichever of its three forms the request has them."""
    for named in body.ungrouped_partitions:
        partition = TopicPartition(named.topic_name, named.partition_index)
        yield Stop(partition, ANY_EPOCH[0], body.delete_partitions)
    for topic in body.topics:
        for index in topic.partition_indexes:
            partition = TopicPartition(topic.name, index)
            yield Stop(partition, ANY_EPOCH[0], body.delete_partitions)
    for grouped in body.topic_states:
        for state in grouped.partition_states:
            partition = TopicPartition(grouped.topic_name, state.partition_index)
            yield Stop(partition, state.leader_epoch, state.delete_partition)


class Ending:
    """One accepted request at work."""

    def __init__(self, context: Context, command: Command) -> None:
        self._context = context
        self._command = command
        self._codes: list[tuple[TopicPartition, ErrorCode]] = []
        self._directories: dict[TopicPartition, LogDirectory] = {}

    def end(self, stops: tuple[Stop, ...], done: Finished) -> None:
        """End all replicas, wait until the disk knows which of them are deleted, then call *done*.

        The controller forgets a topic when its replicas are said to be gone.
        """
        ports = self._context.ports

        def settle() -> None:
            if self._directories:
                ports.disks.do(ports.logs.settle_deletions, done)
            else:
                done()

        in_slices(ports.clock, stops, self._end, settle)

    def _end(self, stop: Stop) -> None:
        directory = self._context.ports.logs.place_of(stop.partition)
        code = end(self._context, self._command, stop)
        self._codes.append((stop.partition, code))
        if stop.is_deleted and directory is not None and code is ErrorCode.NONE:
            self._directories[stop.partition] = directory

    def errors(self) -> list[StopReplicaPartitionError]:
        """How each partition ended, once all have."""
        return [
            StopReplicaPartitionError(of.topic, of.partition, self._settled(of, code))
            for of, code in self._codes
        ]

    def _settled(self, partition: TopicPartition, code: ErrorCode) -> ErrorCode:
        directory = self._directories.get(partition)
        is_lost = directory is not None and directory.health.failure is not None
        return ErrorCode.KAFKA_STORAGE_ERROR if is_lost else code


def end(context: Context, command: Command, stop: Stop) -> ErrorCode:
    """End one replica; one that this broker does not have has ended already.

    Without deletion the replica stays as it is, with its role, until it hears more.
    """
    hosted = context.partitions.find(stop.partition)
    journal = context.ports.journal
    ignored = stop_replica(stop.is_deleted)
    if is_out_of_reach(context, hosted, stop):
        journal.state_change(offline_directory(command, ignored, stop.partition))
        return ErrorCode.KAFKA_STORAGE_ERROR
    if hosted is not None:
        current = hosted.replica.leader_epoch
        if stop.leader_epoch not in ANY_EPOCH and stop.leader_epoch < current:
            journal.state_change(
                stale_leader_epoch(command, ignored, stop.partition, stop.leader_epoch, current)
            )
            return ErrorCode.FENCED_LEADER_EPOCH
    if not stop.is_deleted:
        if hosted is not None:
            hosted.replica.notify(LOOK_AGAIN)
        return ErrorCode.NONE
    context.partitions.remove(stop.partition)
    unique_id = context.ports.chance.unique_id().hex()
    try:
        context.ports.logs.delete(stop.partition, unique_id, context.ports.clock.now_ms())
    except KafkaStorageError as error:
        journal.error(f"the log of {stop.partition} is not deleted: {error}")
        return ErrorCode.KAFKA_STORAGE_ERROR
    return ErrorCode.NONE


def is_out_of_reach(context: Context, hosted: HostedPartition | None, stop: Stop) -> bool:
    """Whether the log is, or may be, in a directory that has failed.

    A log that could not be opened in a directory that works is not: its files can be deleted.
    """
    if hosted is not None:
        return hosted.log.is_offline
    is_lost = context.partitions.is_lost(stop.partition)
    can_be_deleted = context.ports.logs.place_of(stop.partition) is not None
    return is_lost and not (stop.is_deleted and can_be_deleted)
