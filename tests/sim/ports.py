"""The ports of a broker in virtual time: clock, log lines, random streams and disks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

from cluster.broker.handling import Cancel
from cluster.broker.ports import DiskSpace
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition
from cluster.statechange.line import StateChangeLine
from cluster.storage.errors import KafkaStorageError
from cluster.storage.files import Files
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log.work import FlushWork
from tests.sim.schedule import Schedule

START_MS: Final = 1_700_000_000_000
"""When the brokers' clocks begin, in ms since 1970."""


class SimClock:
    """The clock of a schedule; *deliver* lets a timer go off where it was set."""

    def __init__(
        self, schedule: Schedule, deliver: Callable[[Callable[[], None]], None] | None = None
    ) -> None:
        self._schedule = schedule
        self._deliver = deliver or at_once
        self._set: set[Timer] = set()
        self.ahead_ms = 0
        """By how much the wall clock was set forward; negative if it was set back."""
        self.is_steady = True
        """Whether durations are what they are: the fence against steps of the wall clock."""

    def now_ms(self) -> int:
        return self._schedule.now_ms if self.is_steady else self.wall_ms()

    def wall_ms(self) -> int:
        return START_MS + self._schedule.now_ms + self.ahead_ms

    def call_later(self, delay_ms: int, function: Callable[[], None]) -> Cancel:
        timer = Timer(function, self._set, self._deliver)
        self._schedule.after(delay_ms, timer.arrive)
        return timer.cancel

    @property
    def timers(self) -> int:
        """How many are set."""
        return len(self._set)


def at_once(action: Callable[[], None]) -> None:
    action()


class Timer:
    """In *those_set* until it goes off or is cancelled; *deliver* lets it go off."""

    __slots__ = ("_deliver", "_function", "_those_set")

    def __init__(
        self,
        function: Callable[[], None],
        those_set: "set[Timer]",
        deliver: Callable[[Callable[[], None]], None],
    ) -> None:
        self._function = function
        self._those_set = those_set
        self._deliver = deliver
        those_set.add(self)

    def arrive(self) -> None:
        """Its time has come; it may be cancelled yet, while its process is frozen."""
        if self in self._those_set:
            self._deliver(self.go_off)

    def go_off(self) -> None:
        if self in self._those_set:
            self._those_set.discard(self)
            self._function()

    def cancel(self) -> None:
        self._those_set.discard(self)


@dataclass
class SimRegistration:
    broker_id: BrokerId
    broker_epoch: BrokerEpoch = BrokerEpoch(-1)
    intact_since: BrokerEpoch = BrokerEpoch(-1)
    flushed_since: BrokerEpoch = BrokerEpoch(-1)
    cluster_id: str = "the-cluster"
    refused: Mapping[TopicPartition, str] = field(default_factory=dict)
    ordered: Callable[[], None] | None = None
    """Called with each order for this registration."""

    def note_order(self, broker_epoch: int) -> None:
        if self.ordered is not None and broker_epoch == self.broker_epoch:
            self.ordered()

    def show_refused(self, refused: Mapping[TopicPartition, str]) -> None:
        self.refused = refused


@dataclass
class SimJournal:
    """Keeps all lines."""

    lines: list[StateChangeLine] = field(default_factory=list)
    infos: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def state_change(self, line: StateChangeLine) -> None:
        self.lines.append(line)

    def info(self, message: str) -> None:
        self.infos.append(message)

    def warning(self, message: str) -> None:
        self.warnings.append(message)

    def error(self, message: str) -> None:
        self.errors.append(message)


class SimRandomStream:
    """Random values from a seeded generator."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def below(self, bound: int) -> int:
        return self._random.randrange(bound)

    def unique_id(self) -> bytes:
        return self._random.getrandbits(128).to_bytes(16, "big")


@dataclass
class SimMemory:
    """Counts, and lets everybody begin."""

    held_bytes: int = 0

    def hold(self, size: int, of_size: int) -> None:
        self.held_bytes += size

    def let_go(self, size: int, of_size: int) -> None:
        self.held_bytes -= size


class SimDisks:
    """Work for the disk that takes its virtual time; at most one flush of a log at a time."""

    def __init__(
        self,
        files: Files,
        clock: SimClock,
        later: Callable[[Callable[[], None]], None],
        *,
        flushes: bool = True,
    ) -> None:
        """*later* lets something happen after a while, as long as the process lives.

        Without *flushes* it is only said that something is durable.
        """
        self._flushes = flushes
        self._files = files
        self._clock = clock
        self._later = later
        self._waiting: dict[PartitionLog, list[Callable[[KafkaStorageError | None], None]]] = {}
        self._syncing: dict[PartitionLog, FlushWork] = {}

    def flush(self, log: PartitionLog, done: Callable[[KafkaStorageError | None], None]) -> None:
        waiting = self._waiting.get(log)
        if waiting is not None:
            # What it wants durable may have come too late for the flush that is under way.
            waiting.append(done)
            return
        self._waiting[log] = []
        self._begin(log, [done])

    def _begin(
        self, log: PartitionLog, served: list[Callable[[KafkaStorageError | None], None]]
    ) -> None:
        try:
            work = log.begin_flush()
        except KafkaStorageError as error:
            failure = error
            self._later(lambda: self._finish(log, served, failure))
            return
        self._syncing[log] = work
        self._later(lambda: self._finish(log, served, self._sync(log, self._syncing.pop(log))))

    def close(self) -> None:
        """End the flushes that are under way; nobody is told any more."""
        for log, work in self._syncing.items():
            self._sync(log, work)

    def _sync(self, log: PartitionLog, work: FlushWork) -> KafkaStorageError | None:
        try:
            with log.health.guard():
                if self._flushes:
                    work.run(self._files)
        except KafkaStorageError as error:
            return error
        log.finish_flush(work, self._clock.now_ms())
        return None

    def _finish(
        self,
        log: PartitionLog,
        served: list[Callable[[KafkaStorageError | None], None]],
        error: KafkaStorageError | None,
    ) -> None:
        following = self._waiting.pop(log)
        if following:
            self._waiting[log] = []
            self._begin(log, following)
        for done in served:
            done(error)

    def do(self, work: Callable[[], None], done: Callable[[], None]) -> None:
        def act() -> None:
            work()
            self._later(done)

        self._later(act)

    def space(self, directory: str) -> DiskSpace:
        return DiskSpace(1000, 400)
