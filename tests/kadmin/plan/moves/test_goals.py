"""Goals: is each reached, with the least movement, and by lists that Kafka takes?"""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch, TopicPartition
from cluster.model.topic import PartitionAssignment, PartitionState
from kadmin.errors import KadminError
from kadmin.plan.broker_names import NoSuchBroker
from kadmin.plan.health import BAD_FINDINGS, judge
from kadmin.plan.log_dirs import LogDir
from kadmin.plan.moves.goals import RacksUnknown
from kadmin.plan.moves.layout import ClusterLayout, disks_of
from kadmin.plan.moves.make_plan import Made, make_plan
from kadmin.plan.moves.plan_file import MovePlan, from_json, to_json
from kadmin.plan.moves.problem import Impossible
from kadmin.plan.moves.relief import SizesUnknown
from kadmin.plan.moves.request import NEEDS, By, Goal, Request, WrongArguments, check_arguments
from kadmin.plan.moves.scene import DeadBrokers
from kadmin.plan.place import NotEnoughBrokers
from kadmin.plan.risks import is_crowded
from kadmin.plan.topic_refusals import NoSuchTopic
from tests.kadmin.plan.moves.layouts import drawn_layout, ids, layout_of
from tests.support.seeds import seeds


def made(layout: ClusterLayout, goal: Goal, **arguments: Any) -> Made:
    request = Request(goal=goal, **arguments)
    return make_plan(layout, request, tool_version="1", now_ms=5)


def after(layout: ClusterLayout, plan: MovePlan) -> dict[TopicPartition, tuple[BrokerId, ...]]:
    return {
        partition: plan.targets.get(partition, each.replicas)
        for partition, each in layout.partitions.items()
    }


def loads_after(layout: ClusterLayout, plan: MovePlan) -> Counter[BrokerId]:
    return Counter(broker for replicas in after(layout, plan).values() for broker in replicas)


def drawn_arguments(draw: Random, layout: ClusterLayout, goal: Goal) -> dict[str, Any]:
    hosts, alive = sorted(layout.hosts.union(layout.brokers)), sorted(layout.brokers)
    total = sum(layout.partitions[p].size_bytes or 0 for p in layout.partitions)
    found: dict[Goal, dict[str, Any]] = {
        Goal.BALANCE: draw.choice([{}, {"by": By.BYTES, "tolerance_percent": 20}]),
        Goal.DRAIN: {"brokers": (draw.choice(hosts),)},
        Goal.ADD: {"brokers": (draw.choice(alive),)},
        Goal.REPLACE: {"replacements": {hosts[0]: alive[-1]}},
        Goal.REPLICATION_FACTOR: {"replication_factor": draw.randint(1, 4)},
        Goal.RELIEVE: {"above_percent": 70, "disk_size_bytes": total + 1},
    }
    return found.get(goal, {})


def check_lists(layout: ClusterLayout, plan: MovePlan, *, may_crowd: bool) -> None:
    """See that Kafka takes every list, and that no judge finds what it did not find before."""
    racks = {broker: rack for broker, rack in layout.brokers.items() if rack is not None}
    racks = racks if len(racks) == len(layout.brokers) else {}
    for move in plan.moves:
        assert layout.brokers.keys() >= {*move.target}
        state = PartitionState(move.target[0], move.target, LeaderEpoch(1), ControllerEpoch(1))
        assignment = PartitionAssignment(move.target)
        assert not BAD_FINDINGS.intersection(judge(assignment, state, layout.brokers, 1, 1))
        if len(move.target) == len(move.replicas) and not may_crowd:
            known = {racks[broker] for broker in move.replicas if broker in racks}
            has_dead = not layout.brokers.keys() >= {*move.replicas}
            # Whether the rack of a dead broker was another one, nobody knows.
            is_kept = has_dead and len({racks.get(each) for each in move.target}) >= len(known)
            assert is_kept or is_crowded(move.replicas, racks) or not is_crowded(move.target, racks)


