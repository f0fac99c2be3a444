"""The replicas of a partition that brokers serve, compared piece by piece.

For each replica the caller passes what its broker returned from the same offset on, up to its high
watermark; each comparison returns the offset up to which all were compared.  Brokers and clocks are
not known here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kadmin.segments.compare import Comparison, Divergence, first_divergence, verdict_of
from kadmin.segments.fetched import Fetched
from kadmin.segments.replica_log import ReplicaLog, read_replica
from kadmin.segments.values import ALL_CLEANED, Damage, DamageKind, SegmentFiles

DAMAGE_MAX: Final = 100
"""No more are kept for one replica: a longer list helps no operator."""


class Mismatch(NamedTuple):
    """Two replicas whose batches at an offset are not the same, in the words of Kafka's tool."""

    replicas: tuple[str, str]
    last_offsets: tuple[int, int]
    checksums: tuple[int, int]


class Step(NamedTuple):
    """What came of a comparison."""

    has_moved: bool
    is_short: bool = False
    """Whether a replica has more than it gave: it has to be asked of this partition alone."""
    divergence: Divergence | None = None
    mismatch: Mismatch | None = None


@dataclass(slots=True)
class Records:
    """Batches in memory, as a file of a log."""

    content: bytes

    @property
    def size(self) -> int:
        return len(self.content)

    def read(self, position: int, size: int) -> bytes:
        return self.content[position : position + size]


@dataclass(slots=True, kw_only=True)
class LiveReplica:
    """What is known of one replica so far."""

    high_watermark: int | None = None
    """The last one that its broker returned; None before the first."""
    log_start_offset: int = 0
    batch_count: int = 0
    size: int = 0
    """Bytes of the batches that were compared."""
    damage: list[Damage] = field(default_factory=list)

    def note(self, found: Iterable[Damage]) -> None:
        """Keep the damage *found*, of which a part may be known: what was not compared yet comes
        again."""
        known = {(one.kind, one.offset) for one in self.damage}
        for one in found:
            if (one.kind, one.offset) not in known and len(self.damage) < DAMAGE_MAX:
                self.damage.append(one)


