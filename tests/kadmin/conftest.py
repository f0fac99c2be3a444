"""What tests of several parts of kadmin share: a broker, Spark, S3, classes, quick waits."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kadmin.execute import waiting
from kadmin.jobs.spark.engine import SparkEngine
from kadmin.jvm import process
from kadmin.jvm.java import find_java
from kadmin.local.archive import server_archive
from kadmin.local.jars import class_path
from kadmin.local.zookeeper import ZooKeeperServer
from tests.interop.maven import exclusive
from tests.support.brokers import running_broker
from tests.support.checkout import CACHE, CHECKOUT
from tests.support.one_broker import OneBroker
from tests.support.quick_time import QuickTime
from tests.support.s3 import Bucket, bucket_of_a_server
from tests.support.spark import SharedSpark, standalone_master
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.zookeeper import make_chroot

SILENCE_MAX_S = waiting.SILENCE_MAX_S

# No command remarks that something takes long, however slow the machine is.
pytest.MonkeyPatch().setattr(waiting, "SILENCE_MAX_S", OUTER_LIMIT_S)
# Nor does it give up on a killed process that waits for the disk.
pytest.MonkeyPatch().setattr(process, "KILL_TIMEOUT_S", OUTER_LIMIT_S)

SHARED_SPARK = SharedSpark()


@pytest.fixture
def spark_engine(tmp_path_factory: pytest.TempPathFactory) -> SparkEngine:
    """A local Spark, shared by all tests that neither end it nor set it up in their own way.

    They belong into xdist's group "spark", and run one behind the other: Spark ends behind the
    last of them, so that other tests of the process can start their own.
    """
    return SHARED_SPARK.engine(tmp_path_factory)


def uses_shared_spark(item: pytest.Item | None) -> bool:
    return "spark_engine" in getattr(item, "fixturenames", ())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # First, since they take longest; this comes behind what draws the order.
    items.sort(key=lambda item: not uses_shared_spark(item))


def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    if not uses_shared_spark(nextitem):
        SHARED_SPARK.end()


@pytest.fixture(scope="session")
def standalone_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A standalone master with two workers of a core each; its address.

    For all tests of one process: those that use it belong into one group of xdist.
    """
    with standalone_master(tmp_path_factory.mktemp("standalone"), workers=2) as master:
        yield master


@pytest.fixture(scope="session")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bucket]:
    """A bucket of S3, in which each test uses names of its own.

    Its server takes seconds to start: tests that use it belong into xdist's group "bucket".
    """
    with bucket_of_a_server(tmp_path_factory.mktemp("s3")) as bucket:
        yield bucket


@pytest.fixture
def quick_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for the cluster takes no time, and is over after its timeout all the same."""
    monkeypatch.setattr(waiting, "time", QuickTime())
    monkeypatch.setattr(waiting, "SILENCE_MAX_S", SILENCE_MAX_S)


@pytest.fixture(scope="session")
def archive_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What XDG_CACHE_HOME is with a class-data archive, as the background process makes it.

    With it a ZooKeeper costs two thirds of its start, and asks for no archive of its own.  It is
    made once for all workers and runs; each has a copy, as other checkouts keep theirs beside it.
    """
    shared = CACHE / "archives"
    shared.mkdir(parents=True, exist_ok=True)
    cache = tmp_path_factory.mktemp("archives")
    own = cache / "kadmin"
    own.mkdir()
    with exclusive(shared / "lock"):
        make_archive_in(shared)
        stem = server_archive(find_java(), class_path()).stem()
        for made in (shared / "kadmin").glob(f"{stem}-*.jsa"):
            shutil.copy(made, own)
    # A maker that outlived its run makes none beside it.
    if not os.listdir(own):
        make_archive_in(cache)
    return cache


def make_archive_in(cache: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "kadmin.local.archive_maker"],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        cwd=CHECKOUT,
        check=True,
    )


@pytest.fixture(scope="session")
def one_broker(
    tmp_path_factory: pytest.TempPathFactory, zookeeper: ZooKeeperServer
) -> Iterator[OneBroker]:
    """For tests in the group "one-broker" of xdist, each of which keeps to topics of its own."""
    connect = make_chroot(zookeeper)
    # Alone, it has to have all that groups need.
    settings = {
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "2",
        "group.initial.rebalance.delay.ms": "0",
        "kafka.metrics.reporters": "prometheus,jolokia",
    }
    directory = tmp_path_factory.mktemp("broker")
    with running_broker(directory, connect, settings=settings) as broker:
        yield OneBroker(broker, connect)