@pytest.mark.slow
@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("seed", seeds(6))
def test_every_plan_is_sound_and_the_least(goal: Goal, seed: int) -> None:
    draw = Random(seed)
    layout = drawn_layout(draw)
    arguments = drawn_arguments(draw, layout, goal)
    try:
        found = made(layout, goal, **arguments)
    except (Impossible, SizesUnknown, RacksUnknown, NotEnoughBrokers):
        return
    plan = found.plan

    assert plan == from_json(to_json(plan), "p") == made(layout, goal, **arguments).plan
    if goal is not Goal.KAFKA:
        check_lists(layout, plan, may_crowd=any("fewer racks" in note for note in found.notes))
    assert plan.moved_bytes is not None
    assert (plan.lower_bound_bytes or 0) <= plan.moved_bytes
    if goal not in (Goal.KAFKA, Goal.RELIEVE) and arguments.get("by") is not By.BYTES:
        # Beside replicas on dead brokers, racks may change levels in more ways than are tried.
        assert plan.is_optimal or (goal is Goal.BALANCE and found.notes)
    if goal is Goal.DRAIN:
        assert not loads_after(layout, plan)[arguments["brokers"][0]]
    if goal is Goal.LEADERS:
        assert 0 == plan.moved_replicas
    if goal is Goal.REPLICATION_FACTOR:
        wanted = arguments["replication_factor"]
        assert {wanted} == {len(replicas) for replicas in after(layout, plan).values()}


@pytest.mark.parametrize(
    ("seed", "topics", "moved", "is_least"),
    [(804, ("t0", "t2"), 2, True), (1323, ("t0",), 3, False)],
    ids=["found", "not found"],
)
def test_racks_change_levels_where_that_moves_less(
    seed: int, topics: tuple[str, ...], moved: int, is_least: bool
) -> None:
    """An integer program finds plans that move 2 and leave brokers with as many replicas: what
    moves 3 is not the least, whichever rack has the higher level."""
    plan = made(drawn_layout(Random(seed)), Goal.BALANCE, topics=topics).plan

    assert (moved, is_least) == (plan.moved_replicas, plan.is_optimal)


def test_balance_evens_replicas_and_leaders() -> None:
    layout = layout_of("----", *[(0, 1)] * 8)

    plan = made(layout, Goal.BALANCE).plan

    assert dict.fromkeys(ids(0, 1, 2, 3), 4) == loads_after(layout, plan)
    leaders = Counter(replicas[0] for replicas in after(layout, plan).values())
    assert dict.fromkeys(ids(0, 1, 2, 3), 2) == leaders
    assert (8, 8, True) == (plan.moved_replicas, plan.lower_bound, plan.is_optimal)


@pytest.mark.parametrize(
    ("racks", "replicas", "moved", "loads"),
    [
        pytest.param("aba", [(1,), (1,)], 1, [0, 1, 1], id="either rack"),
        pytest.param("babb", [(0, 3), (2, 3), (3, 2)], 1, [1, 1, 2, 2], id="one broker in a rack"),
        pytest.param("cabcb", [(4, 0), (4, 0), (2, 4)], 2, [1, 1, 1, 1, 2], id="five brokers"),
        pytest.param(
            "abaca",
            [(1, 3, 0), (2,), (2, 1, 3), (1,), (1, 2)],
            2,
            [1, 2, 2, 2, 3],
            id="one that has to be the fullest",
        ),
    ],
)
def test_balance_is_as_even_as_racks_allow_with_no_move_too_many(
    racks: str, replicas: list[tuple[int, ...]], moved: int, loads: list[int]
) -> None:
    layout = layout_of(racks, *replicas)

    plan = made(layout, Goal.BALANCE).plan

    after_it = loads_after(layout, plan)
    assert loads == sorted(after_it[broker] for broker in layout.brokers)
    assert moved == plan.moved_replicas == plan.lower_bound


@pytest.mark.parametrize("excluded", [0, 3])
def test_balance_is_even_beside_a_broker_that_keeps_what_it_has(excluded: int) -> None:
    layout = layout_of("----", (0, 1, 3), (3, 2, 0), (3, 0, 1), (3, 0), (3, 1))

    plan = made(layout, Goal.BALANCE, excluded_brokers=ids(excluded)).plan

    after_it = loads_after(layout, plan)
    assert layout.loads[BrokerId(excluded)] == after_it.pop(BrokerId(excluded))
    assert max(after_it.values()) - min(after_it.values()) <= 1


