"""Logs for tests: made by strategies, by hand, and written where a merge finds them."""

import gzip
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from kadmin.jobs.merge.inputs.find import find_inputs
from kadmin.jobs.merge.inputs.sources import Source, group
from kadmin.jobs.merge.merge import merge
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.merge.summary import Summary

START = datetime(2026, 11, 20, 3)
START_MS = (START - datetime(1970, 1, 1)) // timedelta(milliseconds=1)

BODIES = (
    b"INFO [Controller id=1 epoch=7] Changed partition t-0 state from NewPartition to X",
    b"TRACE Broker 2 handling LeaderAndIsr request correlationId 4 for partition [other,1]",
    b"ERROR [Broker id=3] \xff\xfe undecodable",
    b"WARN x",
    b"",
)
CONTINUATIONS = (
    b"java.lang.IllegalStateException: [2026-11-20 03:00:00,000] is no date of this line",
    b"\tat kafka.Broker.run(Broker.scala:12) [2026-11-20 03:00:00,000] INFO not one either",
    b"Caused by: x",
    b"\tthe leader of t-0 is gone",
    b"",
    b"[2026-02-30 03:00:00,000] INFO there is no such day",
)
PREFIXES = (b"", b"", b"", b"broker1  | ", b"state-change.log:17:", b"[pod/kafka-0] ")


def stamp(offset_ms: int) -> bytes:
    """The date of *offset_ms* after `START` as log4j writes it."""
    time = START + timedelta(milliseconds=offset_ms)
    return time.strftime(f"[%Y-%m-%d %H:%M:%S,{time.microsecond // 1000:03d}]").encode()


def head(offset_ms: int, body: bytes = b"INFO x") -> bytes:
    return stamp(offset_ms) + b" " + body


@st.composite
def contents(draw: st.DrawFn, lines_max: int = 25) -> bytes:
    """A log: mostly ascending times, stack traces, prefixes, CRLF, cut ends, a clock gone wrong."""
    steps = draw(st.lists(st.sampled_from([0, 0, 0, 1, 1, 7, 900, -2, -2000]), max_size=lines_max))
    ending = draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))
    lines = draw(st.lists(st.sampled_from(CONTINUATIONS), max_size=2))
    now = draw(st.integers(0, 3000))
    for step in steps:
        now = max(now + step, 0)
        prefix = draw(st.sampled_from(PREFIXES))
        body = draw(st.sampled_from(BODIES if not prefix else BODIES[:4]))
        lines.append(prefix + head(now, body))
        lines += draw(st.lists(st.sampled_from(CONTINUATIONS), max_size=1))
    whole = ending.join(lines) + ending if lines else b""
    return whole[: len(whole) - draw(st.sampled_from([0, 0, 1, 3]))]


def write_sources(
    directory: Path, sources: Sequence[Sequence[bytes]], *, packed: bool = False
) -> tuple[Source, ...]:
    """One broker directory a source, its files rolled hourly and the last one bare."""
    for number, files in enumerate(sources):
        at = directory / f"broker-{number}"
        at.mkdir(parents=True)
        for position, content in enumerate(files):
            is_last = position == len(files) - 1
            name = "state-change.log" + ("" if is_last else f".2026-11-20-{position:02d}")
            if packed:
                (at / f"{name}.gz").write_bytes(gzip.compress(content))
            else:
                (at / name).write_bytes(content)
    return found_in(directory)


def merged(sources: Sequence[Source], **options: Any) -> tuple[bytes, Summary]:
    """All bytes of a merge in this process, and its summary."""
    request = MergeRequest(sources=tuple(sources), **{"master": None, **options})
    with merge(request) as slices:
        data = b"".join(output.read() for output in slices)
        return data, slices.summary()


def found_in(directory: Path) -> tuple[Source, ...]:
    """The sources that a directory holds."""
    return group(find_inputs([str(directory)]).files)
