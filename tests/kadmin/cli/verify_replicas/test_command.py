"""`kadmin verify-replicas`, as an operator uses it, over directories of brokers and archives."""

import csv
import io
import json
import os
import re
import shutil
import struct
import tarfile
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

from cluster.formats.checkpoints import HIGH_WATERMARKS, LOG_STARTS, RECOVERY_POINTS
from cluster.model.ids import BrokerId, LeaderEpoch, TopicPartition
from cluster.runtime.disk.files import Disk
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.log_config import LogConfig
from tests.cluster.storage.batches import START_MS, batch
from tests.cluster.storage.cleaner.keyed import Keyed, keyed_batch
from tests.support.checkout import CHECKOUT
from tests.support.cli import kadmin

FOUND: Final = 4
UNREACHABLE: Final = 5
DEMO: Final = CHECKOUT / "scripts" / "demo-replicas"
SEGMENT: Final = f"{0:020}.log"
ORDERS: Final = (bytes(batch(5, base_offset=0)), bytes(batch(4, base_offset=5)))


def write_replica(
    directory: Path, batches: tuple[bytes, ...] = ORDERS, *, topic: str = "orders", mark: int = 9
) -> Path:
    """A replica of that topic's partition 0, and the checkpoint of its broker."""
    replica = directory / f"{topic}-0"
    replica.mkdir(parents=True)
    (replica / SEGMENT).write_bytes(b"".join(batches))
    checkpoint = directory / "replication-offset-checkpoint"
    checkpoint.write_text(f"0\n1\n{topic} 0 {mark}\n")
    return replica


@pytest.fixture
def brokers(tmp_path: Path) -> list[Path]:
    """Three log directories with the same partition."""
    directories = [tmp_path / f"broker-{number}" for number in (1, 2, 3)]
    for directory in directories:
        write_replica(directory)
    return directories


def named(directories: list[Path]) -> list[str]:
    return [
        word
        for number, path in enumerate(directories, start=1)
        for word in ("--log-dir", f"{number}={path}")
    ]


def handed_over(directories: list[Path]) -> list[str]:
    """The options of *directories*, which are copies of one broker's, as those of several."""
    for broker, directory in enumerate(directories, start=1):
        meta = directory / "meta.properties"
        if meta.exists():
            meta.write_text(re.sub(r"broker\.id=\d+", f"broker.id={broker}", meta.read_text()))
    return named(directories)


def verified(*arguments: str) -> tuple[int, dict[str, Any]]:
    outcome = kadmin("verify-replicas", "--output", "json", *arguments)
    return outcome.exit_code, json.loads(outcome.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["2.8.2", "3.9.1"])
@pytest.mark.parametrize("deep", [(), ("--deep",)])
def test_what_real_brokers_wrote_is_clean(
    tmp_path: Path, release: str, deep: tuple[str, ...]
) -> None:
    for copy in ("a", "b"):
        with tarfile.open(
            CHECKOUT / f"tests/cluster/storage/golden/kafka-{release}.tar.gz"
        ) as file:
            file.extractall(tmp_path / copy, filter="data")
    # What 3.9.1 wrote is of two brokers, who have one of three partitions in common.
    directories = sorted(tmp_path.glob("*/data-*"))
    for directory in directories:
        name_what_is_there(directory)

    code, found = verified(*handed_over(directories), *deep)

    assert 0 == code, found
    assert {"equal"} == {each["verdict"] for each in found["partitions"]}
    assert [] == [
        damage
        for each in found["partitions"]
        for replica in each["replicas"]
        for damage in replica["damage"]
    ]


def name_what_is_there(directory: Path) -> None:
    """Leave of the checkpoints the rows of the partitions that were kept."""
    for name in (HIGH_WATERMARKS, RECOVERY_POINTS):
        checkpoint = directory / name
        rows = [line.split(" ") for line in checkpoint.read_text().splitlines()[2:]]
        kept = [row for row in rows if (directory / f"{row[0]}-{row[1]}").is_dir()]
        checkpoint.write_text("\n".join(["0", str(len(kept)), *map(" ".join, kept), ""]))


