import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import kadmin
from kadmin.errors import KadminError, UnreachableError
from kadmin.jobs.merge.calls import Call
from kadmin.jobs.merge.driver import Driver
from kadmin.jobs.merge.gateway import spark_archive
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.merge.rows import Form, text
from kadmin.jobs.merge.run import Merged, merge
from kadmin.jobs.merge.sources import Source
from kadmin.jobs.merge.spark import SparkEngine
from kadmin.jobs.merge.spark_errors import SparkFailed
from kadmin.jvm.java import find_java
from tests.kadmin.jobs.merge import reference
from tests.kadmin.jobs.merge.logs import head, write_sources
from tests.support.spark import standalone_master
from tests.support.waiting import wait_until

pytestmark = pytest.mark.spark

CONTENTS = [
    [b"".join(head(7 * line + broker, b"INFO x\n") for line in range(500)) for _ in range(2)]
    for broker in range(3)
]
MERGED = reference.merge(CONTENTS)
SLICE_BYTES = 9000


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files are; none stays behind, and no Spark of the test's own either."""
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    # What else is set there would change how Spark is started.
    for name in [name for name in os.environ if "SPARK" in name]:
        monkeypatch.delenv(name)
    yield directory
    assert [] == list(directory.iterdir())


@pytest.fixture
def logs(tmp_path: Path) -> tuple[Source, ...]:
    return write_sources(tmp_path / "logs", CONTENTS)


def merging(logs: tuple[Source, ...], **options: Any) -> AbstractContextManager[Merged]:
    options = {"master": "local[2]", "slice_bytes": SLICE_BYTES, "part_bytes": 700, **options}
    return merge(MergeRequest(sources=logs, makes_archive=False, **options))


def merged_bytes(logs: tuple[Source, ...], **options: Any) -> bytes:
    with merging(logs, **options) as merged:
        return b"".join(output.read() for output in merged)


def fails(message: str) -> Form:
    raise KadminError(message, hint="a hint")


def kills_worker() -> Form:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("not reached")


def bug() -> Form:
    raise ZeroDivisionError("a bug of ours")


def text_by_shipped_code() -> Form:
    """The lines as they are, if the code that came with the job makes them."""
    if "kadmin.zip" not in str(kadmin.__file__):
        raise KadminError(f"kadmin's code is from {kadmin.__file__}")
    return text()


def test_tasks_of_this_machine_give_the_bytes_of_the_reference_twice_in_one_process(
    logs: tuple[Source, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    assert MERGED == merged_bytes(logs)
    assert MERGED == merged_bytes(logs, master="local[1]")

    assert ("", "") == capfd.readouterr()


def test_a_merge_that_nobody_reads_to_its_end_ends_at_once(
    logs: tuple[Source, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    with merging(logs) as merged:
        output = next(iter(merged))
        assert MERGED.startswith(output.read())

    assert ("", "") == capfd.readouterr()
    assert [] == [thread.name for thread in threading.enumerate() if thread.name == "spark-job"]


def test_an_error_of_ours_in_a_task_comes_back_as_it_was_raised(logs: tuple[Source, ...]) -> None:
    form = Call(f"{__name__}:fails", {"message": "the disk is full"})

    with pytest.raises(KadminError) as caught:
        merged_bytes(logs, form=form)

    assert ("the disk is full", "a hint") == (caught.value.message, caught.value.hint)


def test_a_bug_of_ours_in_a_task_is_named_in_one_sentence(logs: tuple[Source, ...]) -> None:
    with pytest.raises(SparkFailed, match="ZeroDivisionError: a bug of ours"):
        merged_bytes(logs, form=Call(f"{__name__}:bug"))


@pytest.mark.faults
def test_a_python_worker_that_is_killed_is_one_error(logs: tuple[Source, ...]) -> None:
    with pytest.raises(SparkFailed, match="Spark failed: "):
        merged_bytes(logs, form=Call(f"{__name__}:kills_worker"))


@pytest.mark.faults
def test_a_jvm_that_is_killed_is_one_error(logs: tuple[Source, ...], tmp_path: Path) -> None:
    driver = Driver("local[1]", {}, tmp_path)
    engine = SparkEngine(driver, input_bytes=0)
    try:
        engine.started.result()
        assert driver.process is not None
        os.kill(driver.process.pid, signal.SIGKILL)

        with pytest.raises(SparkFailed, match="Spark's JVM ended"):
            list(engine.run(len, [[]]))
    finally:
        engine.close(is_abandoned=True)


def test_settings_that_spark_refuses_are_one_error(logs: tuple[Source, ...]) -> None:
    with pytest.raises(SparkFailed, match="Spark failed: "):
        merged_bytes(logs, conf={"spark.task.cpus": "none"})


def test_a_master_that_is_not_there_is_named_at_once(logs: tuple[Source, ...]) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{unused.getsockname()[1]}"

        with pytest.raises(UnreachableError, match=f"{master} does not answer .*refused"):
            merged_bytes(logs, master=master)


def test_a_standalone_master_with_two_workers_gives_the_same_bytes(
    logs: tuple[Source, ...], tmp_path: Path
) -> None:
    options: dict[str, Any] = {
        "conf": {"spark.executor.memory": "500m", "spark.cores.max": "2"},
        "slice_bytes": 30_000,
        "form": Call(f"{__name__}:text_by_shipped_code"),
    }
    with standalone_master(tmp_path, workers=2) as master:
        assert MERGED == merged_bytes(logs, master=master, **options)


def test_the_same_merge_runs_by_spark_submit(logs: tuple[Source, ...], tmp_path: Path) -> None:
    script = tmp_path / "merge_logs.py"
    script.write_text(
        "import sys\n"
        "from tests.kadmin.jobs.merge.logs import found_in\n"
        "from tests.kadmin.jobs.merge.test_spark import merged_bytes\n"
        "sys.stdout.buffer.write(merged_bytes(found_in(sys.argv[1])))\n"
    )
    submit = Path(sys.executable).with_name("spark-submit")
    done = subprocess.run(
        [submit, "--master", "local[2]", script, tmp_path / "logs"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.getcwd(), "PYSPARK_PYTHON": sys.executable},
        check=True,
        timeout=50,
    )

    assert MERGED == done.stdout


def test_the_jvm_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    code = (
        "import sys, time, pathlib\n"
        "from kadmin.jobs.merge.driver import Driver\n"
        "driver = Driver('local[1]', {}, pathlib.Path(sys.argv[1]))\n"
        "driver.bring_up()\n"
        "print(driver.process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE
    ) as ours:
        assert ours.stdout is not None
        pid = int(ours.stdout.readline())
        ours.kill()

    wait_until(lambda: not Path(f"/proc/{pid}").exists(), timeout_s=20, what="the JVM's end")


@pytest.mark.timeout(240)
def test_an_archive_is_made_by_a_process_of_its_own_and_then_used(
    logs: tuple[Source, ...], temporary: Path
) -> None:
    archive = spark_archive(find_java())
    assert [] == archive.flags()

    archive.ask()

    wait_until(lambda: archive.find() is not None, timeout_s=200, what="the archive")
    assert archive.flags() != []
    with merging(logs) as merged:
        data = b"".join(output.read() for output in merged)
        (log,) = temporary.glob("kadmin-merge-*/spark.log")
        said = log.read_text()
    assert MERGED == data
    # The JVM would say so there if it could not use what it was told to use.
    assert "shared class" not in said
    assert "cds" not in said
