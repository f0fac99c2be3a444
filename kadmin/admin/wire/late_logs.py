"""Logs as their leaders report them, for groups in ZooKeeper; brokers are connected only if
needed.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager

from cluster.model.ids import TopicPartition
from kadmin.admin.answers import Answers
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.late_brokers import LateBrokers
from kadmin.admin.wire.wire_groups import WireGroups
from kadmin.plan.groups.lag import Logs, Position
from kadmin.plan.offsets import FoundOffset


class LateLogs(LateBrokers[WireGroups]):
    """A `kadmin.admin.ports.LogTeller` that connects when it is asked first; to be closed."""

    def __init__(self, connect: Callable[[], AbstractContextManager[WireConnection]]) -> None:
        super().__init__(connect, WireGroups)

    def logs(self, partitions: Iterable[TopicPartition], *, with_starts: bool) -> Logs:
        wanted = set(partitions)
        if not wanted:
            return Logs(ends={}, starts={}, gone=frozenset(), unknown={})
        found = self.ask(lambda groups: groups.logs(wanted, with_starts=with_starts))
        if found is None:
            unknown = dict.fromkeys(wanted, self.reason)
            return Logs(ends={}, starts={}, gone=frozenset(), unknown=unknown)
        return found

    def offsets_at(
        self, partitions: Iterable[TopicPartition], time_ms: int
    ) -> Answers[FoundOffset]:
        wanted = set(partitions)
        found = self.ask(lambda groups: groups.offsets_at(wanted, time_ms))
        return found or Answers(found={}, unanswered=dict.fromkeys(wanted, self.reason))

    def record_times(self, positions: Iterable[Position]) -> Mapping[Position, int | None]:
        wanted = set(positions)
        return (self.ask(lambda groups: groups.record_times(wanted)) or {}) if wanted else {}
