"""Who writes and reads while faults come, and what they have been promised.

A record that was acknowledged is there once, at its offset and in order; what was read once stays;
replicas are the same.
"""

import json
import logging
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

from tests.faults.cluster import FaultyCluster
from tests.faults.disks import DISKS
from tests.faults.moves import PARTITIONS, REPLICAS, TOPIC
from tests.support.acked_producer import AckedProducer, read_back
from tests.support.waiting import OUTER_LIMIT_S

PER_SECOND: Final = 400
LIBRARY: Final[dict[str, Any]] = {
    "linger.ms": 2,
    "socket.timeout.ms": 5000,
    "reconnect.backoff.max.ms": 1000,
    # What it decides about sequences and leaders, for who asks afterwards.
    "debug": "eos,metadata",
}
POLL_S: Final = 0.2
DIFFER: Final = 4
NOT_ALL_READ: Final = 5


class Reader:
    """Reads all partitions as they grow, and remembers what was where."""

    def __init__(self, bootstrap: str) -> None:
        self.values: dict[int, dict[int, bytes]] = defaultdict(dict)
        self.wrong: list[str] = []
        self._lost: set[int] = set()
        """The partitions that end before what was read."""
        self._library = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "log_level": 0,
                "group.id": "steady reader",
                "enable.auto.commit": False,
                "auto.offset.reset": "error",
                "reconnect.backoff.max.ms": 1000,
            }
        )
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Read no more.

        librdkafka 2.16 may never close: its thread that handles OffsetForLeaderEpoch holds a
        partition's lock and waits for that of all, and one whose broker fails the other way round.
        """
        self._is_over.set()
        self._thread.join(OUTER_LIMIT_S)

    def _run(self) -> None:
        self._assign()
        while not self._is_over.is_set():
            message = self._library.poll(POLL_S)
            if message is None:
                continue
            error = message.error()
            if error is not None and error.code() == KafkaError._AUTO_OFFSET_RESET:
                index = message.partition()
                assert index is not None
                self.wrong.append(f"partition {index}: {error.str()}")
                self._lost.add(index)
                self._assign()
            elif error is None:
                self._note(message)
        self._library.close()

    def _assign(self) -> None:
        """Go on behind what was read."""
        self._library.assign(
            [
                TopicPartition(TOPIC, index, max(self.values[index], default=-1) + 1)
                if self.values[index]
                else TopicPartition(TOPIC, index, OFFSET_BEGINNING)
                for index in range(PARTITIONS)
                if index not in self._lost
            ]
        )

    def _note(self, message: Any) -> None:
        index, offset, value = message.partition(), message.offset(), message.value()
        if self.values[index].setdefault(offset, value) != value:
            self.wrong.append(f"partition {index}: another record was read at {offset}")


class Referee:
    """A producer and a reader, and what is wrong with what they got."""

    def __init__(self, bootstrap: str, directory: Path) -> None:
        self._bootstrap = bootstrap
        self.producer = AckedProducer(
            bootstrap,
            TOPIC,
            PARTITIONS,
            per_second=PER_SECOND,
            flush_s=OUTER_LIMIT_S,
            config=LIBRARY | {"logger": log_of(directory / "producer.log")},
        )
        self._reader = Reader(bootstrap)

    def start(self) -> None:
        self.producer.start()
        self._reader.start()

    def behind(self, moment_s: float) -> list[int]:
        """The partitions that have taken none since then."""
        last_s = self.producer.acknowledged.last_s
        return [index for index in range(PARTITIONS) if last_s.get(index, 0) <= moment_s]

    def end(self) -> None:
        self.producer.stop()
        self._reader.stop()

    def problems(self) -> list[str]:
        """What is wrong, once everything is over and the cluster is whole."""
        failures = self.producer.acknowledged.failures
        wrong = [f"records were refused: {dict(failures)}"] if failures else []
        wrong += self._reader.wrong
        wrong += self.producer.problems(self._bootstrap)
        found = read_back(self._bootstrap, TOPIC, PARTITIONS)
        for index, values in self._reader.values.items():
            there = dict(found[index])
            gone = [offset for offset, value in values.items() if there.get(offset) != value]
            if gone:
                wrong.append(
                    f"partition {index}: {len(gone)} records that were read are gone, the first at"
                    f" {min(gone)}"
                )
        return wrong


def log_of(path: Path) -> logging.Logger:
    """Who writes to *path* what a library says of itself."""
    logger = logging.Logger(path.name)
    handler = logging.FileHandler(path)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger.addHandler(handler)
    return logger


# Replicas.


def different_replicas(cluster: FaultyCluster) -> list[str]:
    """Partitions whose replicas are not the same bytes; their brokers have stopped."""
    wrong = []
    for index in range(PARTITIONS):
        logs = {broker_id: log for broker_id, log in cluster.log_bytes(TOPIC, index).items() if log}
        if len(set(logs.values())) != 1 or len(logs) != REPLICAS:
            sizes = {broker_id: len(log) for broker_id, log in logs.items()}
            wrong.append(f"partition {index}: replicas differ, sizes are {sizes}")
    return wrong


def not_proven_equal(directories: Iterable[tuple[int, Path]]) -> list[str]:
    """What `kadmin verify-replicas --deep` does not find equal in the log directories of brokers
    that have stopped, record by record, with indexes, offsets and checkpoints.
    """
    named = [
        f"--log-dir={broker_id}={directory / disk}"
        for broker_id, directory in directories
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
