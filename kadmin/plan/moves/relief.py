"""Relief of full brokers: which replicas have to go, so that no broker holds more than so much?

Counts bytes, which no flow can divide: a plan is found broker by broker, the fullest first, and may
move a little more than the lower bound, which takes replicas for as small as one likes.  Where it
does, and the cluster is small, `exact_relief` finds the least.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.errors import RefusedError
from kadmin.plan.moves.exact_relief import least_relief
from kadmin.plan.moves.goals import Reached
from kadmin.plan.moves.layout import PlacedPartition
from kadmin.plan.moves.placing import Chosen
from kadmin.plan.moves.problem import Impossible
from kadmin.plan.moves.request import Goal
from kadmin.plan.moves.scene import Scene
from kadmin.wording import amount, first_listed


class SizesUnknown(RefusedError):
    """Brokers that do not report what a goal counts."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem, hint=hint)


TOLERANCES_MORE: Final = (1, 2, 5, 10, 20, 40, 80, 160)
"""By so many percent a balance may be less even than was asked for, where that is not reached."""


NEAR: Final = 1.01
"""A plan that copies less than this times the lower bound is worth no long search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a broker holds, and may hold, in bytes."""

    used: int
    most: int

    @property
    def excess(self) -> int:
        return max(0, self.used - self.most)


def relieve(scene: Scene) -> Reached:
    """Bring the brokers whose disks are fuller than the request allows below that."""
    percent, size = scene.request.above_percent, scene.request.disk_size_bytes
    assert percent is not None
    held = held_bytes(scene)
    rooms = {}
    unknown = []
    for broker in sorted(scene.open_brokers):
        disks = scene.layout.disks.get(broker)
        if size is not None:
            rooms[broker] = Room(used=held[broker], most=int(size * percent / 100))
        elif disks is not None:
            rooms[broker] = Room(used=disks.used_bytes, most=int(disks.total_bytes * percent / 100))
        else:
            unknown.append(broker)
    if unknown:
        raise SizesUnknown(
            f"these brokers do not report the size of their disks: {first_listed(unknown)}",
            "brokers of Kafka 3.3 and later do; or add --disk-size BYTES, of all disks of a broker",
        )
    note_excluded(scene, held, percent)
    note_single_disks(scene, percent)
    return shed(scene, rooms)


def note_excluded(scene: Scene, held: Mapping[BrokerId, int], percent: float) -> None:
    """Note the excluded brokers that stay fuller than *percent*, as far as their size is known."""
    size = scene.request.disk_size_bytes
    over = []
    for broker in sorted(scene.racks.keys() - scene.open_brokers):
        disks = scene.layout.disks.get(broker)
        if size is not None:
            full = 100 * held[broker] / size
        elif disks is not None:
            full = 100 * disks.used_bytes / disks.total_bytes
        else:
            continue
        if full > percent:
            over.append(f"broker {broker} ({full:.0f}%)")
    if over:
        scene.notes.append(f"excluded, and fuller than {percent:g}% still: {first_listed(over)}")


def note_single_disks(scene: Scene, percent: float) -> None:
    """Note the disks that are fuller than *percent*, though those of their broker together are
    not: no move to another broker is planned for them."""
    full = [
        f"{disk.path} of broker {broker} ({disk.percent:.0f}%)"
        for broker, disks in sorted(scene.layout.disks.items())
        if 100 * disks.used_bytes <= percent * disks.total_bytes
        for disk in disks.single
        if disk.percent > percent
    ]
    if full:
        scene.notes.append(
            f"fuller than {percent:g}%, while the disks of the broker together are not:"
            f" {first_listed(full)}: move replicas to its other directories, by 'log_dirs' in a"
            " file for 'kadmin reassign --execute'"
        )


def balance_bytes(scene: Scene) -> Reached:
    """Bring the brokers that hold more than the mean, and its tolerance, below that; where no plan
    is found, as near to it as one is."""
    held = held_bytes(scene)
    if not scene.racks:
        raise Impossible("no broker is alive", "start brokers")
    mean = sum(held[broker] for broker in scene.racks) / len(scene.racks)
    fullest = max((held[broker] for broker in scene.open_brokers), default=0)
    wanted = scene.request.tolerance_percent
    refusal: Impossible | None = None
    for percent in (wanted, *(wanted + more for more in TOLERANCES_MORE)):
        most = int(mean * (1 + percent / 100))
        if refusal is not None and most >= fullest:
            break
        try:
            reached = shed(
                scene, {b: Room(used=held[b], most=most) for b in sorted(scene.open_brokers)}
            )
        except Impossible as error:
            refusal = refusal or error
            continue
        if refusal is not None:
            above = max(bytes_after(scene, held, reached).values()) / mean - 1
            scene.notes.append(
                f"no plan was found that brings all brokers to {wanted:g}% above the mean or less;"
                f" the fullest is {above:.0%} above it afterwards"
            )
        return reached
    assert refusal is not None
    raise refusal