@pytest.mark.parametrize(
    ("racks", "replicas", "excluded"),
    [
        pytest.param("cbacb", [(0,), (4, 1, 0), (2, 1, 0), (4, 3)], 0, id="one in a rack"),
        pytest.param("bbcba", [(2, 1, 4), (2, 4, 3), (2, 3, 0)], 1, id="three racks"),
    ],
)
def test_balance_empties_no_rack_for_the_sake_of_brokers_that_are_as_full_anyhow(
    racks: str, replicas: list[tuple[int, ...]], excluded: int
) -> None:
    """They are as even as they can be, beside a broker that keeps what it has."""
    layout = layout_of(racks, *replicas)

    plan = made(layout, Goal.BALANCE, excluded_brokers=ids(excluded)).plan

    assert layout.loads == loads_after(layout, plan)
    assert 0 == plan.moved_replicas


def test_balance_leaves_excluded_brokers_and_topics_alone() -> None:
    layout = layout_of("---", (0,), (0,), (0,), (0,), (2,))

    plan = made(layout, Goal.BALANCE, excluded_brokers=ids(2)).plan
    nothing = made(layout, Goal.BALANCE, excluded_topics=("t",)).plan

    assert {BrokerId(0): 2, BrokerId(1): 2, BrokerId(2): 1} == loads_after(layout, plan)
    assert () == nothing.moves


def test_balance_prefers_small_partitions() -> None:
    layout = layout_of("--", (0,), (0,), (0,), (0,), sizes=(900, 10, 800, 20))

    plan = made(layout, Goal.BALANCE).plan

    assert [1, 3] == [move.partition.partition for move in plan.moves if move.adding]
    assert (30, 30) == (plan.moved_bytes, plan.lower_bound_bytes)


def test_balance_by_bytes_brings_every_broker_near_the_mean() -> None:
    layout = layout_of("--", (0,), (0,), (0,), (1,), sizes=(100, 50, 50, 10))

    plan = made(layout, Goal.BALANCE, by=By.BYTES, tolerance_percent=10).plan

    assert [(0, ids(1))] == [(m.partition.partition, m.target) for m in plan.moves if m.adding]


def test_balance_by_bytes_comes_as_near_to_the_mean_as_it_can() -> None:
    layout = layout_of("--", (0,), (0,), sizes=(100, 30))

    found = made(layout, Goal.BALANCE, by=By.BYTES, tolerance_percent=10)

    assert [(1, ids(1))] == [(m.partition.partition, m.target) for m in found.plan.moves]
    assert (
        "no plan was found that brings all brokers to 10% above the mean or less;"
        " the fullest is 54% above it afterwards",
    ) == found.notes


def test_balance_by_bytes_that_can_change_nothing_is_refused() -> None:
    layout = layout_of("--", (0,), (0, 1), sizes=(100, 30))

    with pytest.raises(Impossible, match="no plan reaches the goal: broker 0 holds"):
        made(layout, Goal.BALANCE, by=By.BYTES, tolerance_percent=10)


def test_small_replicas_do_not_take_the_room_of_the_last_large_one() -> None:
    replicas = ((0, 2), (0,), (2,), (0, 2), (0, 1))
    layout = layout_of("---", *replicas, sizes=(9, 4, 10, 1, 4))

    plan = made(layout, Goal.BALANCE, by=By.BYTES, tolerance_percent=0).plan

    held = Counter[BrokerId]()
    for partition, brokers in after(layout, plan).items():
        for broker in brokers:
            held[broker] += layout.partitions[partition].size_bytes or 0
    assert max(held.values()) <= sum(held.values()) / 3


def test_drain_moves_what_is_there_and_no_more() -> None:
    layout = layout_of("aabb", (0, 2), (1, 3), (0, 3))

    made_plan = made(layout, Goal.DRAIN, brokers=ids(0))

    assert {0: ids(2, 1), 2: ids(3, 1)} == {
        move.partition.partition: move.target for move in made_plan.plan.moves
    }
    assert (2, 2, True) == (
        made_plan.plan.moved_replicas,
        made_plan.plan.lower_bound,
        made_plan.plan.is_optimal,
    )


def test_what_is_drained_goes_to_the_emptiest_brokers() -> None:
    layout = layout_of("-----", *[(0,)] * 6, *[(1,)] * 9, *[(2,)] * 2, *[(3,)] * 1)

    plan = made(layout, Goal.DRAIN, brokers=ids(0)).plan

    assert {1: 9, 2: 3, 3: 3, 4: 3} == loads_after(layout, plan)


