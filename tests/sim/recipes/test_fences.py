"""What each fence of a contender is good for: without it some story ends badly, and how."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest

from cluster.recipes import contender, fair, unfair
from cluster.recipes.attempt import Grant
from cluster.recipes.contender import Contender
from cluster.recipes.lease import Loss
from cluster.recipes.unfair import UnfairAttempt
from cluster.zk.requests import Delete, GetData, Multi, ZkReply, ZkRequest
from cluster.zk.steps import Steps, read, write_each
from tests.sim.recipes import world as worlds
from tests.sim.recipes.violation import Kind
from tests.sim.recipes.world import NewRecipe, violation_of

STORIES_MAX: Final = 12
"""Whatever the commit: one of so many has to miss each fence."""

Patch = pytest.MonkeyPatch


def leads_by_its_session(patch: Patch) -> None:
    """A leader leads until it learns that its session is over, as in Curator and kazoo."""
    patch.setattr(contender, "given_up_after_ms", lambda timeout_ms: timeout_ms * 1000)
    patch.setattr(contender, "valid_for_ms", lambda timeout_ms: timeout_ms * 1001)


def leads_while_suspended(patch: Patch) -> None:
    """A leader goes on without a connection, as long as its session may last, and a half."""
    depose = Contender._depose

    def ignore(self: Contender, loss: Loss) -> None:
        if loss is not Loss.SUSPENDED:
            depose(self, loss)

    leads_by_its_session(patch)
    patch.setattr(Contender, "_depose", ignore)


def any_server_confirms(patch: Patch) -> None:
    """Heartbeats are answered by the server at hand, though it may have lost the ensemble."""

    def ask(requests: tuple[ZkRequest, ...]) -> Steps[tuple[ZkReply, ...]]:
        replies = yield from read(each for each in requests if isinstance(each, GetData))
        return (True, *replies)

    for module in (fair, unfair):
        patch.setattr(module, "ask_together", ask)


def removes_any_leader(patch: Patch) -> None:
    """A leader that gives up removes the leader's node, whose-ever that is by then."""

    def withdraw(self: UnfairAttempt) -> Steps[None]:
        yield from write_each((Multi((Delete(self._leader),)),))

    patch.setattr(UnfairAttempt, "withdraw", withdraw)


def checks_the_node_alone(patch: Patch) -> None:
    """The fence of an unfair leader is its node, which looks like that of the next one."""
    confirm = UnfairAttempt.confirm

    def confirm_without_epoch(self: UnfairAttempt) -> Steps[Grant | None]:
        grant = yield from confirm(self)
        return None if grant is None else replace(grant, fence=grant.fence[-1:])

    patch.setattr(UnfairAttempt, "confirm", confirm_without_epoch)


TWO, OLD = Kind.TWO_LEADERS, Kind.OLD_WRITE


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize(
    ("take_out", "new_recipe", "first", "kinds"),
    [
        (leads_by_its_session, worlds.fair, 0, {TWO}),
        (leads_while_suspended, worlds.unfair, 0, {TWO}),
        (any_server_confirms, worlds.fair, 0, {TWO}),
        (removes_any_leader, worlds.unfair, 25, {TWO}),
        (checks_the_node_alone, worlds.unfair, 5, {OLD}),
    ],
)
def test_without_this_fence_some_story_ends_badly(
    monkeypatch: Patch,
    take_out: Callable[[Patch], None],
    new_recipe: NewRecipe,
    first: int,
    kinds: set[Kind],
) -> None:
    take_out(monkeypatch)

    assert first_kind(first, new_recipe) in kinds


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize("new_recipe", [worlds.fair, worlds.unfair])
def test_without_a_fence_some_old_leader_writes(new_recipe: NewRecipe) -> None:
    assert first_kind(5, new_recipe, is_fenced=False) is OLD


def first_kind(first: int, new_recipe: NewRecipe, *, is_fenced: bool = True) -> Kind | None:
    """What goes wrong first in the stories from *first* on: most before it had nothing to stop."""
    for seed in range(first, first + STORIES_MAX):
        violation = violation_of(seed, new_recipe, is_fenced=is_fenced)
        if violation is not None:
            return violation.kind
    return None
