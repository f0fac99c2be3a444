"""The faults that issues of Curator and kazoo describe: their models have them, ours does not.

Each story is played with its events at other distances, in ms.
"""

from collections.abc import Callable, Iterable
from typing import Final

import pytest

from tests.sim.recipes import world as worlds
from tests.sim.recipes.client import Client
from tests.sim.recipes.ensemble import TIMEOUT_MS
from tests.sim.recipes.others import CuratorLatch, CuratorSelector, KazooElection
from tests.sim.recipes.violation import Kind, Violation
from tests.sim.recipes.world import NewRecipe, World

QUIET_MS: Final = 500
LONG_MS: Final = 2 * TIMEOUT_MS
DISTANCES_MS: Final = (0, 4, 8, 13, 15, 17)


def leader_of(world: World) -> Client:
    (leader,) = (one for one in world.clients if world.recipes[one.number].is_leading())
    return leader


def second_of(world: World) -> Client:
    """The contender that waits for the leader: the clients start in their order."""
    leader = leader_of(world)
    return world.clients[(leader.number + 1) % len(world.clients)]


def the_session_expires(world: World, _: int) -> None:
    leader_of(world).go_offline(LONG_MS)


def the_leader_stands_still(world: World, _: int) -> None:
    leader = leader_of(world)
    leader.pause()
    world.schedule.after(LONG_MS, leader.resume)


def its_server_loses_the_ensemble(world: World, _: int) -> None:
    leader = leader_of(world)
    assert leader.session is not None
    world.ensemble.cut_off(leader.session)
    world.schedule.after(LONG_MS, leader.disconnect)


def a_watch_fires_while_it_reconnects(world: World, distance_ms: int) -> None:
    """Its predecessor goes while it begins anew; another one waits behind it."""
    leader, second = leader_of(world), second_of(world)
    second.disconnect()
    second.connect()
    world.schedule.after(distance_ms, world.recipes[leader.number].leave)
    world.schedule.after(distance_ms + 2, lambda: second.recipe.watch_fired(""))


def reconnects_are_reported_twice(world: World, distance_ms: int) -> None:
    leader, second = leader_of(world), second_of(world)
    assert second.session is not None
    session = second.session
    world.schedule.after(distance_ms, world.recipes[leader.number].leave)
    world.schedule.after(distance_ms, second.disconnect)
    world.schedule.after(distance_ms + 1, second.connect)
    world.schedule.after(distance_ms + 4, lambda: second.recipe.connected(session))
    world.schedule.after(distance_ms + 6, lambda: second.recipe.watch_fired(""))


def it_leaves_while_it_enters(world: World, distance_ms: int) -> None:
    """It is interrupted between the creation of its znode and the reply."""
    second = second_of(world)
    world.recipes[second.number].leave()
    world.run_until(world.schedule.now_ms + 100)
    world.recipes[second.number].join()
    world.schedule.after(distance_ms, world.recipes[second.number].leave)


def a_creation_has_lost_its_reply(world: World, distance_ms: int) -> None:
    second = second_of(world)
    world.recipes[second.number].leave()
    world.run_until(world.schedule.now_ms + 100)
    world.recipes[second.number].join()
    world.schedule.after(distance_ms, second.disconnect)


def it_leaves_without_a_connection(world: World, distance_ms: int) -> None:
    second = second_of(world)
    second.go_offline(100)
    world.schedule.after(distance_ms, world.recipes[second.number].leave)
    world.stays_out.add(second.number)


def its_old_node_is_still_there(world: World, distance_ms: int) -> None:
    """Its new session begins at a server that does not know yet that the old one is over."""
    world.lags = 1
    second = second_of(world)
    assert second.session is not None
    world.ensemble.zookeeper.expire(second.session)
    world.schedule.after(distance_ms, second.disconnect)
    world.schedule.after(distance_ms + 1, second.connect)
    world.schedule.after(LONG_MS, world.remove_leader)


Story = Callable[[World, int], None]


def kinds_of(story: Story, new_recipe: NewRecipe) -> set[Kind]:
    """What goes wrong, in all tellings of *story*."""
    return {kind for at_ms in DISTANCES_MS for kind in kind_of(story, new_recipe, at_ms)}


def kind_of(story: Story, new_recipe: NewRecipe, distance_ms: int) -> Iterable[Kind]:
    world = World(distance_ms, new_recipe)
    try:
        world.begin_quietly(QUIET_MS)
        story(world, distance_ms)
        world.run_until(world.schedule.now_ms + LONG_MS + TIMEOUT_MS)
        world.end_well()
    except Violation as violation:
        yield violation.kind


STORIES: Final[tuple[tuple[Story, NewRecipe, Kind], ...]] = (
    (the_session_expires, KazooElection, Kind.TWO_LEADERS),
    (the_leader_stands_still, CuratorLatch, Kind.TWO_LEADERS),
    (the_leader_stands_still, KazooElection, Kind.TWO_LEADERS),
    (its_server_loses_the_ensemble, CuratorLatch, Kind.TWO_LEADERS),
    (a_watch_fires_while_it_reconnects, CuratorLatch, Kind.TWO_LEADERS),
    (reconnects_are_reported_twice, CuratorLatch, Kind.TWO_LEADERS),
    (it_leaves_while_it_enters, CuratorSelector, Kind.NO_LEADER),
    (a_creation_has_lost_its_reply, CuratorSelector, Kind.NO_LEADER),
    (it_leaves_without_a_connection, KazooElection, Kind.ORPHAN),
    (its_old_node_is_still_there, KazooElection, Kind.NO_LEADER),
)

pytestmark = [pytest.mark.sim, pytest.mark.slow]


@pytest.mark.parametrize(("story", "model", "kind"), STORIES)
def test_another_client_has_this_fault(story: Story, model: NewRecipe, kind: Kind) -> None:
    assert kind in kinds_of(story, model)


@pytest.mark.parametrize("new_recipe", [worlds.fair, worlds.unfair])
@pytest.mark.parametrize("story", dict.fromkeys(story for story, _, _ in STORIES))
def test_ours_has_not(story: Story, new_recipe: NewRecipe) -> None:
    assert kinds_of(story, new_recipe) == set()
