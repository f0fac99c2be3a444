"""The goals whose plans a flow finds: balance, drain, add, replace, replication factor, racks.

Each returns where the replicas go, and how much no plan can avoid.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.errors import RefusedError
from kadmin.plan.moves.least_movement import Solution, Unplaced, least_movement
from kadmin.plan.moves.levels import Levels, even_levels, first, with_levels, with_tops
from kadmin.plan.moves.placing import Chosen
from kadmin.plan.moves.problem import Demand, Impossible, Loads, Problem
from kadmin.plan.moves.scene import Scene
from kadmin.wording import counted_partitions, first_listed

WIDER: Final = (0, 1, 2, 4, 8, 16, 32, 64)
"""Levels are widened by so much, until they cost no move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """Where the replicas of partitions go, and the lower bounds of what is moved; in bytes only
    where sizes are known."""

    chosen: Chosen
    lower_bound: int
    lower_bound_bytes: int | None = None


class RacksUnknown(RefusedError):
    def __init__(self, brokers: Sequence[BrokerId]) -> None:
        super().__init__(
            f"replicas cannot be spread over racks: brokers without one: {first_listed(brokers)}",
            hint="set broker.rack on all brokers, and restart them",
        )


def balance(scene: Scene) -> Reached:
    """Give all brokers as many replicas as the others, as far as racks allow."""
    demands = [scene.demand(partition) for partition in scene.with_live_replicas()]
    problem = scene.problem(demands, sheds=True)
    base = scene.base(demands)
    problem = replace(problem, most={**problem.most, **problem.least})
    levels = even_levels(problem, base, stays_stay=False)
    if levels is None:
        return reached(scene, problem, least_movement(problem, size_classes=scene.size_classes))
    for by in WIDER:
        bounded = with_levels(problem, base, levels.widened(by))
        solution = solution_within(scene, bounded)
        if solution is not None:
            solution = with_fewer_at_top(scene, bounded, base, levels, solution)
            if not by:
                solution = across_racks(scene, problem, base, levels, solution)
            return reached(scene, bounded, solution)
    return reached(scene, problem, least_movement(problem, size_classes=scene.size_classes))


def with_fewer_at_top(
    scene: Scene, bounded: Problem, base: Loads, levels: Levels, solution: Solution
) -> Solution:
    """Return a solution that moves no more than *solution*, and leaves no more brokers with the
    most replicas than *levels* need; *solution* where none was found."""
    loads = Counter(broker for chosen in solution.chosen.values() for broker in chosen)
    topped = with_tops(bounded, base, levels, loads)
    found = solution_within(scene, topped) if topped != bounded else None
    # What moves more is not proven to be the least.
    return found if found and found.lower_bound == solution.lower_bound else solution


def across_racks(
    scene: Scene, problem: Problem, base: Loads, levels: Levels, solution: Solution
) -> Solution:
    """Return a solution that is as even as *solution*, with other levels of the racks, and moves
    less, where one was found; else *solution*, with a bound that holds for these as well."""
    lows, highs = set(levels.least.values()), set(levels.most.values())
    # Where nothing stays beside them, the spread over racks alone makes levels differ.
    if len(lows) == len(highs) == 1 or not any(base.get(each, 0) for each in problem.racks):
        return solution
    wide = Levels(
        least=dict.fromkeys(levels.least, min(lows)), most=dict.fromkeys(levels.most, max(highs))
    )
    found = solution_within(scene, with_levels(problem, base, wide))
    if found is None or found.lower_bound >= solution.lower_bound:
        return solution
    if loads_downwards(problem, base, found) <= loads_downwards(problem, base, solution):
        return found
    return replace(solution, lower_bound=found.lower_bound)


def loads_downwards(problem: Problem, base: Loads, solution: Solution) -> list[int]:
    """Return how many replicas each broker holds, the fullest first."""
    loads = Counter(broker for chosen in solution.chosen.values() for broker in chosen)
    return sorted((loads[each] + base.get(each, 0) for each in problem.racks), reverse=True)


def solution_within(scene: Scene, bounded: Problem) -> Solution | None:
    """Return the least movement within the levels of *bounded*; None where none was found."""
    try:
        return least_movement(bounded, size_classes=scene.size_classes)
    except (Impossible, Unplaced):
        return None


def drain(scene: Scene) -> Reached:
    """Leave the brokers of the request without a replica."""
    leaving = frozenset(scene.request.brokers)
    held_back = [
        partition
        for partition, each in scene.layout.partitions.items()
        if partition not in scene.movable and leaving & {*each.replicas}
    ]
    if held_back:
        scene.notes.append(
            f"not emptied of what the plan may not move: {counted_partitions(held_back)}"
        )
    return moved_off(scene, leaving, scene.open_brokers - leaving)