def test_drain_of_a_dead_broker() -> None:
    layout = layout_of("---", (2, 0), (0, 1), dead=(2,))

    plan = made(layout, Goal.DRAIN, brokers=ids(2)).plan

    assert [ids(1, 0)] == [move.target for move in plan.moves]


def test_drain_of_what_may_not_move_is_noted() -> None:
    layout = layout_of("---", (0, 1))

    found = made(layout, Goal.DRAIN, brokers=ids(0), excluded_topics=("t",))

    assert () == found.plan.moves
    assert ("not emptied of what the plan may not move: 1 partition: t-0",) == found.notes


def test_new_brokers_get_their_share_from_the_fullest() -> None:
    layout = layout_of("----", *[(0,)] * 6, *[(1,)] * 4, *[(2,)] * 2)

    plan = made(layout, Goal.ADD, brokers=ids(3)).plan

    assert {0: 4, 1: 3, 2: 2, 3: 3} == loads_after(layout, plan)
    assert (3, True) == (plan.lower_bound, plan.is_optimal)


def test_a_new_broker_takes_from_the_fullest_of_other_racks_too() -> None:
    layout = layout_of("abcc", (0, 1), (0, 1), (2, 0), (2, 0), (1, 0), (1,), (2,))

    plan = made(layout, Goal.ADD, brokers=ids(3)).plan

    assert {0: 3, 1: 3, 2: 3, 3: 3} == loads_after(layout, plan)
    assert (3, True) == (plan.lower_bound, plan.is_optimal)


def test_a_new_broker_takes_from_its_own_rack_what_has_to_stay_in_it() -> None:
    layout = layout_of("abcc", *[(0, 1, 2)] * 4)

    plan = made(layout, Goal.ADD, brokers=ids(3)).plan

    assert {0: 4, 1: 4, 2: 2, 3: 2} == loads_after(layout, plan)
    assert (2, True) == (plan.lower_bound, plan.is_optimal)


def test_a_new_broker_takes_the_place_of_another() -> None:
    layout = layout_of("----", (0, 1), (1, 0), (0, 3))

    found = made(layout, Goal.REPLACE, replacements={BrokerId(0): BrokerId(3)})

    targets = {move.partition.partition: move.target for move in found.plan.moves}
    assert (ids(3, 1), ids(1, 3)) == (targets[0], targets[1])
    assert BrokerId(0) not in targets[2]
    assert "t-2" in found.notes[0]


def test_each_new_broker_takes_the_leads_of_the_one_that_it_replaces() -> None:
    layout = layout_of("----", (0, 1), (1, 0))

    plan = made(
        layout, Goal.REPLACE, replacements={BrokerId(0): BrokerId(3), BrokerId(1): BrokerId(2)}
    ).plan

    assert [ids(3, 2), ids(2, 3)] == [move.target for move in plan.moves]


@pytest.mark.parametrize("old", [0, 9], ids=["alive", "dead"])
def test_a_new_broker_in_another_rack_is_noted_where_racks_are_lost(old: int) -> None:
    layout = layout_of("abb", (old, 1))

    found = made(layout, Goal.REPLACE, replacements={BrokerId(old): BrokerId(2)})

    assert [ids(2, 1)] == [move.target for move in found.plan.moves]
    assert ("on fewer racks than before: 1 partition: t-0",) == found.notes


def test_a_higher_replication_factor_copies_what_lacks() -> None:
    layout = layout_of("abc", (0,), (1, 0), (0, 1, 2))

    plan = made(layout, Goal.REPLICATION_FACTOR, replication_factor=2).plan

    assert (1, 1) == (plan.moved_replicas, plan.lower_bound)
    assert {2} == {len(replicas) for replicas in after(layout, plan).values()}


def test_a_lower_replication_factor_leaves_brokers_even() -> None:
    layout = layout_of("---", *[(0, 1, 2), (1, 2, 0), (2, 0, 1)] * 2)

    plan = made(layout, Goal.REPLICATION_FACTOR, replication_factor=2).plan

    assert dict.fromkeys(ids(0, 1, 2), 4) == loads_after(layout, plan)
    assert (0, 0) == (plan.moved_replicas, plan.lower_bound)


