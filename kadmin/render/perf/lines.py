"""The lines of Kafka's performance tools, by Kafka 3.9 (`ProducerPerformance`,
`ConsumerPerformance`, `EndToEndLatency`)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kadmin.records.perf.tally import Latency, Result, Window
from kadmin.render.perf.dates import java_date

MIB: Final = 1024 * 1024

NO_LATENCY: Final = Latency(
    count=0, mean_ms=0.0, max_ms=0.0, min_ms=0.0, deviation_ms=0.0, percentiles={}
)

CONSUMED: Final = (
    *("data.consumed.in.MB", "MB.sec", "data.consumed.in.nMsg", "nMsg.sec"),
    *("rebalance.time.ms", "fetch.time.ms", "fetch.MB.sec", "fetch.nMsg.sec"),
)
CONSUMED_HEADER: Final = ", ".join(("start.time", "end.time", *CONSUMED))
DETAILED_HEADER: Final = ", ".join(("time", "threadId", *CONSUMED))


def produced_window_line(window: Window) -> str:
    tally, latency = window.tally, window.tally.latency() or NO_LATENCY
    seconds = max(window.seconds, 1e-9)
    return (
        f"{tally.records} records sent, {tally.records / seconds:.1f} records/sec"
        f" ({tally.bytes / seconds / MIB:.2f} MB/sec), {latency.mean_ms:.1f} ms avg latency,"
        f" {latency.max_ms:.1f} ms max latency."
    )


def produced_line(result: Result) -> str:
    """Return the last line, with percentiles."""
    latency = result.tally.latency() or NO_LATENCY
    whole = {percent: int(ms) for percent, ms in latency.percentiles.items()}
    return (
        f"{result.tally.records} records sent, {result.per_s:f} records/sec"
        f" ({result.bytes_per_s / MIB:.2f} MB/sec), {latency.mean_ms:.2f} ms avg latency,"
        f" {latency.max_ms:.2f} ms max latency, {whole.get(50.0, 0)} ms 50th,"
        f" {whole.get(95.0, 0)} ms 95th, {whole.get(99.0, 0)} ms 99th,"
        f" {whole.get(99.9, 0)} ms 99.9th."
    )


def consumed_line(result: Result, pattern: str) -> str:
    """Return the only line of a consumer; its times by *pattern*."""
    end_ms = result.started_ms + result.seconds * 1000
    fetch_s = max(result.seconds - result.rebalance_s, 0.0)
    mib = result.tally.bytes / MIB
    return ", ".join(
        (
            java_date(result.started_ms, pattern),
            java_date(end_ms, pattern),
            f"{mib:.4f}",
            f"{per(mib, result.seconds):.4f}",
            str(result.tally.records),
            f"{per(result.tally.records, result.seconds):.4f}",
            f"{result.rebalance_s * 1000:.0f}",
            f"{fetch_s * 1000:.0f}",
            f"{per(mib, fetch_s):.4f}",
            f"{per(result.tally.records, fetch_s):.4f}",
        )
    )


class DetailedLines:
    """The lines of `--show-detailed-stats`: what was read until then, and the rates since the line
    before."""

    def __init__(self, started_ms: float, pattern: str) -> None:
        self.started_ms = started_ms
        self.pattern = pattern
        self.records = self.bytes = 0

    def line(self, window: Window) -> str:
        tally = window.tally
        self.records += tally.records
        self.bytes += tally.bytes
        fetch_s = max(window.seconds - window.rebalance_s, 0.0)
        mib = tally.bytes / MIB
        return ", ".join(
            (
                java_date(self.started_ms + window.at_s * 1000, self.pattern),
                "0",
                f"{self.bytes / MIB:.4f}",
                f"{per(mib, window.seconds):.4f}",
                str(self.records),
                f"{per(tally.records, window.seconds):.4f}",
                f"{window.rebalance_s * 1000:.0f}",
                f"{fetch_s * 1000:.0f}",
                f"{per(mib, fetch_s):.4f}",
                f"{per(tally.records, fetch_s):.4f}",
            )
        )


def per(amount: float, seconds: float) -> float:
    """Return *amount* in a second; 0 where no time has passed, in which Kafka's tool prints
    infinity."""
    return amount / seconds if seconds > 0 else 0.0


def end_to_end_line(number: int, ms: float) -> str:
    return f"{number}\t{round(ms, 6)}"


def end_to_end_lines(result: Result) -> Iterator[str]:
    """Return the last lines: average and percentiles in whole ms."""
    latency = result.tally.latency() or NO_LATENCY
    yield f"Avg latency: {latency.mean_ms:.4f} ms"
    whole = {percent: int(ms) for percent, ms in latency.percentiles.items()}
    yield "Percentiles: " + ", ".join(
        f"{name} = {whole.get(percent, 0)}"
        for name, percent in (("50th", 50.0), ("99th", 99.0), ("99.9th", 99.9))
    )


def metric_lines(metrics: Mapping[str, float]) -> Iterator[str]:
    """Return librdkafka's statistics as Kafka's tools print metrics: a name and three decimals."""
    width = max(map(len, metrics), default=0)
    if metrics:
        yield f"{'Metric Name':{width}}   Value"
    for name in sorted(metrics):
        yield f"{name:{width}} : {metrics[name]:.3f}"


def failure_lines(reasons: Mapping[str, int]) -> Sequence[str]:
    """Return each reason for which records failed, the most frequent first."""
    return [
        f"{count:,} records were not delivered: {reason}"
        for reason, count in sorted(reasons.items(), key=lambda one: -one[1])
    ]
