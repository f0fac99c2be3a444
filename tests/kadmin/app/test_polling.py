"""Polls: is each question asked once for all readers, and does its last answer survive failures?"""

import threading
from collections.abc import Iterator
from itertools import chain, repeat

import pytest

from kadmin.app import polling
from kadmin.app.polling import Poll, Poller, Reading
from kadmin.errors import KadminError, UnreachableError
from tests.support.waiting import OUTER_LIMIT_S, wait_until

NEVER_S = 3600.0


def poll_of(answers: Iterator[int | KadminError], interval_s: float = 0.0) -> Poll[int]:
    def ask() -> int:
        answer = next(answers)
        if isinstance(answer, KadminError):
            raise answer
        return answer

    return Poll("numbers", ask, interval_s)


def thread_of(name: str) -> threading.Thread:
    (found,) = (thread for thread in threading.enumerate() if thread.name == name)
    return found


def test_before_the_first_answer_nothing_is_known() -> None:
    reading = poll_of(iter([])).reading

    assert Reading() == reading
    assert reading.age_s is None
    assert reading.answer_within(NEVER_S) is None


def test_a_failure_leaves_the_last_answer_as_it_was_with_its_age() -> None:
    poll = poll_of(iter([7, UnreachableError("no broker answers"), 8]))
    first = poll.attempt()
    second = poll.attempt()
    third = poll.attempt()

    assert (1, 1, 7, None) == (first.number, first.answers, first.answer, first.error)
    assert (2, 1, 7) == (second.number, second.answers, second.answer)
    assert second.error is not None
    assert second.error.message == "no broker answers"
    assert second.error.__traceback__ is None
    assert second.asked_s == first.asked_s
    assert (3, 2, 8, None) == (third.number, third.answers, third.answer, third.error)


def test_an_answer_is_returned_up_to_the_age_that_its_reader_accepts() -> None:
    reading = poll_of(iter([7])).attempt()

    assert 7 == reading.answer_within(NEVER_S)
    assert reading.answer_within(-1) is None


def test_attempts_that_take_longer_than_the_interval_are_counted() -> None:
    assert 1 == poll_of(iter([7]), interval_s=-1).attempt().late_count
    assert 0 == poll_of(iter([7]), interval_s=NEVER_S).attempt().late_count


def test_what_costs_much_is_asked_less_often_unless_it_fails() -> None:
    poll = poll_of(iter([7, UnreachableError("no broker answers")]), interval_s=-1)
    took_s = poll.attempt().took_s

    assert 3 * took_s == poll.spacing_s
    poll.attempt()
    assert -1 == poll.spacing_s
    assert NEVER_S == poll_of(iter([]), interval_s=NEVER_S).spacing_s


def test_each_question_is_asked_once_however_many_wait() -> None:
    asked: list[int] = []
    may_answer = threading.Event()

    def ask() -> int:
        asked.append(len(asked))
        assert may_answer.wait(OUTER_LIMIT_S)
        return len(asked)

    poll = Poll("numbers", ask, NEVER_S)
    found: list[int | None] = []
    readers = [
        threading.Thread(target=lambda: found.append(poll.wait_beyond(0, OUTER_LIMIT_S).answer))
        for _ in range(5)
    ]
    with Poller([poll]):
        for reader in readers:
            reader.start()
        may_answer.set()
        for reader in readers:
            reader.join(OUTER_LIMIT_S)

    assert [0] == asked
    assert [1] * 5 == found


def test_who_is_in_a_hurry_gets_what_was_read_after_the_call() -> None:
    began, may_answer = threading.Semaphore(0), threading.Semaphore(0)
    numbers = iter(range(100))

    def ask() -> int:
        number = next(numbers)
        began.release()
        assert may_answer.acquire(timeout=OUTER_LIMIT_S)
        return number

    poll = Poll("numbers", ask, NEVER_S)
    with Poller([poll]):
        assert began.acquire(timeout=OUTER_LIMIT_S)
        # The first attempt is under way: what it reads may be older than the call.
        behind = poll.hurry()
        may_answer.release(2)
        reading = poll.wait_beyond(behind, OUTER_LIMIT_S)

    assert 1 == reading.answer