@pytest.mark.parametrize(
    ("layout", "factor", "loads"),
    [
        (layout_of("---", *[(0, 1, 2)] * 6), 2, {0: 6, 1: 3, 2: 3}),
        (layout_of("---", *[(0, 1, 2)] * 6), 1, {0: 6, 1: 0, 2: 0}),
        (layout_of("----", (0, 1, 2), (1, 0, 3), (3, 2, 1), (3, 0, 1)), 2, None),
        (layout_of("aab", *[(0, 1, 2)] * 4), 2, {0: 4, 1: 0, 2: 4}),
    ],
)
def test_a_lower_replication_factor_takes_no_preferred_leader_away(
    layout: ClusterLayout, factor: int, loads: dict[int, int] | None
) -> None:
    plan = made(layout, Goal.REPLICATION_FACTOR, replication_factor=factor).plan

    for move in plan.moves:
        kept = [broker for broker in move.replicas if broker in move.target]
        assert (move.replicas[0], kept) == (move.target[0], list(move.target))
    if loads is not None:
        assert loads == {broker: loads_after(layout, plan)[BrokerId(broker)] for broker in loads}


def test_a_lower_replication_factor_keeps_the_racks() -> None:
    layout = layout_of("aab", *[(0, 1, 2)] * 4)

    plan = made(layout, Goal.REPLICATION_FACTOR, replication_factor=2).plan

    assert all(BrokerId(2) in replicas for replicas in after(layout, plan).values())
    assert (0, True) == (plan.moved_replicas, plan.is_optimal)


def test_racks_moves_only_what_is_crowded() -> None:
    layout = layout_of("aabb", (0, 1), (0, 2))

    plan = made(layout, Goal.RACKS).plan

    assert [0] == [move.partition.partition for move in plan.moves]
    assert 1 == plan.moved_replicas == plan.lower_bound


@pytest.mark.parametrize(("small", "notes"), [(0, 1), (100, 0)])
def test_new_brokers_that_get_hardly_any_bytes_are_noted(small: int, notes: int) -> None:
    sizes = (100, 100, small, small)
    layout = layout_of("--", *[(0,)] * 4, sizes=sizes)

    found = made(layout, Goal.ADD, brokers=ids(1)).notes

    assert notes == len(found)
    assert all("hold 0 B then, where an even share is 100 B" in note for note in found)


def test_relief_needs_no_size_of_what_only_dead_brokers_hold() -> None:
    layout = layout_of("--", (0,), (0,), (9,), sizes=(50, 40, None), disk_size=100)

    plan = made(layout, Goal.RELIEVE, above_percent=85).plan

    assert [(1, ids(1))] == [(m.partition.partition, m.target) for m in plan.moves]


def test_relief_moves_only_what_brings_full_disks_down() -> None:
    layout = layout_of("---", (0,), (0,), (0,), (1,), sizes=(50, 30, 15, 40), disk_size=100)

    plan = made(layout, Goal.RELIEVE, above_percent=85).plan

    assert [(2, ids(2))] == [(m.partition.partition, m.target) for m in plan.moves]
    assert (15, 15, True) == (plan.moved_bytes, plan.lower_bound_bytes, plan.is_optimal)


def test_relief_leaves_what_a_larger_replica_makes_needless() -> None:
    """There is no room for the one of 12, which would be the least: broker 1 has a replica."""
    replicas = ((2,), (1, 2), (2,), (0, 2), (0,))
    layout = layout_of("---", *replicas, sizes=(1, 12, 20, 58, 17), disk_size=100)

    plan = made(layout, Goal.RELIEVE, above_percent=80).plan

    assert [(2, ids(1))] == [(m.partition.partition, m.target) for m in plan.moves]
    assert (20, 20, True) == (plan.moved_bytes, plan.lower_bound_bytes, plan.is_optimal)


def test_a_full_disk_of_a_broker_with_empty_ones_is_noted() -> None:
    directories = [
        LogDir(path=path, total_bytes=100, usable_bytes=usable)
        for path, usable in (("/d1", 3), ("/d2", 80))
    ]
    layout = replace(
        layout_of("--", (0,), (1,), sizes=(5, 5)),
        disks=disks_of({broker: tuple(directories[broker:]) for broker in ids(0, 1)}),
    )

    found = made(layout, Goal.RELIEVE, above_percent=85)

    assert () == found.plan.moves
    (note,) = found.notes
    assert "fuller than 85%, while the disks of the broker together are not" in note
    assert "/d1 of broker 0 (97%): move" in note


