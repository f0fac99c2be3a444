"""A broker of ours with groups, beside groups of old consumers in its ZooKeeper, and topics whose
records are of known times."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from kazoo.client import KazooClient

from tests.support.brokers import Broker
from tests.support.cli import KadminRun, done, kadmin
from tests.support.one_broker import OneBroker
from tests.support.zookeeper import client_of

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


class OldGroups:
    """The groups in ZooKeeper, beside the broker that has the logs."""

    def __init__(self, connect: str, client: KazooClient) -> None:
        self.connect = connect
        self.client = client
        self.zookeeper = ("--zookeeper", connect)

    def run(self, *arguments: str) -> KadminRun:
        return kadmin("groups", "--in-zookeeper", *arguments, *self.zookeeper)

    def done(self, *arguments: str) -> str:
        return done("groups", "--in-zookeeper", *arguments, *self.zookeeper)

    def put(self, path: str, data: str = "", *, is_ephemeral: bool = False) -> None:
        """Make the node `/consumers/PATH`, or replace its data."""
        path = f"/consumers/{path}"
        if self.client.exists(path):
            self.client.set(path, data.encode())
        else:
            self.client.create(path, data.encode(), makepath=True, ephemeral=is_ephemeral)

    def join(self, group: str, topic: str, host: str = "app-1") -> str:
        """Register a consumer that owns partition 0 of *topic*; returns its path."""
        consumer = f"{group}_{host}-1428512949385-0a1b2c3d"
        self.put(f"{group}/ids/{consumer}", '{"version":1}', is_ephemeral=True)
        self.put(f"{group}/owners/{topic}/0", f"{consumer}-0", is_ephemeral=True)
        return f"/consumers/{group}/ids/{consumer}"

    def leave(self, group: str, topic: str, path: str) -> None:
        self.client.delete(path)
        self.client.delete(f"/consumers/{group}/owners/{topic}/0")

    def offsets(self, group: str, topic: str) -> list[str | None]:
        return [
            self.client.get(path)[0].decode() if self.client.exists(path) else None
            for path in (f"/consumers/{group}/offsets/{topic}/{number}" for number in (0, 1))
        ]


@pytest.fixture
def old(one_broker: OneBroker) -> Iterator[OldGroups]:
    with client_of(one_broker.zookeeper) as client:
        yield OldGroups(one_broker.zookeeper, client)


@pytest.fixture
def idle(old: OldGroups, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A group without members, at offsets 2 and 5 of five records each."""
    monkeypatch.chdir(tmp_path)  # Where rollback files are written that have no other name.
    name = f"old-{topic}"
    old.put(f"{name}/offsets/{topic}/0", "2")
    old.put(f"{name}/offsets/{topic}/1", "5")
    return name
