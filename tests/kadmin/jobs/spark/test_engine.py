from pathlib import Path

import pytest

from kadmin.errors import KadminError
from kadmin.jobs.spark.driver import Driver
from kadmin.jobs.spark.engine import SparkEngine, work_items_per_job
from kadmin.jobs.spark.master_url import check_master


@pytest.mark.parametrize(
    ("result_bytes", "workers", "per_job"),
    [(0, 1, 8), (1_000, 4, 32), (16 << 20, 4, 4), (64 << 20, 4, 1), (1 << 40, 4, 1)],
)
def test_a_job_has_as_many_work_items_as_their_results_fit_here(
    result_bytes: int, workers: int, per_job: int
) -> None:
    assert work_items_per_job(result_bytes, workers) == per_job


@pytest.mark.spark
@pytest.mark.xdist_group("standalone-spark")
def test_a_cluster_gives_results_in_order_from_few_jobs(
    standalone_spark: str, tmp_path: Path
) -> None:
    driver = Driver("test", standalone_spark, {"spark.executor.memory": "500m"}, tmp_path)
    engine = SparkEngine(driver)
    try:
        numbers = [-number for number in range(100)]
        assert list(engine.run(abs, numbers)) == list(range(100))
        jobs = driver.context.statusTracker().getJobIdsForGroup(None)
        assert len(jobs) < 20, "a job for each work item takes longer than the work"

        assert list(engine.run(abs, [-1, -2, -3], result_bytes=1 << 30)) == [1, 2, 3]
        masters = ["local"] * 20 + ["spark://nobody"] + ["local"] * 20
        taken: list[None] = []
        with pytest.raises(KadminError, match="'nobody' is no host and port"):
            taken.extend(engine.run(check_master, masters))
        assert taken == [None] * 20
        assert list(engine.run(abs, [-7])) == [7], "it goes on after a failure"
    finally:
        engine.close(is_abandoned=False)