def test_what_a_stopped_poll_is_waited_for_comes_at_once_as_it_is() -> None:
    poll = poll_of(iter([7]), NEVER_S)
    with Poller([poll]):
        poll.wait_beyond(0, OUTER_LIMIT_S)

    assert poll.is_stopped
    assert 7 == poll.wait_beyond(1, OUTER_LIMIT_S).answer


def test_a_slow_question_holds_up_no_other() -> None:
    may_end = threading.Event()
    slow = Poll("slow", lambda: may_end.wait(OUTER_LIMIT_S), NEVER_S)
    quick = poll_of(iter(range(1000)), interval_s=0.01)
    with Poller([slow, quick]) as poller:
        wait_until(lambda: poller.polls["numbers"].reading.number >= 3, what="three answers")
        assert 0 == slow.reading.number
        may_end.set()


def test_a_poller_ends_its_threads_but_waits_for_no_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Poller([poll_of(iter([7]), NEVER_S)]):
        thread = thread_of("poll numbers")
    assert not thread.is_alive()

    monkeypatch.setattr(polling, "STOPPING_S", 0.0)
    began, may_end = threading.Semaphore(0), threading.Event()

    def ask() -> bool:
        began.release()
        return may_end.wait(OUTER_LIMIT_S)

    with Poller([Poll("slow", ask, NEVER_S)]):
        thread = thread_of("poll slow")
        assert began.acquire(timeout=OUTER_LIMIT_S)
    assert thread.is_alive()
    may_end.set()
    thread.join(OUTER_LIMIT_S)


def test_what_an_attempt_makes_of_the_interval_holds_for_the_next_one() -> None:
    def hasten(reading: Reading[int]) -> None:
        poll.interval_s = 0.01 if reading.number < 3 else NEVER_S

    poll = poll_of(iter(range(1000)), NEVER_S)
    poll.after = hasten
    with Poller([poll]):
        wait_until(lambda: poll.reading.number >= 3, what="three answers")


def test_a_bug_is_an_error_with_its_trace_in_the_log_and_is_asked_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    divisors = chain([1, 0, 0], repeat(1))
    poll = Poll("ratios", lambda: 7 // next(divisors), 0.0)
    poll.attempt()
    poll.attempt()
    reading = poll.attempt()
    with Poller([poll]):
        wait_until(lambda: poll.reading.error is None, what="the answer behind the bugs")

    assert (3, 1, 7, 2) == (reading.number, reading.answers, reading.answer, reading.bug_count)
    assert reading.error is not None
    assert "ZeroDivisionError: integer division" in reading.error.message
    traces = [record for record in caplog.records if "integer division" in record.getMessage()]
    assert 1 == len(traces)
    assert traces[0].exc_info is not None


def test_a_bug_of_who_is_reported_to_does_not_end_the_poll(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def report(_reading: Reading[int]) -> None:
        raise RuntimeError("the loop is closed")

    poll = poll_of(iter(range(1000)), interval_s=0.01)
    poll.after = report
    with Poller([poll]):
        wait_until(lambda: poll.reading.number >= 2, what="a second answer")

    assert "the loop is closed" in caplog.text


def test_every_attempt_is_reported_on_the_thread_that_asked() -> None:
    seen: list[tuple[int, int]] = []
    poll: Poll[int] = Poll(
        "numbers",
        threading.get_ident,
        NEVER_S,
        after=lambda reading: seen.append((reading.number, threading.get_ident())),
    )
    with Poller([poll]):
        wait_until(lambda: bool(seen), what="the report")

    assert [(1, poll.reading.answer)] == seen
