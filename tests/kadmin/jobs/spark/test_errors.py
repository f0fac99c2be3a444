import pytest

from kadmin.jobs.spark.errors import reason

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
