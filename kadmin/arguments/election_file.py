"""The file of partitions that are to get a leader."""

from typing import Final

from cluster.model.ids import TopicPartition
from kadmin.arguments.documents import BadFile, is_number, is_topic, parse_document
from kadmin.repetition import repeated
from kadmin.wording import listed

FILE_HINT: Final = 'write it like {"partitions":[{"topic":"t","partition":0}]}'


def parse_partitions(text: str, source: str) -> tuple[TopicPartition, ...]:
    """Return the partitions that the file *source*, which holds *text*, names, in order; maybe
    none.

    Raises:
        BadFile: it is not of Kafka's form, or names one twice.
    """
    entries = parse_document(text, source, FILE_HINT).get("partitions")
    if not isinstance(entries, list):
        raise BadFile(source, ['replica election data is missing "partitions" field'], FILE_HINT)
    problems = []
    partitions = []
    for number, entry in enumerate(entries):
        topic, partition = named_in(entry)
        if is_topic(topic) and is_number(partition):
            partitions.append(TopicPartition(topic, partition))
        else:
            problems.append(f"partitions[{number}] has no 'topic' and 'partition' of one")
    twice = repeated(partitions)
    if twice:
        problems.append(f"replica election data contains duplicate partitions: {listed(twice)}")
    if problems:
        raise BadFile(source, problems, FILE_HINT)
    return tuple(sorted(partitions))


def named_in(entry: object) -> tuple[object, object]:
    """Return what stands where the name of the topic and the partition's number belong."""
    return (entry.get("topic"), entry.get("partition")) if isinstance(entry, dict) else (None, None)
