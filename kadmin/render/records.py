"""Summaries of records: what became of them on their way, and how fast are they?

Knows no broker: it is handed numbers.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from kadmin.render.output import Document, Output
from kadmin.wording import counted

EVERY_S: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducedView:
    """What became of records; latencies in ms, None where no broker answered.

    *in_doubt* of those that *failed* may be in the topic all the same.
    """

    topic: str
    delivered: int
    failed: int
    in_doubt: int
    bytes: int
    seconds: float
    p50_ms: float | None
    p99_ms: float | None


def produced_document(produced: ProducedView) -> Document:
    """Return the typed forms of *produced*; its text is printed on standard error."""
    record = {
        "topic": produced.topic,
        "delivered": produced.delivered,
        "failed": produced.failed,
        "in_doubt": produced.in_doubt,
        "bytes": produced.bytes,
        "seconds": round(produced.seconds, 3),
        "latency_ms_p50": rounded(produced.p50_ms),
        "latency_ms_p99": rounded(produced.p99_ms),
    }
    return Document(
        schema="kadmin.produce/1",
        body=lambda: record,
        columns=tuple(record),
        rows=lambda: [tuple(record.values())],
        lines=lambda: [],
    )


def rounded(ms: float | None) -> float | None:
    return None if ms is None else round(ms, 2)


def produced_line(produced: ProducedView) -> str:
    """Return one line with all of *produced*."""
    line = f"produced {amounts(produced.delivered, produced.bytes, produced.seconds)}"
    if produced.p50_ms is not None and produced.p99_ms is not None:
        p50, p99 = duration_text(produced.p50_ms), duration_text(produced.p99_ms)
        line += f"; delivered in {p50} (p50), {p99} (p99)"
    if produced.failed:
        line += f"; {counted(produced.failed, 'record')} failed"
    return line + (f", {produced.in_doubt:,} may be in the topic" if produced.in_doubt else "")


def consumed_line(records: int, size_bytes: int, seconds: float) -> str:
    """Return one line with how much was read."""
    return f"consumed {amounts(records, size_bytes, seconds)}"


def amounts(records: int, size_bytes: int, seconds: float) -> str:
    """Write the records and bytes in all, and in a second where there were any and some time has
    passed."""
    text = f"{counted(records, 'record')}, {size_text(size_bytes)}"
    if seconds <= 0:
        return text
    text += f" in {seconds:,.2f} s"
    if not records:
        return text
    return f"{text}: {records / seconds:,.0f} records/s, {size_text(size_bytes / seconds)}/s"


def size_text(size_bytes: float) -> str:
    """Return *size_bytes* in the unit that leaves something to see: bytes, kB or MB, by
    thousands."""
    if size_bytes >= 999_950:
        return f"{size_bytes / 1e6:,.2f} MB"
    return f"{size_bytes / 1e3:.1f} kB" if size_bytes >= 999.5 else f"{size_bytes:.0f} B"


def duration_text(ms: float) -> str:
    """Return *ms* by its three leading figures, from a second on in seconds."""
    return f"{ms:.3g} ms" if ms < 999.5 else f"{ms / 1000:,.1f} s"


class RateLine:
    """A line on a terminal's standard error that is written over again and again.

    Without *output* there is none.
    """

    def __init__(self, output: Output | None) -> None:
        self.output = output
        self.started = time.monotonic()
        self.next_at = self.started + EVERY_S

    def show(self, records: int, size_bytes: int) -> None:
        """Show the progress, at most twice a second."""
        if self.output is None or (now := time.monotonic()) < self.next_at:
            return
        self.next_at = now + EVERY_S
        self.write(f"\r\x1b[K{amounts(records, size_bytes, now - self.started)}")

    def clear(self) -> None:
        """Make way for other lines."""
        if self.output is not None and self.next_at > self.started + EVERY_S:
            self.write("\r\x1b[K")

    def write(self, text: str) -> None:
        assert self.output is not None
        self.output.stderr.write(text)
        self.output.stderr.flush()


@contextmanager
def rate_line(output: Output, *, is_shown: bool) -> Iterator[RateLine]:
    """Open a line of progress if it *is_shown*, standard error is a terminal, and output is not
    quiet."""
    wanted = is_shown and not output.quiet and output.stderr.isatty()
    line = RateLine(output if wanted else None)
    try:
        yield line
    finally:
        line.clear()
