"""The partitions of a Fetch request, by topic."""

from collections.abc import Mapping

from kafka.protocol.consumer import FetchRequest

from cluster.model.ids import TopicPartition
from kadmin.admin.wire.leaders import by_topic


def fetch_topics(
    offsets: Mapping[TopicPartition, int], size_max: int
) -> list[FetchRequest.FetchTopic]:
    """Return what asks for up to *size_max* bytes of each partition, from its offset on."""
    topic_of = FetchRequest.FetchTopic
    return [
        topic_of(
            topic=name,
            partitions=[
                topic_of.FetchPartition(
                    partition=number,
                    fetch_offset=offsets[TopicPartition(name, number)],
                    partition_max_bytes=size_max,
                )
                for number in numbers
            ],
        )
        for name, numbers in by_topic(offsets).items()
    ]