def test_brokers_swap_replicas_where_neither_has_room_for_what_the_other_gives() -> None:
    layout = layout_of("--", (0,), (0,), (1,), (1,), sizes=(50, 40, 30, 30), disk_size=100)

    plan = made(layout, Goal.RELIEVE, above_percent=80).plan

    assert [1] == [move.partition.partition for move in plan.moves if move.replicas == ids(0)]
    assert (70, 70, True) == (plan.moved_bytes, plan.lower_bound_bytes, plan.is_optimal)


@pytest.mark.parametrize(
    ("layout", "goal", "arguments"),
    [
        (layout_of("aabb", (0, 1), (0, 1)), Goal.RACKS, {}),
        (
            layout_of("---", (0, 1, 2), (1, 0, 2)),
            Goal.REPLICATION_FACTOR,
            {"replication_factor": 2},
        ),
        (
            layout_of("--", (0,), (0,), sizes=(50, 40), disk_size=100),
            Goal.RELIEVE,
            {"above_percent": 80},
        ),
        (
            layout_of("---", (0,), (0,), (1,), sizes=(50, 40, 30)),
            Goal.BALANCE,
            {"by": By.BYTES, "tolerance_percent": 10},
        ),
    ],
)
def test_excluded_brokers_keep_what_they_have(
    layout: ClusterLayout, goal: Goal, arguments: Any
) -> None:
    loads = loads_after(layout, made(layout, goal, **arguments).plan)
    giver = min(layout.brokers, key=lambda broker: loads[broker] - layout.loads[broker])
    plan = made(layout, goal, excluded_brokers=(giver,), **arguments).plan

    assert layout.loads[giver] > loads[giver]
    assert layout.loads[giver] == loads_after(layout, plan)[giver]


def test_a_broker_that_the_goal_names_cannot_be_excluded() -> None:
    layout = layout_of("---", (0, 1))

    with pytest.raises(WrongArguments, match="names broker 0, and --exclude-brokers too"):
        made(layout, Goal.DRAIN, brokers=ids(0), excluded_brokers=ids(0))


def test_relief_is_the_least_where_all_else_is_bound_to_its_rack() -> None:
    layout = layout_of("abc", (0, 1, 2), (2,), (2,), (2,), sizes=(20, 1, 40, 25), disk_size=100)

    plan = made(layout, Goal.RELIEVE, above_percent=70).plan

    assert [3] == [move.partition.partition for move in plan.moves]
    assert (25, 25, True) == (plan.moved_bytes, plan.lower_bound_bytes, plan.is_optimal)


def test_leaders_are_evened_without_copies() -> None:
    layout = layout_of("---", *[(0, 1, 2)] * 6)

    plan = made(layout, Goal.LEADERS).plan

    leaders = Counter(replicas[0] for replicas in after(layout, plan).values())
    assert dict.fromkeys(ids(0, 1, 2), 2) == leaders
    assert (4, 0, True) == (len(plan.moves), plan.moved_replicas, plan.is_optimal)


def test_kafkas_layout_shows_what_less_would_do() -> None:
    layout = layout_of("---", *[(0, 1), (1, 2), (2, 0)] * 4)

    plan = made(layout, Goal.KAFKA).plan

    assert 0 == plan.lower_bound
    assert plan.moved_replicas > 0
    assert not plan.is_optimal


def test_a_bound_on_brokers_is_kept() -> None:
    layout = layout_of("----", *[(0, 1)] * 4, (2, 0), (2, 1))

    plan = made(layout, Goal.DRAIN, brokers=ids(0), max_replicas=5).plan

    assert max(loads_after(layout, plan).values()) <= 5


