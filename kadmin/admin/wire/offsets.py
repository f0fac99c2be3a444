"""The offsets of partitions at a time, by ListOffsets, as leaders return them to clients."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from kafka.errors import IncompatibleBrokerVersion
from kafka.protocol.consumer import ListOffsetsRequest

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.admin.answers import Answers
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.leaders import ask_leaders, by_topic
from kadmin.plan.offsets import MAX_TIMESTAMP, FoundOffset

CONSUMER: Final = -1
"""The replica id of a client, to which only committed offsets are returned."""

SINCE: Final = "0.10.1"
MAX_TIMESTAMP_SINCE: Final = "3.0"
MAX_TIMESTAMP_VERSION: Final = 7
HINT: Final = "kafka-get-offsets of the brokers' own release"


def read_offsets(
    connection: WireConnection,
    partitions: Iterable[TopicPartition],
    moment: int,
    leaders: Mapping[TopicPartition, BrokerId] | None = None,
) -> Answers[FoundOffset]:
    """Return the offsets of *partitions* at *moment*, ms since 1970 or one of Kafka's special
    numbers; *leaders* is as for `ask_leaders`.

    Raises:
        NotServed: the brokers are too old for it.
        KafkaError: an error of a broker that is about no partition, for example of rights.
    """
    bootstrap = connection.settings.bootstrap
    if not connection.serves(ListOffsetsRequest):
        raise NotServed(bootstrap, "offsets by time", SINCE, HINT)
    try:
        return ask_leaders(connection, partitions, partial(ask_one, connection, moment), leaders)
    except IncompatibleBrokerVersion as error:
        hint = "--time latest and --time earliest work with every release"
        raise NotServed(bootstrap, "the largest timestamp", MAX_TIMESTAMP_SINCE, hint) from error


def ask_one(
    connection: WireConnection,
    moment: int,
    broker: BrokerId,
    partitions: Sequence[TopicPartition],
) -> Iterator[tuple[TopicPartition, int, FoundOffset]]:
    request = list_offsets(
        partitions,
        moment,
        replica_id=CONSUMER,
        # An older version does not know this timestamp and would answer that there is no record.
        min_version=MAX_TIMESTAMP_VERSION if moment == MAX_TIMESTAMP else None,
    )
    for topic in connection.ask(request, broker).topics:
        for part in topic.partitions:
            yield (
                TopicPartition(topic.name, part.partition_index),
                part.error_code,
                FoundOffset(known(part.offset), known(part.timestamp)),
            )


def list_offsets(
    partitions: Iterable[TopicPartition],
    moment: int,
    *,
    replica_id: int,
    min_version: int | None = None,
) -> ListOffsetsRequest:
    """What asks for the offsets of *partitions* at *moment*, the same in every version.

    By the names of its fields: a tuple would be read by the fields of the version that is sent, and
    before Kafka 2.1 an epoch in it would be the time, which means the end of the log.
    """
    topic_of = ListOffsetsRequest.ListOffsetsTopic
    return ListOffsetsRequest(
        replica_id=replica_id,
        isolation_level=0,
        topics=[
            topic_of(
                name=name,
                partitions=[
                    topic_of.ListOffsetsPartition(partition_index=number, timestamp=moment)
                    for number in numbers
                ],
            )
            for name, numbers in by_topic(partitions).items()
        ],
        min_version=min_version,
    )


def known(number: int) -> int | None:
    """Return *number*, unless it stands for none."""
    return None if number < 0 else number