def with_transactions(directory: Path, release: str, ending: str) -> tuple[str, ...]:
    """Two copies of a partition of a real broker's with transactions; options that name them."""
    path = CHECKOUT / f"tests/cluster/storage/golden/kafka-{release}-transactions.tar.gz"
    for copy in ("1", "2"):
        with tarfile.open(path) as file:
            file.extractall(directory / copy, filter="data")
    return tuple(handed_over([directory / "1" / ending, directory / "2" / ending]))


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.1.1", "3.9.1"])
@pytest.mark.parametrize("ending", ["closed", "killed"])
def test_transactions_of_real_brokers_are_clean_and_lies_about_them_found(
    tmp_path: Path, release: str, ending: str
) -> None:
    options = with_transactions(tmp_path, release, ending)
    code, found = verified(*options)
    # A broker that was killed at once had checkpointed no high watermark but 0.
    sound = (0, "equal") if ending == "closed" else (UNREACHABLE, "uncompared")
    assert [sound] == [(code, each["verdict"]) for each in found["partitions"]], found
    assert sound[0] == kadmin("verify-replicas", *options, "--deep").exit_code

    entry = struct.Struct(">hqqqq")
    indexes = sorted((tmp_path / "2" / ending).glob("*/*.txnindex"))
    assert len(indexes) == 7
    for index in indexes[::6]:
        content = index.read_bytes()
        rows = list(entry.iter_unpack(content))
        lying = [b"", None, content[:-1], content + entry.pack(*rows[-1])]
        for field in range(5):
            changed = [*rows[-1]]
            changed[field] += 1
            lying.append(content[: -entry.size] + entry.pack(*changed))
        for lie in lying:
            index.unlink()
            if lie is not None:
                index.write_bytes(lie)
            code, found = verified(*options)
            (partition,) = found["partitions"]
            damage = [
                (replica["broker"], each["kind"], each["file"])
                for replica in partition["replicas"]
                for each in replica["damage"]
            ]
            assert [("2", "txn_index_lies", index.name)] == damage, (index, lie)
            assert (FOUND, "damaged") == (code, partition["verdict"])
            if lie is None:
                index.touch()
        index.write_bytes(content)
    assert sound[0] == kadmin("verify-replicas", *options).exit_code


@pytest.mark.slow
def test_a_lost_index_of_transactions_is_known_up_to_the_high_watermark(tmp_path: Path) -> None:
    """What a broker writes meanwhile may be in the log, and not yet in the copy of its index."""
    options = with_transactions(tmp_path, "3.9.1", "closed")
    last = sorted((tmp_path / "2" / "closed").glob("*/*.txnindex"))[-1]
    last.unlink()
    (mark,) = (tmp_path / "2" / "closed").glob("replication-offset-checkpoint")
    mark.write_text(f"0\n1\npaid 0 {int(last.stem)}\n")
    for segment in last.parent.iterdir():
        if segment.name[:20].isdigit() and int(segment.name[:20]) > int(last.stem):
            segment.unlink()

    assert 0 == kadmin("verify-replicas", *options).exit_code
    # What was collected over the wire has no indexes at all.
    for index in (tmp_path / "2" / "closed").glob("*/*index"):
        index.unlink()
    assert 0 == kadmin("verify-replicas", *options).exit_code


