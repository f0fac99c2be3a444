"""What each fence of a contender is good for: without it some story ends badly, and how."""

from collections.abc import Callable
from typing import Final

import pytest

from cluster.recipes import fair, unfair
from cluster.recipes.contender import Contender
from cluster.recipes.lease import Heartbeats, Loss
from cluster.recipes.unfair import UnfairAttempt
from cluster.zk.requests import Delete, GetData, Multi, ZkReply, ZkRequest
from cluster.zk.steps import Steps, read, write_each
from tests.sim.recipes import world as worlds
from tests.sim.recipes.ensemble import TIMEOUT_MS
from tests.sim.recipes.violation import Kind
from tests.sim.recipes.world import NewRecipe, violation_of

STORIES_MAX: Final = 12
"""Whatever the commit: one of so many has to miss each fence."""

FOREVER_MS: Final = 1_000_000
Patch = pytest.MonkeyPatch


def leads_by_its_session(patch: Patch) -> None:
    """A leader leads until it learns that its session is over, as in Curator and kazoo."""
    patch.setattr(Heartbeats, "answer", lambda _, sent_ms, now_ms, **__: sent_ms + FOREVER_MS)


def counts_what_was_not_reported(patch: Patch) -> None:
    """A lease goes on for most of a session timeout after the last heartbeat."""
    patch.setattr(
        Heartbeats, "answer", lambda _, sent_ms, now_ms, **__: sent_ms + TIMEOUT_MS * 11 // 12
    )


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


def goes_before_it_has_stopped(patch: Patch) -> None:
    """A leader that was suspended removes its node as soon as the connection is back."""
    depose = Contender._depose

    def depose_at_once(self: Contender, loss: Loss) -> None:
        depose(self, loss)
        self._held_until_ms = None

    patch.setattr(Contender, "_depose", depose_at_once)


def removes_any_leader(patch: Patch) -> None:
    """A leader that gives up removes the leader's node, whose-ever that is by then."""

    def withdraw(self: UnfairAttempt) -> Steps[None]:
        yield from write_each((Multi((Delete(self._leader),)),))

    patch.setattr(UnfairAttempt, "withdraw", withdraw)


TWO = Kind.TWO_LEADERS


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize(
    ("take_out", "new_recipe", "first", "kinds"),
    [
        (leads_by_its_session, worlds.fair, 0, {TWO}),
        (leads_while_suspended, worlds.unfair, 0, {TWO}),
        (any_server_confirms, worlds.fair, 45, {TWO}),
        (counts_what_was_not_reported, worlds.fair, 5, {TWO}),
        (goes_before_it_has_stopped, worlds.fair, 0, {TWO}),
        (removes_any_leader, worlds.unfair, 0, {TWO}),
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
def test_without_a_fence_some_old_leader_writes() -> None:
    assert first_kind(20, worlds.fair, is_fenced=False) is Kind.OLD_WRITE


def first_kind(first: int, new_recipe: NewRecipe, *, is_fenced: bool = True) -> Kind | None:
    """What goes wrong first in the stories from *first* on: most before it had nothing to stop."""
    for seed in range(first, first + STORIES_MAX):
        violation = violation_of(seed, new_recipe, is_fenced=is_fenced)
        if violation is not None:
            return violation.kind
    return None