def moved_off(
    scene: Scene, leaving: frozenset[BrokerId], receivers: frozenset[BrokerId]
) -> Reached:
    demands = [
        scene.demand(partition, leaving)
        for partition, each in scene.movable.items()
        if leaving & {*each.replicas}
    ]
    return evenly(scene, scene.problem(demands, scene.open_brokers - leaving))


def add(scene: Scene) -> Reached:
    """Give new brokers the share that they would have if all were even; only they get anything."""
    new = frozenset(scene.request.brokers)
    scene.require_live(new)
    demands = [scene.demand(partition) for partition in scene.with_live_replicas()]
    base = scene.base(demands)
    levels = even_levels(scene.problem(demands), base, stays_stay=False)
    problem = scene.problem(demands, new)
    staying = Counter(broker for demand in demands for broker in demand.stays)
    if levels is None:
        raise Impossible("there are no replicas", "create topics first")
    least = {}
    for broker in sorted(new):
        share = levels.least[scene.racks[broker]] - base[broker]
        least[broker] = max(0, min(share, problem.most.get(broker, share)))
    problem = replace(problem, least=least)
    wanted = sum(max(0, least[b] - staying[b]) for b in new)
    # The fullest of all brokers give first, else the fullest of each rack: where partitions are on
    # as many racks as there are, a replica has to stay in its own.
    groups = [[b for b, of in problem.racks.items() if of == rack] for rack in problem.rack_names]
    each_capped = (
        with_donors_capped(problem, base, staying, least, donors)
        for donors in ([list(problem.racks)], groups)
    )
    for bounded in (*each_capped, problem):
        solution = solution_within(scene, bounded)
        if solution is not None and solution.lower_bound == wanted:
            # Who gives is a choice: the bound in bytes is that of any plan.
            return reached(scene, problem, solution)
    return reached(scene, problem, least_movement(problem, size_classes=scene.size_classes))


def with_donors_capped(
    problem: Problem, base: Loads, staying: Loads, least: Loads, groups: Iterable[list[BrokerId]]
) -> Problem:
    """Return *problem* in which the fullest brokers of each group give first."""
    most, lowest = dict(problem.most), dict(problem.least)
    for group in groups:
        comers = [b for b in group if b in problem.receivers]
        wanted = sum(max(0, least[b] - staying.get(b, 0)) for b in comers)
        donors = [b for b in group if b not in comers]
        loads = {b: base.get(b, 0) + staying.get(b, 0) for b in donors}
        level = max(loads.values(), default=0)
        while level > 0 and sum(max(0, load - level + 1) for load in loads.values()) <= wanted:
            level -= 1
        for broker in donors:
            held = max(0, level - base.get(broker, 0))
            most[broker] = min(most.get(broker, held), held)
            keeps = min(loads[broker], level - 1) - base.get(broker, 0)
            lowest[broker] = max(0, min(keeps, most[broker]))
    return replace(problem, most=most, least=lowest)


def replace_brokers(scene: Scene) -> Reached:
    """Give each new broker what an old one has; what it has already goes to any other."""
    pairs = scene.request.replacements
    scene.require_live(pairs.values())
    chosen: dict[TopicPartition, frozenset[BrokerId]] = {}
    left: list[Demand] = []
    moved, moved_bytes = 0, 0
    for partition, each in scene.movable.items():
        if not pairs.keys() & {*each.replicas}:
            continue
        target = frozenset(pairs.get(broker, broker) for broker in each.replicas)
        if len(target) < len(each.replicas) or not scene.racks.keys() >= target:
            left.append(scene.demand(partition, pairs.keys()))
            continue
        chosen[partition] = target
        comers = len(target - {*each.replicas})
        moved += comers
        moved_bytes += comers * (each.size_bytes or 0)
    if left:
        scene.notes.append(
            "spread over other brokers, since their new one has them already, or another replica is"
            f" on a dead broker: {counted_partitions([each.partition for each in left])}"
        )
    rest = evenly(scene, scene.problem(left, scene.open_brokers - pairs.keys()))
    rest_bytes = rest.lower_bound_bytes
    return Reached(
        chosen={**chosen, **rest.chosen},
        lower_bound=moved + rest.lower_bound,
        lower_bound_bytes=None if rest_bytes is None else moved_bytes + rest_bytes,
    )


def replication_factor(scene: Scene) -> Reached:
    """Give each partition so many replicas."""
    factor = scene.request.replication_factor
    assert factor is not None
    demands = [
        scene.demand(partition, factor=factor)
        for partition, each in scene.movable.items()
        if len(each.replicas) != factor
    ]
    return evenly(scene, scene.problem(demands))