def test_a_bound_below_what_a_broker_has_is_reached_or_refused_and_never_passed_over() -> None:
    full = layout_of("---", *[(0,)] * 6, (1,), (2,))
    even = layout_of("--", (0,), (1,), (0,), (1,))

    reached = made(full, Goal.BALANCE, max_replicas=3)
    kept = made(layout_of("---", *[(0,)] * 6, (1,)), Goal.DRAIN, brokers=ids(1), max_replicas=3)

    assert max(loads_after(full, reached.plan).values()) <= 3
    assert () == reached.notes
    assert ("with more than 3 replicas still: broker 0 (6)",) == kept.notes
    with pytest.raises(Impossible, match="may hold no more than 1"):
        made(even, Goal.BALANCE, max_replicas=1)


def test_partitions_with_replicas_on_dead_brokers_are_left_alone_and_noted() -> None:
    layout = layout_of("---", (0, 2), (0, 1), (0, 1), dead=(2,))

    found = made(layout, Goal.BALANCE)

    assert TopicPartition("t", 0) not in found.plan.targets
    assert (
        "left alone, since they have replicas on dead brokers: 1 partition: t-0",
    ) == found.notes


@pytest.mark.parametrize(
    ("layout", "goal", "arguments", "kind", "text"),
    [
        (layout_of("--", (0,)), Goal.DRAIN, {"brokers": ids(9)}, NoSuchBroker, "no broker 9"),
        (
            layout_of("--", (0, 1), dead=(1,)),
            Goal.ADD,
            {"brokers": ids(1)},
            DeadBrokers,
            "broker 1 is not alive",
        ),
        (
            layout_of("--", (0, 1)),
            Goal.DRAIN,
            {"brokers": ids(1)},
            Impossible,
            "t-0 is to have 2 replicas, and only 1 broker may hold them",
        ),
        (
            layout_of("aab", (0, 1), (1, 0), (0, 1)),
            Goal.RACKS,
            {"max_replicas": 2},
            Impossible,
            "broker 2 (rack b) may hold no more than 2",
        ),
        (layout_of("a-", (0,)), Goal.RACKS, {}, RacksUnknown, "brokers without one: 1"),
        (
            layout_of("--", (0,), sizes=(5,)),
            Goal.RELIEVE,
            {"above_percent": 80},
            SizesUnknown,
            "do not report the size of their disks: 0, 1",
        ),
        (
            layout_of("--", (0,)),
            Goal.BALANCE,
            {"by": By.BYTES},
            SizesUnknown,
            "no broker reports the size of t-0",
        ),
        (
            layout_of("--", (0,), (1,), sizes=(90, 90), disk_size=100),
            Goal.RELIEVE,
            {"above_percent": 80},
            Impossible,
            "no plan reaches the goal: broker 0 holds 10 B too much",
        ),
        (layout_of("-", (0,)), Goal.LEADERS, {"topics": ("x",)}, NoSuchTopic, "x"),
    ],
)
def test_what_cannot_be_reached_is_refused(
    layout: ClusterLayout, goal: Goal, arguments: Any, kind: type[KadminError], text: str
) -> None:
    with pytest.raises(kind) as refused:
        made(layout, goal, **arguments)

    assert text in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    ("goal", "given", "text"),
    [
        (Goal.DRAIN, {}, "--goal drain needs --brokers"),
        (Goal.REPLACE, {"brokers"}, "--goal replace needs --replace"),
        (Goal.LEADERS, {"max_replicas"}, "--goal leaders does not take --max-replicas"),
        (Goal.DRAIN, {"brokers", "above", "tolerance"}, "does not take --above, --tolerance"),
    ],
)
def test_arguments_that_do_not_go_with_a_goal_are_refused(
    goal: Goal, given: set[str], text: str
) -> None:
    names = [*(name for needs in NEEDS.values() for name in needs), "tolerance", "max_replicas"]

    with pytest.raises(WrongArguments, match=text):
        check_arguments(goal, {name: name in given for name in names})


def test_a_damaged_partition_is_left_alone_and_noted() -> None:
    layout = layout_of("---", (0, 0), (), (0, 1))

    found = made(layout, Goal.DRAIN, brokers=ids(0))

    assert [2] == [move.partition.partition for move in found.plan.moves]
    assert any("named twice" in note for note in found.notes)


def test_racks_that_some_brokers_lack_are_not_respected_and_that_is_noted() -> None:
    layout = replace(layout_of("a-b", (0, 1)), cluster_id=None)

    found = made(layout, Goal.DRAIN, brokers=ids(0))

    assert "these brokers have none: 1" in found.notes[0]
