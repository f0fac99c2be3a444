"""Even levels: how many replicas can each broker hold, so that they are as even as racks allow?

The fullest brokers first: as few as possible on them, then on the next; and the emptiest likewise.
A rack of few brokers may have to hold more on each than the others.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from cluster.model.ids import BrokerId
from kadmin.plan.moves.flow import Network, cheapest_flow
from kadmin.plan.moves.problem import Loads, Problem, RackBounds, TooFewForReplicas

Shortfall: TypeAlias = Callable[[Mapping[str, int]], int]
"""Returns what falls short of levels; 0 where they can be kept."""

Search: TypeAlias = Callable[[Callable[[int], bool]], int]
"""Returns the best level of those that can be kept."""


@dataclass(frozen=True, slots=True)
class Top:
    """That of the brokers of *racks* only *count* need as many as their *level*: the others one
    less.

    Without it the next racks would be levelled at the cost of these.
    """

    racks: frozenset[str]
    level: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """How many replicas, in all, the brokers of each rack hold at least and at most, and how many
    of them the most."""

    least: Mapping[str, int]
    most: Mapping[str, int]
    tops: Sequence[Top] = ()

    def widened(self, by: int) -> "Levels":
        return Levels(
            least={rack: max(0, level - by) for rack, level in self.least.items()},
            most={rack: level + by for rack, level in self.most.items()},
        )


def even_levels(problem: Problem, base: Loads, *, stays_stay: bool) -> Levels | None:
    """Return the most even levels of the receivers of *problem*, which hold *base* besides; None
    where there are none.

    Where *stays_stay*, every replica that may stay does; *base* is without them even so.
    """
    try:
        return _Leveling(problem, base, stays_stay=stays_stay).levels()
    except TooFewForReplicas:
        return None


def with_levels(
    problem: Problem, base: Loads, levels: Levels, *, stays_stay: bool = False
) -> Problem:
    """Return *problem* with its receivers, which hold *base* besides, within *levels*; where
    *stays_stay*, those that hold more already need not shed any."""
    most, least = dict(problem.most), dict(problem.least)
    staying = Counter(broker for demand in problem.demands for broker in demand.stays)
    for broker in problem.receivers:
        rack, held = problem.racks[broker], base.get(broker, 0)
        level = max(0, levels.most[rack] - held, staying[broker] if stays_stay else 0)
        most[broker] = min(level, most.get(broker, level))
        least[broker] = max(min(levels.least[rack] - held, most[broker]), least.get(broker, 0))
    return replace(problem, most=most, least=least)


def with_tops(
    problem: Problem, base: Loads, levels: Levels, loads: Mapping[BrokerId, int]
) -> Problem:
    """Return *problem* in which no more brokers hold the most than need to, where by *loads* more
    do: those that have the most replicas that may stay."""
    most = dict(problem.most)
    staying = Counter(broker for demand in problem.demands for broker in demand.stays)
    for top in levels.tops:
        members = [b for b in problem.receivers if problem.racks[b] in top.racks]
        full = [b for b in members if loads[b] + base.get(b, 0) >= top.level]
        if len(full) > top.count:
            kept = sorted(full, key=lambda broker: (-staying[broker], broker))[: top.count]
            for broker in set(members).difference(kept):
                most[broker] = min(most[broker], max(0, top.level - 1 - base.get(broker, 0)))
    return replace(problem, most=most)


class _Leveling:
    def __init__(self, problem: Problem, base: Loads, *, stays_stay: bool) -> None:
        self.problem = problem
        self.base = base
        self.staying: Counter[BrokerId] = Counter()
        self.classes: Counter[tuple[int, RackBounds]] = Counter()
        alike = Counter((each.factor, tuple(sorted(each.stays))) for each in problem.demands)
        has = Counter(broker for each in problem.demands for broker in each.stays)
        keep_all = {b for b in has.keys() - problem.receivers if problem.least.get(b) == has[b]}
        for (factor, stays), count in alike.items():
            bounds = problem.bounds(factor, stays)
            kept = stays if stays_stay else [b for b in stays if b in keep_all]
            if kept:
                factor = max(0, factor - len(kept))
                held = Counter(problem.racks[broker] for broker in kept)
                bounds = tuple(
                    (max(0, low - held[rack]), max(0, high - held[rack]))
                    for rack, (low, high) in zip(problem.rack_names, bounds, strict=True)
                )
                self.staying.update(dict.fromkeys(kept, count))
            self.classes[factor, bounds] += count
        self.total = sum(count * factor for (factor, _), count in self.classes.items())
        self.racks = sorted({problem.racks[broker] for broker in problem.receivers})
        self.tops: list[Top] = []

    def levels(self) -> Levels | None:
        if not self.racks:
            return None
        highest = max(map(self.held, self.problem.receivers)) + self.total
        if self._shortfall({}, dict.fromkeys(self.racks, highest)):
            return None
        most = self._settled(partial(self._shortfall, {}), partial(first, 0, highest), step=-1)
        last = max(most.values()) + 1
        least = self._settled(
            lambda levels: self._shortfall(levels, most),
            lambda is_level: first(1, last, lambda level: not is_level(level)) - 1,
            step=1,
        )
        return Levels(least=least, most=most, tops=tuple(self.tops))

    def held(self, broker: BrokerId) -> int:
        return self.base.get(broker, 0) + self.staying[broker]

    def _settled(self, shortfall: Shortfall, search: Search, *, step: int) -> dict[str, int]:
        """Return a level for each rack: *search* finds one for all whose level is open, those that
        block the next one keep it, and so on.

        A rack blocks if less falls short of the next level where it alone keeps this one.  The
        others may go on: what they could do by themselves does not count, since they would then
        have to, for a level that brokers of all these racks may just as well reach.
        """
        settled: dict[str, int] = {}
        while open_racks := [rack for rack in self.racks if rack not in settled]:
            at = partial(_at_level, settled, open_racks)
            level = search(lambda level, at=at: not shortfall(at(level)))  # type: ignore[misc]
            beyond = at(level + step)
            short = shortfall(beyond)
            blocking = [r for r in open_racks if shortfall({**beyond, r: level}) < short]
            settled |= dict.fromkeys(blocking or open_racks, level)
            members = sum(self.problem.racks[each] in blocking for each in self.problem.receivers)
            if step < 0 and short < members:
                self.tops.append(Top(frozenset(blocking), level, short))
        return settled

    def _shortfall(self, least: Mapping[str, int], most: Mapping[str, int]) -> int:
        """Return how many replicas have no place within these levels, or are lacking to reach the
        least ones; 0 where they can be kept."""
        problem, network = self.problem, Network()
        source, sink, overflow = (network.nodes(1) for _ in range(3))
        receivers = sorted(problem.receivers)
        first_broker = network.nodes(len(receivers))
        first_top = network.nodes(len(self.tops))
        top_of = {rack: at for at, top in enumerate(self.tops) for rack in top.racks}
        lacks, rooms, short = [], [], 0
        into: list[tuple[int, int, int]] = []
        for at, broker in enumerate(receivers):
            rack, held = problem.racks[broker], self.held(broker)
            hard = max(0, problem.most.get(broker, self.total + held) - self.staying[broker])
            room = max(0, min(most[rack] - held, hard, self.total))
            if rack in top_of:
                below = max(0, min(room, self.tops[top_of[rack]].level - 1 - held))
                into.append((first_broker + at, first_top + top_of[rack], room - below))
                room = below
            wanted = min(max(0, least.get(rack, 0) - held), hard)
            short += max(0, wanted - room)
            lacks.append(min(wanted, room))
            rooms.append(room - lacks[-1])
        into += [(first_top + at, overflow, top.count) for at, top in enumerate(self.tops)]
        for (factor, bounds), count in sorted(self.classes.items()):
            node = network.nodes(1)
            into.append((source, node, count * (factor - sum(low for low, _ in bounds))))
            for rack, (low, high) in zip(problem.rack_names, bounds, strict=True):
                place = network.nodes(1)
                into.append((node, place, count * (high - low)))
                into.append((source, place, count * low))
                into += [
                    (place, first_broker + at, count)
                    for at, broker in enumerate(receivers)
                    if problem.racks[broker] == rack
                ]
        for at, (lack, room) in enumerate(zip(lacks, rooms, strict=True)):
            into += [(first_broker + at, sink, lack), (first_broker + at, overflow, room)]
        into.append((overflow, sink, max(0, self.total - sum(lacks))))
        network.arcs(*zip(*into, strict=True))
        flow = cheapest_flow(network, source, sink)
        return short + max(self.total, sum(lacks)) - flow.value


def _at_level(settled: dict[str, int], open_racks: Sequence[str], level: int) -> dict[str, int]:
    return settled | dict.fromkeys(open_racks, level)


def first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the lowest number from *low* on for which it *holds*, as it does for all above;
    *high* where it holds for none below."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