def test_what_the_embedded_cluster_wrote_is_clean_and_its_copy_equal(tmp_path: Path) -> None:
    directories = [tmp_path / "1", tmp_path / "2"]
    for broker, directory in enumerate(directories, 1):
        manager = LogManager.open(Disk(), [str(directory)], BrokerId(broker), "cluster")
        assert [] == list(manager.load(lambda topic: CONFIG, START_MS))
        log = manager.get_or_create(
            TopicPartition("orders", 0), CONFIG, "ldctl0YlR3yfzw_yv9xvVA", START_MS, is_new=True
        )
        for number in range(300):
            times = [START_MS + 10 * number + at for at in range(5)]
            log.append(
                batch(5, times=times, codec="lz4"), LeaderEpoch(number // 100), START_MS, times[-1]
            )
        manager.close(START_MS, broker_epoch=-1)

    code, found = verified(*named(directories), "--deep")

    assert 0 == code
    (partition,) = found["partitions"]
    assert "equal" == partition["verdict"]
    assert [1500, 1500] == [replica["log_end_offset"] for replica in partition["replicas"]]
    assert all(replica["batches"] == 300 for replica in partition["replicas"])


@pytest.mark.parametrize("owners", [(1, 7), (1, 1), (2, 1)])
def test_the_directory_of_another_broker_proves_nothing(
    brokers: list[Path], owners: tuple[int, int]
) -> None:
    """Nor do two of the same one; what differs is found all the same."""
    pair = brokers[:2]
    for directory, owner in zip(pair, owners, strict=True):
        (directory / "meta.properties").write_text(f"version=0\nbroker.id={owner}\n")

    code, found = verified(*named(pair))

    assert 5 == code
    strangers = [number for number, owner in enumerate(owners, 1) if number != owner]
    assert [
        f"not {number}, so that nothing" in each["reason"]
        for number, each in zip(strangers, found["of_other_brokers"], strict=True)
    ] == [True] * len(strangers)


CONFIG: Final = LogConfig(segment_size_max=8_000, index_size_max=4_000, index_interval_size=500)


@pytest.mark.parametrize(("start", "is_a_lie"), [(37, False), (44, False), (45, True), (999, True)])
def test_a_log_start_behind_the_end_hides_nothing(
    tmp_path: Path, start: int, is_a_lie: bool
) -> None:
    shutil.copytree(DEMO, tmp_path, dirs_exist_ok=True)
    (tmp_path / "broker-2" / LOG_STARTS).write_text(f"0\n1\norders 0 {start}\n")

    directories = [tmp_path / f"broker-{number}" for number in (1, 2, 3)]
    code, found = verified(*named(directories), "--topic", "orders")

    (partition,) = found["partitions"]
    damage = [(each["broker"], one) for each in partition["replicas"] for one in each["damage"]]
    if is_a_lie:
        assert (0, 37) == (partition["compared_from"], partition["first_divergent_offset"])
        ((broker, one),) = damage
        assert ("2", "corrupt_checkpoint", f"../{LOG_STARTS}", start) == (
            *(broker, one["kind"], one["file"], one["offset"]),
        )
    else:
        assert (start, []) == (partition["compared_from"], damage)
    assert (FOUND if start != 44 else 0) == code


def test_the_worst_comes_first_and_says_why() -> None:
    code, found = verified(*named([DEMO / f"broker-{number}" for number in (1, 2, 3)]))

    assert FOUND == code
    orders, users, payments = found["partitions"]
    assert ("orders", "differ", 37, "not_truncated", ["1"]) == tuple(
        orders[name] for name in ("topic", "verdict", "first_divergent_offset", "cause", "suspects")
    )
    assert [
        {"replicas": ["2", "3"], "leader_epoch": 4},
        {"replicas": ["1"], "leader_epoch": 3},
    ] == orders["sides"]
    assert ("users", "damaged", None) == tuple(
        users[name] for name in ("topic", "verdict", "first_divergent_offset")
    )
    assert [[], [], ["wrong_checksum"]] == [
        [damage["kind"] for damage in replica["damage"]] for replica in users["replicas"]
    ]
    assert ("payments", "equal") == (payments["topic"], payments["verdict"])


def test_csv_has_a_row_for_each_partition(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(DEMO / "broker-1", copy)

    outcome = kadmin("verify-replicas", "--output", "csv", *named([DEMO / "broker-1", copy]))

    rows = list(csv.DictReader(io.StringIO(outcome.stdout)))
    assert 0 == outcome.exit_code
    assert ["orders", "payments", "users"] == [row["topic"] for row in rows]
    assert {"equal"} == {row["verdict"] for row in rows}


def test_an_archive_is_as_good_as_a_directory(brokers: list[Path], tmp_path: Path) -> None:
    archive = tmp_path / "broker-2.tar.gz"
    with tarfile.open(archive, "w:gz") as file:
        file.add(brokers[1], "var/data")

    code, found = verified(*named([brokers[0], archive]))

    assert 0 == code
    ((first, second),) = [each["replicas"] for each in found["partitions"]]
    assert (f"{brokers[0]}/orders-0", f"{archive}/var/data/orders-0") == (
        first["path"],
        second["path"],
    )
    assert {"equal"} == {each["verdict"] for each in found["partitions"]}


def test_a_broker_may_have_several_log_directories(tmp_path: Path) -> None:
    write_replica(tmp_path / "a" / "disk-1")
    write_replica(tmp_path / "a" / "disk-2", topic="users")
    write_replica(tmp_path / "b")
    write_replica(tmp_path / "c", topic="users")
    arguments = (f"10={tmp_path}/a", f"2={tmp_path}/b", f"2={tmp_path}/c")

    code, found = verified(*(word for each in arguments for word in ("--log-dir", each)))

    assert 0 == code
    assert [("orders", "equal", ["2", "10"]), ("users", "equal", ["2", "10"])] == [
        (each["topic"], each["verdict"], [replica["broker"] for replica in each["replicas"]])
        for each in found["partitions"]
    ]


def test_a_partition_that_only_one_broker_has_is_single_and_nothing_is_proven(
    tmp_path: Path,
) -> None:
    write_replica(tmp_path / "1" / "disk-1")
    write_replica(tmp_path / "1" / "disk-2", topic="users")
    write_replica(tmp_path / "2")

    alone = kadmin("verify-replicas", "--log-dir", f"1={tmp_path}/1")
    both = kadmin("verify-replicas", *named([tmp_path / "1", tmp_path / "2"]))

    assert UNREACHABLE == alone.exit_code == both.exit_code
    assert [
        "orders-0: single, 1 replica, which nothing is compared with",
        "users-0: single, 1 replica, which nothing is compared with",
    ] == alone.stdout.splitlines()
    assert alone.stderr.endswith(" bytes: 2 single\n")
    assert [
        "users-0: single, 1 replica, which nothing is compared with",
        "orders-0: equal, 2 replicas, offsets 0 to 9",
    ] == both.stdout.splitlines()
    assert both.stderr.endswith(" bytes: 1 single, 1 equal\n")


def test_what_no_other_of_all_brokers_has_is_unreplicated_and_no_fault(tmp_path: Path) -> None:
    write_replica(tmp_path / "1")
    write_replica(tmp_path / "2", topic="users")
    two = named([tmp_path / "1", tmp_path / "2"])

    all_there = kadmin("verify-replicas", *two, "--brokers", "1,2")
    (tmp_path / "none").touch()
    one_missing = kadmin("verify-replicas", *two, "--brokers", "1,2,3")
    one_unreadable = kadmin(
        "verify-replicas", *two, "--log-dir", f"3={tmp_path}/none", "--brokers", "1,2,3"
    )
    one_too_many = kadmin("verify-replicas", *two, "--brokers", "1")

    assert (0, ["orders-0: unreplicated, 1 replica", "users-0: unreplicated, 1 replica"]) == (
        all_there.exit_code,
        all_there.stdout.splitlines(),
    )
    assert all_there.stderr.endswith(" bytes: 2 unreplicated\n")
    assert UNREACHABLE == one_missing.exit_code == one_unreadable.exit_code
    assert "warning: no --log-dir is of broker 3\n" in one_missing.stderr
    assert one_missing.stderr.endswith(" bytes: 2 single\n")
    assert 2 == one_too_many.exit_code
    assert "--log-dir names broker 2, which --brokers leaves out" in one_too_many.stderr


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--bootstrap-server", "b1:9092"),
        ("--zookeeper", "zk1:2181"),
        ("--cluster", "dev"),
        ("--timeout", "5"),
        ("--broker-tls-ca", "/ca.pem"),
    ],
)
def test_who_is_to_be_asked_does_not_go_with_log_directories(
    brokers: list[Path], option: str, value: str
) -> None:
    run = kadmin("verify-replicas", *named(brokers), option, value)

    assert 2 == run.exit_code
    assert f"{option} does not go with log directories, for which no broker is asked" in run.stderr


