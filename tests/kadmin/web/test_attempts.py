"""Attempts to log in: who has to wait, and for how long?"""

from kadmin.web.attempts import (
    ADDRESS_COUNT_MAX,
    FAILURES_PER_MINUTE_MAX,
    FORGET_S,
    FREE_COUNT,
    WAIT_S_MAX,
    Attempts,
)

NOW_S = 6000.0


def failed(count: int, address: str = "a", now_s: float = NOW_S) -> Attempts:
    attempts = Attempts()
    for number in range(count):
        attempts.failed(address, now_s, b"%d" % number)
    return attempts


def test_the_wait_doubles_from_some_failures_on_and_has_an_end() -> None:
    waits = [failed(count).wait_s("a", NOW_S) for count in range(FREE_COUNT + 4)]
    longest = failed(100).wait_s("a", NOW_S)

    assert [0.0] * FREE_COUNT + [2.0, 4.0, 8.0, 16.0] == waits
    assert WAIT_S_MAX == longest


def test_a_guess_that_is_repeated_counts_once() -> None:
    attempts = failed(FREE_COUNT - 1)
    for _ in range(100):
        attempts.failed("a", NOW_S, b"0")
    before = attempts.wait_s("a", NOW_S)
    attempts.failed("a", NOW_S, b"another")

    assert (0.0, 2.0) == (before, attempts.wait_s("a", NOW_S))


def test_another_address_need_not_wait() -> None:
    assert failed(FREE_COUNT + 3).wait_s("b", NOW_S) == 0.0


def test_addresses_of_one_network_wait_together() -> None:
    attempts = failed(FREE_COUNT + 3, "2001:db8:1:2::1")

    waits = [attempts.wait_s(f"2001:db8:1:{end}", NOW_S) for end in ("2:a:b:c:d", "3::1")]

    assert [16.0, 0.0] == waits


def test_a_success_and_an_hour_forget_the_failures() -> None:
    attempts = failed(FREE_COUNT + 3)
    after_an_hour = attempts.wait_s("a", NOW_S + FORGET_S)
    attempts.succeeded("a")

    assert (0.0, 0.0) == (after_an_hour, attempts.wait_s("a", NOW_S))


def test_many_addresses_together_wait_for_the_next_minute() -> None:
    attempts = Attempts()
    for number in range(FAILURES_PER_MINUTE_MAX):
        attempts.failed(f"address {number}", NOW_S + 20, b"a guess")

    assert 40.0 == attempts.wait_s("new", NOW_S + 20)
    assert 0.0 == attempts.wait_s("new", NOW_S + 60)


def test_no_more_addresses_are_kept_than_there_is_room_for() -> None:
    attempts = failed(FREE_COUNT, "first")
    for number in range(ADDRESS_COUNT_MAX):
        attempts.failed(f"address {number}", NOW_S, b"a guess")

    assert ADDRESS_COUNT_MAX == len(attempts._by_address)
