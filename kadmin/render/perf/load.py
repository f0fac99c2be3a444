"""A load: a row for each interval, and what was unavailable, when and how long."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kadmin.records.perf.availability import Incident
from kadmin.records.perf.load import LoadResult, LoadWindow
from kadmin.records.perf.tally import Tally
from kadmin.render.output import Document
from kadmin.render.perf.dates import java_date
from kadmin.render.perf.documents import latency_of
from kadmin.wording import counted, first_listed

TIME: Final = "HH:mm:ss.SSS"
COLUMNS: Final = (
    *("time", "sent/s", "written/s", "p50 ms", "p99 ms", "read/s", "p50 ms", "p99 ms"),
    *("errors", "waiting"),
)
HEADER: Final = "".join(
    f"{name:>{width}}" for name, width in zip(COLUMNS, (12, *[10] * 9), strict=True)
)


def window_line(window: LoadWindow, started_ms: float) -> str:
    """Return the row of *window*; its latencies are from when a record was to be sent."""
    seconds = max(window.seconds, 1e-9)
    cells: list[str] = [f"{window.sent / seconds:,.0f}"]
    for tally in (window.written, window.read):
        latency = tally.latency()
        cells.append(f"{tally.records / seconds:,.0f}")
        cells += (
            ["-", "-"]
            if latency is None
            else [f"{latency.percentiles[percent]:,.1f}" for percent in (50.0, 99.0)]
        )
    cells += [f"{window.written.failed + window.read.failed:,}", f"{window.waiting:,}"]
    when = java_date(started_ms + window.at_s * 1000, TIME)
    return f"{when:>12}" + "".join(f"{cell:>10}" for cell in cells)


def load_document(
    facts: Mapping[str, object], result: LoadResult, windows: Sequence[LoadWindow]
) -> Document:
    incidents = [("write", one) for one in result.write_incidents]
    incidents += [("read", one) for one in result.read_incidents]

    def body() -> Mapping[str, object]:
        return {
            **facts,
            "started_ms": result.started_ms,
            "seconds": round(result.seconds, 3),
            "partitions": result.partitions,
            "sent": result.sent,
            "written": tally_fields(result.written),
            "read": tally_fields(result.read),
            "unread": {f"{topic}-{number}": n for (topic, number), n in result.unread.items()},
            "out_of_order": result.out_of_order,
            "incidents": [
                {
                    "direction": direction,
                    "began_ms": round(result.started_ms + one.began * 1000),
                    "ended_ms": None
                    if one.ended is None
                    else round(result.started_ms + one.ended * 1000),
                    "partitions": [f"{topic}-{number}" for topic, number in one.partitions],
                }
                for direction, one in incidents
            ],
            "windows": [
                {
                    "at_s": round(window.at_s, 3),
                    "sent": window.sent,
                    "written": tally_fields(window.written),
                    "read": tally_fields(window.read),
                    "waiting": window.waiting,
                }
                for window in windows
            ],
        }

    def rows() -> Iterator[tuple[object, ...]]:
        for direction, one in incidents:
            names = " ".join(f"{topic}-{number}" for topic, number in one.partitions)
            yield (direction, one.began, one.ended, len(one.partitions), names)

    return Document(
        schema="kadmin.perf.load/1",
        body=body,
        columns=("direction", "began_s", "ended_s", "partition_count", "partitions"),
        rows=rows,
        lines=lambda: lines_of(result, incidents),
    )


def tally_fields(tally: Tally) -> dict[str, object]:
    return {
        "records": tally.records,
        "failed": tally.failed,
        "failures": dict(tally.reasons),
        "latency_ms": latency_of(tally.latency()),
    }


def lines_of(result: LoadResult, incidents: Sequence[tuple[str, Incident]]) -> Iterator[str]:
    yield (
        f"{result.sent:,} records sent in {result.seconds:.1f} s, {result.written.records:,}"
        f" acknowledged, {result.written.failed:,} failed, {result.read.records:,} read"
    )
    for direction, one in incidents:
        yield incident_line(direction, one, result)
    if not incidents:
        yield f"no outage in {counted(result.partitions, 'partition')}"
    if result.unread:
        total = sum(result.unread.values())
        names = first_listed([f"{topic}-{number}" for topic, number in sorted(result.unread)])
        yield f"acknowledged and never read: {counted(total, 'record')} of {names}"
    if result.out_of_order:
        yield f"read twice or out of order: {counted(result.out_of_order, 'record')}"
    for reasons in (result.written.reasons, result.read.reasons):
        for reason, count in reasons.most_common():
            yield f"{count:,} × {reason}"


def incident_line(direction: str, one: Incident, result: LoadResult) -> str:
    """Return when, for how long and which partitions could not be written, or read."""
    began = java_date(result.started_ms + one.began * 1000, TIME)
    names = first_listed([f"{topic}-{number}" for topic, number in sorted(one.partitions)])
    of_all = f"{len(one.partitions):,} of {result.partitions:,}"
    if one.ended is None:
        return f"{direction} outage from {began} on, not over: {of_all} partitions: {names}"
    ended = java_date(result.started_ms + one.ended * 1000, TIME)
    took = one.ended - one.began
    return f"{direction} outage {began} to {ended}, {took:.3f} s: {of_all} partitions: {names}"