def test_a_replica_that_its_broker_has_checkpointed_and_lost_is_no_proof(tmp_path: Path) -> None:
    write_replica(tmp_path / "1")
    lost = write_replica(tmp_path / "2")
    shutil.rmtree(lost)

    outcome = kadmin(
        "verify-replicas", *named([tmp_path / "1", tmp_path / "2"]), "--brokers", "1,2"
    )

    assert UNREACHABLE == outcome.exit_code
    assert outcome.stdout.startswith("orders-0: unreadable, ")
    assert "  unreadable: broker 2: its checkpoint names the partition, " in outcome.stdout


def test_what_only_a_recovery_point_names_was_there(tmp_path: Path) -> None:
    """Of high watermarks a broker has checkpointed none soon after its start."""
    write_replica(tmp_path / "1")
    lost = write_replica(tmp_path / "2")
    shutil.rmtree(lost)
    (lost.parent / HIGH_WATERMARKS).unlink()
    (lost.parent / RECOVERY_POINTS).write_text("0\n1\norders 0 3\n")

    outcome = kadmin(
        "verify-replicas", *named([tmp_path / "1", tmp_path / "2"]), "--brokers", "1,2"
    )

    assert UNREACHABLE == outcome.exit_code
    assert "  unreadable: broker 2: its checkpoint names the partition, " in outcome.stdout


def test_a_partition_that_nobody_has_any_more_is_no_proof(tmp_path: Path) -> None:
    for broker in ("1", "2"):
        replica = write_replica(tmp_path / broker)
        (replica.parent / HIGH_WATERMARKS).write_text("0\n2\norders 0 9\norders 1 9\n")

    outcome = kadmin("verify-replicas", *named([tmp_path / "1", tmp_path / "2"]))

    assert UNREACHABLE == outcome.exit_code
    assert ["orders-0: equal"] == [line.partition(",")[0] for line in outcome.stdout.splitlines()]
    assert "warning: broker 2 has checkpointed orders-1, and no directory of" in outcome.stderr


def test_of_two_equal_replicas_the_third_that_is_lost_is_no_proof(tmp_path: Path) -> None:
    brokers = [tmp_path / name for name in ("1", "2", "3")]
    shutil.rmtree([write_replica(broker) for broker in brokers][-1])

    outcome = kadmin("verify-replicas", *named(brokers))

    assert UNREACHABLE == outcome.exit_code
    assert outcome.stdout.startswith("orders-0: unreadable, 2 replicas")
    assert "broker 3" in outcome.stdout


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("orders-0/00000000000000000000.log", "orders-0: unreadable"),
        ("orders-0/00000000000000000000.index", "orders-0: unreadable"),
        ("replication-offset-checkpoint", "orders-0: equal"),
    ],
)
def test_nobody_waits_for_a_pipe(brokers: list[Path], name: str, found: str) -> None:
    path = brokers[0] / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)

    outcome = kadmin("verify-replicas", *named(brokers))

    assert UNREACHABLE == outcome.exit_code
    assert found in outcome.stdout
    assert f"{path}: it is no file" in outcome.stdout + outcome.stderr


