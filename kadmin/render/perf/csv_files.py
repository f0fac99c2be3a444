"""The files of Kafka's CSV metrics reporter (`--csv-reporter-enabled --metrics-dir` of Kafka 0.8).

One file for each metric, its name followed by the topic: Kafka's have the name alone, so that the
metrics of two topics want the same file, and the second gets none.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final

from kadmin.errors import UsageError
from kadmin.records.perf.tally import Window

METER: Final = "# time,count,1 min rate,mean rate,5 min rate,15 min rate"
HISTOGRAM: Final = "# time,min,max,mean,median,stddev,95%,99%,99.9%"
METERS: Final = ("RecordsPerSec", "BytesPerSec", "FailedRecordsPerSec")
LATENCY: Final = "LatencyMs"
MINUTES: Final = (1, 5, 15)


class Meter:
    """A count with its rates, the moving ones as Yammer's meter: exponentially decaying."""

    def __init__(self) -> None:
        self.count = 0
        self.rates: dict[int, float] = {}

    def mark(self, count: int, seconds: float) -> None:
        """Add *count*, which came within *seconds*."""
        self.count += count
        if seconds <= 0:
            return
        for minutes in MINUTES:
            alpha = 1 - math.exp(-seconds / 60 / minutes)
            # Like Yammer's, it begins with the first rate, and not with 0.
            before = self.rates.get(minutes, count / seconds)
            self.rates[minutes] = before + alpha * (count / seconds - before)

    def row(self, at_s: float) -> str:
        mean = self.count / at_s if at_s > 0 else 0.0
        one, five, fifteen = (self.rates.get(minutes, 0.0) for minutes in MINUTES)
        return f"{at_s:.0f},{self.count},{one:f},{mean:f},{five:f},{fifteen:f}"


def latency_row(window: Window) -> str | None:
    """Return the row of a histogram; None where nothing was timed."""
    latency = window.tally.latency()
    if latency is None:
        return None
    p = latency.percentiles
    values = (latency.min_ms, latency.max_ms, latency.mean_ms, p[50.0], latency.deviation_ms)
    return f"{window.at_s:.0f}," + ",".join(f"{v:f}" for v in (*values, p[95.0], p[99.0], p[99.9]))


class CsvFiles:
    """The files of one run; a row for each window, written at once."""

    def __init__(self, directory: str, scope: str) -> None:
        """Take the *directory*, which is made where there is none, and what names end with.

        Raises:
            UsageError: a file is there already, or cannot be written.
        """
        self.stack = ExitStack()
        self.meters: Mapping[str, Meter] = {name: Meter() for name in METERS}
        self.files: dict[str, IO[str]] = {}
        try:
            for name in (*METERS, LATENCY):
                path = Path(directory) / f"{name}.{scope}.csv"
                path.parent.mkdir(parents=True, exist_ok=True)
                # Kafka's reporter deletes the directory first, whatever is in it.
                stream = self.stack.enter_context(path.open("x", encoding="utf-8"))
                self.files[name] = stream
                print(METER if name in METERS else HISTOGRAM, file=stream, flush=True)
        except OSError as error:
            self.stack.close()
            raise UsageError(
                f"cannot write to {error.filename}: {error.strerror}",
                hint="--csv takes a directory without the files of another run",
            ) from error

    def write(self, window: Window) -> None:
        for name, row in self.rows(window):
            print(row, file=self.files[name], flush=True)

    def rows(self, window: Window) -> Iterator[tuple[str, str]]:
        tally = window.tally
        counts = dict(zip(METERS, (tally.records, tally.bytes, tally.failed), strict=True))
        for name, meter in self.meters.items():
            meter.mark(counts[name], window.seconds)
            yield name, meter.row(window.at_s)
        latency = latency_row(window)
        if latency is not None:
            yield LATENCY, latency

    def close(self) -> None:
        self.stack.close()
