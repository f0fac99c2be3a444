"""Does `kadmin dump-log` print what Kafka's own tools print of the same files?

Of 3.9.1 to the byte; of older releases, whose lines have another form, record by record.  The files
are those of real brokers (`tests/cluster/storage/golden`) and those that kadmin's log writes.
"""

import json
import re
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from confluent_kafka import Consumer, Producer

from tests.clients.confluent import Confluent
from tests.cluster.formats.messages import wrapper
from tests.interop.brokers import RealCluster
from tests.interop.dump import Dump
from tests.interop.maven import Maven, needing_maven
from tests.interop.releases import KAFKA
from tests.support.checkout import CHECKOUT
from tests.support.cli import kadmin
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = pytest.mark.interop

NEWEST: Final = "3.9.1"
NAME: Final = "dumped-by-decoders"
"""Of topic, group and transactional id."""
RECORD: Final = re.compile(
    r"\|? ?offset: (\d+) .*?(?:isvalid|isValid): (\w+).* key[sS]ize: (-?\d+) value[sS]ize: (-?\d+)"
)
RECORD_OF_0_8: Final = re.compile(
    r"offset: (\d+) .*isvalid: (\w+) payloadsize: (\d+) .*(?:keysize: (\d+))"
)


class Seen(NamedTuple):
    """What every release prints of a record."""

    offset: int
    is_valid: bool
    key_size: int
    value_size: int


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("logs")
    for release in ("2.8.2", "3.9.1"):
        name = f"tests/cluster/storage/golden/kafka-{release}.tar.gz"
        with tarfile.open(CHECKOUT / name) as archive:
            archive.extractall(directory / release, filter="data")
    old = directory / "old-0"
    old.mkdir()
    messages = [
        wrapper([b"a", b"b" * 90], base_offset=0, codec="lz4", magic=0, has_old_checksum=True),
        wrapper([b"c", b"d"], base_offset=2, codec="xerial", magic=0),
        wrapper([b"e", b"f"], base_offset=4, codec="gzip", magic=1),
        wrapper([b"g", b"h"], base_offset=6, codec="lz4", magic=1),
    ]
    (old / f"{0:020}.log").write_bytes(b"".join(messages))
    return directory


def tool(java: str, maven: Maven, release: str) -> Dump:
    with needing_maven():
        return Dump(java, maven.class_path(KAFKA[release]))


def segments(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*.log") if path.stat().st_size > 0)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--deep-iteration",),
        ("--print-data-log",),
        ("--print-data-log", "--skip-record-metadata"),
        ("--max-bytes", "3000"),
    ],
)
def test_segments_are_printed_to_the_byte(java, maven, logs: Path, options) -> None:
    files = segments(logs)

    theirs = tool(java, maven, NEWEST)(files, *options)

    ours = kadmin("dump-log", *options, *map(str, files))
    assert theirs == ours.stdout.splitlines()
    assert 0 == ours.exit_code


@pytest.mark.parametrize("options", [(), ("--verify-index-only",), ("--index-sanity-check",)])
def test_indexes_and_snapshots_are_printed_to_the_byte(java, maven, logs: Path, options) -> None:
    files = sorted(
        path
        for suffix in ("index", "timeindex", "txnindex")
        for log in segments(logs)
        for path in log.parent.glob(f"{log.stem}.{suffix}")
        if path.stat().st_size > 0 and (not options or suffix != "txnindex")
    )
    files += sorted(logs.rglob("*.snapshot"))
    if "--index-sanity-check" in options:
        # The tool dies of the first that is not sane, as those of a broker that was killed.
        files = [path for path in files if "data-0" in path.parts]

    theirs = tool(java, maven, NEWEST)(files, *options)

    ours = kadmin("dump-log", *options, *map(str, files))
    assert theirs == ours.stdout.splitlines()
    assert 0 == ours.exit_code, ours.stderr


