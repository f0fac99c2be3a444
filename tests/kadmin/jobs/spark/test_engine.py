import sys
import threading
import traceback
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from kadmin.errors import KadminError
from kadmin.jobs.spark import engine as engine_module
from kadmin.jobs.spark.driver import Driver
from kadmin.jobs.spark.engine import SparkEngine, in_jobs, outcomes_of
from kadmin.jobs.spark.errors import SparkFailed
from tests.support.spark import await_end_of_processes
from tests.support.waiting import OUTER_LIMIT_S, wait_until


@pytest.mark.parametrize(
    ("sent", "result_bytes", "workers", "counts"),
    [
        pytest.param([], 0, 1, [], id="nothing"),
        pytest.param([9] * 20, 0, 1, [10, 8, 2], id="small ones"),
        pytest.param([9] * 300, 0, 3, [96, 96, 54, 27, 24, 3], id="many small ones"),
        pytest.param([9] * 20, 1_000, 4, [20], id="many workers"),
        pytest.param([9] * 9, 16 << 20, 4, [3, 3, 3], id="large results"),
        pytest.param([9] * 3, 1 << 40, 4, [1, 1, 1], id="no two results have room"),
        pytest.param([9, 40 << 20, 9, 25 << 20, 65 << 20, 9], 0, 4, [3, 1, 1, 1], id="large sent"),
    ],
)
def test_a_job_takes_what_fits_and_has_something_for_each_worker(
    sent: list[int], result_bytes: int, workers: int, counts: list[int]
) -> None:
    work_items = [bytes(size) for size in sent]

    jobs = list(in_jobs(iter(work_items), len(work_items), result_bytes, workers))

    assert [len(job) for job in jobs] == counts
    assert [each for job in jobs for each in job] == work_items


class Jobs:
    """Jobs of so many work items each, which end when they are told to."""

    def __init__(self, *sizes: int) -> None:
        self.jobs = [[bytes([number])] * size for number, size in enumerate(sizes)]
        self.started: list[Future[list[bytes]]] = []
        self.outcomes = outcomes_of(iter(self.jobs), self.start, workers=2)

    def start(self, job: list[bytes]) -> Future[list[bytes]]:
        assert job == self.jobs[len(self.started)]
        self.started.append(Future())
        return self.started[-1]

    def end(self, *numbers: int) -> None:
        for number in numbers:
            self.started[number].set_result(self.jobs[number])

    def waits_of(
        self, monkeypatch: pytest.MonkeyPatch, endings: Sequence[Sequence[int]]
    ) -> list[int]:
        """How many jobs were started whenever the taker waits; then those of *endings* end."""
        waits: list[int] = []

        def wait(_: list[Future[list[bytes]]], return_when: str) -> None:
            self.end(*endings[len(waits)])
            waits.append(len(self.started))

        monkeypatch.setattr(engine_module, "wait", wait)
        return waits


def test_a_job_that_spark_did_before_an_earlier_one_makes_way_for_the_next() -> None:
    jobs = Jobs(*[2] * 6)
    taken: list[list[bytes]] = []
    taker = threading.Thread(target=lambda: taken.extend(jobs.outcomes))
    taker.start()

    for ended in ((1,), (0,), (2,), (4,), (3,), (5,)):
        wait_until(
            lambda: len(at_work(jobs)) == min(2, 6 - done(jobs)),
            what="two jobs at work",
        )
        jobs.end(*ended)
    taker.join(OUTER_LIMIT_S)

    assert jobs.jobs == taken


def done(jobs: Jobs) -> int:
    return sum(each.done() for each in jobs.started)


def at_work(jobs: Jobs) -> list[Future[list[bytes]]]:
    return [each for each in jobs.started if not each.done()]


def test_no_more_outcomes_are_held_than_one_job_s_and_another_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jobs = Jobs(*[2] * 9)
    waits = jobs.waits_of(monkeypatch, [[1], [2], [0]])

    first = next(jobs.outcomes)

    assert [2, 3, 3] == waits
    assert jobs.jobs[0] == first


@pytest.mark.parametrize(
    ("sizes", "started"),
    [
        pytest.param([16, 16, 16], 2, id="as large as usual"),
        pytest.param([16, 3, 16], 2, id="a small one behind"),
        pytest.param([16, 1, 1, 1], 3, id="until each worker has one behind"),
        pytest.param([1] * 9, 3, id="none larger than a work item"),
    ],
)
def test_so_many_jobs_are_started_that_workers_find_the_next(
    sizes: list[int], started: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Jobs(*sizes)
    waits = jobs.waits_of(monkeypatch, [[0]])

    next(jobs.outcomes)

    assert [started] == waits


def test_what_a_job_raised_comes_in_its_turn() -> None:
    def start(job: list[bytes]) -> Future[list[bytes]]:
        future: Future[list[bytes]] = Future()
        if job == [b"bad"]:
            future.set_exception(KadminError("broken"))
        else:
            future.set_result(job)
        return future

    outcomes = outcomes_of(iter([[b"good"], [b"bad"], [b"good"]]), start, workers=1)

    assert [b"good"] == next(outcomes)
    with pytest.raises(KadminError, match="broken"):
        next(outcomes)


@pytest.mark.spark
def test_an_engine_ends_without_a_word_and_leaves_no_files_and_no_process(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "large-disk"
    place.mkdir()
    (tmp_path / "own").mkdir()
    conf = {"spark.local.dir": str(place)}
    engine = SparkEngine(Driver("test", "local[1]", conf, tmp_path / "own"))
    try:
        assert [7] == list(engine.run(abs, [-7]))
        # Its task would keep the only core.
        assert engine.work_queue is not None
        assert engine.job is not None
        engine.work_queue.close()
        engine.job.join()
        engine.work_queue = engine.job = None
        # What a shuffle writes lies there, too.
        shuffled = engine.driver.context.parallelize([(1, 1)], 1).partitionBy(1)
        assert [(1, 1)] == shuffled.collect()
        assert list(place.iterdir())
    finally:
        engine.close(is_abandoned=False)

    assert [] == list(place.iterdir())
    assert ("", "") == capfd.readouterr()
    await_end_of_processes(tmp_path / "own")


@pytest.mark.spark
@pytest.mark.faults
def test_a_jvm_that_is_killed_is_one_error_and_pyspark_says_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    driver = Driver("test", "local[1]", {}, tmp_path)
    engine = SparkEngine(driver)
    try:
        assert [7] == list(engine.run(abs, [-7]))
        servers = [each for each in threading.enumerate() if is_of_accumulators(each)]
        assert driver.process is not None
        driver.process.kill()
        driver.process.wait(OUTER_LIMIT_S)
        # A connection that ended is one that is told of.
        wait_until(lambda: not is_in_conversation(servers[0]), what="the end of its connection")
        with pytest.raises(SparkFailed, match="Spark's JVM ended"):
            list(engine.run(len, [[]]))
    finally:
        engine.close(is_abandoned=True)

    assert ("", "") == capfd.readouterr()


def is_in_conversation(server: threading.Thread) -> bool:
    """Whether a server that serves one connection at a time is serving one."""
    frames = traceback.walk_stack(sys._current_frames()[server.ident or 0])
    return any(frame.f_code.co_name == "handle" for frame, _ in frames)


def is_of_accumulators(thread: threading.Thread) -> bool:
    return "serve_forever" in thread.name or "accumulator" in thread.name.lower()
