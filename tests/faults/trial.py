"""One trial: faults by a seed under load, then the cluster heals, and everything is looked at."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.faults.cluster import DISKS, SESSION_MS, FaultyCluster, running_cluster
from tests.faults.links import Cut
from tests.support.steady import SteadyProducer
from tests.support.waiting import OUTER_LIMIT_S, wait_until

TOPIC: Final = "trial"
PARTITIONS: Final = 6
PER_SECOND: Final = 400
LIBRARY: Final = {
    "log_level": 0,
    "linger.ms": 2,
    "socket.timeout.ms": 5000,
    "reconnect.backoff.max.ms": 1000,
}
DIFFER: Final = 4
NOT_ALL_READ: Final = 5

Say = Callable[[str], None]


class Fault(NamedTuple):
    """What goes wrong, and for how long before everything heals."""

    name: str
    begin: Callable[[FaultyCluster, Random], str]
    """Says what it did."""
    lasts_s: tuple[float, float]


def any_broker(cluster: FaultyCluster, lots: Random) -> int:
    return lots.choice(cluster.broker_ids)


def kill_broker(cluster: FaultyCluster, lots: Random) -> str:
    one = any_broker(cluster, lots)
    cluster.kill(one)
    return f"broker {one}"


def kill_two(cluster: FaultyCluster, lots: Random) -> str:
    both = lots.sample(cluster.broker_ids, 2)
    for one in both:
        cluster.kill(one)
    return f"brokers {both[0]} and {both[1]}"


def kill_controller(cluster: FaultyCluster, lots: Random) -> str:
    one = cluster.controller_id() or any_broker(cluster, lots)
    cluster.kill(one)
    return f"broker {one}"


def stop_broker(cluster: FaultyCluster, lots: Random) -> str:
    one = any_broker(cluster, lots)
    cluster.stop(one)
    return f"broker {one}"


def freeze_broker(cluster: FaultyCluster, lots: Random) -> str:
    one = any_broker(cluster, lots)
    cluster.freeze(one)
    return f"broker {one}"


def freeze_controller(cluster: FaultyCluster, lots: Random) -> str:
    one = cluster.controller_id() or any_broker(cluster, lots)
    cluster.freeze(one)
    return f"broker {one}"


def kill_zookeeper_leader(cluster: FaultyCluster, lots: Random) -> str:
    number = cluster.zookeeper_leader()
    cluster.zookeepers[number].kill()
    return f"zookeeper {number}"


def cut_from_zookeeper(cluster: FaultyCluster, lots: Random) -> str:
    one, cut = any_broker(cluster, lots), lots.choice([Cut.WHOLE, Cut.REQUESTS, Cut.ANSWERS])
    cluster.cut_from_zookeeper(one, cut)
    return f"broker {one}, {cut.name}"


def cut_from_peers(cluster: FaultyCluster, lots: Random) -> str:
    one, cut = any_broker(cluster, lots), lots.choice([Cut.WHOLE, Cut.REQUESTS, Cut.ANSWERS])
    cluster.cut_from_peers(one, cut)
    return f"broker {one}, {cut.name}"


def fill_disks(cluster: FaultyCluster, lots: Random) -> str:
    one = any_broker(cluster, lots)
    cluster.fill_disks(one)
    return f"broker {one}"


def fail_disk(cluster: FaultyCluster, lots: Random) -> str:
    one, disk = any_broker(cluster, lots), lots.choice(DISKS)
    cluster.fail_disk(one, disk)
    return f"broker {one}, {disk}"


SHORT: Final = (0.2, 1.5)
"""Over before anybody's session is."""
LONG: Final = (1.3 * SESSION_MS / 1000, 2 * SESSION_MS / 1000)

FAULTS: Final = (
    Fault("kill -9", kill_broker, LONG),
    Fault("kill -9, soon back", kill_broker, SHORT),
    Fault("kill -9 of two", kill_two, LONG),
    Fault("kill -9 of the controller", kill_controller, LONG),
    Fault("controlled shutdown", stop_broker, SHORT),
    Fault("freeze, longer than the session", freeze_broker, LONG),
    Fault("freeze, shorter than the session", freeze_broker, SHORT),
    Fault("freeze of the controller", freeze_controller, LONG),
    Fault("kill -9 of ZooKeeper's leader", kill_zookeeper_leader, LONG),
    Fault("cut off from ZooKeeper", cut_from_zookeeper, LONG),
    Fault("cut off from other brokers", cut_from_peers, LONG),
    Fault("full log directories", fill_disks, LONG),
    Fault("a failed log directory", fail_disk, LONG),
)


class Result(NamedTuple):
    """What came of a trial; *wrong* is empty when nothing is."""

    faults: int
    acknowledged: int
    worst_s: float
    wrong: tuple[str, ...]


