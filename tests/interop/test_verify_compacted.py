"""Is a compacted log that a real broker cleaned sound to `kadmin verify-replicas --deep`?

Copies of the log directory of one broker, from before, between and after cleanings, stand for
replicas whose cleaners came differently far.
"""

import random
import shutil
from pathlib import Path

import pytest
from confluent_kafka import Producer

from cluster.formats.checkpoints import CLEANED_OFFSETS
from kadmin.errors import ExitCode
from tests.clients.confluent import Confluent
from tests.interop.brokers import RealCluster
from tests.interop.maven import Maven
from tests.interop.one_broker import one_broker, start
from tests.support.cli import kadmin
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = [pytest.mark.interop, pytest.mark.faults]

TOPICS = {"keyed": "compact", "both": "compact,delete"}
ROUNDS = 4
CONFIGS = {
    **{"segment.bytes": "4000", "min.cleanable.dirty.ratio": "0.01", "delete.retention.ms": "1"},
    **{"retention.ms": "-1", "file.delete.delay.ms": "1"},
}
SETTINGS = {
    **{"log.cleaner.backoff.ms": "200", "transaction.state.log.replication.factor": "1"},
    **{"transaction.state.log.min.isr": "1", "log.cleaner.dedupe.buffer.size": "2000000"},
    "log.cleaner.threads": "1",
}


def write(bootstrap: str, chance: random.Random) -> None:
    """Values and tombstones of some keys, also in transactions, of which some are aborted."""
    producers = [Producer({"bootstrap.servers": bootstrap, "batch.num.messages": 7})]
    for number in range(2):
        options = {"bootstrap.servers": bootstrap, "transactional.id": f"t{number}"}
        producers.append(Producer(options))
        producers[-1].init_transactions(OUTER_LIMIT_S)
    for _ in range(20):
        producer = chance.choice(producers)
        is_plain = producer is producers[0]
        if not is_plain:
            producer.begin_transaction()
        for _ in range(chance.randrange(1, 30)):
            value = None if chance.random() < 0.3 else b"%040d" % chance.randrange(10**9)
            for topic in TOPICS:
                producer.produce(topic, value, b"k%d" % chance.randrange(30))
        producer.flush(OUTER_LIMIT_S)
        if not is_plain:
            is_kept = chance.random() < 0.6
            (producer.commit_transaction if is_kept else producer.abort_transaction)(OUTER_LIMIT_S)


def cleaned_offsets(data: Path) -> list[tuple[str, int]]:
    path = data / CLEANED_OFFSETS
    lines = path.read_text().splitlines()[2:] if path.exists() else []
    words = [line.split() for line in lines]
    return sorted((topic, int(offset)) for topic, _, offset in words if topic in TOPICS)


def copy(kafka: RealCluster, directory: Path, number: int) -> Path:
    """Copy the log directory of the stopped broker as that of another one."""
    target = directory / f"copy-{number}"
    shutil.copytree(kafka.brokers[0].directory / "data", target)
    meta = target / "meta.properties"
    meta.write_text(meta.read_text().replace("broker.id=0", f"broker.id={number}"))
    return target


@pytest.mark.parametrize("release", ["2.8.2", "3.9.1"])
def test_what_cleaners_left_is_sound_and_what_they_may_not_take_is_missed(
    release: str, chroot: str, java: str, maven: Maven, tmp_path: Path
) -> None:
    chance = random.Random(7)
    copies: list[Path] = []
    with one_broker(
        release, chroot, java=java, maven=maven, directory=tmp_path, settings=SETTINGS
    ) as kafka:
        data = kafka.brokers[0].directory / "data"
        for _ in range(ROUNDS):
            start(kafka)
            if not copies:
                for topic, policy in TOPICS.items():
                    Confluent(kafka.bootstrap).create_topic(
                        topic, configs={**CONFIGS, "cleanup.policy": policy}
                    )
            before = cleaned_offsets(data)
            write(kafka.bootstrap, chance)
            if copies:
                wait_until(
                    lambda before=before: (  # type: ignore[misc]
                        len(now := cleaned_offsets(data)) == len(TOPICS) and now > before
                    ),
                    what="cleanings of both logs",
                )
            kafka.stop(0)
            copies.append(copy(kafka, tmp_path, len(copies) + 1))
    for first in range(ROUNDS):
        for second in range(first + 1, ROUNDS):
            pair = [(first + 1, copies[first]), (second + 1, copies[second])]
            dirs = [word for n, path in pair for word in ("--log-dir", f"{n}={path}")]
            run = kadmin("verify-replicas", *dirs, "--topic", "keyed", "--topic", "both", "--deep")
            assert "damaged" not in run.stdout + run.stderr, run
            assert run.exit_code == ExitCode.DONE, run
