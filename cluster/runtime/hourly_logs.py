"""The log files of a broker: server.log, controller.log and state-change.log in one directory.

Each has Kafka's layout and is rolled every hour as Kafka's are, so that tools for Kafka's logs can
read them.
"""

import logging
import os
import re
import sys
import time
from io import FileIO
from typing import Final

from cluster.statechange.line import Level, StateChangeLine

LAYOUT: Final = "[%(asctime)s] %(levelname)s %(message)s (%(name)s)"
HOUR: Final = "%Y-%m-%d-%H"
SERVER_LOG: Final = "server.log"
CONTROLLER_LOG: Final = "controller.log"
STATE_CHANGE_LOG: Final = "state-change.log"
STATE_CHANGE: Final = "state.change.logger"
CONTROLLER: Final = "cluster.controller"
TRACE: Final = 5

WARN: Final = "WARN"
"""Kafka's name for Python's WARNING."""

NUMBERS: Final = {
    "TRACE": TRACE,
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    WARN: logging.WARNING,
    "ERROR": logging.ERROR,
}
LEVELS: Final = {level: NUMBERS[level.value] for level in Level}

state_change_logger: Final = logging.getLogger(STATE_CHANGE)


CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Characters that end lines, or control a terminal."""


class Layout(logging.Formatter):
    """`[yyyy-MM-dd HH:mm:ss,SSS] LEVEL message (logger)`, in local time."""

    def __init__(self) -> None:
        super().__init__(LAYOUT)

    def format(self, record: logging.LogRecord) -> str:
        if record.levelno == logging.WARNING:
            record.levelname = WARN
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """One line, whatever text a client sends: otherwise it could imitate other lines.

        Stack traces are below the line.
        """
        record.message = one_line(record.message)
        return super().formatMessage(record)


def one_line(text: str) -> str:
    return CONTROL.sub(escaped, text)


def escaped(match: re.Match[str]) -> str:
    return repr(match[0])[1:-1]


class HourlyFile(logging.Handler):
    """Appends to a file, which is renamed to its hour when that is over.

    The hour of the last write counts, also across restarts; an hour without lines leaves no file.
    A line that the disk refuses is lost: a log that cannot be written must not stop the broker.
    """

    def __init__(self, path: str) -> None:
        """Open the file at *path*, or raise OSError."""
        super().__init__()
        self._path = path
        self._file = open_log(path)
        written_s = os.fstat(self._file.fileno()).st_mtime
        self._ends_s = end_of_hour(written_s)
        self._hour = hour_name(written_s)
        self.setFormatter(Layout())

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if record.created >= self._ends_s:
                self._roll(record.created)
            # A client id may be any text: a line that cannot be encoded is not lost.
            self._file.write(f"{self.format(record)}\n".encode("utf-8", "backslashreplace"))
        except OSError as error:
            print_lost(self._path, error)

    def _roll(self, now_s: float) -> None:
        target = f"{self._path}.{self._hour}"
        # An hour that a clock is set back by occurs twice: its lines stay with the next ones.
        if os.fstat(self._file.fileno()).st_size > 0 and not os.path.exists(target):
            self._file.close()
            os.rename(self._path, target)
            self._file = open_log(self._path)
        self._ends_s = end_of_hour(now_s)
        self._hour = hour_name(now_s)

    def close(self) -> None:
        self._file.close()
        super().close()


def open_log(path: str) -> FileIO:
    # Without a buffer, so that lines which a full disk refuses are neither repeated nor kept.
    return FileIO(path, "a")


def hour_name(time_s: float) -> str:
    return time.strftime(HOUR, time.localtime(time_s))


def end_of_hour(time_s: float) -> float:
    """The end of the local hour of *time_s*; in half-hour zones that is not on UTC's hour."""
    local = time.localtime(time_s)
    return int(time_s) - local.tm_min * 60 - local.tm_sec + 3600


def print_lost(path: str, error: OSError) -> None:
    sys.stderr.write(f"cannot write {path}: {error.strerror}\n")


def start_logging(directory: str, *, level: int = logging.INFO) -> None:
    """Write all log lines of this process to the files in *directory*, created if missing.

    Lines of server.log go to stderr as well, for the operator who started it.  Raises OSError.
    """
    os.makedirs(directory, exist_ok=True)
    logging.addLevelName(TRACE, "TRACE")
    to_stderr = logging.StreamHandler(sys.stderr)
    to_stderr.setFormatter(Layout())
    root = logging.getLogger()
    root.setLevel(level)
    root.addHandler(HourlyFile(os.path.join(directory, SERVER_LOG)))
    root.addHandler(to_stderr)
    # kazoo logs every change of a connection; our lines have what an operator needs.
    logging.getLogger("kazoo").setLevel(logging.WARNING)
    for name, file_name in ((CONTROLLER, CONTROLLER_LOG), (STATE_CHANGE, STATE_CHANGE_LOG)):
        logger = logging.getLogger(name)
        logger.addHandler(HourlyFile(os.path.join(directory, file_name)))
        logger.propagate = False
    state_change_logger.setLevel(TRACE)


def write_state_change(line: StateChangeLine) -> None:
    """Write one line in Kafka's layout; an exception is below it, as there."""
    level = LEVELS[line.level]
    if not state_change_logger.isEnabledFor(level):
        return
    message, _, exception = line.message.partition("\n")
    record = state_change_logger.makeRecord(STATE_CHANGE, level, "", 0, message, (), None)
    if exception:
        record.exc_text = one_line(exception)
    state_change_logger.handle(record)
