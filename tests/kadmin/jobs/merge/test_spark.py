import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

import pytest

import kadmin
from kadmin import __main__ as kadmin_main
from kadmin.errors import KadminError, UnreachableError, UsageError
from kadmin.jobs.factory import Factory
from kadmin.jobs.merge import survey_phase
from kadmin.jobs.merge.inputs.sources import Source
from kadmin.jobs.merge.merge import Merge, merge
from kadmin.jobs.merge.output.plain_text import text
from kadmin.jobs.merge.output.rows import Formatter
from kadmin.jobs.merge.output.slice_output import PartFiles
from kadmin.jobs.merge.output.whole_files import part_files
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.spark.engine import SparkEngine
from kadmin.jobs.spark.errors import SparkFailed
from kadmin.jobs.spark.session import FLAGS
from tests.kadmin.jobs.merge import reference
from tests.kadmin.jobs.merge.logs import head, write_sources
from tests.support.spark import await_end_of_processes, processes_of
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = pytest.mark.spark

CONTENTS = [
    [b"".join(head(7 * line + broker, b"INFO x\n") for line in range(500)) for _ in range(2)]
    for broker in range(3)
]
MERGED = reference.merge(CONTENTS)
SLICE_BYTES = 9000


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files are; none stays behind, and no process that was started for a merge."""
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    # What else is set there would change how Spark is started.
    for name in [name for name in os.environ if "SPARK" in name]:
        monkeypatch.delenv(name)
    yield directory
    assert [] == list(directory.iterdir())
    await_end_of_processes(directory)


@pytest.fixture
def logs(tmp_path: Path) -> tuple[Source, ...]:
    return write_sources(tmp_path / "logs", CONTENTS)


def request_of(logs: tuple[Source, ...], **options: Any) -> MergeRequest:
    options = {"master": "local[2]", "slice_bytes": SLICE_BYTES, "part_bytes": 700, **options}
    return MergeRequest(sources=logs, **{"begins_here": False, **options})


def merging(
    logs: tuple[Source, ...], engine: SparkEngine | None = None, **options: Any
) -> AbstractContextManager[Merge]:
    """A merge on *engine*, or on a Spark of its own."""
    return merge(request_of(logs, **options), engine=engine)


def merged_bytes(
    logs: tuple[Source, ...], engine: SparkEngine | None = None, **options: Any
) -> bytes:
    with merging(logs, engine, **options) as merged:
        return b"".join(output.read() for output in merged)


def fails(message: str) -> Formatter:
    raise KadminError(message, hint="a hint")


def kills_worker(times: int, directory: str) -> Formatter:
    """The lines as they are, once so many workers killed themselves on the way."""
    for number in range(times):
        # Two workers at the same time take two of the numbers.
        with suppress(FileExistsError):
            Path(directory, str(number)).touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
    return text()


def bug() -> Formatter:
    raise ZeroDivisionError("a bug of ours")


def kills_executor(marker: str) -> Formatter:
    """The lines as they are, by code that came with the job; the first task ends its executor."""
    if "kadmin.zip" not in str(kadmin.__file__):
        raise KadminError(f"kadmin's code is from {kadmin.__file__}")
    with suppress(FileExistsError):
        Path(marker).touch(exist_ok=False)
        os.kill(parent(os.getppid()), signal.SIGKILL)
    return text()


def parent(pid: int) -> int:
    # The name, in parentheses, may hold blanks.
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.xdist_group("spark")
def test_one_spark_merges_again_and_again_also_after_errors_and_readers_that_stop(
    logs: tuple[Source, ...], spark_engine: SparkEngine, capfd: pytest.CaptureFixture[str]
) -> None:
    assert MERGED == merged_bytes(logs, spark_engine)
    formatter = Factory(f"{__name__}:fails", {"message": "the disk is full"})
    with pytest.raises(KadminError) as caught:
        merged_bytes(logs, spark_engine, formatter=formatter)
    assert ("the disk is full", "a hint") == (caught.value.message, caught.value.hint)
    with merging(logs, spark_engine) as merged:
        assert MERGED.startswith(next(iter(merged)).read())
    assert MERGED == merged_bytes(logs, spark_engine)

    assert ("", "") == capfd.readouterr()


def test_a_merge_that_nobody_reads_to_its_end_ends_at_once(
    logs: tuple[Source, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    with merging(logs, master="local[1]") as merged:
        output = next(iter(merged))
        assert MERGED.startswith(output.read())

    assert ("", "") == capfd.readouterr()
    assert [] == [thread.name for thread in threading.enumerate() if thread.name == "spark-job"]


def test_a_merge_that_is_over_before_spark_is_there_says_nothing_and_leaves_nothing(
    logs: tuple[Source, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    with merging(logs, begins_here=True) as merged:
        data = b"".join(output.read() for output in merged)
        assert not merged.engine.is_ready()

    assert MERGED == data
    assert ("", "") == capfd.readouterr()


@pytest.mark.long
def test_a_bug_of_ours_in_a_task_is_named_in_one_sentence(logs: tuple[Source, ...]) -> None:
    with pytest.raises(SparkFailed, match="ZeroDivisionError: a bug of ours") as caught:
        merged_bytes(
            logs, formatter=Factory(f"{__name__}:bug"), conf={"spark.task.maxFailures": "1"}
        )
    assert "local[1]" in str(caught.value.hint)


@pytest.mark.long
@pytest.mark.faults
def test_workers_that_are_killed_each_time_are_one_error_and_leave_no_part_files(
    logs: tuple[Source, ...], tmp_path: Path
) -> None:
    (tmp_path / "killed").mkdir()
    formatter = Factory(
        f"{__name__}:kills_worker", {"times": 99, "directory": str(tmp_path / "killed")}
    )

    with (
        pytest.raises(SparkFailed, match="Spark failed: "),
        part_files(str(tmp_path / "out"), ".log") as parts,
        merging(
            logs,
            master="local[1]",
            conf={"spark.task.maxFailures": "2"},
            part_files=parts,
            formatter=formatter,
        ) as merged,
    ):
        list(merged)

    assert [] == list((tmp_path / "out").iterdir())
    # As often as Spark tries the task that is waited for, and perhaps the one behind it.
    assert len(list((tmp_path / "killed").iterdir())) in (2, 3, 4)


@pytest.mark.faults
@pytest.mark.xdist_group("spark")
def test_what_killed_workers_had_not_done_others_do(
    logs: tuple[Source, ...], tmp_path: Path, spark_engine: SparkEngine
) -> None:
    (tmp_path / "killed").mkdir()
    formatter = Factory(
        f"{__name__}:kills_worker", {"times": 2, "directory": str(tmp_path / "killed")}
    )

    assert MERGED == merged_bytes(logs, spark_engine, formatter=formatter)
    assert 2 == len(list((tmp_path / "killed").iterdir()))


def test_settings_that_spark_refuses_are_one_error_though_a_merge_could_do_without(
    logs: tuple[Source, ...],
) -> None:
    with pytest.raises(SparkFailed, match="Spark failed: ") as caught:
        merged_bytes(logs, conf={"spark.task.cpus": "none"}, begins_here=True)
    assert "--conf" in str(caught.value.hint)


@pytest.mark.long
def test_of_what_a_scheduler_lacks_the_root_is_told(
    logs: tuple[Source, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "net.topology.node.switch.mapping.impl"
    (tmp_path / "core-site.xml").write_text(
        f"<configuration><property><name>{name}</name><value>no.Such</value></property>"
        "</configuration>"
    )
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))

    with pytest.raises(SparkFailed, match=r"cannot be instantiated: .*no\.Such not found"):
        merged_bytes(logs, master="yarn")


def test_a_master_that_is_not_there_is_named_at_once(logs: tuple[Source, ...]) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{unused.getsockname()[1]}"

        with pytest.raises(UnreachableError, match=f"{master} does not answer .*refused"):
            merged_bytes(logs, master=master)


@pytest.mark.faults
@pytest.mark.long
@pytest.mark.xdist_group("standalone-spark")
def test_a_standalone_master_with_two_workers_gives_the_same_bytes_also_when_an_executor_is_killed(
    logs: tuple[Source, ...],
    tmp_path: Path,
    standalone_spark: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def survey_here(task: object) -> None:
        raise AssertionError(f"{task} is for workers")

    monkeypatch.setattr(survey_phase, "BATCH_BYTES", 10_000)
    monkeypatch.setattr(survey_phase, "run_survey", survey_here)
    # Workers have other working directories.
    monkeypatch.chdir(tmp_path)
    formatter = Factory(f"{__name__}:kills_executor", {"marker": str(tmp_path / "killed")})
    conf = {"spark.executor.memory": "500m", "spark.cores.max": "2"}
    with (
        part_files("merged", ".log") as parts,
        merging(
            logs,
            master=standalone_spark,
            conf=conf,
            slice_bytes=30_000,
            formatter=formatter,
            part_files=parts,
        ) as merged,
    ):
        count = len(list(merged))

    written = sorted((tmp_path / "merged").iterdir())
    assert (True, count) == ((tmp_path / "killed").exists(), len(written))
    assert b"".join(path.read_bytes() for path in written) == MERGED


@pytest.mark.long
@pytest.mark.xdist_group("standalone-spark")
def test_what_workers_elsewhere_do_not_see_is_said_before_any_work(
    logs: tuple[Source, ...], tmp_path: Path, standalone_spark: str
) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    # Which only this process has there.
    parts = PartFiles(f"/proc/self/fd/{descriptor}", ".log")
    conf = {"spark.executor.memory": "500m", "spark.cores.max": "2"}
    try:
        with pytest.raises(UsageError, match=f"does not see {parts.directory}"):
            merged_bytes(logs, master=standalone_spark, conf=conf, part_files=parts)
    finally:
        os.close(descriptor)


@pytest.mark.long
def test_kadmin_itself_runs_by_spark_submit_and_says_nothing_but_the_result(
    logs: tuple[Source, ...], tmp_path: Path, temporary: Path
) -> None:
    (tmp_path / "logs" / "broker-0" / "state-change.log.notes").write_text("remember the milk\n")
    submit = Path(sys.executable).with_name("spark-submit")
    # Settings are meant: the merge waits for Spark's workers.
    words = ["merge-logs", str(tmp_path / "logs"), "--conf", "spark.task.maxFailures=1"]
    light = ["--conf", "spark.ui.enabled=false", "--driver-java-options", " ".join(FLAGS)]
    done = subprocess.run(
        [submit, "--master", "local[2]", *light, kadmin_main.__file__, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={
            **os.environ,
            "PYTHONPATH": os.getcwd(),
            "PYSPARK_PYTHON": sys.executable,
            "TMPDIR": str(temporary),
        },
        check=True,
        timeout=OUTER_LIMIT_S,
    )

    assert MERGED == done.stdout


@pytest.mark.faults
def test_spark_ends_with_the_process_that_started_it_also_in_the_middle_of_a_merge(
    logs: tuple[Source, ...], tmp_path: Path
) -> None:
    code = (
        "import sys, tempfile\n"
        "from tests.kadmin.jobs.merge.logs import found_in\n"
        "from tests.kadmin.jobs.merge.test_spark import merging\n"
        "tempfile.tempdir = sys.argv[2]\n"
        "with merging(found_in(sys.argv[1])) as merged:\n"
        "    print(len(next(iter(merged)).read()), flush=True)\n"
        "    sys.stdin.read()\n"
    )
    own = tmp_path / "own"
    own.mkdir()
    command = [sys.executable, "-c", code, str(tmp_path / "logs"), str(own)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as ours:
        assert ours.stdout is not None
        assert int(ours.stdout.readline()) > 0
        # The JVM, PySpark's daemon and at least one worker.
        assert len(processes_of(own)) > 2
        ours.kill()

    await_end_of_processes(own)
