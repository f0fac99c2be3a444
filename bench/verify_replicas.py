"""The throughput of `kadmin verify-replicas`, beside Kafka's dump tool and a plain read.

    python -m bench.verify_replicas [--bytes 536870912] [--rounds 2] [--no-kafka]

Whole processes over generated log directories of two brokers, uncompressed batches of 16 records of
1,000 bytes by default, in turns; of each the run with the least wall time.  Kafka 3.9.1's
DumpLogSegments reads one file at a time and compares nothing; it gets the same files.  Goals:
Kafka's rate by headers and checksums; 10 times its rate record by record (`--deep`), which is
reached with the small records that Kafka takes long for (`--records 160 --value-size 100`): of
large ones reading and checksums are most of the work, and neither gets faster.
"""

import argparse
import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.measure import KADMIN, Run, alternate, kafka_class_path, kafka_tool, run
from cluster.formats.record_batch import parse_header, stamp
from tests.cluster.storage.batches import batch

RECORDS = 16
VALUE_SIZE = 1000
SEGMENT_SIZE = 256 * 1024**2
DUMP = "kafka.tools.DumpLogSegments"


def write_replica(
    directory: Path, size: int, records: int = RECORDS, value_size: int = VALUE_SIZE
) -> list[Path]:
    """The segments of a partition of about *size* bytes, each batch of so many *records*."""
    chance = random.Random(1)
    made = batch([chance.randbytes(value_size) for _ in range(records)])
    header = parse_header(made)
    directory.mkdir(parents=True)
    paths: list[Path] = []
    offset = 0
    for left in range(size, 0, -SEGMENT_SIZE):
        path = directory / f"{offset:020}.log"
        with path.open("wb") as file:
            for _ in range(min(left, SEGMENT_SIZE) // header.size):
                stamp(made, header, offset, 0)
                file.write(made)
                offset += records
        paths.append(path)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=512 * 1024**2)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--value-size", type=int, default=VALUE_SIZE)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--no-kafka", action="store_true")
    arguments = parser.parse_args()
    jars = None if arguments.no_kafka else kafka_class_path("3.9.1")
    with tempfile.TemporaryDirectory() as name:
        roots = [Path(name) / broker for broker in ("1", "2")]
        files = [
            str(path)
            for root in roots
            for path in write_replica(
                root / "orders-0", arguments.bytes // 2, arguments.records, arguments.value_size
            )
        ]
        size = sum(Path(file).stat().st_size for file in files)
        ours = [*KADMIN, "verify-replicas"]
        for number, root in enumerate(roots, start=1):
            ours += ["--log-dir", f"{number}={root}"]
        commands: dict[str, Callable[[], Run]] = {
            "plain read": partial(run, ["cat", *files]),
            "kadmin": partial(run, ours),
            "kadmin --deep": partial(run, [*ours, "--deep"]),
        }
        if jars is not None:
            kafka = kafka_tool(jars, DUMP, "--files", ",".join(files))
            commands["Kafka"] = partial(run, kafka)
            commands["Kafka --deep-iteration"] = partial(run, [*kafka, "--deep-iteration"])
        for name, best in alternate(arguments.rounds, commands).items():
            rate = size / 1e6 / best.wall_s
            print(
                f"{name:<24} {best.wall_s:7.2f} s {rate:8.0f} MB/s"
                f"   {best.cpu_s:6.2f} s of CPU  {best.rss_mib:5.0f} MiB"
            )


if __name__ == "__main__":
    main()
