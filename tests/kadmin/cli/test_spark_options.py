"""Which masters of Spark commands take."""

from pathlib import Path

import pytest

from kadmin.app.spark import chosen_master
from kadmin.jobs.spark.master_url import local_cores
from tests.support.cli import kadmin


@pytest.mark.parametrize(
    "master",
    [
        *("local[x]", "local[0]", "local[2", "local[99999999999]", "local[2,0]", "local[ 2 ]"),
        *("local-cluster[0,1,1024]", "local-cluster[2,1]", "spark//h:7077", "spark://"),
        *("mesos://h:5050", "None", "Yarn", ""),
    ],
)
def test_a_master_that_spark_would_not_know_is_refused_also_for_little(
    tmp_path: Path, master: str
) -> None:
    run = kadmin("verify-replicas", "--log-dir", f"1={tmp_path}", "--master", master)

    assert 2 == run.exit_code
    assert f"--master '{master}' is no master of Spark" in run.stderr
    assert "local[4], spark://HOST:7077, yarn" in run.stderr


@pytest.mark.parametrize(
    "master",
    [
        *("local", "local[*]", "local[02]", "local[2,3]", "local[*, 4]", "yarn"),
        *("local-cluster[1,1,1024]", "local-cluster[ 2 , 1 , 600 ]"),
        *("spark://h1:7077,h2:7077", "k8s://h", "k8s://https://h:443"),
    ],
)
def test_masters_are_named_as_spark_names_them(master: str) -> None:
    assert master == chosen_master(master, {})


@pytest.mark.parametrize(
    ("master", "cores"),
    [("local", 1), ("local[*]", None), ("local[02]", 2), ("local[3,4]", 3), ("local[*, 4]", None)],
)
def test_a_local_master_names_cores(master: str, cores: int | None) -> None:
    assert cores == local_cores(master)
