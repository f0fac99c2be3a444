"""What each fence of old consumers is good for: without it some story ends badly, and how."""

from collections.abc import Callable, Iterable
from typing import Final

import pytest

from cluster.model.ids import TopicPartition
from cluster.zk.steps import Steps
from kadmin.old_consumer import znodes
from kadmin.old_consumer.znodes import Claimed, Me, Outcome
from tests.sim.old_consumers import member
from tests.sim.old_consumers.violation import Kind
from tests.sim.old_consumers.world import Fences, violation_of

STORIES_MAX: Final = 40
"""Whatever the commit: one of so many has to miss each fence."""

Patch = pytest.MonkeyPatch


def without_watches(patch: Patch) -> None:
    """Members do not learn of changes."""
    patch.setattr(member, "watched", lambda _me, _topics: [])


def releases_sent_again(patch: Patch) -> None:
    """A release whose reply was lost is sent again, whoever the owner is by then."""
    owned_of = znodes.owned_of

    def all_of(me: Me, partitions: Iterable[TopicPartition]) -> Steps[list[TopicPartition]]:
        wanted = list(partitions)
        yield from owned_of(me, wanted)
        return wanted

    patch.setattr(znodes, "owned_of", all_of)


def offsets_before_claims(patch: Patch) -> None:
    """Offsets are read while another member may still own the partition, as Kafka does."""
    claim = znodes.claim

    def claim_later(me: Me) -> Steps[Outcome]:
        every = [TopicPartition(topic, number) for topic in ("t", "u") for number in range(12)]
        early = yield from znodes.read_positions(me, every)
        outcome = yield from claim(me)
        if isinstance(outcome, Claimed):
            return Claimed({one: early[one] for one in outcome.positions})
        return outcome

    patch.setattr(znodes, "claim", claim_later)


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize(
    ("fences", "patched", "kinds"),
    [
        pytest.param(Fences(core={"stops_first": False}), None, {Kind.NOT_OWNED}, id="stop"),
        pytest.param(
            Fences(core={"checks_tickets": False}),
            None,
            {Kind.CONFUSED},
            id="tickets",
        ),
        pytest.param(
            Fences(fresh_ids=False),
            None,
            {Kind.NOT_OWNED, Kind.READ_TWICE, Kind.STUCK},
            id="ids of sessions",
        ),
        pytest.param(Fences(), without_watches, {Kind.STUCK}, id="watches"),
        pytest.param(Fences(), releases_sent_again, {Kind.NOT_OWNED}, id="lost replies"),
        pytest.param(Fences(), offsets_before_claims, {Kind.READ_TWICE}, id="claims first"),
    ],
)
def test_without_this_fence_some_story_ends_badly(
    fences: Fences,
    patched: Callable[[Patch], None] | None,
    kinds: set[Kind],
    monkeypatch: Patch,
) -> None:
    if patched is not None:
        patched(monkeypatch)

    ends = (violation_of(seed, fences) for seed in range(STORIES_MAX))

    assert any(end is not None and end.kind in kinds for end in ends)
