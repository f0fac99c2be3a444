"""Results of performance tests in every form of output."""

from collections.abc import Iterator, Mapping, Sequence

from kadmin.records.perf.tally import Latency, Result, Window
from kadmin.render.output import Document
from kadmin.render.perf.histogram import histogram_lines, sparkline


def result_document(
    schema: str,
    facts: Mapping[str, object],
    result: Result,
    lines: Sequence[str],
) -> Document:
    """Return *result* of a test of *facts*; as text it is *lines*, on a terminal with pictures."""
    record = {**facts, **result_fields(result)}

    def body() -> Mapping[str, object]:
        windows = [window_fields(window) for window in result.windows]
        return {**record, "windows": windows, "metrics": dict(result.metrics)}

    flat = {name: value for name, value in record.items() if not isinstance(value, dict)}
    flat |= {f"latency_{key}": value for key, value in latency_fields(result).items()}
    return Document(
        schema=f"kadmin.perf.{schema}/1",
        body=body,
        columns=tuple(flat),
        rows=lambda: [tuple(flat.values())],
        lines=lambda: lines,
        screen=lambda: [*lines, *pictures(result)],
    )


def result_fields(result: Result) -> dict[str, object]:
    return {
        "started_ms": result.started_ms,
        "seconds": round(result.seconds, 6),
        "records": result.tally.records,
        "failed": result.tally.failed,
        "bytes": result.tally.bytes,
        "records_per_s": round(result.per_s, 3),
        "bytes_per_s": round(result.bytes_per_s, 3),
        "warmup_records": result.warmup.records,
        "rebalance_ms": round(result.rebalance_s * 1000, 3),
        "failures": dict(result.tally.reasons),
        "latency_ms": latency_fields(result),
    }


def latency_fields(result: Result) -> dict[str, float | int | None]:
    return latency_of(result.tally.latency())


def latency_of(latency: Latency | None) -> dict[str, float | int | None]:
    """Return the fields of *latency* in ms; empty where nothing was timed."""
    if latency is None:
        return {}
    return {
        "timed": latency.count,
        "mean": round(latency.mean_ms, 4),
        "min": round(latency.min_ms, 4),
        "max": round(latency.max_ms, 4),
        "stddev": round(latency.deviation_ms, 4),
        **{f"p{percent:g}": round(ms, 4) for percent, ms in latency.percentiles.items()},
    }


def window_fields(window: Window) -> dict[str, object]:
    tally = window.tally
    return {
        "at_s": round(window.at_s, 3),
        "seconds": round(window.seconds, 3),
        "warmup": window.is_warmup,
        "records": tally.records,
        "failed": tally.failed,
        "bytes": tally.bytes,
        "latency_ms": latency_of(tally.latency()),
    }


def pictures(result: Result) -> Iterator[str]:
    rates = [
        window.tally.records / window.seconds
        for window in result.windows
        if not window.is_warmup and window.seconds > 0
    ]
    if len(rates) > 1:
        yield f"records/sec {sparkline(rates)}  {min(rates):,.0f} to {max(rates):,.0f}"
    yield from histogram_lines(result.tally.latencies)
