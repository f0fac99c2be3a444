"""A followed partition is driven from each phase to each other; the table says what it refuses."""

from collections.abc import Callable

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.replication.fetch_phases import FETCH_VALID_PREVIOUS, FetchPhase
from cluster.replication.fetch_state import FetchState, Reaction, reaction_to

STEPS: dict[FetchPhase, Callable[[FetchState], None]] = {
    FetchPhase.TRUNCATING: FetchState.find_divergence,
    FetchPhase.OUT_OF_RANGE: FetchState.lose_range,
    FetchPhase.CUTTING: lambda state: state.cut(is_last=True),
    FetchPhase.FETCHING: FetchState.fetch,
    FetchPhase.DELAYED: FetchState.delay,
    FetchPhase.FAILED: FetchState.fail,
}


def state_in(phase: FetchPhase) -> FetchState:
    """A partition that was led to *phase* by the shortest way."""
    ways: dict[FetchPhase, tuple[FetchPhase, ...]] = {
        FetchPhase.TRUNCATING: (),
        FetchPhase.OUT_OF_RANGE: (FetchPhase.FETCHING, FetchPhase.OUT_OF_RANGE),
    }
    state = FetchState(leader_epoch=3, log_end_offset=10, last_fetched_epoch=2)
    for step in ways.get(phase, (phase,)):
        STEPS[step](state)
    return state


@pytest.mark.parametrize("target", FetchPhase)
@pytest.mark.parametrize("previous", FetchPhase)
def test_a_partition_comes_to_exactly_the_phases_of_the_table(
    previous: FetchPhase, target: FetchPhase
) -> None:
    state = state_in(previous)
    assert state.phase is previous

    if previous in FETCH_VALID_PREVIOUS[target]:
        STEPS[target](state)
        expected = target
    else:
        with pytest.raises(AssertionError):
            STEPS[target](state)
        expected = previous

    assert expected is state.phase


def test_every_phase_can_be_reached_and_only_a_failure_is_without_return() -> None:
    reached = {FetchPhase.TRUNCATING}
    for _ in FetchPhase:
        reached |= {phase for phase, before in FETCH_VALID_PREVIOUS.items() if before & reached}
    left_again = set().union(*FETCH_VALID_PREVIOUS.values())

    assert set(FetchPhase) == reached
    assert {FetchPhase.FAILED} == set(FetchPhase) - left_again


def test_records_that_come_move_the_offset_on() -> None:
    state = state_in(FetchPhase.FETCHING)

    state.has_fetched(14, 3)

    assert (14, 3, 3) == (state.fetch_offset, state.last_fetched_epoch, state.leader_epoch)


@pytest.mark.parametrize(
    ("is_last", "expected"), [(True, FetchPhase.FETCHING), (False, FetchPhase.TRUNCATING)]
)
def test_a_log_that_was_cut_goes_on_or_is_compared_once_more(
    is_last: bool, expected: FetchPhase
) -> None:
    state = state_in(FetchPhase.TRUNCATING)

    state.cut(is_last=is_last)
    state.has_cut(7, 1)

    assert (expected, 7, 1) == (state.phase, state.fetch_offset, state.last_fetched_epoch)


@pytest.mark.parametrize(
    ("delayed", "resumed"),
    [
        (FetchPhase.TRUNCATING, FetchPhase.TRUNCATING),
        (FetchPhase.FETCHING, FetchPhase.FETCHING),
        (FetchPhase.OUT_OF_RANGE, FetchPhase.FETCHING),
    ],
)
def test_after_a_delay_what_was_asked_is_asked_again(
    delayed: FetchPhase, resumed: FetchPhase
) -> None:
    state = state_in(delayed)

    state.delay()
    state.resume()

    assert resumed is state.phase


@pytest.mark.parametrize(
    ("error", "reaction"),
    [
        (ErrorCode.OFFSET_OUT_OF_RANGE, Reaction.RESET),
        (ErrorCode.FENCED_LEADER_EPOCH, Reaction.AWAIT_ORDER),
        (ErrorCode.UNKNOWN_LEADER_EPOCH, Reaction.DELAY),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, Reaction.DELAY),
        (ErrorCode.CORRUPT_MESSAGE, Reaction.DELAY),
        (ErrorCode.KAFKA_STORAGE_ERROR, Reaction.DELAY),
        (9999, Reaction.DELAY),
    ],
)
def test_each_error_has_its_reaction(error: int, reaction: Reaction) -> None:
    assert reaction is reaction_to(error)
