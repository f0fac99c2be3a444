import socket
import threading
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client

import pytest

from kadmin.errors import KadminError
from kadmin.jobs.merge.handout import Handout, do_errand
from tests.support.waiting import wait_until


def double(number: int) -> int:
    if number < 0:
        raise KadminError(f"{number} is too small", hint="take more")
    return 2 * number


def start_task(handout: Handout, index: int) -> threading.Thread:
    task = threading.Thread(target=do_errand, args=(index, handout.address, handout.key))
    task.start()
    return task


def test_results_come_in_order_though_tasks_end_in_another() -> None:
    handout = Handout(double, [1, 2, 3], ahead=3)
    for index in (2, 1, 0):
        start_task(handout, index).join()

    assert [2, 4, 6] == list(handout.results())
    handout.close()


def test_no_errand_is_handed_out_too_far_ahead_of_what_was_taken() -> None:
    handout = Handout(double, [1, 2, 3], ahead=1)
    first, second = start_task(handout, 0), start_task(handout, 1)
    results = handout.results()

    assert 2 == next(results)
    first.join()
    assert second.is_alive()
    assert {} == handout.outcomes

    assert 4 == next(results)
    second.join()
    handout.close()


def test_an_error_in_the_work_is_raised_where_its_result_is_taken() -> None:
    handout = Handout(double, [1, -2], ahead=2)
    for index in (0, 1):
        start_task(handout, index).join()
    results = handout.results()

    assert 2 == next(results)
    with pytest.raises(KadminError, match="-2 is too small") as caught:
        next(results)
    assert "take more" == caught.value.hint
    handout.close()


def test_where_the_job_fails_no_result_is_waited_for() -> None:
    handout = Handout(double, [1, 2], ahead=2)
    start_task(handout, 0).join()
    wait_until(lambda: 0 in handout.outcomes, timeout_s=10, what="the outcome")
    handout.fail(KadminError("the job failed"))
    results = handout.results()

    assert 2 == next(results)
    with pytest.raises(KadminError, match="the job failed"):
        next(results)
    handout.close()


def test_who_does_not_know_the_key_gets_no_errand_and_stops_nobody() -> None:
    handout = Handout(double, [1], ahead=1)
    with socket.create_connection(handout.address):
        with pytest.raises((AuthenticationError, EOFError, OSError)):
            Client(handout.address, authkey=b"another key")
        start_task(handout, 0).join()

        assert [2] == list(handout.results())
    handout.close()


def test_closing_ends_the_waiting_for_connections() -> None:
    handout = Handout(double, [1], ahead=1)
    address = handout.address

    handout.close()

    assert not handout.acceptor.is_alive()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)
