"""`kadmin verify-replicas` against brokers of ours; real ones in `tests/interop`."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from cluster.formats.batch_walk import Walk
from kadmin.errors import ExitCode
from kadmin.local.zookeeper import ZooKeeperServer
from kadmin.segments.live import Records
from tests.cluster.storage.batches import batch
from tests.support.brokers import Broker, start_broker
from tests.support.cli import KadminRun, done, kadmin
from tests.support.known_brokers import wait_until_alive
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import make_chroot

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("verify-live"),
]

COUNT: Final = 300


class Cluster:
    """Three brokers."""

    def __init__(self, zookeeper: str, directory: Path) -> None:
        self.zookeeper = zookeeper
        self.directory = directory
        self.brokers: dict[int, Broker] = {}

    @property
    def bootstrap(self) -> str:
        return ",".join(
            each.bootstrap for each in self.brokers.values() if each.process.poll() is None
        )

    def start(self, broker_id: int) -> None:
        self.brokers[broker_id] = start_broker(
            self.directory / str(broker_id), self.zookeeper, broker_id
        )

    def create(self, topic: str, layout: str) -> None:
        create = ("topics", "--create", "--topic", topic, "--zookeeper", self.zookeeper)
        done(*create, "--replica-assignment", layout)
        records = self.directory / "records"
        records.write_text("".join(f"{number}\n" for number in range(COUNT)))
        wire = ("--topic", topic, "--bootstrap-server", self.bootstrap, "--acks", "all")
        done("produce", *wire, "--file", str(records))

    def has_checkpoints(self) -> bool:
        """Whether the files of each broker say that all records of "equal" are committed."""
        files = [each.data / "replication-offset-checkpoint" for each in self.brokers.values()]
        texts = [file.read_text() if file.exists() else "" for file in files]
        offsets = [re.findall(r"^equal \d (\d+)$", text, re.MULTILINE) for text in texts]
        return all(COUNT == sum(map(int, found)) for found in offsets)

    def verified(self, *arguments: str) -> KadminRun:
        brokers = ("--bootstrap-server", self.bootstrap)
        return kadmin("verify-replicas", *brokers, "--until-caught-up", *arguments)


@pytest.fixture(scope="module")
def cluster(
    tmp_path_factory: pytest.TempPathFactory, zookeeper: ZooKeeperServer
) -> Iterator[Cluster]:
    made = Cluster(make_chroot(zookeeper), tmp_path_factory.mktemp("brokers"))
    try:
        for broker_id in (1, 2, 3):
            made.start(broker_id)
        made.create("equal", "1:2:3,2:3:1")
        yield made
    finally:
        for broker in made.brokers.values():
            broker.kill()


def partitions(run: KadminRun) -> dict[str, Any]:
    told = json.loads(run.stdout)
    return {f"{each['topic']}-{each['partition']}": each for each in told["partitions"]}


def test_replicas_that_brokers_serve_are_equal(cluster: Cluster) -> None:
    run = cluster.verified("--topic", "equal", "--output", "json", "--fetch-size", "500")

    found = partitions(run)
    assert (ExitCode.DONE, ["equal-0", "equal-1"]) == (run.exit_code, list(found)), run
    assert {"equal"} == {each["verdict"] for each in found.values()}
    assert COUNT == sum(each["compared_to"] for each in found.values())
    for each in found.values():
        assert {"1", "2", "3"} == {replica["broker"] for replica in each["replicas"]}
        assert {each["compared_to"]} == {replica["high_watermark"] for replica in each["replicas"]}
        assert 1 == len({replica["size_bytes"] for replica in each["replicas"]})


def test_lines_are_those_of_kafka_s_tool(cluster: Cluster) -> None:
    run = kadmin(
        *("replica-verification", "--broker-list", cluster.bootstrap, "--time", "-2"),
        *("--topic-white-list", "equ.*", "--plain", "--until-caught-up"),
    )

    stamp = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}"
    first, last = run.stdout.splitlines()
    assert re.fullmatch(rf"{stamp}: verification process is started", first)
    assert re.fullmatch(
        rf"{stamp}: max lag is 0 for partition equal-0 at offset \d+ among 2 partitions", last
    )
    assert ExitCode.DONE == run.exit_code, run


def test_it_is_said_that_nothing_was_compared(cluster: Cluster) -> None:
    # Afterwards no follower is behind, which would be told instead.
    assert "nothing was compared" not in cluster.verified("--topic", "equal").stderr
    run = kadmin(
        *("verify-replicas", "--bootstrap-server", cluster.bootstrap, "--topic", "equal"),
        *("--rounds", "1", "--max-wait-ms", "10", "--output", "json"),
    )

    assert ExitCode.UNREACHABLE == run.exit_code, run
    # A producer may send so few records to one partition; of the other there is nothing to compare.
    found = partitions(run)
    has_records = {
        name: any(replica["high_watermark"] for replica in each["replicas"])
        for name, each in found.items()
    }
    assert {name: "uncompared" if has else "equal" for name, has in has_records.items()} == {
        name: each["verdict"] for name, each in found.items()
    }
    count = sum(has_records.values())
    assert re.search(f"warning: nothing was compared of {count} partitions?, as no", run.stderr)


def test_a_follower_that_was_changed_is_found_and_a_dead_broker_is_named(
    cluster: Cluster,
) -> None:
    cluster.create("changed", "1:2:3")
    follower = cluster.brokers[3]
    follower.terminate()
    try:
        wait_until_alive(cluster.bootstrap, "1", "2")
        offset = change_last_batch(follower.data / "changed-0")
        without = kadmin(
            *("verify-replicas", "--until-caught-up", "--topic", "changed", "--output", "json"),
            *("--bootstrap-server", cluster.bootstrap),
        )
    finally:
        cluster.start(3)
        wait_until_alive(cluster.bootstrap, "1", "2", "3")
    found = partitions(cluster.verified("--topic", "changed", "--output", "json"))["changed-0"]
    plain = cluster.verified("--topic", "changed", "--plain")

    (left_out,) = partitions(without)["changed-0"]["unreadable"]
    assert ExitCode.UNREACHABLE == without.exit_code
    assert "unreadable" == partitions(without)["changed-0"]["verdict"]
    assert "changed-0 on broker 3" == left_out["label"]
    assert f"warning: broker 3: {left_out['reason']}; its replicas" in without.stderr
    assert ("differ", offset, "corruption") == (
        found["verdict"],
        found["first_divergent_offset"],
        found["cause"],
    )
    assert ["3"] == found["suspects"]
    assert COUNT == found["compared_to"]
    assert ExitCode.FOUND == plain.exit_code
    assert re.search(
        rf": partition changed-0 has unmatched checksum at offset {COUNT - 1};"
        r" replica 1's checksum \d+; replica 3's checksum \d+\n",
        plain.stdout,
    ), plain
    assert f"warning: changed-0: replicas differ from offset {offset} on" not in plain.stderr


def test_a_topic_that_is_made_anew_meanwhile_is_told(cluster: Cluster, tmp_path: Path) -> None:
    cluster.create("anew", "1:2:3")
    words = ("--topic", "anew", "--zookeeper", cluster.zookeeper)
    out, err = tmp_path / "out", tmp_path / "err"
    with out.open("wb") as output, err.open("wb") as told:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "kadmin", "verify-replicas", "--topic", "anew"),
                *("--topic", "equal", "--bootstrap-server", cluster.bootstrap),
                *("--report-interval-ms", "50", "--time", "earliest", "--max-wait-ms", "100"),
                *("--output", "json"),
            ],
            stdout=output,
            stderr=told,
        )
    try:
        all_compared = f"{2 * COUNT} of {2 * COUNT} offsets"
        wait_until(lambda: all_compared in err.read_text(), what="the comparison")
        done("topics", "--delete", *words, "--yes")
        wait_until(
            lambda: "anew" not in done("topics", "--list", *words[2:]).split(),
            what="the topic to be deleted",
        )
        done("topics", "--create", *words, "--replica-assignment", "1:2:3")
        wait_until(lambda: "made anew" in err.read_text(), what="it to be told")
        process.send_signal(signal.SIGINT)
        process.wait(OUTER_LIMIT_S)
    finally:
        process.kill()
        process.wait(OUTER_LIMIT_S)

    found = {each["topic"]: each for each in json.loads(out.read_text())["partitions"]}
    assert {"anew": "unreadable", "equal": "equal"} == {
        name: each["verdict"] for name, each in found.items()
    }
    assert "made anew" in found["anew"]["unreadable"][0]["reason"]


def test_where_all_is_deleted_meanwhile_nothing_is_proven(cluster: Cluster, tmp_path: Path) -> None:
    cluster.create("doomed", "1:2:3")
    err = tmp_path / "err"
    with err.open("wb") as told:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "kadmin", "verify-replicas", "--topic", "doomed"),
                *("--bootstrap-server", cluster.bootstrap, "--time", "earliest"),
                *("--report-interval-ms", "50", "--max-wait-ms", "100"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=told,
        )
    try:
        all_compared = f"{COUNT} of {COUNT} offsets"
        wait_until(lambda: all_compared in err.read_text(), what="the comparison")
        done("topics", "--delete", "--topic", "doomed", "--zookeeper", cluster.zookeeper, "--yes")
        process.wait(OUTER_LIMIT_S)
    finally:
        process.kill()
        process.wait(OUTER_LIMIT_S)

    assert ExitCode.UNREACHABLE == process.returncode
    assert "deleted meanwhile: nothing is proven" in err.read_text()


def test_brokers_that_run_are_collected_with_what_the_cluster_tells(
    cluster: Cluster, tmp_path: Path
) -> None:
    target = tmp_path / "incident"
    paths = [
        word
        for number, each in cluster.brokers.items()
        for word in ("--log-dir", f"{number}={each.data}")
    ]
    wait_until(cluster.has_checkpoints, what="high watermarks in the checkpoints")

    for server in (("--zookeeper", cluster.zookeeper), ("--bootstrap-server", cluster.bootstrap)):
        done("collect", str(target), *paths, "--topic", "equal", *server)
        verified = kadmin("verify-replicas", str(target), "--output", "json")

        assert {"equal"} == {each["verdict"] for each in partitions(verified).values()}
        told = json.loads((target / "snapshot.json").read_text())
        assert "kadmin.collection.cluster/1" == told["schema"]
        assert [1, 2, 3] == [each["id"] for each in told["brokers"]["brokers"]]
        assert "equal" in [each["name"] for each in told["topics"]["topics"]]
        assert told["controller"]["controller"] in (1, 2, 3)
        assert "entities" in told["broker_configs"]


def test_what_brokers_serve_is_collected_as_segments(cluster: Cluster, tmp_path: Path) -> None:
    target = tmp_path / "incident"
    wire = ("--wire", "--topic", "equal", "--bootstrap-server", cluster.bootstrap)
    # What followers have not heard to be committed, they do not serve.
    assert ExitCode.DONE == cluster.verified("--topic", "equal").exit_code

    first = done("collect", str(target), *wire)
    verified = kadmin("verify-replicas", str(target), "--deep", "--output", "json")
    again = done("collect", str(target), *wire)

    assert [f"broker {number}: log dir: 4 files" for number in (1, 2, 3)] == [
        line.partition(",")[0] for line in first.splitlines()
    ]
    assert first == again
    assert ExitCode.DONE == verified.exit_code, verified
    assert {"equal-0", "equal-1"} == set(partitions(verified))
    assert COUNT == sum(each["compared_to"] for each in partitions(verified).values())
    for number, each in cluster.brokers.items():
        for name in ("equal-0", "equal-1"):
            segment = f"{name}/{0:020}.log"
            copy = (target / f"broker-{number}/wire" / segment).read_bytes()
            assert (each.data / segment).read_bytes() == copy


def change_last_batch(replica: Path) -> int:
    """Put other records into the place of the last batch's; the first of their offsets."""
    log = replica / f"{0:020}.log"
    content = log.read_bytes()
    last = list(Walk(Records(content), len(content)))[-1]
    header = last.header
    other = batch(
        header.record_count, base_offset=header.base_offset, leader_epoch=header.leader_epoch
    )
    log.write_bytes(content[: last.position] + bytes(other))
    for index in replica.glob("*index"):
        index.unlink()
    return header.base_offset
