"""What tests of `kadmin reassign` do by hand: plans, requests and configs, and a controller."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from cluster.model.config_entity import ConfigOverrides
from cluster.zk import paths
from cluster.zk.admin import decode_reassignment
from cluster.zk.configs import decode_config, encode_config
from cluster.zk.topics import decode_assignment, encode_assignment
from cluster.zk.znode import Znode
from cluster.zkclient.kazoo_requests import znode_of
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.support.cli import KadminRun, kadmin
from tests.support.pretended_controller import PretendedController, pretended_controller
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of

REQUEST_PATH = paths.REASSIGN_PARTITIONS
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
CLUSTER = cluster(
    brokers("0 1 2"),
    topic("t", "0,1 1,0 0,2", {0: state(0, "0,1"), 1: state(1, "1,0"), 2: state(0, "0,2")}),
    topic("u", "1"),
)


def targets_file(**targets: str) -> str:
    """A file in this directory: `t_0="1,2"` moves t-0 there."""
    entries = [
        {
            "topic": name.split("_")[0],
            "partition": int(name.split("_")[1]),
            "replicas": list(map(int, replicas.split(","))),
        }
        for name, replicas in targets.items()
    ]
    Path("plan.json").write_text(json.dumps({"version": 1, "partitions": entries}))
    return "plan.json"


def execute(path: str, *arguments: str) -> KadminRun:
    return kadmin("reassign", "--execute", "--reassignment-json-file", path, *arguments)


def verify(path: str, *arguments: str) -> KadminRun:
    return kadmin("reassign", "--verify", "--reassignment-json-file", path, *arguments)


def request_in(connect: str) -> bytes | None:
    with client_of(connect) as client:
        try:
            data, _ = client.get(REQUEST_PATH)
        except NoNodeError:
            return None
        return bytes(data)


def config_in(connect: str, path: str) -> dict[str, str]:
    with client_of(connect) as client:
        if not client.exists(path):
            return {}
        return dict(decode_config(znode_of(path, client.get(path))).values)


def set_config(connect: str, path: str, **values: str) -> None:
    data = encode_config(ConfigOverrides(values=values))
    with client_of(connect) as client:
        if client.exists(path):
            client.set(path, data)
        else:
            client.create(path, data)


def move(client: KazooClient, request: Znode) -> None:
    """Have all that is asked for moved at once."""
    for part, replicas in decode_reassignment(request).items():
        path = paths.topic(part.topic)
        found = decode_assignment(znode_of(path, client.get(path)))
        moved = found.partitions[part.partition]._replace(replicas=replicas)
        after = replace(found, partitions={**found.partitions, part.partition: moved})
        client.set(path, encode_assignment(after))


@contextmanager
def controlled(connect: str) -> Iterator[PretendedController]:
    with pretended_controller(connect, REQUEST_PATH, move) as controller:
        yield controller


def settled(connect: str) -> None:
    wait_until(lambda: request_in(connect) is None, what="the reassignment")
