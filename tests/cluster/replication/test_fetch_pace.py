"""A leader is left alone when ten of its answers in a row were early and in vain."""

from cluster.replication.fetch_pace import EARLY_MAX, FetchPace, Pace

DUE_MS = 250


def paces(
    pace: FetchPace, count: int, *, changes: bool = False, now_ms: int = 1, rests: bool = False
) -> list[Pace]:
    """What *count* answers come to."""
    found = []
    for _ in range(count):
        pace.asked(DUE_MS)
        pace.has_changed = changes
        found.append(pace.answered(now_ms, rests=rests))
    return found


def test_early_answers_in_vain_make_a_rest_which_is_told_once() -> None:
    pace = FetchPace()
    before = [Pace.GO_ON] * (EARLY_MAX - 1)

    assert [*before, Pace.BEGIN_REST] == paces(pace, EARLY_MAX)
    assert [*before, Pace.REST] == paces(pace, EARLY_MAX)
    assert [Pace.WORKS_AGAIN, Pace.GO_ON] == paces(pace, 2, changes=True)
    assert [*before, Pace.BEGIN_REST] == paces(pace, EARLY_MAX)


def test_what_brings_something_and_what_comes_in_its_time_is_no_answer_in_vain() -> None:
    pace = FetchPace()
    for said in ({"changes": True}, {"now_ms": DUE_MS}):
        assert {Pace.GO_ON} == set(paces(pace, EARLY_MAX - 1))
        assert [Pace.GO_ON] == paces(pace, 1, **said)
    assert {Pace.GO_ON} == set(paces(pace, EARLY_MAX - 1))


def test_a_leader_that_is_left_alone_anyway_is_not_told_of() -> None:
    pace = FetchPace()

    assert {Pace.GO_ON} == set(paces(pace, 3 * EARLY_MAX, rests=True))
    assert [Pace.BEGIN_REST] == paces(pace, 1)
