import subprocess
import sys
from pathlib import Path

import pytest

from kadmin.jobs.spark.driver import has_sockets
from kadmin.jobs.spark.jvm import JvmLaunch, class_path, environment, spark_home
from kadmin.jvm.java import find_java


def launch(directory: Path, master: str, **conf: str) -> JvmLaunch:
    return JvmLaunch(
        java=find_java(),
        conf={"spark.master": master, **conf},
        heap_mib=512,
        directory=directory,
    )


@pytest.fixture(autouse=True)
def own_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    for name in ("SPARK_HOME", "SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("master", ["local", "local[*]", "local[2,4]", "spark://one:7077"])
def test_pythons_of_a_plain_driver_have_no_zip_to_take_pyspark_from(
    tmp_path: Path, master: str
) -> None:
    found = environment(launch(tmp_path, master))

    assert not (Path(found["SPARK_HOME"]) / "python").exists()
    assert str(spark_home() / "conf") == found["SPARK_CONF_DIR"]


@pytest.mark.parametrize("master", ["yarn", "k8s://https://one", "local-cluster[1,1,1024]"])
def test_what_schedulers_start_is_taken_from_where_spark_is(tmp_path: Path, master: str) -> None:
    found = environment(launch(tmp_path, master))

    assert (str(spark_home()), None) == (found["SPARK_HOME"], found.get("SPARK_CONF_DIR"))


def test_another_python_finds_pyspark_where_spark_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "/usr/bin/python3")

    assert str(spark_home()) == environment(launch(tmp_path, "local"))["SPARK_HOME"]


def test_scripts_find_spark_and_end_without_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-Down=1")
    found = environment(launch(tmp_path, "local", **{"spark.driver.memory": "2g"}))

    assert str(spark_home()) == found["SPARK_HOME"]
    assert "-Down=1 -XX:+ExitOnOutOfMemoryError" == found["JDK_JAVA_OPTIONS"]


@pytest.mark.parametrize(
    ("directory", "master", "conf", "has"),
    [
        ("/tmp/kadmin-merge-abcdefgh", "local[*]", {}, True),
        ("/tmp/kadmin-merge-abcdefgh", "spark://one:7077", {"spark.cores.max": "2"}, True),
        ("/tmp/kadmin-merge-abcdefgh", "yarn", {}, False),
        ("/tmp/kadmin-merge-abcdefgh", "local-cluster[1,1,1024]", {}, False),
        (f"/{'d' * 59}", "local[*]", {}, True),
        (f"/{'d' * 60}", "local[*]", {}, False),
        # Scripts do not tell the JVM the directory.
        ("/tmp/kadmin-merge-abcdefgh", "local[*]", {"spark.driver.memory": "2g"}, False),
        (
            "/tmp/kadmin-merge-abcdefgh",
            "spark://one:7077",
            {"spark.executor.extraJavaOptions": "-Xss2m -Djava.io.tmpdir=/data/tmp"},
            False,
        ),
    ],
)
def test_sockets_are_files_where_their_names_fit(
    directory: str, master: str, conf: dict[str, str], has: bool
) -> None:
    assert has == has_sockets(launch(Path(directory), master, **conf), conf.items())


@pytest.mark.spark
def test_the_class_path_is_that_of_sparks_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", str(spark_home()))
    monkeypatch.setenv("SPARK_SCALA_VERSION", "2.13")
    said = subprocess.run(
        [
            *(find_java().path, "-cp", f"{spark_home()}/jars/*"),
            *("org.apache.spark.launcher.Main", "org.apache.spark.deploy.worker.Worker"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    words = said.stdout.split("\0")
    entries = words[words.index("-cp") + 1].split(":")
    assert [each.rstrip("/") for each in entries] == class_path(spark_home()).split(":")
