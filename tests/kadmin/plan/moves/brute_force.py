"""The least movement by trying everything, for at most four brokers: an oracle."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from cluster.model.ids import BrokerId
from kadmin.plan.moves.problem import Demand, Problem

Sets = tuple[frozenset[BrokerId], ...]


def least_by_trying(problem: Problem) -> int | None:
    """Return the fewest replicas that any plan moves, None where there is no plan."""
    choices = [list(allowed(problem, demand)) for demand in problem.demands]
    best: dict[tuple[int, ...], int] = {(0,) * len(problem.racks): 0}
    brokers = sorted(problem.racks)
    for demand, sets in zip(problem.demands, choices, strict=True):
        after: dict[tuple[int, ...], int] = {}
        for loads, moved in best.items():
            for chosen in sets:
                new = tuple(
                    load + (broker in chosen) for load, broker in zip(loads, brokers, strict=True)
                )
                cost = moved + len(chosen - set(demand.stays))
                after[new] = min(cost, after.get(new, cost))
        best = after
    found = [moved for loads, moved in best.items() if within(problem, brokers, loads)]
    return min(found, default=None)


def within(problem: Problem, brokers: Sequence[BrokerId], loads: Sequence[int]) -> bool:
    return all(
        problem.least.get(broker, 0) <= load <= problem.most.get(broker, load)
        for broker, load in zip(brokers, loads, strict=True)
    )


def allowed(problem: Problem, demand: Demand) -> Iterator[frozenset[BrokerId]]:
    """Yield every set of brokers that *demand* may get."""
    bounds = problem.bounds(demand.factor, demand.stays)
    usable = sorted(problem.receivers.union(demand.stays))
    for brokers in combinations(usable, demand.factor):
        held = Counter(problem.racks[broker] for broker in brokers)
        if all(
            low <= held[rack] <= high
            for rack, (low, high) in zip(problem.rack_names, bounds, strict=True)
        ):
            yield frozenset(brokers)
