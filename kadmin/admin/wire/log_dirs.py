"""The log directories of brokers, by DescribeLogDirs: the size and place of each replica.

A broker describes its own directories only.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from kafka.errors import ClusterAuthorizationFailedError, for_code
from kafka.protocol.admin import DescribeLogDirsRequest

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.leaders import by_topic
from kadmin.plan.log_dirs import LogDir, ReplicaLog

SINCE: Final = "1.0"


def read_log_dirs(
    connection: WireConnection,
    brokers: Sequence[BrokerId],
    partitions: Iterable[TopicPartition] | None = None,
) -> dict[BrokerId, tuple[LogDir, ...]]:
    """Read the log directories of *brokers*, with *partitions* or all for None, by path.

    All brokers are asked at once; one that does not answer is left out.  A directory that has none
    of *partitions* is in the result, and a partition that is in no directory is not.

    Raises:
        NotServed: the brokers are older than 1.0.
        KafkaError: the error of a broker, such as of rights, which `connect_brokers` translates.
    """
    if not connection.serves(DescribeLogDirsRequest):
        hint = "see on the brokers' machines what their log directories hold"
        what = "their log directories as kadmin asks for them"
        raise NotServed(connection.settings.bootstrap, what, SINCE, hint)
    request = DescribeLogDirsRequest(
        topics=None if partitions is None else list(by_topic(sorted(set(partitions))).items())
    )
    answers = connection.ask_each(request, brokers)
    return {broker: log_dirs_of(broker, answers[broker]) for broker in sorted(answers)}


def log_dirs_of(broker: BrokerId, answer: Any) -> tuple[LogDir, ...]:
    """Return the directories in the *answer* of *broker*.

    Raises:
        KafkaError: the broker's error.
    """
    if answer.error_code != 0:
        raise for_code(answer.error_code)(f"log directories of broker {broker}")
    if not answer.results:
        # Brokers before 3.2 say so by silence; none is without any directory.
        raise ClusterAuthorizationFailedError(f"log directories of broker {broker}")
    return tuple(sorted(map(log_dir_of, answer.results), key=lambda found: found.path))


def log_dir_of(answer: Any) -> LogDir:
    replicas = (
        ReplicaLog(
            partition=TopicPartition(topic.name, part.partition_index),
            size_bytes=part.partition_size,
            lag_records=part.offset_lag,
            is_future=part.is_future_key,
        )
        for topic in answer.topics
        for part in topic.partitions
    )
    return LogDir(
        path=answer.log_dir,
        replicas=tuple(sorted(replicas, key=lambda each: (each.partition, each.is_future))),
        error_code=answer.error_code,
        total_bytes=known(answer.total_bytes),
        usable_bytes=known(answer.usable_bytes),
    )


def known(size: int) -> int | None:
    """Return a number of bytes, or None for -1: the broker cannot determine it."""
    return None if size < 0 else size
