"""Until when a session cannot have expired, by the heartbeats that were answered."""

import pytest

from cluster.recipes.lease import Heartbeats

TIMEOUT_MS = 1200


def ends(*answered: tuple[int, int]) -> list[int]:
    """How long after the sending of each heartbeat the lease lasts."""
    heartbeats = Heartbeats(TIMEOUT_MS)
    return [heartbeats.answer(sent_ms, now_ms) - sent_ms for sent_ms, now_ms in answered]


def test_at_first_no_heartbeat_has_been_reported() -> None:
    assert [400, 400, 400] == ends((0, 0), (100, 100), (200, 200))


def test_behind_a_quarter_of_the_timeout_an_earlier_heartbeat_counts() -> None:
    # At 300 that of 0 has been reported, which keeps the session until 1200, and a twelfth less.
    answered = [(at_ms, at_ms) for at_ms in range(0, 700, 100)]

    assert [400, 400, 400, 800, 800, 800, 800] == ends(*answered)


@pytest.mark.parametrize(("answered_ms", "lasts_ms"), [(0, 800), (1, 400), (299, 400)])
def test_a_heartbeat_arrives_at_the_latest_with_its_answer(answered_ms: int, lasts_ms: int) -> None:
    assert [400, lasts_ms] == ends((0, answered_ms), (300, 310))


def test_a_lease_is_never_shortened() -> None:
    heartbeats = Heartbeats(TIMEOUT_MS)
    ends_ms = [heartbeats.answer(at_ms, at_ms) for at_ms in (0, 300, 350, 790)]

    assert sorted(ends_ms) == ends_ms
    assert 1100 == ends_ms[1]
