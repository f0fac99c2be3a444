import sys
import threading
import traceback
from concurrent.futures import Future
from pathlib import Path

import pytest

from kadmin.errors import KadminError
from kadmin.jobs.spark.engine import SparkEngine, in_jobs, job_size, outcomes_of
from kadmin.jobs.spark.errors import SparkFailed
from kadmin.jobs.spark.session import Session
from tests.support.spark import await_end_of_processes
from tests.support.waiting import OUTER_LIMIT_S, wait_until


@pytest.mark.parametrize(
    ("sent", "result_bytes", "counts"),
    [
        pytest.param([], 0, [], id="nothing"),
        pytest.param([9] * 20, 0, [8, 8, 4], id="small ones"),
        pytest.param([9] * 9, 16 << 20, [3, 3, 3], id="large results"),
        pytest.param([9] * 3, 1 << 40, [1, 1, 1], id="no two results have room"),
        pytest.param([9, 40 << 20, 9, 25 << 20, 65 << 20, 9], 0, [3, 1, 1, 1], id="large sent"),
    ],
)
def test_a_job_takes_what_fits(sent: list[int], result_bytes: int, counts: list[int]) -> None:
    items = [bytes(size) for size in sent]

    jobs = list(in_jobs(iter(items), 8, result_bytes))

    assert [len(job) for job in jobs] == counts
    assert [each for job in jobs for each in job] == items


@pytest.mark.parametrize(
    ("count", "workers", "size"),
    [(0, 2, 2), (1, 4, 4), (40, 2, 5), (1_000, 2, 8), (1_000, 32, 125)],
)
def test_a_run_has_several_jobs_and_each_has_something_for_each_worker(
    count: int, workers: int, size: int
) -> None:
    assert job_size(count, workers) == size


@pytest.mark.parametrize(
    ("sizes", "workers", "started"),
    [
        pytest.param([16, 16, 16], 2, 2, id="as large as usual"),
        pytest.param([16, 1, 1, 1], 2, 3, id="until each worker has one behind"),
        pytest.param([1] * 9, 2, 3, id="none larger than a piece"),
        pytest.param([4], 2, 1, id="no more than there are"),
    ],
)
def test_so_many_jobs_are_started_that_workers_find_the_next(
    sizes: list[int], workers: int, started: int
) -> None:
    jobs = [[bytes([number])] * size for number, size in enumerate(sizes)]
    begun: list[list[bytes]] = []

    def start(job: list[bytes]) -> Future[list[bytes]]:
        begun.append(job)
        future: Future[list[bytes]] = Future()
        future.set_result(job)
        return future

    outcomes = outcomes_of(iter(jobs), start, workers)

    assert jobs[0] == next(outcomes)
    assert started == len(begun)
    assert jobs[1:] == list(outcomes)


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
    engine = SparkEngine(Session("test", "local[1]", conf, tmp_path / "own"))
    try:
        assert [7] == list(engine.run(abs, [-7]))
        # What a shuffle writes lies there, too.
        shuffled = engine.session.context.parallelize([(1, 1)], 1).partitionBy(1)
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
    session = Session("test", "local[1]", {}, tmp_path)
    engine = SparkEngine(session)
    try:
        assert [7] == list(engine.run(abs, [-7]))
        servers = [each for each in threading.enumerate() if is_of_accumulators(each)]
        assert session.process is not None
        session.process.kill()
        session.process.wait(OUTER_LIMIT_S)
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
