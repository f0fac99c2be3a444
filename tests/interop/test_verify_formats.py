"""Is every directory sound to `kadmin verify-replicas` that a real broker wrote, in any format?

Topics of each message format of a release, and of each change from one to another amid a log, with
rolled segments; stopped in order, and killed, also when retention has just deleted old ones.
"""

import shutil
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from kadmin.errors import ExitCode
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.brokers import RealCluster
from tests.interop.maven import Maven
from tests.interop.one_broker import one_broker, start
from tests.interop.outages import unregister
from tests.support.cli import done, kadmin
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.interop, pytest.mark.faults]

FORMATS: Final[dict[str, Sequence[str]]] = {
    "0.10.2.2": ("0.9.0", "0.10.2"),
    "1.1.1": ("0.9.0", "0.10.2", "1.1"),
    "2.8.2": ("0.9.0", "0.10.2", "2.8"),
    "3.9.1": ("3.0",),
}
COUNT: Final = 100
# So that segments roll, and indexes have entries.
CONFIGS: Final = {"segment.bytes": "4000", "index.interval.bytes": "300", "retention.ms": "-1"}


def topic_of(formats: Sequence[str]) -> str:
    return "from-" + "-to-".join(formats)


def send(kafka: RealCluster, topic: str, codec: str) -> None:
    records = [Sent(b"value %040d" % number, b"key") for number in range(COUNT)]
    options = {"compression_type": codec, "batch_num_messages": 10}
    Confluent(kafka.bootstrap).produce(topic, records, **options)


def data(kafka: RealCluster) -> Path:
    return kafka.brokers[0].directory / "data"


def alter(kafka: RealCluster, topic: str, config: str) -> None:
    entity = ("--entity-type", "topics", "--entity-name", topic)
    words = ("--add-config", config, "--zookeeper", kafka.zookeeper_connect, "--yes")
    done("configs", "--alter", *entity, *words)


def check(kafka: RealCluster, copy: Path, *, was_killed: bool = False) -> None:
    """Verify the directory, and a copy of it as another broker's.

    One that was killed may not have checkpointed the high watermark of a topic.
    """
    shutil.copytree(data(kafka), copy)
    meta = copy / "meta.properties"
    meta.write_text(meta.read_text().replace("broker.id=0", "broker.id=1"))
    for options in ((), ("--deep",)):
        dirs = ("--log-dir", f"0={data(kafka)}", "--log-dir", f"1={copy}")
        run = kadmin("verify-replicas", *dirs, "--topic", "from-*", *options)
        assert run.exit_code in (ExitCode.DONE, *([ExitCode.UNREACHABLE] if was_killed else []))
        assert "damaged" not in run.stdout, run


@pytest.mark.parametrize("release", FORMATS)
def test_what_a_broker_wrote_in_formats_that_change_is_sound(
    release: str, chroot: str, java: str, maven: Maven, tmp_path: Path
) -> None:
    changes = list(product(FORMATS[release], repeat=2))
    settings = {"log.retention.check.interval.ms": "500", "log.segment.delete.delay.ms": "500"}
    with one_broker(
        release, chroot, java=java, maven=maven, directory=tmp_path, settings=settings
    ) as kafka:
        start(kafka)
        for formats in changes:
            first = {**CONFIGS, "message.format.version": formats[0]}
            Confluent(kafka.bootstrap).create_topic(topic_of(formats), configs=first)
            send(kafka, topic_of(formats), "none")
            send(kafka, topic_of(formats), "gzip")
        kafka.kill(0)
        unregister(kafka.zookeeper_connect, 0)
        check(kafka, tmp_path / "killed", was_killed=True)

        for formats in changes:
            alter(kafka, topic_of(formats), f"message.format.version={formats[1]}")
        start(kafka)
        for formats in changes:
            send(kafka, topic_of(formats), "gzip")
            send(kafka, topic_of(formats), "none")
        kafka.stop(0)
        check(kafka, tmp_path / "stopped")

        for formats in changes:
            alter(kafka, topic_of(formats), "retention.bytes=1000")
        start(kafka)
        directories = [data(kafka) / f"{topic_of(formats)}-0" for formats in changes]
        wait_until(
            lambda: not any((each / f"{0:020}.log").exists() for each in directories),
            what="retention in all logs",
        )
        kafka.kill(0)
        check(kafka, tmp_path / "retained", was_killed=True)
