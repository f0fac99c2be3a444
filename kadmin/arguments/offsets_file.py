"""The file of offsets before which records are deleted."""

from typing import Final

from cluster.model.ids import TopicPartition
from kadmin.arguments.documents import (
    BadFile,
    is_number,
    is_topic,
    parse_document,
    version_problems,
)
from kadmin.plan.offsets import LATEST
from kadmin.repetition import repeated
from kadmin.wording import listed

INT64_MAX: Final = 2**63 - 1

FILE_HINT: Final = (
    'write it like {"partitions":[{"topic":"t","partition":0,"offset":42}],"version":1};'
    " offset -1 is the end"
)


def parse_offsets(text: str, source: str) -> dict[TopicPartition, int]:
    """Return the offsets that the file *source*, which holds *text*, names, in order of partition.

    Raises:
        BadFile: it is not of Kafka's form, names nothing, or a partition twice.
    """
    document = parse_document(text, source, FILE_HINT)
    problems = list(version_problems(document))
    entries = document.get("partitions")
    if not isinstance(entries, list):
        raise BadFile(source, [*problems, "missing partitions field"], FILE_HINT)
    if not entries:
        problems.append("it names no partition")
    pairs = []
    for number, entry in enumerate(entries):
        found = entry if isinstance(entry, dict) else {}
        topic, partition, offset = (found.get(name) for name in ("topic", "partition", "offset"))
        if not is_topic(topic) or not is_number(partition):
            problems.append(f"partitions[{number}] has no 'topic' and 'partition' of one")
        elif type(offset) is not int or not LATEST <= offset <= INT64_MAX:
            problems.append(f"{topic}-{partition} has no 'offset' of 0 or more, or -1")
        else:
            pairs.append((TopicPartition(topic, partition), offset))
    twice = repeated(partition for partition, _ in pairs)
    if twice:
        problems.append(f"offset json file contains duplicate topic partitions: {listed(twice)}")
    if problems:
        raise BadFile(source, problems, FILE_HINT)
    return dict(sorted(pairs))