def held_bytes(scene: Scene) -> Counter[BrokerId]:
    """Return how many bytes of replicas each broker holds.

    Raises:
        SizesUnknown: of a partition that is not known, and has a replica on a live broker.
    """
    unknown = [
        partition
        for partition, each in scene.layout.partitions.items()
        if each.size_bytes is None and not scene.racks.keys().isdisjoint(each.replicas)
    ]
    if unknown:
        raise SizesUnknown(
            f"no broker reports the size of {first_listed(unknown)}",
            "add --bootstrap-server HOST:PORT, and see 'kadmin log-dirs' for which brokers answer",
        )
    held: Counter[BrokerId] = Counter()
    for each in scene.layout.partitions.values():
        for broker in each.replicas:
            held[broker] += each.size_bytes or 0
    return held


def shed(scene: Scene, rooms: Mapping[BrokerId, Room]) -> Reached:
    """Move replicas from brokers that hold too much to those that have room.

    Raises:
        Impossible: some cannot be brought down.
    """
    movable = scene.with_live_replicas()
    on: dict[BrokerId, list[TopicPartition]] = defaultdict(list)
    for partition, each in movable.items():
        for broker in each.replicas:
            on[broker].append(partition)
    tries = [_Shedding(scene, rooms, movable, on, is_exact=each) for each in (True, False)]
    bound, bound_bytes = tries[0].bounds()
    found: list[Chosen] = []
    refusal: Impossible | None = None
    for one in tries:
        try:
            found.append(one.brought_down())
        except Impossible as error:
            refusal = refusal or error
    found.sort(key=lambda chosen: copied_bytes(chosen, movable))
    least_found = copied_bytes(found[0], movable) if found else None
    if least_found is None or least_found > bound_bytes:
        is_near = least_found is not None and least_found <= NEAR * bound_bytes
        exact = least_relief(scene, tries[0].free_before, movable, is_near=is_near)
        if exact.chosen is not None:
            found.append(exact.chosen)
        elif not found:
            assert refusal is not None
            is_guess = not exact.is_impossible
            raise Impossible(refusal.reason, refusal.hint or "", is_guess=is_guess)
        bound_bytes = max(bound_bytes, exact.lower_bound_bytes)
    # The first of those that copy as little: going broker by broker chooses the emptiest ones.
    chosen = min(found, key=lambda each: copied_bytes(each, movable))
    return Reached(chosen=chosen, lower_bound=bound, lower_bound_bytes=bound_bytes)


def bytes_after(
    scene: Scene, held: Mapping[BrokerId, int], reached: Reached
) -> Mapping[BrokerId, int]:
    """Return what live brokers hold once what *reached* has chosen is done."""
    after = {broker: held[broker] for broker in scene.racks}
    for partition, brokers in reached.chosen.items():
        placed = scene.layout.partitions[partition]
        size = placed.size_bytes or 0
        for broker in brokers.difference(placed.replicas):
            after[broker] += size
        for broker in set(placed.replicas).difference(brokers):
            after[broker] -= size
    return after


def copied_bytes(chosen: Chosen, movable: Mapping[TopicPartition, PlacedPartition]) -> int:
    return sum(
        (movable[partition].size_bytes or 0) * len(brokers.difference(movable[partition].replicas))
        for partition, brokers in chosen.items()
    )


