"""The least movement: is the bound a bound, and is it met?"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.goals import bytes_bound
from kadmin.plan.moves.least_movement import Solution, least_movement
from kadmin.plan.moves.problem import Demand, Impossible, Problem
from tests.kadmin.plan.moves.brute_force import allowed, least_by_trying
from tests.support.seeds import seeds


def broker_ids(*brokers: int) -> tuple[BrokerId, ...]:
    return tuple(map(BrokerId, brokers))


def demand(number: int, factor: int, *stays: int) -> Demand:
    return Demand(partition=TopicPartition("t", number), factor=factor, stays=broker_ids(*stays))


def problem_of(
    demands: list[Demand],
    racks: str,
    most: int | dict[int, int] | None = None,
    least: int | dict[int, int] = 0,
) -> Problem:
    """Brokers from 0 on, each with the letter of its rack; all may receive.  Bounds are of all
    brokers, or by broker."""
    by_broker = {BrokerId(number): rack for number, rack in enumerate(racks)}
    return Problem(
        demands=demands,
        racks=by_broker,
        receivers=frozenset(by_broker),
        least=bounds_of(by_broker, least),
        most={} if most is None else bounds_of(by_broker, most),
    )


def bounds_of(brokers: Iterable[BrokerId], bounds: int | dict[int, int]) -> dict[BrokerId, int]:
    if isinstance(bounds, int):
        return dict.fromkeys(brokers, bounds)
    return {BrokerId(broker): bound for broker, bound in bounds.items()}


def moved_of(problem: Problem, solution: Solution) -> int:
    return sum(
        len(solution.chosen[demand.partition] - set(demand.stays)) for demand in problem.demands
    )


def check(problem: Problem, solution: Solution) -> None:
    """See that *solution* gives *problem* all that it asks for, by code that no planner uses."""
    loads: Counter[BrokerId] = Counter()
    for wanted in problem.demands:
        chosen = solution.chosen[wanted.partition]
        assert chosen in set(allowed(problem, wanted))
        loads.update(chosen)
    for broker in problem.racks:
        assert problem.least.get(broker, 0) <= loads[broker]
        assert loads[broker] <= problem.most.get(broker, loads[broker])


def drawn_problem(draw: Random, brokers: int = 4, partitions: int = 5) -> Problem:
    """At most so many brokers and partitions, in up to three racks, some bounds, some full."""
    count = draw.randint(max(2, brokers - 2), brokers)
    names = "abc"[: draw.randint(1, 3)]
    racks = {BrokerId(number): draw.choice(names) for number in range(count)}
    receivers = {broker for broker in racks if draw.random() < 0.8}
    demands = []
    for number in range(draw.randint(1, partitions)):
        stays = draw.sample(sorted(racks), draw.randint(0, min(3, count)))
        usable = len(receivers.union(stays))
        if usable:
            demands.append(
                Demand(
                    partition=TopicPartition("t", number),
                    factor=draw.randint(1, min(3, usable)),
                    stays=tuple(stays),
                    size_bytes=draw.randint(0, 9),
                )
            )
    mean = sum(each.factor for each in demands) // count
    return Problem(
        demands=demands,
        racks=racks,
        receivers=frozenset(receivers),
        least={broker: draw.randint(0, mean) for broker in racks if draw.random() < 0.4},
        most={broker: mean + draw.randint(0, 2) for broker in racks if draw.random() < 0.6},
        is_strict=draw.random() < 0.5,
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(40))
def test_no_plan_moves_less_than_the_least(seed: int) -> None:
    problem = drawn_problem(Random(seed))
    expected = least_by_trying(problem)
    if expected is None:
        with pytest.raises(Impossible):
            least_movement(problem)
        return

    solution = least_movement(problem)

    check(problem, solution)
    assert expected == moved_of(problem, solution) == solution.lower_bound


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(40))
def test_no_plan_copies_fewer_bytes_than_the_bound(seed: int) -> None:
    problem = drawn_problem(Random(seed))

    least = least_by_trying(problem, in_bytes=True)

    assert least is None or bytes_bound(problem) <= least


def least_by_milp(problem: Problem) -> int:
    """Return the fewest replicas that any plan moves, by an integer program of its own form."""
    # Each worker would import them for a test that one of them runs, and `make test-fast` for none.
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    brokers = sorted(problem.racks)
    cells = [(demand, broker) for demand in problem.demands for broker in brokers]
    index = {(demand.partition, broker): at for at, (demand, broker) in enumerate(cells)}
    rows: list[tuple[list[int], int, int]] = []
    for wanted in problem.demands:
        bounds = problem.bounds(wanted.factor, wanted.stays)
        for rack, (low, high) in zip(problem.rack_names, bounds, strict=True):
            inside = [
                index[wanted.partition, broker]
                for broker in brokers
                if problem.racks[broker] == rack
            ]
            rows.append((inside, low, high))
        rows.append(([index[wanted.partition, b] for b in brokers], wanted.factor, wanted.factor))
    for broker in brokers:
        of_broker = [index[wanted.partition, broker] for wanted in problem.demands]
        most = problem.most.get(broker, len(of_broker))
        rows.append((of_broker, problem.least.get(broker, 0), most))
    matrix = np.zeros((len(rows), len(cells)))
    for number, (columns, _, _) in enumerate(rows):
        matrix[number, columns] = 1
    found = milp(
        [broker not in demand.stays for demand, broker in cells],
        constraints=LinearConstraint(
            matrix, [low for _, low, _ in rows], [high for _, _, high in rows]
        ),
        integrality=1,
        bounds=Bounds(
            0,
            [
                float(broker in problem.receivers or broker in demand.stays)
                for demand, broker in cells
            ],
        ),
    )
    assert found.status in (0, 2)
    return round(found.fun) if found.status == 0 else -1


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(10))
def test_another_solver_finds_no_plan_that_moves_less(seed: int) -> None:
    problem = drawn_problem(Random(seed), brokers=9, partitions=40)
    expected = least_by_milp(problem)
    if expected < 0:
        with pytest.raises(Impossible):
            least_movement(problem)
        return

    solution = least_movement(problem)

    check(problem, solution)
    assert expected == moved_of(problem, solution) == solution.lower_bound


def test_more_replicas_than_brokers_are_refused() -> None:
    problem = problem_of([demand(0, 3, 0)], "ab")

    with pytest.raises(Impossible, match="t-0 is to have 3 replicas, and only 2 brokers may hold"):
        least_movement(problem)


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (
            problem_of([demand(number, 1, 0) for number in range(5)], "aab", most=1),
            "2 replicas find no place: brokers 0, 1 (rack a), 2 (rack b) may hold no more than 1 of"
            " the replicas each",
        ),
        (
            problem_of([demand(0, 2, 0, 1)], "ab", least=2),
            "brokers 0 (rack a), 1 (rack b) are to hold 4 replicas at least, and there are 2",
        ),
        (
            problem_of([demand(number, 2, 1, 2) for number in range(6)], "abb", most=4),
            "2 replicas find no place: broker 0 (rack a) may hold no more than 4 of the replicas",
        ),
        (
            # The pool of rack b would give broker 4 two replicas of one partition.
            problem_of([demand(0, 3)], "aaabb", most={0: 0, 1: 0, 2: 0, 3: 0}),
            "2 replicas find no place: brokers 0, 1, 2 (rack a), 3 (rack b) may hold no more than 0"
            " of the replicas each",
        ),
        (
            replace(
                problem_of(
                    [demand(0, 3, 0, 1), demand(1, 1, 1)],
                    "baab",
                    most={0: 0, 2: 2, 3: 1},
                    least={2: 1, 3: 1},
                ),
                receivers=frozenset(broker_ids(0, 1, 2)),
            ),
            "1 replica finds no place: broker 0 (rack b) may hold no more than 0 of the replicas,"
            " and broker 3 (rack b) cannot get as many as it is to hold",
        ),
    ],
)
def test_an_impossible_goal_names_its_bottleneck(problem: Problem, reason: str) -> None:
    strict = replace(problem, is_strict=True)

    with pytest.raises(Impossible) as refused:
        least_movement(strict)

    assert reason == refused.value.reason


def test_the_replicas_of_a_topic_are_spread() -> None:
    problem = problem_of([demand(number, 1) for number in range(8)], "aaaa")

    chosen = least_movement(problem).chosen

    assert {2} == set(Counter(broker for (broker,) in chosen.values()).values())


def test_the_smaller_replicas_move() -> None:
    demands = [demand(number, 1, 0) for number in range(4)]
    problem = problem_of(demands, "aa", most=2)

    solution = least_movement(
        problem, size_classes={each.partition: 3 - each.partition.partition for each in demands}
    )

    moved = [partition for partition, chosen in solution.chosen.items() if BrokerId(1) in chosen]
    assert [2, 3] == [partition.partition for partition in moved]