def racks(scene: Scene) -> Reached:
    """Spread the replicas of each partition over the racks, as evenly as these allow."""
    without = [broker for broker, rack in scene.layout.brokers.items() if rack is None]
    if without:
        raise RacksUnknown(without)
    demands = []
    strict = scene.problem([], is_strict=True)
    for partition, each in scene.movable.items():
        demand = scene.demand(partition)
        if len(demand.stays) < len(each.replicas):
            # A replica on a dead broker is in no rack that is known.
            continue
        bounds = strict.bounds(demand.factor, demand.stays)
        held = Counter(scene.racks[broker] for broker in demand.stays)
        names = strict.rack_names
        if any(
            not low <= held[rack] <= high for rack, (low, high) in zip(names, bounds, strict=True)
        ):
            demands.append(demand)
    return evenly(scene, scene.problem(demands, is_strict=True))


def evenly(scene: Scene, problem: Problem) -> Reached:
    """Solve *problem* so that nothing moves for evenness, and what moves goes where least is.

    Neither does a preferred leader go for evenness, where another replica can.
    """
    base = scene.base(problem.demands)
    forced = sum(max(0, each.factor - len(each.stays)) for each in problem.demands)
    lost_at_best = 0
    if any(each.leader is not None for each in problem.demands):
        best = solution_within(scene, problem)
        lost_at_best = 0 if best is None else leaders_lost(problem, best)

    def fitting(bounded: Problem) -> Solution | None:
        solution = solution_within(scene, bounded)
        if solution is None or solution.lower_bound != forced:
            return None
        return solution if leaders_lost(problem, solution) <= lost_at_best else None

    leads = Counter(each.leader for each in problem.demands if each.leader is not None)
    for bounded in islice(even_first(problem, base), 1 if leads else None):
        if (solution := fitting(bounded)) is not None:
            return reached(scene, problem, solution)
    if leads:
        # Brokers that lead more than an even share keep that, and the others share the rest.
        highest = max(base[broker] + len(problem.demands) for broker in problem.racks)
        level = first(0, highest, lambda at: fitting(below(problem, base, leads, at)) is not None)
        if (solution := fitting(below(problem, base, leads, level))) is not None:
            return reached(scene, problem, solution)
    return reached(scene, problem, least_movement(problem, size_classes=scene.size_classes))


def below(problem: Problem, base: Loads, leads: Loads, level: int) -> Problem:
    """Return *problem* with at most *level* replicas on a broker, or as many as it leads."""
    most = {}
    for broker in problem.racks:
        held = max(0, level - base.get(broker, 0), leads.get(broker, 0))
        most[broker] = min(problem.most.get(broker, held), held)
    return replace(problem, most=most)


def leaders_lost(problem: Problem, solution: Solution) -> int:
    return sum(
        each.leader is not None and each.leader not in solution.chosen[each.partition]
        for each in problem.demands
    )


def even_first(problem: Problem, base: Loads) -> Iterator[Problem]:
    """Yield *problem* with levels that are as even as can be, then with wider ones.

    Where partitions give replicas up, the fullest brokers give first.
    """
    if any(len(each.stays) > each.factor for each in problem.demands):
        levels = even_levels(problem, base, stays_stay=False)
        if levels is not None:
            for by in WIDER:
                bounded = with_levels(problem, base, levels.widened(by))
                yield replace(bounded, least=problem.least)
    levels = even_levels(problem, base, stays_stay=True)
    if levels is not None:
        for by in WIDER:
            yield with_levels(problem, base, levels.widened(by), stays_stay=True)


def reached(scene: Scene, problem: Problem, solution: Solution) -> Reached:
    return Reached(
        chosen=solution.chosen,
        lower_bound=solution.lower_bound,
        lower_bound_bytes=bytes_bound(problem) if scene.layout.knows_sizes else None,
    )


def bytes_bound(problem: Problem) -> int:
    """Return how many bytes each plan for *problem* copies at least.

    A partition that lacks replicas copies them.  A broker that has too many sheds as many, the
    smallest at best, and one that lacks some gets as many; where no partition has more replicas
    than it needs, what one broker sheds another one copies.
    """
    forced = sum(
        demand.size_bytes * max(0, demand.factor - len(demand.stays)) for demand in problem.demands
    )
    if any(len(demand.stays) > demand.factor for demand in problem.demands):
        return forced
    held: dict[BrokerId, list[int]] = {broker: [] for broker in problem.racks}
    for demand in problem.demands:
        for broker in demand.stays:
            held[broker].append(demand.size_bytes)
    shed = sum(
        sum(sorted(sizes)[: max(0, len(sizes) - problem.most.get(broker, len(sizes)))])
        for broker, sizes in held.items()
    )
    gained = 0
    for broker, least in problem.least.items():
        if (lack := least - len(held[broker])) > 0:
            sizes = [d.size_bytes for d in problem.demands if broker not in d.stays]
            gained += sum(sorted(sizes)[:lack])
    return max(forced, shed, gained)