class _Shedding:
    """One try: *is_exact* fills up with small replicas what large ones leave, which costs fewer
    bytes, and may leave no room for the last one."""

    def __init__(
        self,
        scene: Scene,
        rooms: Mapping[BrokerId, Room],
        movable: Mapping[TopicPartition, PlacedPartition],
        on: Mapping[BrokerId, Sequence[TopicPartition]],
        *,
        is_exact: bool,
    ) -> None:
        self.scene = scene
        self.rooms = rooms
        self.movable, self.on = movable, on
        self.is_exact = is_exact
        self.free_before = {broker: room.most - room.used for broker, room in rooms.items()}
        self.free = dict(self.free_before)
        self.chosen: dict[TopicPartition, frozenset[BrokerId]] = {}
        self.went: dict[tuple[TopicPartition, BrokerId], BrokerId] = {}
        self.open_brokers = scene.open_brokers
        self.racks: dict[BrokerId, frozenset[str]] = {}

    def size(self, partition: TopicPartition) -> int:
        return self.movable[partition].size_bytes or 0

    def bounds(self) -> tuple[int, int]:
        """Return how many replicas, and bytes, have to go whatever is chosen."""
        bound, bound_bytes = 0, 0
        for broker, room in self.rooms.items():
            on = self.on.get(broker, ())
            sizes = sorted(self.size(p) for p in on if self._may_go(p, broker))
            bound += fewest(sizes, room.excess)
            bound_bytes += least_bytes(sizes, room.excess)
        return bound, bound_bytes

    def brought_down(self) -> Chosen:
        for broker in sorted(self.rooms, key=lambda each: (self.free[each], each)):
            self._bring_down(broker)
        return self.chosen

    def _bring_down(self, broker: BrokerId) -> None:
        """Move the largest replicas that are not too large, and in the end the smallest that is
        enough; or that one alone, where it is no larger than all of these."""
        movable = [p for p in self.on.get(broker, ()) if self._may_go(p, broker)]
        largest_first = sorted(movable, key=lambda p: (-self.size(p), p))
        if self.is_exact:
            self._come_near(largest_first, broker)
        for partition in largest_first:
            if self.free[broker] < 0 < self.size(partition):
                self._move(partition, broker)
        for partition in largest_first:
            if 0 < self.size(partition) <= self.free[broker]:
                self._leave(partition, broker)
        if self.free[broker] < 0:
            is_relief = self.scene.request.goal is Goal.RELIEVE
            raise Impossible(
                f"broker {broker} holds {amount(-self.free[broker])} too much, and no other broker"
                " has room for the replicas that it could give",
                "add brokers" + (", or allow more by --above" if is_relief else ""),
                is_guess=True,
            )

    def _come_near(self, largest_first: Sequence[TopicPartition], broker: BrokerId) -> None:
        excess = -self.free[broker]
        enough = [p for p in reversed(largest_first) if self.size(p) >= excess > 0]
        if enough and self.size(enough[0]) <= greedy_sum(map(self.size, largest_first), excess):
            self._move(enough[0], broker)
        for partition in largest_first:
            if 0 < self.size(partition) <= -self.free[broker]:
                self._move(partition, broker)
        for partition in reversed(largest_first):
            if self.size(partition) >= -self.free[broker] > 0:
                self._move(partition, broker)

    def _may_go(self, partition: TopicPartition, broker: BrokerId) -> bool:
        """Return whether the replica of *partition* at *broker* has somewhere to go, whatever else
        is moved."""
        replicas, racks = self.movable[partition].replicas, self.scene.racks
        reached = self.racks_without(broker).union(racks[r] for r in replicas if r != broker)
        return len(self.open_brokers.union(replicas)) > len(replicas) and len(reached) >= len(
            {racks[each] for each in replicas}
        )

    def racks_without(self, broker: BrokerId) -> frozenset[str]:
        """Return the racks of all brokers that may get replicas but *broker*."""
        if broker not in self.racks:
            racks = self.scene.racks
            self.racks[broker] = frozenset(racks[b] for b in self.open_brokers if b != broker)
        return self.racks[broker]

    def _move(self, partition: TopicPartition, broker: BrokerId) -> None:
        """Move a replica to the broker with the most room that may have it, if there is one."""
        placed = self.movable[partition]
        now = self.chosen.get(partition, frozenset(placed.replicas))
        # What has come here for the relief of another broker would be copied twice.
        if broker not in now or broker not in placed.replicas:
            return
        fit = [
            other
            for other in self.open_brokers - now
            if self.free[other] >= self.size(partition) and self._is_spread(now, broker, other)
        ]
        if not fit:
            return
        best = max(fit, key=lambda other: (self.free[other], -other))
        self.chosen[partition] = now - {broker} | {best}
        self.went[partition, broker] = best
        self.free[broker] += self.size(partition)
        self.free[best] -= self.size(partition)

    def _leave(self, partition: TopicPartition, broker: BrokerId) -> None:
        """Leave a replica at *broker* after all, where it was chosen to move."""
        where = self.went.pop((partition, broker), None)
        if where is None:
            return
        self.chosen[partition] = self.chosen[partition] - {where} | {broker}
        if self.chosen[partition] == frozenset(self.movable[partition].replicas):
            del self.chosen[partition]
        self.free[broker] -= self.size(partition)
        self.free[where] += self.size(partition)

    def _is_spread(self, now: frozenset[BrokerId], broker: BrokerId, other: BrokerId) -> bool:
        """Return whether the replicas are on as many racks with *other* for *broker*."""
        racks = self.scene.racks
        return len({racks[b] for b in now - {broker} | {other}}) >= len({racks[b] for b in now})


def greedy_sum(sizes: Iterable[int], excess: int) -> int:
    """Return what is moved of *sizes*, the largest first, to get rid of *excess*."""
    moved, last = 0, 0
    for size in sizes:
        if size <= excess - moved:
            moved += size
        else:
            last = size
    return moved if moved >= excess else moved + last


def fewest(sizes: Sequence[int], excess: int) -> int:
    """Return how many of *sizes*, the smallest first, make up *excess* at least."""
    count = 0
    for size in reversed(sizes):
        if excess <= 0:
            break
        excess -= size
        count += 1
    return count


def least_bytes(sizes: Sequence[int], excess: int) -> int:
    """Return a number of bytes that none of *sizes*, the smallest first, can go below and make up
    *excess*: one of them that is enough, where all that are smaller are not."""
    smaller = sum(size for size in sizes if size < excess)
    larger = [size for size in sizes if size >= excess]
    return min(larger) if larger and smaller < excess else excess
