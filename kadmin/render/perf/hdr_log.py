"""Latencies as a log of HdrHistogram, version 1.2, which its tools and libraries read.

The library's own writer of logs fails at the line with the start; only its histograms are used.
"""

from typing import Final

from kadmin.records.perf.tally import Result, Tally

LONGEST_NS: Final = 24 * 3600 * 10**9
DIGITS: Final = 3
HEADER: Final = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'


def hdr_log(result: Result) -> str:
    """Return a histogram in ns for each window of *result*, or one for all where there is none."""
    lines = [
        "#[Histogram log format version 1.2]",
        f"#[StartTime: {result.started_ms / 1000:.3f} (seconds since epoch)]",
        HEADER,
    ]
    windows = [window for window in result.windows if not window.is_warmup]
    spans = [(window.at_s - window.seconds, window.seconds, window.tally) for window in windows]
    for began_s, seconds, tally in spans or [(0.0, result.seconds, result.tally)]:
        longest_ms = max(tally.latencies, default=0) / 1000
        lines.append(f"{began_s:.3f},{seconds:.3f},{longest_ms:.3f},{encoded(tally)}")
    return "\n".join([*lines, ""])


def encoded(tally: Tally) -> str:
    """Return the histogram of *tally*, compressed, in base64."""
    from hdrh.histogram import HdrHistogram

    histogram = HdrHistogram(1, LONGEST_NS, DIGITS)
    for us, count in tally.latencies.items():
        histogram.record_value(min(us * 1000, LONGEST_NS), count)
    text: bytes = histogram.encode()
    return text.decode()