def test_of_what_was_not_collected_only_so_much_is_told_as_is_meant(tmp_path: Path) -> None:
    for broker in ("1", "2"):
        replica = write_replica(tmp_path / broker)
        rows = "".join(f"clicks {number} 1\n" for number in range(9))
        checkpoint = replica.parent / "replication-offset-checkpoint"
        checkpoint.write_text(f"0\n10\norders 0 1\n{rows}")
    directories = named([tmp_path / "1", tmp_path / "2"])

    every = kadmin("verify-replicas", *directories)
    one = kadmin("verify-replicas", *directories, "--topic", "orders")

    assert 5 == every.stderr.count(" has checkpointed clicks-")
    assert "warning: … and 13 more that were checkpointed\n" in every.stderr
    assert "checkpointed" not in one.stderr


def test_batch_rows_are_written_where_that_is_asked_for(
    brokers: list[Path], tmp_path: Path
) -> None:
    arguments = (*named(brokers), "--parquet", str(tmp_path / "rows"))

    outcome = kadmin("verify-replicas", *arguments)
    again = kadmin("verify-replicas", *arguments)

    rows = pq.read_table(tmp_path / "rows").to_pylist()
    assert 0 == outcome.exit_code
    assert [(1, 0, 4), (1, 5, 8), (2, 0, 4), (2, 5, 8), (3, 0, 4), (3, 5, 8)] == [
        (row["broker"], row["base_offset"], row["last_offset"]) for row in rows
    ]
    assert {("orders", 0, SEGMENT, None)} == {
        (row["topic"], row["partition"], row["file"], row["damage"]) for row in rows
    }
    assert 2 == again.exit_code
    assert "is there already, and not empty" in again.stderr


def test_a_directory_for_batch_rows_that_cannot_be_made_is_one_error(brokers: list[Path]) -> None:
    place = brokers[0] / "orders-0" / SEGMENT / "rows"

    outcome = kadmin("verify-replicas", *named(brokers), "--parquet", str(place))

    assert 1 == outcome.exit_code
    assert f"cannot write {place}: not a directory" in outcome.stderr


def test_a_single_replica_can_be_damaged(tmp_path: Path) -> None:
    write_replica(tmp_path, ORDERS[:1])

    code, found = verified("--log-dir", f"1={tmp_path}")

    assert (FOUND, ["damaged"]) == (code, [each["verdict"] for each in found["partitions"]])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("7=.",), "broker 7 has orders-0 twice: ./a/orders-0 and ./b/disk/orders-0"),
        (("1=a", "01=b"), "broker 1 has orders-0 twice: a/orders-0 and b/disk/orders-0"),
        (("1=b", "1=b/disk"), "broker 1 has orders-0 twice: b/disk/orders-0 and b/disk/orders-0"),
        (("1=b", "2=b/disk"), "b/disk/orders-0 is given as that of broker 1 and of broker 2"),
        (("1=a", "2=link"), "link/orders-0 is given as that of broker 1 and of broker 2"),
    ],
)
def test_a_partition_is_compared_neither_with_itself_nor_within_a_broker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    write_replica(tmp_path / "a")
    write_replica(tmp_path / "b" / "disk")
    (tmp_path / "link").symlink_to("a")
    monkeypatch.chdir(tmp_path)

    outcome = kadmin(
        "verify-replicas", *(word for each in arguments for word in ("--log-dir", each))
    )

    assert (2, "") == (outcome.exit_code, outcome.stdout)
    assert said in outcome.stderr


def test_a_path_without_a_log_directory_is_named(brokers: list[Path], tmp_path: Path) -> None:
    above = tmp_path / "above"
    for inner in ("broker-4/logs", "zookeeper-1/data/version-2"):
        (above / inner).mkdir(parents=True)
    (above / "broker-4/logs/server.log").touch()
    (above / "zookeeper-1/data/version-2/log.1").touch()
    new = tmp_path / "new"
    new.mkdir()
    (new / "meta.properties").touch()
    arguments = named([*brokers, above, new])

    outcome = kadmin("verify-replicas", *arguments)

    assert UNREACHABLE == outcome.exit_code
    assert ["orders-0: equal, 3 replicas, offsets 0 to 9"] == outcome.stdout.splitlines()
    assert [f"warning: {above}: there is no log directory in it"] == [
        line for line in outcome.stderr.splitlines() if line.startswith("warning")
    ]


