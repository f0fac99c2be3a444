"""The replicas that brokers serve, read side by side up to their high watermarks and compared.

Rounds of reading, in groups of partitions that fit into memory.  A broker that does not answer, and
a replica that is not where it is asked for, get some time; then the others are compared without,
and what could not be read is reported.  Then, and from time to time, the assignment is read again.
A topic that was deleted and made anew is found by its id, without one by replicas that all end too
early: what was compared of it proves nothing of the new one.  The protocol is left to a
`ReplicaReader`.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.jobs.read_bounds import GRACE_S, GROUP_SIZE_MAX, ahead_s, fetch_size
from kadmin.jobs.verify.collected import Unreadable
from kadmin.jobs.verify.partition import VerifiedPartition, VerifiedReplica
from kadmin.segments.fetched import Fetched, Placement, ReplicaReader
from kadmin.segments.live import LivePartition, Mismatch

REFRESH_S: Final = 30.0
"""How often it is asked where the replicas are; at once, but for a second, where that is wrong."""
REFRESH_MIN_S: Final = 1.0
PAUSE_MIN_S: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRequest:
    """How replicas are to be read, and when that ends."""

    fetch_size: int
    max_wait_ms: int
    report_interval_s: float
    rounds_max: int | None = None
    until_caught_up: bool = False
    """Whether it ends with what was committed when it began."""
    time_max_s: float | None = None
    rate_max: int | None = None
    """Bytes a second, of all brokers together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How far it is."""

    worst: TopicPartition | None
    """The partition with the largest lag, the first of several; None where there are none."""
    lag: int
    position: int
    partition_count: int
    done_offsets: int
    total_offsets: int
    """What was to be compared when it began, and how much of that was."""
    size_bytes: int
    elapsed_s: float


class Listener(Protocol):
    """Receives progress and differences."""

    def report(self, report: Report) -> None: ...

    def differs(self, partition: TopicPartition, offset: int, mismatch: Mismatch | None) -> None:
        """Receive that replicas differ for the first time, from *offset* on."""
        ...

    def tell(self, text: str) -> None:
        """Receive what an operator should know."""
        ...


class LiveVerification:
    """Compares the partitions of *starts* from these offsets on."""

    def __init__(
        self,
        reader: ReplicaReader,
        request: LiveRequest,
        listener: Listener,
        placement: Placement,
        starts: Mapping[TopicPartition, int],
        *,
        compacted: frozenset[str] = frozenset(),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._reader = reader
        self._request = request
        self._listener = listener
        self._now_s = clock
        self._pause = sleep
        self._addresses = dict(placement.addresses)
        self._topic_ids = dict(placement.topic_ids)
        self._partitions = {
            partition: LivePartition(
                map(str, placement.replicas[partition]),
                start,
                is_compacted=partition.topic in compacted,
            )
            for partition, start in sorted(starts.items())
        }
        self._begun_s = self._refreshed_s = self._reported_s = clock()
        self._moved_s = dict.fromkeys(self._partitions, self._begun_s)
        self._failing_s: dict[tuple[TopicPartition, str], float] = {}
        """Since when a replica gives nothing."""
        self._left_out: set[tuple[TopicPartition, str]] = set()
        """Those that the others do not wait for any more."""
        self._unreadable: dict[tuple[TopicPartition, str], Unreadable] = {}
        """What could not be read at some time, and why."""
        self._silent: set[str] = set()
        """Brokers that were reported to return nothing."""
        self._former: dict[TopicPartition, Unreadable] = {}
        """Partitions that are no longer those that were compared, and why."""
        self._gone: dict[TopicPartition, LivePartition] = {}
        """Partitions that were deleted."""
        self._alone: set[TopicPartition] = set()
        """Partitions that have to be asked for alone."""
        self._size = 0
        """Bytes that brokers sent."""
        self._is_misplaced = False
        self.is_unfinished = False
        """Whether it ended before all had caught up that were to."""
        self._leave_out_the_dead()

    def _leave_out_the_dead(self) -> None:
        """Wait for no broker that is dead already."""
        for partition, live in self._partitions.items():
            for name in live.replicas:
                if BrokerId(int(name)) not in self._addresses:
                    self._failing_s[partition, name] = self._begun_s - GRACE_S
                    self._note_failure(partition, name, "the broker is not alive", is_whole=True)

    def run(self) -> None:
        """Read and compare until the request is fulfilled."""
        rounds = 0
        while not self._is_over() and rounds != self._request.rounds_max:
            begun_s = self._now_s()
            groups = list(self._groups())
            wait_ms = self._wait_ms(len(groups))
            has_moved = False
            for group in groups:
                has_moved |= self._read(group, wait_ms)
                self._keep_to_rate()
                self._report_if_due()
                if self._is_out_of_time():
                    break
            rounds += 1
            self._refresh_if_due()
            if not has_moved and not self._is_over() and rounds != self._request.rounds_max:
                pause_s = max(PAUSE_MIN_S, self._request.max_wait_ms / 1000)
                self._sleep(begun_s + pause_s - self._now_s())
        if any(self._is_read(partition) for partition in self._partitions):
            # The last one: what was made anew since then is not what was to be proven.
            self._refresh()
        self.is_unfinished = self._request.until_caught_up and any(
            not live.has_caught_up
            and partition not in self._former
            and self._is_waited_for(partition)
            for partition, live in self._partitions.items()
        )
        self._listener.report(self._state())

    def results(self) -> list[VerifiedPartition]:
        """Return what came of it so far."""
        return [
            self._result(partition, live) for partition, live in sorted(self._partitions.items())
        ]

    def stragglers(self) -> list[str]:
        """Return the replicas that have not caught up with what was committed when it began, and
        how far each is."""
        return [
            f"{partition} on {self._label(name)}: its high watermark is {replica.high_watermark},"
            f" and was to be {live.target}"
            for partition, live in self._partitions.items()
            if partition not in self._former
            for name, replica in live.replicas.items()
            if live.is_behind(replica)
        ]

    @property
    def has_nothing_left(self) -> bool:
        """Whether all that was to be verified was deleted meanwhile."""
        return not self._partitions

    def _is_over(self) -> bool:
        return not self._active() or self._is_out_of_time()

    def _is_out_of_time(self) -> bool:
        limit_s = self._request.time_max_s
        return limit_s is not None and self._now_s() - self._begun_s >= limit_s

    def _active(self) -> list[TopicPartition]:
        """Return the partitions of which there is something left to do."""
        if not self._request.until_caught_up:
            return [each for each in self._partitions if each not in self._former]
        now_s = self._now_s()
        return [
            partition
            for partition, live in self._partitions.items()
            if not live.has_caught_up
            and partition not in self._former
            and now_s - self._moved_s[partition] < 2 * GRACE_S
            and self._is_waited_for(partition)
        ]

    def _is_waited_for(self, partition: TopicPartition) -> bool:
        """Return whether any of its replicas may give something yet."""
        names = self._partitions[partition].replicas
        return any((partition, name) not in self._left_out for name in names)

    def _groups(self) -> Iterator[list[TopicPartition]]:
        """Return the partitions that have something left to do, as many at once as there is room
        for."""
        group: list[TopicPartition] = []
        room = GROUP_SIZE_MAX
        for partition in self._active():
            size = self._fetch_size() * len(self._partitions[partition].replicas)
            if partition in self._alone:
                yield [partition]
                continue
            if group and size > room:
                yield group
                group, room = [], GROUP_SIZE_MAX
            group.append(partition)
            room -= size
        if group:
            yield group

    def _fetch_size(self) -> int:
        return fetch_size(self._request.fetch_size, self._request.rate_max)

    def _wait_ms(self, group_count: int) -> int:
        """Return how long brokers wait for records; not where others would have to wait, too."""
        is_short = self._request.until_caught_up or group_count > 1
        return 0 if is_short else self._request.max_wait_ms

    def _read(self, group: Sequence[TopicPartition], wait_ms: int) -> bool:
        """Read and compare the next of *group*; whether something moved."""
        asked: dict[BrokerId, dict[TopicPartition, int]] = {}
        for partition in group:
            live = self._partitions[partition]
            for name in live.replicas:
                if (partition, name) not in self._left_out:
                    asked.setdefault(BrokerId(int(name)), {})[partition] = live.position
        given, silent = self._reader.fetch(asked, size_max=self._fetch_size(), wait_ms=wait_ms)
        found = {partition: dict[str, Fetched]() for partition in group}
        out_of_range: dict[BrokerId, list[TopicPartition]] = {}
        for broker, partitions in asked.items():
            for partition in partitions:
                fetched = given.get(broker, {}).get(partition)
                if broker in silent:
                    self._note_failure(partition, str(broker), silent[broker], is_whole=True)
                elif isinstance(fetched, Fetched):
                    self._size += len(fetched.records)
                    found[partition][str(broker)] = fetched
                    self._failing_s.pop((partition, str(broker)), None)
                    self._silent.discard(str(broker))
                elif fetched is not None and fetched.is_out_of_range:
                    out_of_range.setdefault(broker, []).append(partition)
                elif fetched is not None:
                    self._note_failure(partition, str(broker), fetched.reason)
        self._look_for_range(out_of_range, found)
        have_moved = [self._compare(partition, found[partition]) for partition in group]
        return any(have_moved)

    def _look_for_range(
        self,
        asked: Mapping[BrokerId, Sequence[TopicPartition]],
        found: Mapping[TopicPartition, dict[str, Fetched]],
    ) -> None:
        """See why replicas do not have the offset that they were asked for.

        One that ends before has nothing yet, and is *found* so.  Where one begins later, there is
        nothing to compare before.
        """
        if not asked:
            return
        spans = self._reader.spans(asked)
        behind: Counter[TopicPartition] = Counter()
        for broker, partitions in asked.items():
            for partition in partitions:
                live = self._partitions[partition]
                span = spans.get(broker, {}).get(partition)
                if span is None:
                    reason = "it has no such offset, and does not return which it has"
                    self._note_failure(partition, str(broker), reason)
                elif live.position < span.start:
                    live.skip_to(span.start)
                elif live.position > span.end:
                    found[partition][str(broker)] = Fetched(b"", span.end, span.start)
                    behind[partition] += 1
        for partition, count in behind.items():
            if count == len(self._partitions[partition].replicas):
                self._note_all_behind(partition)

    def _note_all_behind(self, partition: TopicPartition) -> None:
        """Note that no replica has the offset any more up to which all were compared."""
        if partition.topic in self._topic_ids:
            self._refresh()
        if partition in self._partitions and partition not in self._former:
            offset = self._partitions[partition].position
            self._end(
                partition,
                f"all replicas end before offset {offset}, up to which they were compared:"
                " it was deleted and made anew, or has lost records",
            )

    def _note_anew(self, partition: TopicPartition) -> None:
        self._end(
            partition,
            "it was deleted and made anew; what was compared, up to offset"
            f" {self._partitions[partition].position}, is not all of what there is now",
        )

    def _end(self, partition: TopicPartition, reason: str) -> None:
        """Compare no more of a partition that is no longer what it was."""
        self._former[partition] = Unreadable(str(partition), reason)
        self._listener.tell(f"{partition}: {reason}")

    def _compare(self, partition: TopicPartition, found: Mapping[str, Fetched]) -> bool:
        live = self._partitions.get(partition)
        if live is None or partition in self._former:
            return False  # It was found to be gone while it was read.
        wanted = [name for name in live.replicas if (partition, name) not in self._left_out]
        if not wanted or any(name not in found for name in wanted):
            return False
        is_first = live.divergence is None
        step = live.compare(
            {name: found[name] for name in wanted}, is_alone=partition in self._alone
        )
        self._alone.discard(partition)
        if step.is_short:
            self._alone.add(partition)
        if step.has_moved:
            self._moved_s[partition] = self._now_s()
        if step.divergence is not None and is_first:
            self._listener.differs(partition, step.divergence.offset, step.mismatch)
        return step.has_moved or step.is_short

    def _note_failure(
        self, partition: TopicPartition, name: str, reason: str, *, is_whole: bool = False
    ) -> None:
        """Note that a replica returns nothing; after some time the others go on without.

        A broker that returns nothing at all (*is_whole*) is reported once.
        """
        self._is_misplaced = True
        now_s = self._now_s()
        since_s = self._failing_s.setdefault((partition, name), now_s)
        if now_s - since_s < GRACE_S:
            return
        self._left_out.add((partition, name))
        if (partition, name) not in self._unreadable:
            label = f"{partition} on {self._label(name)}"
            self._unreadable[partition, name] = Unreadable(label, reason)
            if not is_whole:
                at = self._partitions[partition].position
                self._listener.tell(f"{label}: {reason}; not read from offset {at} on")
            elif name not in self._silent:
                self._silent.add(name)
                self._listener.tell(f"{self._label(name)}: {reason}; its replicas are not read")
        self._moved_s[partition] = now_s

    def _label(self, name: str) -> str:
        address = self._addresses.get(BrokerId(int(name)))
        return f"broker {name}" if address is None else f"broker {name} ({address})"

    def _refresh_if_due(self) -> None:
        """Ask where the replicas are, and follow those that have moved."""
        elapsed_s = self._now_s() - self._refreshed_s
        if elapsed_s < (REFRESH_MIN_S if self._is_misplaced else REFRESH_S):
            return
        self._refresh()
        if elapsed_s >= REFRESH_S:
            # Who is back is asked again, and left out again at once if it is not.
            self._left_out.clear()

    def _refresh(self) -> None:
        self._is_misplaced = False
        self._refreshed_s = self._now_s()
        placement = self._reader.placement()
        self._addresses |= placement.addresses
        for partition, live in list(self._partitions.items()):
            brokers = placement.replicas.get(partition)
            known = self._topic_ids.get(partition.topic)
            if partition in self._former:
                continue
            if known is not None and placement.topic_ids.get(partition.topic, known) != known:
                self._note_anew(partition)
            elif brokers is not None:
                live.set_replicas(map(str, brokers))
            elif any((partition, name) in self._failing_s for name in live.replicas):
                # A broker that has just started may not know the topic yet, but it would not serve
                # it.
                self._listener.tell(f"{partition} is gone")
                self._gone[partition] = self._partitions.pop(partition)
        for partition in self._gone.keys() & placement.replicas.keys():
            self._partitions[partition] = self._gone.pop(partition)
            self._note_anew(partition)

    def _is_read(self, partition: TopicPartition) -> bool:
        """Return whether any of its replicas gives something."""
        return any(
            (partition, name) not in self._failing_s
            for name in self._partitions[partition].replicas
        )

    def _keep_to_rate(self) -> None:
        elapsed_s = self._now_s() - self._begun_s
        self._sleep(ahead_s(self._size, self._request.rate_max, elapsed_s))

    def _sleep(self, seconds: float) -> None:
        """Sleep, but not beyond the end."""
        limit_s = self._request.time_max_s
        if limit_s is not None:
            seconds = min(seconds, self._begun_s + limit_s - self._now_s())
        if seconds > 0:
            self._pause(seconds)

    def _report_if_due(self) -> None:
        now_s = self._now_s()
        if now_s - self._reported_s < self._request.report_interval_s:
            return
        self._reported_s = now_s
        self._listener.report(self._state())
        if not self._request.until_caught_up:
            for live in self._partitions.values():
                live.target = live.largest_high_watermark()

    def _state(self) -> Report:
        worst: TopicPartition | None = None
        done = total = 0
        for partition, live in self._partitions.items():
            if worst is None or live.lag > self._partitions[worst].lag:
                worst = partition
            target = live.position if live.target is None else live.target
            total += max(0, target - live.start)
            done += max(0, min(target, live.position) - live.start)
        return Report(
            worst=worst,
            lag=0 if worst is None else self._partitions[worst].lag,
            position=0 if worst is None else self._partitions[worst].position,
            partition_count=len(self._partitions),
            done_offsets=done,
            total_offsets=total,
            size_bytes=self._size,
            elapsed_s=self._now_s() - self._begun_s,
        )

    def _result(self, partition: TopicPartition, live: LivePartition) -> VerifiedPartition:
        unreadable = tuple(
            found for (each, _), found in sorted(self._unreadable.items()) if each == partition
        )
        if partition in self._former:
            unreadable += (self._former[partition],)
        silent = [name for name, each in live.replicas.items() if each.high_watermark is None]
        known = {name for each, name in self._unreadable if each == partition}
        unreadable += tuple(
            Unreadable(f"{partition} on {self._label(name)}", "it was not read")
            for name in silent
            if name not in known
        )
        comparison = live.comparison(has_unreadable=bool(unreadable))
        return VerifiedPartition(
            partition=partition,
            comparison=None if len(silent) == len(live.replicas) else comparison,
            replicas=tuple(
                VerifiedReplica(
                    broker=name,
                    label=self._label(name),
                    log_start_offset=replica.log_start_offset,
                    log_end_offset=replica.high_watermark,
                    high_watermark=replica.high_watermark,
                    batch_count=replica.batch_count,
                    size_bytes=replica.size,
                    damage=tuple(replica.damage),
                )
                for name, replica in live.replicas.items()
                if replica.high_watermark is not None
            ),
            unreadable=unreadable,
        )
