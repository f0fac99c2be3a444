"""What a follower names in its requests, and that the leader always knows what is fetched."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from cluster.replication.fetch_session_handler import (
    BEGIN,
    EPOCH_MAX,
    NO_SESSION,
    FetchSessionHandler,
    PartKey,
    SessionRequest,
)

A, B, C = PartKey("orders", 0), PartKey("orders", 1), PartKey("payments", 0)


def named(request: SessionRequest[int]) -> tuple[dict, list]:
    return dict(request.parts), sorted(request.forgotten)


def begun() -> FetchSessionHandler[int]:
    """A handler in session 7, whose leader knows A to be fetched from 1."""
    handler: FetchSessionHandler[int] = FetchSessionHandler()
    handler.put(A, 1)
    handler.next_request()
    handler.answered(7)
    return handler


def test_the_first_request_names_all_and_wants_a_session():
    handler: FetchSessionHandler[int] = FetchSessionHandler()
    assert handler.is_empty
    handler.put(A, 1)
    handler.put(B, 2)

    request = handler.next_request()

    assert (NO_SESSION, BEGIN) == (request.session_id, request.session_epoch)
    assert request.is_full
    assert ({A: 1, B: 2}, []) == named(request)


def test_in_a_session_only_what_has_changed_is_named():
    handler = begun()

    assert ({}, []) == named(handler.next_request())
    handler.answered(7)
    handler.put(A, 5)
    handler.put(B, 2)
    request = handler.next_request()

    assert (7, 2) == (request.session_id, request.session_epoch)
    assert not request.is_full
    assert ({A: 5, B: 2}, []) == named(request)
    assert (5, 2, None) == (handler.asked(A), handler.asked(B), handler.asked(C))


def test_nothing_is_kept_of_what_is_asked_no_more():
    handler = begun()
    handler.put(B, 2)

    handler.end()

    assert handler.is_empty
    assert (None, None) == (handler.asked(A), handler.asked(B))
    assert ({}, []) == named(handler.next_request())


def test_what_was_not_taken_is_told_again_by_a_leader_that_begins_anew():
    handler = begun()
    handler.next_request()
    handler.forget(A)
    handler.answered(7)
    handler.put(A, 1)
    again = handler.next_request()

    assert again.is_full
    assert ({A: 1}, []) == named(again)
    handler.answered(8)
    assert not handler.next_request().is_full

    handler.not_processed(A)
    handler.answered(8)
    assert handler.next_request().is_full


def test_what_was_not_taken_of_a_partition_that_is_fetched_no_more_ends_no_session():
    handler = begun()
    handler.put(B, 2)
    handler.next_request()
    handler.forget(A)
    handler.not_processed(A)
    handler.answered(7)

    request = handler.next_request()

    assert not request.is_full
    assert ({}, [A]) == named(request)
    handler.answered(7)
    handler.put(A, 9)
    assert not handler.next_request().is_full


def test_a_partition_comes_and_goes_without_the_session_ending():
    handler = begun()
    handler.put(B, 2)
    handler.next_request()
    handler.answered(7)

    handler.forget(A)
    handler.forget(C)
    assert ({}, [A]) == named(handler.next_request())
    handler.answered(7)
    handler.put(A, 9)

    assert ({A: 9}, []) == named(handler.next_request())


def test_a_partition_that_is_fetched_again_before_the_next_request_is_not_forgotten():
    handler = begun()

    handler.forget(A)
    assert handler.is_empty
    handler.put(A, 9)

    assert not handler.is_empty
    assert ({A: 9}, []) == named(handler.next_request())


def test_a_partition_that_has_gone_before_it_was_asked_for_is_not_named():
    handler = begun()

    handler.put(B, 2)
    handler.forget(B)

    assert ({}, []) == named(handler.next_request())


def test_a_leader_without_sessions_is_told_all_each_time():
    handler = begun()
    handler.next_request()

    handler.answered(NO_SESSION)

    request = handler.next_request()
    assert (NO_SESSION, BEGIN, {A: 1}) == (request.session_id, BEGIN, request.parts)


def test_after_a_failure_all_is_named_and_the_old_session_ends():
    handler = begun()
    handler.put(B, 2)
    handler.next_request()

    handler.begin_anew()

    request = handler.next_request()
    assert (7, BEGIN) == (request.session_id, request.session_epoch)
    assert ({A: 1, B: 2}, []) == named(request)


def test_a_session_that_the_leader_does_not_have_is_not_named_again():
    handler = begun()

    handler.forget_session()

    assert NO_SESSION == handler.next_request().session_id


def test_epochs_begin_at_1_again_behind_the_last():
    handler = begun()
    handler._epoch = EPOCH_MAX

    assert EPOCH_MAX == handler.next_request().session_epoch
    handler.answered(7)

    assert 1 == handler.next_request().session_epoch


class Sessions(RuleBasedStateMachine):
    """A handler and a leader that does as KIP-227 says; answers are lost, sessions end."""

    def __init__(self) -> None:
        super().__init__()
        self.handler: FetchSessionHandler[int] = FetchSessionHandler()
        self.wanted: dict[PartKey, int] = {}
        self.known: dict[PartKey, int] = {}
        self.session: tuple[int, int] | None = None
        self.last_id = 0

    @rule(key=st.sampled_from([A, B, C]), offset=st.integers(0, 9))
    def fetch(self, key: PartKey, offset: int) -> None:
        self.wanted[key] = offset
        self.handler.put(key, offset)

    @rule(key=st.sampled_from([A, B, C]))
    def forget(self, key: PartKey) -> None:
        self.wanted.pop(key, None)
        self.handler.forget(key)

    @rule(is_lost=st.booleans(), has_room=st.booleans())
    def ask(self, is_lost: bool, has_room: bool) -> None:
        request = self.handler.next_request()
        if not request.is_full:
            if self.session != (request.session_id, request.session_epoch):
                self.handler.forget_session()
                return
            self.known |= request.parts
            for key in request.forgotten:
                del self.known[key]
            self.session = (self.session[0], self.session[1] % EPOCH_MAX + 1)
        else:
            self.known = dict(request.parts)
            self.last_id += 1
            self.session = (self.last_id, 1) if has_room else None
        assert self.known == self.wanted
        if is_lost:
            self.handler.begin_anew()
        else:
            self.handler.answered(NO_SESSION if self.session is None else self.session[0])

    @rule()
    def restart_leader(self) -> None:
        self.session = None

    @invariant()
    def is_empty_is_true(self) -> None:
        assert self.handler.is_empty == (not self.wanted)


TestSessions = pytest.mark.slow(Sessions.TestCase)
TestSessions.settings = settings(max_examples=60, stateful_step_count=30)