@pytest.mark.parametrize("name", ["broker-2", "data-0"])
def test_a_log_directory_may_be_called_as_a_partition_is(
    brokers: list[Path], tmp_path: Path, name: str
) -> None:
    write_replica(tmp_path / "above" / name / "data-1")

    code, found = verified(*named([brokers[0], tmp_path / "above"]))

    assert (0, ["orders"]) == (code, [each["topic"] for each in found["partitions"]])


def test_a_partition_that_lost_all_its_files_is_not_passed_over(brokers: list[Path]) -> None:
    replica = brokers[2] / "orders-0"
    (replica / SEGMENT).rename(replica / "notes.txt")

    outcome = kadmin("verify-replicas", *named(brokers))

    assert UNREACHABLE == outcome.exit_code
    assert f"  unreadable: {replica}: there is no segment in it" in outcome.stdout.splitlines()


def test_a_path_that_is_not_there_is_told_before_any_is_read(tmp_path: Path) -> None:
    for path in (f"{tmp_path}/nope", f"file://{tmp_path}/nope.tar.gz"):
        outcome = kadmin("verify-replicas", "--log-dir", f"1={tmp_path}", "--log-dir", f"3={path}")

        assert (2, "") == (outcome.exit_code, outcome.stdout)
        place = path.removeprefix("file://")
        assert f"--log-dir 3={place}: no such file or directory\n" in outcome.stderr


def test_topics_are_not_missed_where_nothing_could_be_read(tmp_path: Path) -> None:
    (tmp_path / "none").touch()
    outcome = kadmin("verify-replicas", "--log-dir", f"1={tmp_path}/none", "--topic", "orders")

    assert UNREACHABLE == outcome.exit_code
    assert f"warning: {tmp_path}/none: it is no directory" in outcome.stderr
    assert outcome.stderr.endswith("\n0 partitions, 0 bytes\n")


def test_a_replica_that_is_behind_is_lagging_and_no_fault(tmp_path: Path) -> None:
    write_replica(tmp_path / "1")
    write_replica(tmp_path / "2", ORDERS[:1], mark=5)

    outcome = kadmin("verify-replicas", *named([tmp_path / "1", tmp_path / "2"]))

    assert 0 == outcome.exit_code
    assert [
        "orders-0: lagging, 2 replicas, offsets 0 to 5",
        "  replica 2 is behind: it ends at 5",
    ] == outcome.stdout.splitlines()
    assert "1 partition, " in outcome.stderr
    assert "1 lagging" in outcome.stderr


def test_a_log_that_ends_before_its_own_high_watermark_is_damaged(brokers: list[Path]) -> None:
    (brokers[2] / "orders-0" / SEGMENT).write_bytes(ORDERS[0])

    outcome = kadmin("verify-replicas", *named(brokers))

    path = brokers[2] / "orders-0" / SEGMENT
    assert FOUND == outcome.exit_code
    assert (
        f"  replica 3: {path}, byte {len(ORDERS[0])}, offset 5: ends_before_high_watermark:"
        " the log ends at 5, before its high watermark of 9"
    ) in outcome.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "entries", "kind"),
    [
        (".index", [struct.pack(">ii", 8, len(ORDERS[0]))], None),
        (".index", [struct.pack(">ii", 7, len(ORDERS[0]))], "index_lies"),
        (".index", [struct.pack(">ii", 8, len(ORDERS[0]) + 3)], "index_lies"),
        (".timeindex", [struct.pack(">qi", START_MS + 4, 4)], None),
        (".timeindex", [struct.pack(">qi", START_MS + 4, 2)], None),
        (".timeindex", [struct.pack(">qi", START_MS + 4, 8)], "time_index_lies"),
        (".timeindex", [struct.pack(">qi", START_MS + 4, 4 - 2**31)], "time_index_lies"),
        (
            ".timeindex",
            [struct.pack(">qi", START_MS + 4, 4), struct.pack(">qi", START_MS + 3, 8)],
            "time_index_lies",
        ),
    ],
)
@pytest.mark.parametrize("preallocated", [0, 480])
def test_indexes_that_lie_are_damage(
    brokers: list[Path], suffix: str, entries: list[bytes], kind: str | None, preallocated: int
) -> None:
    path = (brokers[1] / "orders-0" / SEGMENT).with_suffix(suffix)
    path.write_bytes(b"".join(entries) + bytes(preallocated))

    code, found = verified(*named(brokers))

    ((_, second, _),) = [each["replicas"] for each in found["partitions"]]
    told = [(damage["kind"], damage["file"]) for damage in second["damage"]]
    assert told == ([] if kind is None else [(kind, path.name)])
    assert code == (0 if kind is None else FOUND)


