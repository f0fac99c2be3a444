"""Which worker is sent which tests, by two workers that only note what they are sent."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from xdist.workermanage import WorkerController

from tests.support.distribution import AT_ONCE_MAX, NEAR_THE_END, FromBothEnds


class Worker:
    """What the scheduler asks of a worker."""

    def __init__(self) -> None:
        self.gateway = SimpleNamespace(id="gw")
        self.sent: list[list[int]] = []
        self.shutting_down = False

    def send_runtest_some(self, indices: Sequence[int]) -> None:
        self.sent.append(list(indices))

    def shutdown(self) -> None:
        self.shutting_down = True


def scheduled(tests: list[str], worker_count: int = 2) -> tuple[FromBothEnds, list[Worker]]:
    """A scheduler that has sent the first of *tests* to so many workers, in their order."""
    tx = ["popen"] * worker_count
    option = SimpleNamespace(loadscopereorder=True)
    config: Any = SimpleNamespace(getvalue=lambda name: tx, option=option)
    scheduler = FromBothEnds(config)
    workers = [Worker() for _ in range(worker_count)]
    for worker in workers:
        scheduler.add_node(cast(WorkerController, worker))
        scheduler.add_node_collection(cast(WorkerController, worker), tests)
    scheduler.schedule()
    return scheduler, workers


def run_all(scheduler: FromBothEnds, workers: list[Worker]) -> list[int]:
    """Let the workers take turns until none has a test left; the tests in the order they ran."""
    done: list[int] = []
    while any(worker.sent for worker in workers):
        for worker in workers:
            if worker.sent:
                index = worker.sent[0].pop(0)
                worker.sent = [indices for indices in worker.sent if indices]
                scheduler.mark_test_complete(cast(WorkerController, worker), index)
                done.append(index)
    return done


def test_the_last_worker_begins_with_the_last_tests_and_the_others_with_the_groups() -> None:
    tests = [f"t.py::test_{number}" for number in range(6)]
    tests += ["t.py::test_6@servers", "t.py::test_7@servers"]

    _, (first, last) = scheduled(tests)

    assert [6, 7] == first.sent[0]
    assert [5] == last.sent[0]


@pytest.mark.parametrize("worker_count", [1, 2, 4])
@pytest.mark.parametrize("count", [0, 1, 3, NEAR_THE_END + 50])
def test_each_test_is_sent_once_and_then_all_workers_are_shut_down(
    count: int, worker_count: int
) -> None:
    tests = [f"t.py::test_{number}" for number in range(count)]
    tests += [f"t.py::test_of_{number % 3}_{number}@group-{number % 3}" for number in range(20)]
    scheduler, workers = scheduled(tests, worker_count)

    done = run_all(scheduler, workers)

    assert list(range(len(tests))) == sorted(done)
    assert all(worker.shutting_down for worker in workers)
    assert scheduler.tests_finished


def test_what_a_worker_that_crashed_had_not_done_is_sent_to_another() -> None:
    tests = [f"t.py::test_{number}" for number in range(12)]
    scheduler, (crashed, other) = scheduled(tests)
    (begun, *_), *_ = crashed.sent

    crash_item = scheduler.remove_node(cast(WorkerController, crashed))

    assert tests[begun] == crash_item
    assert set(range(12)) == set(run_all(scheduler, [other]))


def test_a_worker_that_has_found_other_tests_is_sent_none() -> None:
    tests = [f"t.py::test_{number}" for number in range(12)]
    scheduler, (crashed, _) = scheduled(tests)
    scheduler.remove_node(cast(WorkerController, crashed))
    replacing = cast(WorkerController, Worker())
    scheduler.add_node(replacing)

    scheduler.add_node_collection(replacing, tests[1:])

    with pytest.raises(AssertionError, match="the tests of the others"):
        scheduler.schedule()


def test_many_tests_of_a_module_are_sent_at_once_while_many_are_left() -> None:
    tests = [f"a.py::test_{number}" for number in range(5)]
    tests += [f"b.py::test_{number}" for number in range(NEAR_THE_END + AT_ONCE_MAX)]

    _, (first, last) = scheduled(tests)

    assert list(range(5)) == first.sent[0]
    assert list(reversed(range(len(tests))))[:AT_ONCE_MAX] == last.sent[0]