@contextmanager
def prepared(directory: Path) -> Iterator[tuple[FaultyCluster, str]]:
    """A cluster with the topic of the trial, and its bootstrap servers."""
    with running_cluster(directory) as cluster:
        bootstrap = ",".join(f"127.0.0.1:{port}" for port in cluster.client_ports.values())
        wait_until(lambda: cluster.controller_id() is not None, what="a controller")
        admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
        # Those that serve have said so in ZooKeeper; the controller has perhaps not heard of all.
        wait_until(
            lambda: (
                len(admin.list_topics(timeout=OUTER_LIMIT_S).brokers) == len(cluster.broker_ids)
            ),
            what="a controller that knows all brokers",
        )
        topic = NewTopic(
            TOPIC,
            PARTITIONS,
            replication_factor=len(cluster.broker_ids),
            config={"min.insync.replicas": "2"},
        )
        for future in admin.create_topics([topic]).values():
            future.result(OUTER_LIMIT_S)
        wait_until(lambda: cluster.is_whole(TOPIC), what="a whole ISR")
        yield cluster, bootstrap


def run_trial(
    directory: Path, seed: int, next_fault: Callable[[int], Fault | None], say: Say
) -> Result:
    """Let faults come, one after the other, until *next_fault* of their count gives none."""
    lots = Random(seed)
    with prepared(directory) as (cluster, bootstrap):
        producer = SteadyProducer(
            bootstrap,
            TOPIC,
            PARTITIONS,
            per_second=PER_SECOND,
            flush_s=OUTER_LIMIT_S,
            config=LIBRARY,
        )
        producer.start()
        count = 0
        try:
            # Faults without a load would find nothing.
            while not producer.has_given_up and (fault := next_fault(count)) is not None:
                count += 1
                act(cluster, fault, lots, say)
        finally:
            acknowledged = producer.stop()
        wrong: list[str] = []
        if acknowledged.failures:
            wrong.append(f"records were refused: {dict(acknowledged.failures)}")
        wait_until(lambda: cluster.is_whole(TOPIC), what="whole ISRs")
        wrong += producer.problems(bootstrap)
        for broker_id in cluster.broker_ids:
            cluster.stop(broker_id)
        wrong += different_replicas(cluster)
        wrong += not_proven_equal(cluster.directory, cluster.broker_ids)
        return Result(count, acknowledged.count, acknowledged.worst_s, tuple(wrong))


def act(cluster: FaultyCluster, fault: Fault, lots: Random, say: Say) -> None:
    """Let one fault come and go, and wait until the cluster is whole again."""
    text = fault.begin(cluster, lots)
    lasts_s = lots.uniform(*fault.lasts_s)
    time.sleep(lasts_s)
    healed_s = time.monotonic()
    cluster.heal()
    wait_until(lambda: cluster.is_whole(TOPIC), what=f"healing of {fault.name}")
    took_s = time.monotonic() - healed_s
    say(f"{fault.name}: {text}, for {lasts_s:.1f} s; whole again after {took_s:.1f} s")
    time.sleep(lots.uniform(0, 1))


def different_replicas(cluster: FaultyCluster) -> list[str]:
    """Partitions whose replicas are not the same bytes; their brokers have stopped."""
    wrong = []
    for index in range(PARTITIONS):
        logs = cluster.log_bytes(TOPIC, index)
        if len(set(logs.values())) != 1:
            sizes = {broker_id: len(log) for broker_id, log in logs.items()}
            wrong.append(f"partition {index}: replicas differ, sizes are {sizes}")
    return wrong


def not_proven_equal(directory: Path, broker_ids: Iterable[int]) -> list[str]:
    """What `kadmin verify-replicas --deep` does not find equal in the log directories of brokers
    that have stopped, record by record, with indexes, offsets and checkpoints.
    """
    named = [
        f"--log-dir={broker_id}={directory / f'broker-{broker_id}' / disk}"
        for broker_id in broker_ids
        for disk in DISKS
    ]
    command = [sys.executable, "-m", "kadmin", "verify-replicas", *named, "--topic", TOPIC]
    done = subprocess.run(
        [*command, "--deep", "--output", "json", "--quiet"],
        capture_output=True,
        text=True,
        timeout=OUTER_LIMIT_S,
        check=False,
    )
    if done.returncode not in (0, DIFFER, NOT_ALL_READ):
        return [f"verify-replicas ended with {done.returncode}: {done.stderr}"]
    partitions = json.loads(done.stdout)["partitions"]
    wrong = [f"verify-replicas: {one}" for one in partitions if one["verdict"] != "equal"]
    if done.returncode != 0 or len(partitions) != PARTITIONS:
        text = f"{len(partitions)} partitions, exit code {done.returncode}"
        wrong.append(f"verify-replicas: {text}: {done.stderr}")
    return wrong