@pytest.mark.parametrize("cleaned", ["1", "2"])
def test_records_may_be_missing_where_a_cleaner_was(tmp_path: Path, cleaned: str) -> None:
    """A replica that came later has only what its leader's cleaner had left."""
    kept = bytes(batch([b"%020d" % 4], times=[START_MS + 4], base_offset=4))
    for number, batches in (("1", (kept, ORDERS[1])), ("2", ORDERS)):
        write_replica(tmp_path / number, batches)
    directories = named([tmp_path / "1", tmp_path / "2"])

    assert "offset_gap: offsets 0 to 3 are missing before it" in (
        kadmin("verify-replicas", *directories).stdout
    )
    assert 0 == kadmin("verify-replicas", *directories, "--compacted", "orders").exit_code
    (tmp_path / cleaned / "cleaner-offset-checkpoint").write_text("0\n1\norders 0 4\n")
    assert 0 == kadmin("verify-replicas", *directories).exit_code


@pytest.mark.parametrize("lost", [b"k", None])
def test_deep_finds_the_latest_record_of_a_key_missing(tmp_path: Path, lost: bytes | None) -> None:
    first, second = (bytes(keyed_batch([Keyed(lost, b"v")], each)) for each in (0, 1))
    other = bytes(keyed_batch([Keyed(b"o", b"v")], 2))
    for number, batches in (("1", (first, second, other)), ("2", (other,))):
        write_replica(tmp_path / number, batches, mark=3)
    arguments = (*named([tmp_path / "1", tmp_path / "2"]), "--compacted", "orders")

    shallow, deep = (kadmin("verify-replicas", *arguments, *more) for more in ((), ("--deep",)))

    assert "compacted differently: what all replicas have is the same; --deep" in shallow.stdout
    assert "compacted differently" not in deep.stdout
    assert (0, 0 if lost is None else FOUND) == (shallow.exit_code, deep.exit_code)
    told = "offset 1: latest_record_missing: the latest record of a key is missing, which replica 1"
    assert (told in deep.stdout) == (lost is not None)


def test_what_compaction_left_has_to_be_the_same(tmp_path: Path) -> None:
    other = bytes(batch([b"another"], times=[START_MS + 4], base_offset=4))
    for number, batches in (("1", (other, ORDERS[1])), ("2", ORDERS)):
        write_replica(tmp_path / number, batches)
    directories = named([tmp_path / "1", tmp_path / "2"])

    outcome = kadmin("verify-replicas", *directories, "--compacted", "orders")

    assert FOUND == outcome.exit_code
    assert "first divergent offset 4: not truncated or corruption" in outcome.stdout


def test_what_cannot_be_read_is_told_and_the_rest_is_verified(
    brokers: list[Path], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"no archive")
    (brokers[1] / "log-start-offset-checkpoint").write_text("nonsense")
    (tmp_path / "none").touch()
    arguments = (*named(brokers), "--log-dir", f"8={broken}", "--log-dir", f"9={tmp_path}/none")

    outcome = kadmin("verify-replicas", *arguments)

    assert UNREACHABLE == outcome.exit_code
    assert "orders-0: equal, 3 replicas, offsets 0 to 9" in outcome.stdout
    for said in (
        f"warning: {broken}: it cannot be unpacked: ",
        f"warning: {tmp_path}/none: it is no directory, nor a .tar.gz or .tar.zst",
        f"warning: {brokers[1]}/log-start-offset-checkpoint: version 'nonsense'",
    ):
        assert said in outcome.stderr


def test_a_replica_that_cannot_be_read_is_named(brokers: list[Path]) -> None:
    path = brokers[2] / "orders-0" / SEGMENT
    path.unlink()
    path.symlink_to(path)

    code, found = verified(*named(brokers))

    assert UNREACHABLE == code
    (partition,) = found["partitions"]
    assert "unreadable" == partition["verdict"]
    assert [str(path)] == [each["label"] for each in partition["unreadable"]]
    assert ["1", "2"] == [replica["broker"] for replica in partition["replicas"]]


def test_a_directory_without_segments_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "orders-0").mkdir()

    code, found = verified("--log-dir", f"1={tmp_path}")

    assert UNREACHABLE == code
    assert [("unreadable", [])] == [
        (each["verdict"], each["replicas"]) for each in found["partitions"]
    ]


