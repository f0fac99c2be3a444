"""Moves of replicas to other log directories of their brokers, by AlterReplicaLogDirs.

Each broker is asked for its own replicas; one that has no such replica yet remembers the directory
until the replica is created.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from kafka.errors import (
    NotLeaderForPartitionError,
    ReplicaNotAvailableError,
    UnknownTopicOrPartitionError,
)
from kafka.protocol.admin import AlterReplicaLogDirsRequest

from cluster.model.ids import TopicPartition
from kadmin.admin.ports import DirsAsked
from kadmin.admin.wire.connection import SILENCES, NotServed, WireConnection
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.leaders import by_topic
from kadmin.admin.wire.outcomes import words_of
from kadmin.plan.reassignment.dir_moves import DirMove, Replica

SINCE: Final = "2.0"
"""Kafka 1.1 takes them, too, in a version that kafka-python does not speak."""

ABSENT: Final = frozenset(
    error.errno
    for error in (
        NotLeaderForPartitionError,
        ReplicaNotAvailableError,
        UnknownTopicOrPartitionError,
    )
)
"""The errors of a broker that has no such replica, or does not know the partition yet."""


def check_dirs_served(connection: WireConnection) -> None:
    """See that the brokers move replicas to other log directories.

    Raises:
        NotServed: they do not.
    """
    if not connection.serves(AlterReplicaLogDirsRequest):
        what, hint = "moves to other log directories", "write \"any\" in 'log_dirs'"
        raise NotServed(connection.settings.bootstrap, what, SINCE, hint)


def ask_for_dirs(connection: WireConnection, moves: Sequence[DirMove]) -> DirsAsked:
    """Ask each broker once for what *moves* want of it, all at the same time.

    What a broker does not answer for is awaited.
    """
    begun: list[DirMove] = []
    awaited: list[DirMove] = []
    refused: dict[Replica, str] = {}
    ordered = sorted(moves, key=lambda move: move.replica)
    by_broker = {
        broker: list(group) for broker, group in groupby(ordered, lambda move: move.replica.broker)
    }
    answers = connection.at_once(
        list(by_broker), lambda broker: connection.send(request_for(by_broker[broker]), broker)
    )
    for broker, answer in answers.items():
        if isinstance(answer, (*SILENCES, BrokersUnreachable)):
            codes = {}
        elif isinstance(answer, Exception):
            raise answer
        else:
            codes = codes_in(answer)
        for move in by_broker[broker]:
            code = codes.get(move.replica.partition, ReplicaNotAvailableError.errno)
            if code == 0:
                begun.append(move)
            elif code in ABSENT:
                awaited.append(move)
            else:
                refused[move.replica] = words_of(code)
    return DirsAsked(begun=begun, awaited=awaited, refused=refused)


def request_for(moves: Sequence[DirMove]) -> AlterReplicaLogDirsRequest:
    """Return what asks a broker for its *moves*."""
    ordered = sorted(moves, key=lambda move: (move.target, move.replica))
    entry = AlterReplicaLogDirsRequest.AlterReplicaLogDir
    return AlterReplicaLogDirsRequest(
        dirs=[
            entry(
                path=path,
                topics=[
                    entry.AlterReplicaLogDirTopic(name=topic, partitions=numbers)
                    for topic, numbers in by_topic(
                        move.replica.partition for move in of_path
                    ).items()
                ],
            )
            for path, of_path in groupby(ordered, key=lambda move: move.target)
        ]
    )


def codes_in(answer: Any) -> dict[TopicPartition, int]:
    """Return the error of each move that *answer* is about, 0 for none."""
    return {
        TopicPartition(topic.topic_name, part.partition_index): part.error_code
        for topic in answer.results
        for part in topic.partitions
    }
