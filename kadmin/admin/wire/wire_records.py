"""The deletion of records by brokers: `kadmin.admin.ports.RecordAdmin`, by DeleteRecords requests.

Leaders answer when all live replicas have deleted them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from kafka.protocol.admin import DeleteRecordsRequest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.answers import Answers
from kadmin.admin.ports import Fence, Outcome, Partly
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.leaders import ask_leaders, by_topic
from kadmin.admin.wire.offsets import read_offsets
from kadmin.admin.wire.outcomes import NO_FENCE
from kadmin.admin.wire.snapshot import read_topics
from kadmin.arguments.topics import TopicSelection
from kadmin.plan.offsets import FoundOffset
from kadmin.plan.record_deletion import DeletionPlan

SINCE: Final = "0.11"


class WireRecords:
    """The `RecordAdmin` of a connection to brokers.

    Raises:
        NotServed: the brokers are older than 0.11.
    """

    def __init__(self, connection: WireConnection) -> None:
        if not connection.serves(DeleteRecordsRequest):
            hint = "retention deletes records there: kadmin configs --alter --topic NAME"
            raise NotServed(connection.settings.bootstrap, "the deletion of records", SINCE, hint)
        self.connection = connection

    def snapshot(self, selection: TopicSelection) -> ClusterSnapshot:
        return read_topics(self.connection, selection)

    def offsets(self, partitions: Iterable[TopicPartition], moment: int) -> Answers[FoundOffset]:
        return read_offsets(self.connection, partitions, moment)

    def fence(self) -> Fence:
        return NO_FENCE

    def write(self, fence: Fence, plan: DeletionPlan) -> Outcome:
        self.connection.budget.renew()
        before = {each.partition: each.before for each in plan.deleting}
        answers = ask_leaders(self.connection, before, partial(self.delete, before))
        return Partly(answers.unanswered) if answers.unanswered else Committed()

    def delete(
        self,
        before: Mapping[TopicPartition, int],
        broker: BrokerId,
        partitions: Sequence[TopicPartition],
    ) -> Iterator[tuple[TopicPartition, int, int]]:
        """Ask *broker*, which has half of the timeout to say that the time is over."""
        request = DeleteRecordsRequest(
            topics=[
                (name, [(number, before[TopicPartition(name, number)]) for number in numbers])
                for name, numbers in by_topic(partitions).items()
            ],
            timeout_ms=self.connection.timeout_ms // 2,
        )
        # Sent as a read is, with retries: if an answer is lost, the log start offset shows the
        # outcome.
        for topic in self.connection.ask(request, broker).topics:
            for part in topic.partitions:
                yield (
                    TopicPartition(topic.name, part.partition_index),
                    part.error_code,
                    part.low_watermark,
                )