def test_deep_finds_records_that_a_right_checksum_hides(tmp_path: Path) -> None:
    from tests.cluster.storage.batches import batch_around

    lying = bytes(batch_around(b"no records at all", 3))
    for number in ("1", "2"):
        write_replica(tmp_path / number, (lying,), mark=3)
    directories = named([tmp_path / "1", tmp_path / "2"])

    assert 0 == kadmin("verify-replicas", *directories).exit_code
    outcome = kadmin("verify-replicas", *directories, "--deep")
    assert FOUND == outcome.exit_code
    assert 2 == outcome.stdout.count("unreadable_records")


def test_topics_are_chosen_by_name_and_glob(tmp_path: Path) -> None:
    for topic in ("orders", "orders-copy", "users"):
        write_replica(tmp_path, topic=topic)

    def topics(*wanted: str) -> list[str]:
        _, found = verified("--log-dir", f"1={tmp_path}", *wanted)
        return [each["topic"] for each in found["partitions"]]

    assert ["orders"] == topics("--topic", "orders")
    assert ["orders", "orders-copy"] == topics("--topic", "order*")
    assert ["orders", "users"] == topics("--topic", "orders", "--topic", "users")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "neither log directories nor brokers are named"),
        (("--log-dir", "/somewhere"), 2, "'/somewhere' is no broker's id with a path"),
        (("--log-dir", "1="), 2, "'1=' is no broker's id with a path"),
        (("--log-dir", "2147483648=b"), 2, "is no broker's id: the largest is 2147483647"),
        (("--log-dir", f"{'9' * 5000}=b"), 2, "the number before =b is no broker's id"),
        (("--log-dir", "1=."), 1, "there is no partition in these directories"),
        (("--log-dir", f"1={DEMO}/broker-1", "--compacted", "no"), 1, "there is no topic 'no'"),
        (("--log-dir", f"1={DEMO}/broker-1", "--compacted", "n*"), 1, "no topic matches 'n*'"),
        (
            ("--log-dir", f"1={DEMO}/broker-1", "--topic", "nothing"),
            1,
            "--topic takes topics in these directories: orders, payments, users",
        ),
        (("--log-dir", f"1={DEMO}", "--topic", "nothing"), 1, "there is no topic 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)

    outcome = kadmin("verify-replicas", *arguments)

    assert code == outcome.exit_code
    assert said in outcome.stderr


def test_directories_that_are_no_partitions_are_left_alone(brokers: list[Path]) -> None:
    for name in (f"orders-0.{'0' * 32}-delete", f"orders-0.{'0' * 32}-future", "lost+found"):
        (brokers[0] / name).mkdir()
        (brokers[0] / name / SEGMENT).write_bytes(b"anything")

    code, found = verified(*named(brokers))

    assert (0, 1) == (code, len(found["partitions"]))


def test_no_file_is_kept_open(brokers: list[Path]) -> None:
    def kept() -> list[str]:
        links = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
        targets = [os.readlink(link) for link in links if os.path.islink(link)]
        return [target for target in targets if target.startswith(str(brokers[0].parent))]

    code, _ = verified(*named(brokers), "--deep")

    assert (0, []) == (code, kept())


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("orders-0/leader-epoch-checkpoint", "nonsense", "version 'nonsense'"),
        ("orders-0/leader-epoch-checkpoint", "0\n1\n0 -5\n", "line 3: '0 -5' is below 0"),
        ("orders-0/leader-epoch-checkpoint", "0\n1\n-1 0\n", "line 3: '-1 0' is below 0"),
        ("orders-0/partition.metadata", "nonsense", "it names no topic id"),
        ("log-start-offset-checkpoint", "0\n1\norders 0 -5\n", "line 3: 'orders 0 -5' is below 0"),
        ("log-start-offset-checkpoint", "0\n1\norders -1 5\n", "line 3: 'orders -1 5' is below 0"),
        ("cleaner-offset-checkpoint", "0\n1\norders 0 -5\n", "line 3: 'orders 0 -5' is below 0"),
        (
            "recovery-point-offset-checkpoint",
            "0\n2\norders 0 1\n",
            "1 rows, which is not the count",
        ),
        ("meta.properties", "nonsense", "it names neither a broker nor a cluster"),
    ],
)
def test_what_is_damaged_beside_the_segments_is_named_and_they_are_compared(
    brokers: list[Path], name: str, content: str, reason: str
) -> None:
    path = brokers[1] / name
    path.write_text(content)

    outcome = kadmin("verify-replicas", *named(brokers))
    code, document = verified(*named(brokers))

    assert (UNREACHABLE, UNREACHABLE) == (outcome.exit_code, code)
    assert "orders-0: equal, 3 replicas, offsets 0 to 9" in outcome.stdout
    assert f"{path}: " in outcome.stdout + outcome.stderr
    (partition,) = document["partitions"]
    unreadable = document["unreadable"] + partition["unreadable"]
    assert [str(path)] == [each["label"] for each in unreadable]
    assert reason in unreadable[0]["reason"]