@pytest.fixture(scope="module")
def coordinated(cluster_3_9: RealCluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of coordinators, as they are after a consumer in a group and two transactions."""
    bootstrap = cluster_3_9.bootstrap
    Confluent(bootstrap).create_topic(NAME, partitions=6)
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": NAME})
    producer.init_transactions(OUTER_LIMIT_S)
    for end in (producer.abort_transaction, producer.commit_transaction):
        producer.begin_transaction()
        for partition in range(6):
            producer.produce(NAME, b"value", partition=partition)
        # What is not sent yet an abort forgets, and there was no transaction.
        assert 0 == producer.flush(OUTER_LIMIT_S)
        end(OUTER_LIMIT_S)
    consumer = Consumer(
        {
            **{"bootstrap.servers": bootstrap, "group.id": NAME, "client.id": "reader"},
            **{"auto.offset.reset": "earliest", "enable.auto.commit": False},
        }
    )
    consumer.subscribe([NAME])
    read = consumer.consume(6, timeout=OUTER_LIMIT_S)
    assert 6 == len(read)
    consumer.commit(asynchronous=False)
    consumer.close()
    directory = tmp_path_factory.mktemp("coordinated")
    # Of copies: the brokers go on writing.
    for broker in cluster_3_9.brokers.values():
        for log in (broker.place.directory / "data").glob("__*/*.log"):
            into = directory / str(broker.place.broker_id) / log.parent.name
            into.mkdir(parents=True)
            shutil.copy(log, into)
    return directory


@pytest.mark.parametrize(
    ("decoder", "topic", "expected"),
    [
        (
            "--offsets-decoder",
            "__consumer_offsets",
            (f'{{"group":"{NAME}","topic":"{NAME}"', '"subscription":{"topics":["'),
        ),
        (
            "--transaction-log-decoder",
            "__transaction_state",
            (f"transactionalId={NAME}", "state=Empty", "state=Ongoing", "state=CompleteAbort"),
        ),
    ],
)
def test_records_of_coordinators_are_decoded_to_the_byte(
    java, maven, coordinated: Path, decoder: str, topic: str, expected: tuple[str, ...]
) -> None:
    files = [path for path in segments(coordinated) if path.parent.name.startswith(topic)]

    theirs = tool(java, maven, NEWEST)(files, decoder)

    ours = kadmin("dump-log", decoder, *map(str, files))
    assert theirs == ours.stdout.splitlines()
    printed = "\n".join(line for line in theirs if NAME in line)
    assert [] == [said for said in expected if said not in printed]


def test_a_segment_that_is_cut_off_or_damaged_is_printed_to_the_byte(
    java, maven, logs: Path, tmp_path: Path
) -> None:
    whole = max(segments(logs / "3.9.1"), key=lambda path: path.stat().st_size).read_bytes()
    cut, flipped = tmp_path / f"{1:020}.log", tmp_path / f"{2:020}.log"
    cut.write_bytes(whole[:-10])
    flipped.write_bytes(whole[:300] + bytes((whole[300] ^ 1,)) + whole[301:])

    theirs = tool(java, maven, NEWEST)([cut, flipped])

    ours = kadmin("dump-log", str(cut), str(flipped))
    assert theirs == ours.stdout.splitlines()
    assert 4 == ours.exit_code
    assert sum("isvalid: false" in line for line in theirs) == 1


@pytest.mark.parametrize("release", ["1.1.1", "2.8.2"])
def test_older_tools_see_the_same_records(java, maven, logs: Path, release: str) -> None:
    # zstd came with 2.1; the tool of 1.1 dies of it.
    files = [path for path in segments(logs) if release != "1.1.1" or not has_zstd(path)]

    lines = tool(java, maven, release)(files, "--deep-iteration")

    if any(line.startswith("| ") for line in lines):
        # 2.x prints batches as well.
        lines = [line for line in lines if line.startswith("| ")]
    theirs = [
        Seen(int(offset), is_valid == "true", int(key_size), int(value_size))
        for offset, is_valid, key_size, value_size in matches(RECORD, lines)
    ]
    assert theirs == our_records(files)
    assert len(theirs) > 500


def test_the_tool_of_0_8_sees_the_same_records(java, maven, logs: Path) -> None:
    files = [path for path in segments(logs) if path.parent.name == "v0format-0"]

    lines = tool(java, maven, "0.8.2.2")(files, "--deep-iteration")

    theirs = [
        Seen(int(offset), is_valid == "true", int(key_size), int(value_size))
        for offset, is_valid, value_size, key_size in matches(RECORD_OF_0_8, lines)
    ]
    assert theirs == our_records(files)
    assert len(theirs) > 100


def matches(pattern: re.Pattern[str], lines: list[str]) -> Iterator[tuple[str, ...]]:
    for line in lines:
        found = pattern.match(line)
        if found is not None:
            yield found.groups()


def our_records(files: list[Path]) -> list[Seen]:
    return [
        Seen(piece["offset"], piece.get("is_valid", True), piece["key_size"], piece["value_size"])
        for piece in pieces(files, "--deep-iteration")
        if piece["type"] == "record"
    ]


def has_zstd(path: Path) -> bool:
    return any(piece.get("codec") == "zstd" for piece in pieces([path]))


def pieces(files: list[Path], *options: str) -> list[dict[str, Any]]:
    outcome = kadmin("dump-log", *options, "--output", "json", *map(str, files))
    assert outcome.exit_code == 0, outcome.stderr
    return [json.loads(line) for line in outcome.stdout.splitlines()]
