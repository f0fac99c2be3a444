"""Reporters that write all metrics every few seconds: CSV files, Graphite, console and log.

A reporter that cannot write drops what it has, and the broker goes on.
"""

import asyncio
import errno
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

from cluster.metrics.beans import Bean
from cluster.metrics.csv_rows import COLUMNS, SUFFIX, file_name, header, row
from cluster.metrics.graphite_lines import graphite_lines
from cluster.metrics.registry import MetricsRegistry, Value
from cluster.metrics.text_report import console_lines, log_line
from cluster.settings.reporter_settings import Address

SLICE: Final = 100
"""Fewer values than for a scrape: each takes longer, and nothing waits for all of them."""
CONNECT_S: Final = 5.0

logger: Final = logging.getLogger(__name__)
metrics_logger: Final = logging.getLogger("cluster.metrics")


class PolledReporter(Protocol):
    """Takes the metrics of a poll one by one, and writes them at its end."""

    def add(self, bean: Bean, tags: tuple[str, ...], value: Value, /) -> None: ...

    async def flush(self) -> None: ...


async def poll(
    registry: MetricsRegistry, reporters: Sequence[PolledReporter], interval_s: float
) -> None:
    """Give all metrics to *reporters* every *interval_s*, for ever.

    A reporter that still writes those of the time before misses these, and delays no other.
    """
    writing: dict[PolledReporter, asyncio.Task[None]] = {}
    try:
        while True:
            await asyncio.sleep(interval_s)
            free = [each for each in reporters if each not in writing or writing[each].done()]
            for part in registry.slices(SLICE):
                for bean, points in part:
                    for tags, value in points:
                        for reporter in free:
                            reporter.add(bean, tags, value)
                await asyncio.sleep(0)
            writing |= {each: asyncio.create_task(each.flush()) for each in free}
    finally:
        for task in writing.values():
            task.cancel()


class Writer:
    """Writes on a thread that neither the loop nor the end of the process waits for.

    While an earlier write goes on, whose disk or pipe is stuck, others are dropped.  A failure is
    logged once, until a write succeeds again.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._thread: threading.Thread | None = None
        self._has_failed = False

    def write(self, work: Callable[[], None]) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
            self._thread.start()

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (OSError, ValueError) as error:  # A closed stream is a ValueError.
            if not self._has_failed:
                self._has_failed = True
                logger.warning("%s cannot be written: %s", self._what, error)
        else:
            self._has_failed = False


class CsvReporter:
    """A file for each metric in *directory*; files that are there go on."""

    def __init__(self, directory: str) -> None:
        self._directory = Path(directory)
        self._writer = Writer(f"metrics in {directory}")
        self._started_s = time.monotonic()
        self._rows: dict[str, tuple[str, str]] = {}
        self._names: dict[tuple[Bean, tuple[str, ...]], str] = {}
        self._owners: dict[str, tuple[Bean, tuple[str, ...]]] = {}

    def add(self, bean: Bean, tags: tuple[str, ...], value: Value, /) -> None:
        if bean.kind not in COLUMNS:
            return
        name = self._names.get((bean, tags)) or self._name(bean, tags)
        time_s = int(time.monotonic() - self._started_s)
        self._rows[name] = header(bean), row(bean, value, time_s)

    def _name(self, bean: Bean, tags: tuple[str, ...]) -> str:
        """Choose a file for a metric: of two with one name the second has its type in it, too."""
        name = file_name(bean, tags)
        metric = (bean, tags)
        if self._owners.setdefault(name, metric) != metric:
            name = f"{name.removesuffix(SUFFIX)}.{bean.type}{SUFFIX}"
            self._owners.setdefault(name, metric)
        self._names[metric] = name
        return name

    async def flush(self) -> None:
        rows, self._rows = self._rows, {}
        self._writer.write(lambda: append_rows(self._directory, rows))


def append_rows(directory: Path, rows: dict[str, tuple[str, str]]) -> None:
    """Append a row to each file, after its header if it is new; whole or not at all, where the
    disk is full."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, (head, line) in rows.items():
        with (directory / name).open("ab", buffering=0) as file:
            size = file.tell()
            content = f"{line}\n" if size else f"{head}\n{line}\n"
            if file.write(content.encode()) < len(content):
                # The next row must not go on where this one has ended.
                file.truncate(size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)


class GraphiteReporter:
    """Sends lines to the Graphite at *address*, by one connection a poll."""

    def __init__(self, address: Address, prefix: str) -> None:
        self._address = address
        self._prefix = prefix
        self._lines: list[str] = []
        self._has_failed = False

    def add(self, bean: Bean, tags: tuple[str, ...], value: Value, /) -> None:
        self._lines += graphite_lines(bean, tags, value, self._prefix, int(time.time()))

    async def flush(self) -> None:
        lines, self._lines = self._lines, []
        host, port = self._address.host, self._address.port
        try:
            async with asyncio.timeout(CONNECT_S):
                await send(host, port, "".join(lines).encode())
        except (OSError, UnicodeError, TimeoutError) as error:  # UnicodeError: no name of a host.
            if not self._has_failed:
                self._has_failed = True
                reason = getattr(error, "strerror", None) or f"no answer within {CONNECT_S:g} s"
                logger.warning("Graphite at %s:%d takes no metrics: %s", host, port, reason)
        else:
            if self._has_failed:
                logger.info("Graphite at %s:%d takes metrics again", host, port)
            self._has_failed = False


async def send(host: str, port: int, content: bytes) -> None:
    _, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(content)
        await writer.drain()
        writer.write_eof()
        writer.close()
        await writer.wait_closed()
    finally:
        writer.transport.abort()


class ConsoleReporter:
    """Prints metrics to the standard output of the process."""

    def __init__(self) -> None:
        self._writer = Writer("metrics on standard output")
        self._lines: list[str] = []

    def add(self, bean: Bean, tags: tuple[str, ...], value: Value, /) -> None:
        self._lines += console_lines(bean, tags, value)

    async def flush(self) -> None:
        head = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {'=' * 60}"
        text = "\n".join((head, *self._lines, "", ""))
        self._lines = []
        self._writer.write(lambda: print_now(text))


def print_now(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


class LogReporter:
    """Writes metrics to the log, one a line."""

    def add(self, bean: Bean, tags: tuple[str, ...], value: Value, /) -> None:
        metrics_logger.info("%s", log_line(bean, tags, value))

    async def flush(self) -> None:
        pass
