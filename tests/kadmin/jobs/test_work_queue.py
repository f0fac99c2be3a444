import socket
import threading
from collections.abc import Iterator
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection

import pytest

from kadmin.errors import KadminError
from kadmin.jobs.work_item import run_work_item
from kadmin.jobs.work_queue import WorkQueue, run_work_items
from tests.support.waiting import OUTER_LIMIT_S, wait_until


@pytest.fixture
def work_queue() -> Iterator[WorkQueue]:
    work_queue = WorkQueue()
    yield work_queue
    work_queue.close()


def double(number: int) -> int:
    if number < 0:
        raise KadminError(f"{number} is too small", hint="take more")
    return 2 * number


def negative(number: int) -> int:
    return -number


def start_task(work_queue: WorkQueue) -> threading.Thread:
    task = threading.Thread(target=run_work_items, args=(work_queue.address, work_queue.key))
    task.start()
    return task


def outcome_of(connection: Connection) -> bytes:
    """Take a work item as a task does, and do it; the outcome is not brought back yet."""
    assert connection.poll(OUTER_LIMIT_S), "a work item is handed out"
    return run_work_item(connection.recv_bytes())


def test_one_task_does_batch_after_batch_and_ends_when_there_is_no_more() -> None:
    work_queue = WorkQueue()
    task = start_task(work_queue)

    assert [2, 4, 6] == list(work_queue.run(double, [1, 2, 3], in_flight_max=2))
    assert [] == list(work_queue.run(double, [], in_flight_max=2))
    assert [-1, -2] == list(work_queue.run(negative, [1, 2], in_flight_max=2))
    work_queue.close()
    task.join(OUTER_LIMIT_S)
    assert not task.is_alive()


def test_results_come_in_order_though_tasks_end_in_another(work_queue: WorkQueue) -> None:
    with (
        Client(work_queue.address, authkey=work_queue.key) as one,
        Client(work_queue.address, authkey=work_queue.key) as other,
    ):
        results: list[int] = []
        taker = threading.Thread(
            target=lambda: results.extend(work_queue.run(double, [1, 2], in_flight_max=2))
        )
        taker.start()
        outcomes = [(connection, outcome_of(connection)) for connection in (one, other)]
        later, earlier = sorted(outcomes, key=lambda each: each[1], reverse=True)
        later[0].send_bytes(later[1])
        wait_until(
            lambda: work_queue.batch is not None and 1 in work_queue.batch.outcomes,
            what="the outcome",
        )
        assert [] == results
        earlier[0].send_bytes(earlier[1])
        taker.join(OUTER_LIMIT_S)

        assert [2, 4] == results


def test_no_work_item_is_given_too_far_ahead_of_what_was_taken(work_queue: WorkQueue) -> None:
    results = work_queue.run(double, [1, 2, 3], in_flight_max=1)
    start_task(work_queue)

    assert 2 == next(results)
    batch = work_queue.batch
    assert batch is not None
    assert (0, [1, 2], {}) == (batch.taken, batch.waiting, batch.outcomes)
    assert not batch.has_work_item

    assert [4, 6] == list(results)


def test_an_error_in_the_work_is_raised_where_its_result_is_taken(work_queue: WorkQueue) -> None:
    start_task(work_queue)
    results = work_queue.run(double, [1, -2], in_flight_max=2)

    assert 2 == next(results)
    with pytest.raises(KadminError, match="-2 is too small") as caught:
        next(results)
    assert "take more" == caught.value.hint
    assert [8] == list(work_queue.run(double, [4], in_flight_max=2))


def test_what_a_task_that_ended_had_not_done_another_one_does(work_queue: WorkQueue) -> None:
    results = work_queue.run(double, [1, 2], in_flight_max=2)
    helper = threading.Thread(target=lambda: start_task_once_one_failed(work_queue))
    helper.start()

    assert [2, 4] == list(results)
    helper.join(OUTER_LIMIT_S)


def start_task_once_one_failed(work_queue: WorkQueue) -> None:
    with Client(work_queue.address, authkey=work_queue.key) as connection:
        outcome_of(connection)
    start_task(work_queue)


def test_where_the_job_fails_no_result_is_waited_for(work_queue: WorkQueue) -> None:
    work_queue.fail(KadminError("the job failed"))

    with pytest.raises(KadminError, match="the job failed"):
        next(work_queue.run(double, [1], in_flight_max=1))


def test_who_does_not_know_the_key_gets_no_work_item_and_stops_nobody(
    work_queue: WorkQueue,
) -> None:
    with socket.create_connection(work_queue.address):
        with pytest.raises((AuthenticationError, EOFError, OSError)):
            Client(work_queue.address, authkey=b"another key")
        start_task(work_queue)

        assert [2] == list(work_queue.run(double, [1], in_flight_max=1))


def test_a_batch_that_nobody_takes_to_its_end_leaves_the_tasks_to_the_next(
    work_queue: WorkQueue,
) -> None:
    start_task(work_queue)
    for result in work_queue.run(double, list(range(100)), in_flight_max=1):
        assert 0 == result
        break

    assert [-1] == list(work_queue.run(negative, [1], in_flight_max=1))


def test_closing_ends_the_waiting_for_connections() -> None:
    work_queue = WorkQueue()
    address = work_queue.address

    work_queue.close()

    assert not work_queue.acceptor.is_alive()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)
