import errno
import os
from pathlib import Path

import pytest

from kadmin.jobs.spark.errors import SparkFailed, error_line, hint_for, py4j_errors, reason

TASK = """Job aborted: Task 0 failed: org.apache.spark.api.python.PythonException: Traceback:
  File "worker.py", line 1, in main
ValueError: no such thing

	at org.apache.spark.api.python.BasePythonRunner
"""


NO_PYTHON = """
Error from python worker:
  python3: No module named numpy
PYTHONPATH was:
  /lib
"""


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("", "it gave no reason"),
        (NO_PYTHON, "Error from python worker: python3: No module named numpy"),
        ("Error from python worker:", "Error from python worker:"),
        (TASK, "ValueError: no such thing"),
        ("Master is lost\n\tat java", "Master is lost"),
    ],
)
def test_the_reason_is_one_sentence_of_a_message(message: str, why: str) -> None:
    assert reason(message) == why


@pytest.mark.parametrize(
    ("why", "hint"),
    [
        ("ModuleNotFoundError: No module named 'crc32c'", "pip install 'kadmin-kafka[spark]'"),
        (reason(NO_PYTHON), "PYSPARK_PYTHON"),
        ("java.io.IOException: No space left on device", "TMPDIR"),
        ("Master is lost", "the usual one"),
    ],
)
def test_what_is_missing_is_advised_where_it_is_known(why: str, hint: str) -> None:
    assert hint in hint_for(why, "the usual one")


STARTS = """WARNING: Using incubator modules: jdk.incubator.vector
Using Spark's default log4j profile: org/apache/spark/log4j2-defaults.properties
26/11/27 02:28:50 WARN SparkConf: Note that spark.local.dir will be overridden
Setting default log level to "WARN".
To adjust logging level use sc.setLogLevel(newLevel).
"""


@pytest.mark.parametrize(
    ("log", "line"),
    [
        ("", "it said nothing"),
        (STARTS, "it said nothing"),
        (f"{STARTS}Unrecognized option: -XX:Odd\n", "Unrecognized option: -XX:Odd"),
        (f"{STARTS}java.lang.OutOfMemoryError: heap\nlater\n", "java.lang.OutOfMemoryError: heap"),
        (
            "Invalid maximum heap size: -Xmxabc\n"
            "Error: Could not create the Java Virtual Machine.\n"
            "Error: A fatal exception has occurred. Program will exit.\n"
            "NOTE: Picked up JDK_JAVA_OPTIONS: -XX:+ExitOnOutOfMemoryError\n",
            "Invalid maximum heap size: -Xmxabc",
        ),
        (
            "#\n# A fatal error:\n#\n#  SIGBUS (0x7) at pc=0x1\n#\n# end\n#\n",
            "SIGBUS (0x7) at pc=0x1",
        ),
    ],
)
def test_what_a_jvm_says_at_each_start_tells_nothing(tmp_path: Path, log: str, line: str) -> None:
    path = tmp_path / "spark.log"
    path.write_text(log)

    assert line == error_line(path)


def test_a_full_disk_is_no_jvm_that_ended() -> None:
    with (
        pytest.raises(SparkFailed, match="cannot write for Spark: no space left") as raised,
        py4j_errors(None, hint="other"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    assert raised.value.hint is not None
    assert "TMPDIR" in raised.value.hint
