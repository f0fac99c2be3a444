"""The throughput of `kadmin merge-logs` with the logs of four brokers, beside `sort -m` and Kafka.

    python -m bench.merge_logs [--bytes 1073741824] [--rounds 2] [--only NAME…] [--no-kafka]

Whole processes on generated logs, in turns, their output read through a pipe; of each the run with
the least wall time; "Spark" is the same by Spark's tasks.  Goals at 1 GiB on two cores, beside the
StateChangeLogMerger of Kafka 2.8.2: all lines 6 times faster, one topic 5 times, typed to Parquet
faster than its plain text; one minute in 4 s, 1 MB in 3.5 s; no Python process above 400 MiB.
"""

import argparse
import gzip
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.measure import KADMIN, kafka_class_path, kafka_tool
from bench.process_tree import TreeRun, run_tree
from bench.statechange_logs import write_logs

TOPIC = "topic-074"
MINUTE = ("--start-time", "2026-11-20 03:01:00,000", "--end-time", "2026-11-20 03:01:59,999")
MASTERS = ("local[1]", "local[2]")
SPARK = ("--conf", "spark.ui.enabled=false")
"""A setting of Spark means that Spark is wanted."""
PACKED_FILES = (3, 3, 2, 2)
"""Into how many .gz files each broker's log is split: ten in all."""

SMALL_BYTES = 1 << 20
MERGER = "kafka.tools.StateChangeLogMerger"


@dataclass(frozen=True, slots=True)
class Case:
    """One case: which of the logs, with which options; whether Kafka can do it too.

    *bound* names what takes most of the time.
    """

    logs: str
    options: tuple[str, ...]
    is_kafkas: bool
    bound: str


CASES = {
    "all lines": Case("plain", (), True, "order and copies: memory bandwidth, and the pipe"),
    "one topic": Case("plain", ("--topic", TOPIC), True, "the survey of all lines"),
    "one minute": Case("plain", MINUTE, True, "the share of the logs that lies in the minute"),
    "to Parquet": Case("plain", ("--format", "parquet"), False, "reading each line's columns"),
    "ten .gz": Case("packed", (), False, "zlib, which unpacks a file on one core"),
    "1 MB": Case("small", (), True, "Python's start and imports"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", nargs="*", choices=CASES, default=list(CASES))
    parser.add_argument("--no-kafka", action="store_true")
    arguments = parser.parse_args()
    class_path = None if arguments.no_kafka else kafka_class_path("2.8.2")
    with tempfile.TemporaryDirectory() as directory:
        logs = make_logs(Path(directory), arguments.bytes, arguments.only)
        for name in arguments.only:
            case = CASES[name]
            runs = alternate(arguments.rounds, commands(case, logs, Path(directory), class_path))
            show(name, case, runs)


def make_logs(directory: Path, total_bytes: int, names: Sequence[str]) -> dict[str, list[Path]]:
    """The logs for the cases of *names*, by their names in the cases."""
    needed = {CASES[name].logs for name in names} | {"plain"}
    logs = {"plain": write_logs(directory / "plain", total_bytes)}
    if "small" in needed:
        logs["small"] = write_logs(directory / "small", SMALL_BYTES)
    if "packed" in needed:
        logs["packed"] = pack(logs["plain"], directory / "packed")
    return logs


def pack(logs: Sequence[Path], directory: Path) -> list[Path]:
    """Roll each of *logs* into files of about equal size and pack them."""
    jobs = []
    for log, count in zip(logs, PACKED_FILES, strict=True):
        target = directory / log.parent.name
        target.mkdir(parents=True)
        bounds = line_bounds(log, count)
        for number in range(count):
            path = target / f"{log.name}.2026-11-20-{number:02d}.gz"
            jobs.append((log, bounds[number], bounds[number + 1], path))
    with ProcessPoolExecutor() as pool:
        return list(pool.map(pack_one, *zip(*jobs, strict=True)))


def line_bounds(log: Path, count: int) -> list[int]:
    size = log.stat().st_size
    bounds = [0]
    with log.open("rb") as file:
        for number in range(1, count):
            file.seek(size * number // count)
            file.readline()
            bounds.append(file.tell())
    return [*bounds, size]


def pack_one(log: Path, begin: int, end: int, target: Path) -> Path:
    with log.open("rb") as file, gzip.open(target, "wb", compresslevel=6) as packed:
        file.seek(begin)
        left = end - begin
        while left > 0:
            left -= packed.write(file.read(min(left, 1 << 20)))
    return target


def commands(
    case: Case, logs: Mapping[str, Sequence[Path]], directory: Path, class_path: str | None
) -> dict[str, Callable[[], TreeRun]]:
    """The commands that can do *case*, by name."""
    joined = ",".join(map(str, logs[case.logs]))
    found: dict[str, Callable[[], TreeRun]] = {}
    for master in MASTERS:
        command = [*KADMIN, "merge-logs", "--logs", joined, "--master", master, *case.options]
        found[f"kadmin {master}"] = partial(run_into, command, directory / "out", case)
    by_spark = [*command, *SPARK]
    found[f"Spark {master}"] = partial(run_into, by_spark, directory / "out", case)
    if case.options == () and case.logs != "packed":
        # By date and time, which are the first two words; equal ones in the order of the files.
        files = map(str, logs[case.logs])
        found["sort -m"] = partial(
            run_tree, ["env", "LC_ALL=C", "sort", "-m", "-s", "-k1,2", *files]
        )
    if class_path is not None:
        options = case.options if case.is_kafkas else ()
        plain = ",".join(map(str, logs["plain" if case.logs == "packed" else case.logs]))
        command = kafka_tool(class_path, MERGER, "--logs", plain, *options)
        found["Kafka 2.8.2" if case.is_kafkas else "Kafka 2.8.2, plain text"] = partial(
            run_tree, command
        )
    return found


def run_into(command: Sequence[str], out: Path, case: Case) -> TreeRun:
    """Run *command*; Parquet goes to part files in *out*, which is removed afterwards."""
    if "parquet" not in case.options:
        return run_tree(command)
    try:
        return run_tree([*command, "--out", f"{out}/"])
    finally:
        shutil.rmtree(out, ignore_errors=True)


def alternate(rounds: int, commands: Mapping[str, Callable[[], TreeRun]]) -> dict[str, TreeRun]:
    """The run with the least wall time of *rounds* of each, in turns, so that noise affects all."""
    runs: dict[str, list[TreeRun]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, once in commands.items():
            runs[name].append(once())
    return {name: min(each, key=lambda run: run.wall_s) for name, each in runs.items()}


def show(name: str, case: Case, runs: Mapping[str, TreeRun]) -> None:
    print(f"{name}: bound by {case.bound}")
    others = [other for other in runs if not other.startswith("kadmin")]
    for who, run in runs.items():
        ratios = "".join(ratio(run, other, runs[other]) for other in others if other != who)
        print(f"  {who:24}{cells(run)}{ratios if who.startswith('kadmin') else ''}")


def cells(run: TreeRun) -> str:
    return (
        f"{run.wall_s:6.2f} s {run.cpu_s:6.2f} cpu  first byte {run.first_byte_s:5.2f} s"
        f"  {run.output_bytes / (1 << 20):7.1f} MiB out"
        f"  memory {run.pss_mib:5.0f} MiB, largest but JVMs {run.largest_mib:4.0f}"
    )


def ratio(run: TreeRun, other: str, theirs: TreeRun) -> str:
    return f"  {theirs.wall_s / run.wall_s:.1f} × {other.partition(',')[0]}"


if __name__ == "__main__":
    main()