class LivePartition:
    """A partition whose *replicas* are compared from the offset *position* on.

    Records of one that *is_compacted* may be missing anywhere.
    """

    def __init__(self, replicas: Iterable[str], position: int, *, is_compacted: bool) -> None:
        self.start = position
        self.position = position
        """Up to which, exclusive, all were compared."""
        self.target: int | None = None
        """The largest high watermark when it was read; None before that."""
        self.replicas = {name: LiveReplica() for name in replicas}
        self.divergence: Divergence | None = None
        """The first one."""
        self._is_compacted = is_compacted

    @property
    def lag(self) -> int:
        """How many offsets the largest high watermark is ahead."""
        return max(0, self.largest_high_watermark() - self.position)

    def largest_high_watermark(self) -> int:
        marks = [each.high_watermark for each in self.replicas.values()]
        return max((mark for mark in marks if mark is not None), default=0)

    @property
    def has_caught_up(self) -> bool:
        return self.target is not None and self.position >= self.target

    def is_behind(self, replica: LiveReplica) -> bool:
        """Return whether the high watermark of *replica* is below the target."""
        mark = replica.high_watermark
        return mark is not None and self.target is not None and mark < self.target

    def set_replicas(self, names: Iterable[str]) -> None:
        """Go on with the replicas *names*, which a reassignment may have changed."""
        self.replicas = {name: self.replicas.get(name, LiveReplica()) for name in names}

    def skip_to(self, offset: int) -> None:
        """Go on from *offset*, before which a replica has deleted its records."""
        if self.position == self.start:
            self.start = max(self.start, offset)
        self.position = max(self.position, offset)

    def compare(self, fetched: Mapping[str, Fetched], *, is_alone: bool) -> Step:
        """Compare the records that replicas returned from the position on, as far as all of them
        did.

        *is_alone* if brokers were asked for nothing else, so that a replica that has a batch has
        returned one: a replica that returned none lacks all records up to its high watermark.
        """
        logs: dict[str, ReplicaLog] = {}
        ends: dict[str, int] = {}
        is_short = False
        for name, given in fetched.items():
            replica = self.replicas[name]
            replica.high_watermark = given.high_watermark
            replica.log_start_offset = given.log_start_offset
            given_end = self.position
            # Of a replica that has no more, most answers hold nothing to be read.
            if given.records:
                logs[name] = self._read(given)
                given_end = logs[name].log_end_offset
            end = min(given_end, given.high_watermark)
            if end <= self.position < given.high_watermark:
                end = given.high_watermark if is_alone else self.position
                is_short = not is_alone
            ends[name] = max(end, self.position)
        if self.target is None:
            self.target = self.largest_high_watermark()
        start, end = self.position, min(ends.values(), default=self.position)
        if end == start:
            return Step(has_moved=False, is_short=is_short)
        logs = {name: logs.get(name) or self._read(given) for name, given in fetched.items()}
        divergence = first_divergence(logs, start, end)
        for name, log in logs.items():
            self._count(self.replicas[name], log, start, end)
        self.position = end
        if divergence is None:
            return Step(has_moved=True)
        self.divergence = self.divergence or divergence
        return Step(
            has_moved=True, divergence=divergence, mismatch=mismatch_at(logs, divergence.offset)
        )

    def _read(self, given: Fetched) -> ReplicaLog:
        # The first batch may begin before the position, and the headers of old ones lack their
        # start.
        segment = SegmentFiles(
            base_offset=0, name=f"what it gave from {self.position} on", log=Records(given.records)
        )
        cleaned_offset = ALL_CLEANED if self._is_compacted else self.position
        return read_replica([segment], cleaned_offset=cleaned_offset)

    def _count(self, replica: LiveReplica, log: ReplicaLog, start: int, end: int) -> None:
        last = log.rows["last_offset"]
        rows = log.rows[(start <= last) & (last < end)]
        replica.batch_count += len(rows)
        replica.size += int(rows["size"].sum())
        for one in log.damage:
            if one.kind is DamageKind.TORN_TAIL:
                continue  # A batch that is cut off comes whole the next time.
            if one.kind is DamageKind.NO_BATCH:
                one = one._replace(offset=max(one.offset, start))
            replica.note([one])
        given_end = log.log_end_offset
        if given_end < end and not self._is_compacted:
            at = max(start, given_end)
            reason = f"offsets {at} to {end - 1} are missing"
            replica.note([Damage(DamageKind.OFFSET_GAP, log.segments[0].name, 0, at, reason)])

    def _is_uncompared(self) -> bool:
        """Return whether nothing was compared, though brokers have something."""
        begin = max((each.log_start_offset for each in self.replicas.values()), default=0)
        return self.position == self.start and begin < self.largest_high_watermark()

    def comparison(self, *, has_unreadable: bool) -> Comparison:
        """Return the result so far; *has_unreadable* if not all replicas could be read."""
        lagging = tuple(name for name, each in self.replicas.items() if self.is_behind(each))
        verdict = verdict_of(
            len(self.replicas),
            self.divergence,
            lagging,
            has_damage=any(replica.damage for replica in self.replicas.values()),
            has_unreadable=has_unreadable,
            has_all_replicas=True,
            is_uncompared=self._is_uncompared(),
        )
        return Comparison(
            verdict=verdict,
            start_offset=self.start,
            end_offset=self.position,
            lagging=lagging,
            divergence=self.divergence,
        )


def mismatch_at(logs: Mapping[str, ReplicaLog], offset: int) -> Mismatch | None:
    """Return the first two replicas whose batches with *offset* are not the same; None where all
    are."""
    first: tuple[str, int, int] | None = None
    for name, log in logs.items():
        rows = log.rows
        at = rows[(rows["base_offset"] <= offset) & (offset <= rows["last_offset"])]
        if not len(at):
            continue
        last_offset, checksum = int(at["last_offset"][0]), int(at["crc"][0])
        if first is None:
            first = name, last_offset, checksum
        elif (last_offset, checksum) != first[1:]:
            return Mismatch((first[0], name), (first[1], last_offset), (first[2], checksum))
    return None
