"""What clients have read, what producers were told is with all in sync, and what was flushed: none
of it may vanish or change.

The first two hold of a partition, whoever leads it.  A machine that stops may lose what it had not
flushed.  That costs a partition nothing as long as a member of its ISR has the rest: that one has
to lead, and is waited for while it is away.  When all members are such that have lost something,
nothing is expected of it any more.  The same holds once a topic allowed unclean elections.
"""

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from typing import NamedTuple, TypeAlias, cast

from cluster.formats.record_batch import BatchHeader, whole_batches
from cluster.model.ids import NO_LEADER, NO_LEADER_EPOCH, BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.storage.files import File
from cluster.storage.log.partition_log import PartitionLog
from tests.sim.sim_process import SimProcess
from tests.sim.violation import Kind, Violation


class Incarnation(NamedTuple):
    """A partition of a topic with that id."""

    topic_id: str
    partition: TopicPartition


class LogKey(NamedTuple):
    """One broker's log of a partition."""

    broker_id: BrokerId
    of: Incarnation


Batches: TypeAlias = Mapping[int, tuple[int, int]]
"""Batches by their first offsets: the offset behind each, and its checksum."""


class History:
    def __init__(
        self,
        unclean_topics: Container[str],
        flushing_topics: Container[str],
        state_of: Callable[[Incarnation], PartitionState | None],
    ) -> None:
        """Of *unclean_topics* nothing is expected: those that are, or ever were.  Of
        *flushing_topics* all that was acknowledged is, whatever machines stop.

        *state_of* is what stands in ZooKeeper, None for a partition that is not there.
        """
        self.read_count = 0
        self.acknowledged_count = 0
        self.machine_stops = 0
        """How often a machine has stopped: what was known before may have been lost with it."""
        self._unclean_topics = unclean_topics
        self._flushing_topics = flushing_topics
        self._state_of = state_of
        self._given_up: dict[Incarnation, int] = {}
        """The leader epoch in which something was given up: older leaders may still tell of it."""
        self._kept: dict[Incarnation, dict[int, tuple[int, int]]] = {}
        """What may not vanish."""
        self._flushed: dict[LogKey, int] = {}
        self._lost: dict[LogKey, int] = {}
        """The replicas that may have lost something, all from an offset on, and have not joined the
        ISR since.
        """

    def _isr_of(self, of: Incarnation) -> tuple[BrokerId, ...]:
        state = self._state_of(of)
        return () if state is None else state.isr

    def _is_over(self, of: Incarnation, leader_epoch: int) -> bool:
        """Whether a leader with that epoch may have what nobody else expects any more."""
        return leader_epoch < self._given_up.get(of, NO_LEADER_EPOCH)

    def on_read(
        self,
        of: Incarnation,
        leader_epoch: int,
        found: Iterable[BatchHeader],
        high_watermark: int,
    ) -> None:
        """A client got these batches, which lie side by side, of a leader that had that epoch."""
        if self._is_over(of, leader_epoch):
            return
        known = self._expected(of)
        batches = as_batches(found)
        if batches:
            compare(of, known, batches, min(batches), max(end for end, _ in batches.values()))
        for base_offset, (end_offset, crc) in batches.items():
            if end_offset <= high_watermark:
                known[base_offset] = (end_offset, crc)
                self.read_count += 1

    def on_acknowledged(
        self, of: Incarnation, leader_epoch: int, base_offset: int, header: BatchHeader
    ) -> None:
        """A producer was told that all in sync have a batch, which begins there now."""
        if self._is_over(of, leader_epoch):
            return
        end_offset = base_offset + header.next_offset
        self._expected(of)[base_offset] = (end_offset, header.crc)
        self.acknowledged_count += 1

    def _expected(self, of: Incarnation) -> dict[int, tuple[int, int]]:
        if of.partition.topic in self._unclean_topics:
            self._kept[of] = {}
        return self._kept.setdefault(of, {})

    def on_deleted(self, key: LogKey) -> None:
        """Forget a log that was to go; the next one of the name is another."""
        self._flushed.pop(key, None)
        self._lost.pop(key, None)

    def on_ended(self, process: SimProcess) -> None:
        """A process has ended: note what of its logs was flushed."""
        logs = dict(process.open_logs())
        for partition, topic_id in process.known_logs.items():
            log = logs.get(partition)
            key = LogKey(process.broker_id, Incarnation(topic_id, partition))
            self._flushed[key] = 0 if log is None else log.recovery_point

    def on_machine_stopped(self, broker_id: BrokerId) -> None:
        """Expect no more of the replicas of a broker that has ended than what it had flushed."""
        self.machine_stops += 1
        for key, flushed in self._flushed.items():
            if key.broker_id == broker_id and key.of.partition.topic not in self._flushing_topics:
                self._lost[key] = min(flushed, self._lost.get(key, flushed))
                self._expect_less(key.of)

    def on_isr(
        self,
        of: Incarnation,
        before: Collection[BrokerId],
        is_known: Callable[[BrokerId], bool],
    ) -> None:
        """The state of a partition has changed: each new member of the ISR has everything again.

        Except one whose process has ended after it caught up, while the author does not know that:
        *is_known* returns False for it.
        """
        state = self._state_of(of)
        if state is None:
            return
        for member in state.isr:
            key = LogKey(member, of)
            if member not in before and is_known(member):
                self._lost.pop(key, None)
        self._check_leader(of, state, before, is_known)
        if self._expect_less(of) and state.leader != NO_LEADER and is_known(state.leader):
            # From now on no more is expected than what each of them has.
            for member in filter(is_known, state.isr):
                self._lost.pop(LogKey(member, of), None)

    def _check_leader(
        self,
        of: Incarnation,
        state: PartitionState,
        before: Collection[BrokerId],
        is_known: Callable[[BrokerId], bool],
    ) -> None:
        """See that nobody leads who has lost what another member of the ISR may still have."""
        key = LogKey(state.leader, of)
        end = max((end for end, _ in self._expected(of).values()), default=0)
        if end <= self._lost.get(key, end) or not is_known(state.leader):
            return
        whole = [member for member in before if LogKey(member, of) not in self._lost]
        if whole:
            text = f"{of}: {state.leader} leads, which has lost what {whole} may have"
            raise Violation(Kind.LOST_RECORD, f"{text}, up to {end}: {state}")

    def _expect_less(self, of: Incarnation) -> bool:
        """Give up what any member of the ISR may have lost, when there is none that has not."""
        state = self._state_of(of)
        if state is None:
            return False
        lost = [self._lost.get(LogKey(member, of)) for member in state.isr]
        ends = [end for end in lost if end is not None]
        if len(ends) < len(lost):
            return False
        self._give_up(of, state.leader_epoch, min(ends))
        return True

    def _give_up(self, of: Incarnation, leader_epoch: int, end_offset: int) -> None:
        self._given_up[of] = leader_epoch
        self._kept[of] = {
            base_offset: batch
            for base_offset, batch in self._kept.get(of, {}).items()
            if batch[0] <= end_offset
        }

    def on_started(self, process: SimProcess) -> None:
        """Compare the logs of a broker that has recovered with what was flushed."""
        logs = dict(process.open_logs())
        expected = {key for key in self._flushed if key.broker_id == process.broker_id}
        for key in expected:
            flushed, log = self._flushed.pop(key), logs.get(key.of.partition)
            if log is None or process.known_logs.get(key.of.partition) != key.of.topic_id:
                continue
            if log.log_end_offset < flushed:
                text = f"{key}: flushed up to {flushed}, ends at {log.log_end_offset}"
                raise Violation(Kind.LOST_RECORD, text)
        self.on_last_members_started(process)

    def on_last_members_started(self, process: SimProcess) -> None:
        """A broker is back that is all of a partition's ISR: what it has now is all there is."""
        for key in [key for key in self._lost if key.broker_id == process.broker_id]:
            if self._isr_of(key.of) == (process.broker_id,):
                self._lost.pop(key, None)

    def check_member(
        self, process: SimProcess, partition: TopicPartition, log: PartitionLog
    ) -> None:
        """See that a member of the ISR has all that is known, from where its log begins."""
        of = Incarnation(process.known_logs.get(partition, ""), partition)
        is_member = process.broker_id in self._isr_of(of)
        if not is_member or LogKey(process.broker_id, of) in self._lost or log.is_offline:
            return
        end = max((end for end, _ in self._expected(of).values()), default=0)
        if log.log_end_offset < end:
            text = f"{of}: broker {process.broker_id} is in the ISR, ends at {log.log_end_offset}"
            raise Violation(Kind.LOST_RECORD, f"{text}, and records up to {end} are known")

    def check(self, topic_id: str, partition: TopicPartition, log: PartitionLog) -> None:
        """Compare a leader's log with what may not have vanished."""
        of = Incarnation(topic_id, partition)
        known = self._expected(of)
        stored = as_batches(headers_of(log))
        end = max((e for e, _ in known.values()), default=0)
        compare(of, known, stored, log.log_start_offset, end)


def compare(of: Incarnation, known: Batches, found: Batches, start: int, end: int) -> None:
    """Raise a Violation where batches that are *known* between two offsets are not *found*."""
    for base_offset, batch in known.items():
        if start <= base_offset and batch[0] <= end and found.get(base_offset) != batch:
            text = f"{of}: {batch} at {base_offset} was known, now it is {found.get(base_offset)}"
            raise Violation(Kind.LOST_RECORD, text)


def as_batches(headers: Iterable[BatchHeader]) -> dict[int, tuple[int, int]]:
    return {one.base_offset: (one.next_offset, one.crc) for one in headers}


def headers_of(log: PartitionLog, from_offset: int = 0) -> Iterable[BatchHeader]:
    """All batches of a log from an offset on."""
    offset = max(from_offset, log.log_start_offset)
    while offset < log.log_end_offset:
        found = log.read(offset, 1 << 20, log.log_end_offset, whole_first=True)
        content = cast(File, found.file).read(found.position, found.size)
        for _, header in whole_batches(content):
            yield header
            offset = header.next_offset
