"""What an operator reads when Spark fails.

One sentence out of Java's many.  Knows neither what was asked of Spark nor how it was started.
"""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from kadmin.errors import KadminError

CAUSES_MAX: Final = 20

NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

ROOM_HINT: Final = "TMPDIR moves what is temporary; on workers spark.local.dir does"

MODULE_HINT: Final = (
    "the Python of the workers lacks it: pip install 'kadmin-kafka[spark]' there, or name another"
    " Python by PYSPARK_PYTHON"
)

USUAL: Final = re.compile(r"\bWARN(ING)?\b|\blog4j\b|\blog(ging)? level\b")
"""What Spark's JVM prints each time."""

BESIDE: Final = re.compile(
    r"Error: (A fatal exception has occurred|Could not create the Java Virtual Machine)"
    r"|NOTE: Picked up "
)
"""What Java prints besides the reason why it does not start."""

MEMORY_HINT: Final = "give the driver more: --conf spark.driver.memory=2g"


class SparkFailed(KadminError):
    """Spark could not start or could not do its work."""


@contextmanager
def py4j_errors(log: Path | None, *, hint: str) -> Iterator[None]:
    """Turn errors of Spark and py4j into one sentence, with the help of the JVM's *log*.

    *hint* is for errors of Spark itself.

    Raises:
        SparkFailed: anything of theirs was raised inside.
    """
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except Py4JJavaError as error:
        why = reason_with_cause(error.java_exception)
        if "stopped SparkContext" in why and log is not None:
            # The reason is only in its log.
            why = error_line(log)
        raise SparkFailed(f"Spark failed: {why}", hint=hint_for(why, hint)) from error
    except PySparkException as error:
        why = reason(str(error))
        raise SparkFailed(f"Spark failed: {why}", hint=hint_for(why, hint)) from error
    except (Py4JError, OSError, EOFError) as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise SparkFailed(
                f"cannot write for Spark: {reason_of(error)}", hint=ROOM_HINT
            ) from error
        said = "" if log is None else f": {error_line(log)}"
        is_short = "OutOfMemoryError" in said
        raise SparkFailed(
            f"Spark's JVM ended{said}", hint=MEMORY_HINT if is_short else None
        ) from error


def hint_for(why: str, hint: str) -> str:
    """Return what to do about *why* Spark failed: a better advice than *hint*, if there is one."""
    if "No space left on device" in why:
        return ROOM_HINT
    if "No module named" in why:
        return MODULE_HINT
    return hint


def reason_of(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def reason_with_cause(exception: Any) -> str:
    """Return the message of a Java exception and, where it differs, that of its root cause."""
    root = exception
    for _ in range(CAUSES_MAX):
        cause = root.getCause()
        if cause is None:
            break
        root = cause
    why = reason(str(exception.getMessage()))
    # Of a class that is missing the message is but its name.
    deeper = reason(str(root.toString()))
    return why if root is exception or reason(str(root.getMessage())) in why else f"{why}: {deeper}"


def reason(message: str) -> str:
    """Return the part of a Java exception's message that is the reason."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if not lines:
        return "it gave no reason"
    # A Python task's traceback ends with the exception, and Java's stack follows.
    python = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    first = (python or lines)[0]
    if first.endswith(":") and lines[-1] != first:
        # Of a Python that could not start, what it said follows.
        first = f"{first} {lines[lines.index(first) + 1]}"
    return first[:400]


def error_line(log: Path) -> str:
    """Return the line of the JVM's output that is most likely the error."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    # A JVM that crashes frames its message with these.
    lines = [line for each in lines if not BESIDE.match(line := each.strip("# "))]
    telling = [line for line in lines if re.search(r"Exception|\bERROR\b|Error\b|^SIG", line)]
    unusual = [line for line in lines if line and not USUAL.search(line)]
    said = (telling or unusual or ["it said nothing"])[-1]
    return said.strip()[:300]
