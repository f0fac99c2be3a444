"""What do brokers leave in ZooKeeper that kadmin's config commands meet, without any broker?"""

import json
from dataclasses import replace
from typing import Any

from kazoo.client import KazooClient

from cluster.zk.brokers import encode_broker
from cluster.zk.topics import encode_assignment
from kadmin.errors import ExitCode
from tests.kadmin.builders import assignment, brokers
from tests.support.cli import KadminRun, kadmin

TOPICS = ("t1", "t2", "logs-a", "logs-b")


class ConfigCluster:
    """What brokers have written below one chroot, and kadmin to be run on it."""

    def __init__(self, connect: str, client: KazooClient) -> None:
        self.connect = connect
        self.client = client

    def configs(self, *arguments: str) -> KadminRun:
        return kadmin("configs", "--zookeeper", self.connect, *arguments)

    def done(self, *arguments: str) -> str:
        """What kadmin prints for *arguments*, of which it must not ask anything."""
        yes = ("--yes",) if "--alter" in arguments else ()
        outcome = self.configs(*arguments, *yes)
        assert outcome.exit_code == 0, outcome
        return outcome.stdout

    def document(self, *arguments: str) -> Any:
        return json.loads(self.done("--output", "json", *arguments))

    def refused(self, *arguments: str, exit_code: ExitCode = ExitCode.FAILED) -> str:
        before = self.everything()
        outcome = self.configs(*arguments)
        assert outcome.exit_code == exit_code, outcome
        assert self.everything() == before
        return outcome.stderr

    def data(self, path: str) -> bytes | None:
        data: bytes | None = self.client.get(path)[0]
        return data

    def set_config(self, path: str, **values: str) -> None:
        config = {name.replace("_", "."): value for name, value in values.items()}
        document = json.dumps({"version": 1, "config": config}, separators=(",", ":"))
        self.client.create(f"/config/{path}", document.encode(), makepath=True)

    def register(self, numbers: str, version: int = 5) -> None:
        for broker_id, broker in brokers(numbers, version).items():
            data = encode_broker(replace(broker, host="127.0.0.1", port=9092))
            self.client.create(f"/brokers/ids/{broker_id}", data, ephemeral=True)

    def notifications(self) -> list[str]:
        names = sorted(self.client.get_children("/config/changes"))
        return [self.client.get(f"/config/changes/{name}")[0].decode() for name in names]

    def everything(self) -> dict[str, tuple[bytes | None, int]]:
        """Every znode's data and version."""
        found = {}
        waiting = ["/"]
        while waiting:
            path = waiting.pop()
            data, stat = self.client.get(path)
            found[path] = (data, stat.version)
            waiting += [f"{path.rstrip('/')}/{name}" for name in self.client.get_children(path)]
        return found


def make_cluster(connect: str, client: KazooClient) -> ConfigCluster:
    """A cluster with topics of two partitions; `t1` has an override."""
    for path in ("/brokers/ids", "/brokers/topics", "/config/topics", "/config/changes"):
        client.ensure_path(path)
    client.create("/controller_epoch", b"1")
    for name in TOPICS:
        client.create(f"/brokers/topics/{name}", encode_assignment(assignment("0,1 1,0")))
    cluster = ConfigCluster(connect, client)
    cluster.set_config("topics/t1", max_message_bytes="100000")
    return cluster
