"""The log of one partition of `__consumer_offsets`, as its replicas keep it together.

Only what coordinators can notice: an append is replicated after a while, or refused, or answered
too late; whoever leads next has all that was replicated, and some of the rest.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final, NamedTuple

from cluster.group.effects import Append
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import GroupRecord
from cluster.model.ids import LeaderEpoch
from tests.sim.schedule import Schedule

Outcome = Callable[[ErrorCode, int], None]
"""Takes an error, and the offset of the batch where there is none."""

REFUSED: Final = (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.MESSAGE_TOO_LARGE)
"""What is not in the log at all."""
LATE: Final = (ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
"""What is in the log, and may stay there."""

SLOW_MS: Final = (5, 200)
LOOK_MS: Final = 3


class Batch(NamedTuple):
    offset: int
    records: tuple[GroupRecord, ...]


class LogFences(NamedTuple):
    """What the log does for its coordinators; tests take one out at a time."""

    checks_epochs: bool = True
    waits_for_replicas: bool = True
    loads_replicated: bool = True
    """Coordinators wait until what they have loaded is replicated."""


ALL_FENCES: Final = LogFences()


class OffsetsLog:
    """*on_append* is told of every batch, and *on_truncate* from where the log was cut."""

    def __init__(
        self,
        schedule: Schedule,
        random: Random,
        on_append: Callable[[Batch], None],
        on_truncate: Callable[[int], None],
    ) -> None:
        self.leader_id = -1
        self.leader_epoch = LeaderEpoch(-1)
        self.batches: list[Batch] = []
        self._last_of: dict[int, list[Batch]] = {}
        """What each broker had when it led last."""
        self.replicated_count = 0
        self.is_troubled = True
        self.slow_until_ms = 0
        """Until when followers take their time."""
        self.fences = ALL_FENCES
        self._schedule = schedule
        self._random = random
        self._on_append = on_append
        self._on_truncate = on_truncate
        self._waiting: list[tuple[Batch, Outcome]] = []

    def lead(self, broker_id: int, epoch_step: int) -> None:
        """Let another broker lead, or the same again, without some of what was not replicated."""
        for _, outcome in self._waiting:
            self._answer(outcome, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        self._waiting.clear()
        self._last_of[self.leader_id] = self.batches[:]
        kept = self._random.randint(self.replicated_count, len(self.batches))
        if broker_id == self.leader_id:
            kept = len(self.batches)
        del self.batches[kept:]
        self._on_truncate(kept)
        self.leader_id = broker_id
        self.leader_epoch = LeaderEpoch(self.leader_epoch + epoch_step)
        # The new leader's followers fetch what it has.
        self._replicate_later(len(self.batches))

    def local(self, broker_id: int) -> list[Batch]:
        """The log as a broker has it that leads, or that has led and does not know better."""
        is_leader = broker_id == self.leader_id
        return self.batches[:] if is_leader else self._last_of.get(broker_id, [])

    def when_replicated(self, broker_id: int, count: int, action: Callable[[], None]) -> None:
        """Do *action* once *count* batches are replicated; never if another leads before."""
        if self.leader_id != broker_id:
            return
        if self.replicated_count >= count or not self.fences.loads_replicated:
            action()
        else:
            look_again = partial(self.when_replicated, broker_id, count, action)
            self._schedule.after(LOOK_MS, look_again)

    def append(self, broker_id: int, append: Append, outcome: Outcome) -> None:
        is_of_now = append.leader_epoch == self.leader_epoch or not self.fences.checks_epochs
        if broker_id != self.leader_id or not is_of_now:
            self._answer(outcome, ErrorCode.NOT_LEADER_OR_FOLLOWER)
            return
        if self.is_troubled and self._random.random() < 0.05:
            self._answer(outcome, self._random.choice(REFUSED))
            return
        batch = Batch(len(self.batches), tuple(append.records))
        self.batches.append(batch)
        self._on_append(batch)
        if self.is_troubled and self._random.random() < 0.05:
            self._answer(outcome, self._random.choice(LATE))
        elif not self.fences.waits_for_replicas:
            self._schedule.after(0, lambda: outcome(ErrorCode.NONE, batch.offset))
        elif append.append_id is not None:
            self._waiting.append((batch, outcome))
        self._replicate_later(len(self.batches))

    def _replicate_later(self, count: int) -> None:
        epoch = self.leader_epoch
        is_slow = self.is_troubled and self._schedule.now_ms < self.slow_until_ms
        delay_ms = self._random.randint(*SLOW_MS) if is_slow else self._random.randint(1, 6)
        self._schedule.after(delay_ms, lambda: self._replicate(epoch, count))

    def _replicate(self, epoch: LeaderEpoch, count: int) -> None:
        """Count *count* batches as replicated, unless another has led since."""
        if epoch != self.leader_epoch or count <= self.replicated_count:
            return
        self.replicated_count = count
        waiting, self._waiting = self._waiting, []
        self._random.shuffle(waiting)
        for batch, outcome in waiting:
            if batch.offset < count:
                outcome(ErrorCode.NONE, batch.offset)
            else:
                self._waiting.append((batch, outcome))

    def _answer(self, outcome: Outcome, error: ErrorCode) -> None:
        self._schedule.after(self._random.randint(0, 5), lambda: outcome(error, -1))
