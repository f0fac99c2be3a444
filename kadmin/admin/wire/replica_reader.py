"""The records of replicas, read from each broker's own replicas, leaders or not.

Fetch and ListOffsets use Kafka's debugging replica id, up to each replica's high watermark.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from kafka.errors import OffsetOutOfRangeError

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.fetch_request import fetch_request
from kadmin.admin.wire.log_ends import DEBUGGER
from kadmin.admin.wire.offsets import list_offsets, read_offsets
from kadmin.admin.wire.outcomes import words_of
from kadmin.admin.wire.snapshot import id_text
from kadmin.plan.offsets import EARLIEST, LATEST
from kadmin.segments.fetched import Fetched, Given, Placement, Refusal, Span

FETCH_VERSION_MIN: Final = 4
"""That of Kafka 0.11."""


class WireReplicaReader:
    """Reads the replicas of the partitions of *topics*."""

    def __init__(self, connection: WireConnection, topics: Sequence[str]) -> None:
        self._connection = connection
        self._topics = topics

    def placement(self) -> Placement:
        """Return where the replicas are; a topic that is gone is in none.

        Raises:
            KafkaError: no broker answers, which `connect_brokers` translates.
        """
        metadata = self._connection.metadata(self._topics)
        return Placement(
            replicas={
                TopicPartition(topic["name"], part["partition_index"]): tuple(
                    map(BrokerId, part["replica_nodes"])
                )
                for topic in metadata["topics"]
                for part in topic["partitions"]
            },
            addresses={
                BrokerId(broker["node_id"]): f"{broker['host']}:{broker['port']}"
                for broker in metadata["brokers"]
            },
            topic_ids={
                topic["name"]: topic_id
                for topic in metadata["topics"]
                if topic["partitions"] and (topic_id := id_text(topic.get("topic_id"))) is not None
            },
        )

    def fetch(
        self,
        asked: Mapping[BrokerId, Mapping[TopicPartition, int]],
        *,
        size_max: int,
        wait_ms: int,
    ) -> tuple[dict[BrokerId, Given], dict[BrokerId, str]]:
        """Return what each broker gives from the offsets *asked* on, up to *size_max* bytes a
        partition, and why others do not answer."""
        # As long as there is something to read, each answer has its own time.
        self._connection.budget.renew()
        answers, silent = self._connection.ask_all(
            {
                broker: fetch_request(
                    offsets,
                    replica_id=DEBUGGER,
                    size_max=size_max,
                    version_min=FETCH_VERSION_MIN,
                    wait_ms=wait_ms,
                )
                for broker, offsets in asked.items()
            }
        )
        given: dict[BrokerId, Given] = {}
        for broker, answer in answers.items():
            if answer.error_code:
                silent[broker] = words_of(answer.error_code)
            else:
                given[broker] = dict(results_in(answer))
        return given, silent

    def starts(
        self, replicas: Mapping[TopicPartition, Sequence[BrokerId]], moment: int
    ) -> dict[TopicPartition, int]:
        """Return the offsets at *moment* from which all *replicas* of a partition can be read.

        Leaders answer this; where there is no leader, and for EARLIEST, each replica is asked for
        its log start offset, and the highest counts.

        Raises:
            NotServed: the brokers are too old for it.
            KafkaError: an error of a broker that is about no partition, for example of rights.
        """
        found = {} if moment == EARLIEST else self._starts_of_leaders(replicas, moment)
        asked: defaultdict[BrokerId, list[TopicPartition]] = defaultdict(list)
        for partition in replicas.keys() - found.keys():
            for broker in replicas[partition]:
                asked[broker].append(partition)
        starts = self._edges(asked, EARLIEST)
        for broker, partitions in asked.items():
            for partition in partitions:
                start = starts[broker].get(partition, 0)
                found[partition] = max(start, found.get(partition, 0))
        return found

    def _starts_of_leaders(
        self, partitions: Iterable[TopicPartition], moment: int
    ) -> dict[TopicPartition, int]:
        starts = read_offsets(self._connection, partitions, moment).found
        found = {each: starts[each].offset for each in starts}
        # No record is so young: from the end on.
        beyond = [partition for partition, offset in found.items() if offset is None]
        ends = read_offsets(self._connection, beyond, LATEST).found
        found |= {each: ends[each].offset for each in ends}
        return {each: offset for each, offset in found.items() if offset is not None}

    def spans(
        self, asked: Mapping[BrokerId, Sequence[TopicPartition]]
    ) -> dict[BrokerId, dict[TopicPartition, Span]]:
        """Read the log start and end offsets of these replicas; what no broker returns
        is left out."""
        self._connection.budget.renew()
        # The ends after the beginnings: no log ends before it begins.
        starts, ends = self._edges(asked, EARLIEST), self._edges(asked, LATEST)
        return {
            broker: {
                partition: Span(starts[broker][partition], ends[broker][partition])
                for partition in partitions
                if partition in starts[broker] and partition in ends[broker]
            }
            for broker, partitions in asked.items()
        }

    def _edges(
        self, asked: Mapping[BrokerId, Sequence[TopicPartition]], moment: int
    ) -> defaultdict[BrokerId, dict[TopicPartition, int]]:
        answers, _ = self._connection.ask_all(
            {
                broker: list_offsets(partitions, moment, replica_id=DEBUGGER)
                for broker, partitions in asked.items()
            }
        )
        found: defaultdict[BrokerId, dict[TopicPartition, int]] = defaultdict(dict)
        for broker, answer in answers.items():
            found[broker] = {
                TopicPartition(topic.name, part.partition_index): part.offset
                for topic in answer.topics
                for part in topic.partitions
                if part.error_code == 0
            }
        return found


def results_in(answer: Any) -> Iterator[tuple[TopicPartition, Fetched | Refusal]]:
    for topic in answer.responses:
        for part in topic.partitions:
            partition = TopicPartition(topic.topic, part.partition_index)
            code = part.error_code
            if code == 0:
                start = max(0, part.log_start_offset)
                yield partition, Fetched(part.records or b"", part.high_watermark, start)
            else:
                is_out = code == OffsetOutOfRangeError.errno
                yield partition, Refusal(words_of(code), is_out_of_range=is_out)
