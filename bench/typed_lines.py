"""The time for parsing lines of state-change logs into columns.

    python -m bench.typed_lines [--lines 500000] [--at-once 32768] [--release 2.8]

Draws lines of every usual template of a release, with long names and numbers, which is harder than
real logs are; CPU time of one process, best of three.  Goal: 3 µs a line.
"""

import argparse
import resource
import time
from random import Random

import pyarrow as pa

from kadmin.statechange.examples import draw_example, releases_of
from kadmin.statechange.kinds import Kind, Level
from kadmin.statechange.language import release
from kadmin.statechange.parse import parse_line
from kadmin.statechange.templates import TEMPLATES
from kadmin.statechange.typed import LINES_AT_ONCE, typed_batch

RELEASES = ("0.9.0", "1.1", "2.8", "3.6")
RARE = {
    *(Kind.METADATA_BATCH, Kind.NOISE, Kind.RESPONSE, Kind.REASSIGNMENT),
    *(Kind.LOCAL_PARTITION, Kind.OFFLINE_REPLICAS),
}
DRAWN = 20_000
"""Distinct lines; they are repeated, since drawing them takes far longer than reading them."""

PLAIN_LINES = 5_000


def usual_lines(version_text: str) -> list[bytes]:
    """Lines without errors, equally many of each template."""
    version = release(version_text)
    templates = [
        template
        for template in TEMPLATES
        if version in releases_of(template)
        and template.kind not in RARE
        and not {Level.ERROR, Level.WARN} & set(template.levels_in(version))
    ]
    random = Random(1)
    return [
        draw_example(random.choice(templates), version, random).text.encode() for _ in range(DRAWN)
    ]


def seconds_in_columns(lines: pa.LargeBinaryArray, at_once: int) -> float:
    started = time.process_time()
    for first in range(0, len(lines), at_once):
        part = lines.slice(first, at_once)
        zeros = pa.nulls(len(part), pa.int32()).fill_null(0)
        nowhere = pa.DictionaryArray.from_arrays(zeros, ["broker-1"])
        typed_batch(
            part,
            sources=nowhere,
            files=nowhere,
            line_numbers=zeros.cast(pa.int64()),
        )
    return time.process_time() - started


def seconds_line_by_line(lines: list[bytes]) -> float:
    started = time.process_time()
    for line in lines:
        parse_line(line.decode())
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=500_000)
    parser.add_argument("--at-once", type=int, default=LINES_AT_ONCE)
    parser.add_argument("--release", nargs="*", default=RELEASES)
    arguments = parser.parse_args()
    for version in arguments.release:
        drawn = usual_lines(version)
        copies = -(-arguments.lines // len(drawn))
        lines = pa.array(drawn * copies, pa.large_binary()).slice(0, arguments.lines)
        took = min(seconds_in_columns(lines, arguments.at_once) for _ in range(3))
        plain = seconds_line_by_line(drawn[:PLAIN_LINES]) / PLAIN_LINES
        print(
            f"{version:6} {len(lines)} lines of {lines.nbytes // len(lines)} bytes:"
            f" {took / len(lines) * 1e6:.2f} µs a line, line by line {plain * 1e6:.0f} µs"
        )
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak_mib:.0f} MiB, all lines included")


if __name__ == "__main__":
    main()
