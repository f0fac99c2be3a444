import socket
import threading
from collections.abc import Iterator
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection

import pytest

from kadmin.errors import KadminError
from kadmin.jobs.merge.errand import perform
from kadmin.jobs.merge.handout import Handout, do_errands
from tests.support.waiting import wait_until

TIMEOUT_S = 10


@pytest.fixture
def handout() -> Iterator[Handout]:
    handout = Handout()
    yield handout
    handout.close()


def double(number: int) -> int:
    if number < 0:
        raise KadminError(f"{number} is too small", hint="take more")
    return 2 * number


def negative(number: int) -> int:
    return -number


def start_task(handout: Handout) -> threading.Thread:
    task = threading.Thread(target=do_errands, args=(handout.address, handout.key))
    task.start()
    return task


def outcome_of(connection: Connection) -> bytes:
    """Take an errand as a task does, and do it; the outcome is not brought back yet."""
    assert connection.poll(TIMEOUT_S), "an errand is handed out"
    return perform(connection.recv_bytes())


def test_one_task_does_batch_after_batch_and_ends_when_there_is_no_more() -> None:
    handout = Handout()
    task = start_task(handout)

    assert [2, 4, 6] == list(handout.run(double, [1, 2, 3], ahead=2))
    assert [] == list(handout.run(double, [], ahead=2))
    assert [-1, -2] == list(handout.run(negative, [1, 2], ahead=2))
    handout.close()
    task.join(TIMEOUT_S)
    assert not task.is_alive()


def test_results_come_in_order_though_tasks_end_in_another(handout: Handout) -> None:
    with (
        Client(handout.address, authkey=handout.key) as one,
        Client(handout.address, authkey=handout.key) as other,
    ):
        results: list[int] = []
        taker = threading.Thread(
            target=lambda: results.extend(handout.run(double, [1, 2], ahead=2))
        )
        taker.start()
        outcomes = [(connection, outcome_of(connection)) for connection in (one, other)]
        later, earlier = sorted(outcomes, key=lambda each: each[1], reverse=True)
        later[0].send_bytes(later[1])
        wait_until(
            lambda: handout.batch is not None and 1 in handout.batch.outcomes,
            timeout_s=TIMEOUT_S,
            what="the outcome",
        )
        assert [] == results
        earlier[0].send_bytes(earlier[1])
        taker.join(TIMEOUT_S)

        assert [2, 4] == results


def test_no_errand_is_handed_out_too_far_ahead_of_what_was_taken(handout: Handout) -> None:
    results = handout.run(double, [1, 2, 3], ahead=1)
    start_task(handout)

    assert 2 == next(results)
    batch = handout.batch
    assert batch is not None
    assert (0, [1, 2], {}) == (batch.taken, batch.waiting, batch.outcomes)
    assert not batch.has_errand

    assert [4, 6] == list(results)


def test_an_error_in_the_work_is_raised_where_its_result_is_taken(handout: Handout) -> None:
    start_task(handout)
    results = handout.run(double, [1, -2], ahead=2)

    assert 2 == next(results)
    with pytest.raises(KadminError, match="-2 is too small") as caught:
        next(results)
    assert "take more" == caught.value.hint
    assert [8] == list(handout.run(double, [4], ahead=2))


def test_what_a_task_that_ended_had_not_done_another_one_does(handout: Handout) -> None:
    results = handout.run(double, [1, 2], ahead=2)
    helper = threading.Thread(target=lambda: start_task_once_one_failed(handout))
    helper.start()

    assert [2, 4] == list(results)
    helper.join(TIMEOUT_S)


def start_task_once_one_failed(handout: Handout) -> None:
    with Client(handout.address, authkey=handout.key) as connection:
        outcome_of(connection)
    start_task(handout)


def test_where_the_job_fails_no_result_is_waited_for(handout: Handout) -> None:
    handout.fail(KadminError("the job failed"))

    with pytest.raises(KadminError, match="the job failed"):
        next(handout.run(double, [1], ahead=1))


def test_who_does_not_know_the_key_gets_no_errand_and_stops_nobody(handout: Handout) -> None:
    with socket.create_connection(handout.address):
        with pytest.raises((AuthenticationError, EOFError, OSError)):
            Client(handout.address, authkey=b"another key")
        start_task(handout)

        assert [2] == list(handout.run(double, [1], ahead=1))


def test_a_batch_that_nobody_takes_to_its_end_leaves_the_tasks_to_the_next(
    handout: Handout,
) -> None:
    start_task(handout)
    for result in handout.run(double, list(range(100)), ahead=1):
        assert 0 == result
        break

    assert [-1] == list(handout.run(negative, [1], ahead=1))


def test_closing_ends_the_waiting_for_connections() -> None:
    handout = Handout()
    address = handout.address

    handout.close()

    assert not handout.acceptor.is_alive()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)
