"""A broker of ours with groups, and topics whose records are of known times."""

import json
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from tests.kadmin.cli.conftest import OneBroker
from tests.support.brokers import Broker
from tests.support.cli import KadminRun, done, kadmin

NUMBERS: Final = count(1)
FIRST_MS: Final = 1_700_000_000_000


class Cluster:
    def __init__(self, broker: Broker) -> None:
        self.bootstrap = broker.bootstrap
        self.wire = ("--bootstrap-server", broker.bootstrap)

    def run(self, *arguments: str) -> KadminRun:
        return kadmin("groups", *arguments, *self.wire)

    def done(self, *arguments: str) -> str:
        return done("groups", *arguments, *self.wire)

    def new_topic(self, tmp_path: Path, records: int = 5) -> str:
        """Two partitions with *records* each, a second apart."""
        name = f"read-{next(NUMBERS)}"
        create = ("topics", "--create", "--topic", name, "--config", "retention.ms=-1", "--yes")
        done(*create, "--partitions", "2", "--replication-factor", "1", *self.wire)
        path = tmp_path / name
        lines = [
            json.dumps({"value": "v", "partition": part, "timestamp": FIRST_MS + 1000 * number})
            for part in (0, 1)
            for number in range(records)
        ]
        path.write_text("".join(f"{line}\n" for line in lines))
        done("produce", "--topic", name, "--format", "json", "--file", str(path), *self.wire)
        return name


@pytest.fixture
def cluster(one_broker: OneBroker) -> Cluster:
    return Cluster(one_broker.broker)


@pytest.fixture
def topic(cluster: Cluster, tmp_path: Path) -> str:
    return cluster.new_topic(tmp_path)
