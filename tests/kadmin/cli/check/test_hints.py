"""Every command that `kadmin check` prints, run as it stands where it was printed.

Does it work, and is the cluster as it was before?
"""

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.zk import paths
from kadmin.errors import ExitCode
from kadmin.plan.check.findings import Kind
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.support.cli import kadmin
from tests.support.znodes import all_znodes, write_snapshot
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

THROTTLED = {
    "leader.replication.throttled.replicas": "0:1",
    "follower.replication.throttled.replicas": "0:1",
}
RATES = b'{"version":1,"config":{"leader.replication.throttled.rate":"1000"}}'
ODD_NAMES = ("-x", "--zookeeper", "--yes", "._-")

SICK = cluster(
    brokers("0:a 1:a 2:b"),
    topic("offline", "7", {0: state(-1, "7")}),
    topic("unstarted", "0,1", {}),
    topic("under", "0,7", {0: state(0, "0")}, configs={"min.insync.replicas": "2"}),
    topic("few", "0", configs={"min.insync.replicas": "2"}),
    topic("at", "0,7", {0: state(0, "0")}),
    topic("lacks", "0,1,7", {0: state(0, "0,1")}),
    topic("recovering", "0,1", {0: state(0, "0,1", leader_recovery_state=1)}),
    topic("elsewhere", "0,1", {0: state(1, "0,1")}),
    topic("stranger", "0,1", {0: state(0, "0,1,2")}),
    topic("repeated", "0,0", {0: state(0, "0")}),
    topic("none", "-", {}),
    topic("crowded", "0,1"),
    topic("going", "0,7", marked=True),
    topic("slow", "0,1", configs=THROTTLED),
    *(topic(name, "0,1", configs=THROTTLED) for name in ODD_NAMES),
    topic("skewed", " ".join(["0"] * 60)),
)
MOVING = cluster(
    brokers("0 1"),
    topic("moved", "0,1", adding="1", configs=THROTTLED),
    topic("hangs", "0,7", {0: state(0, "0")}, adding="7"),
    topic("asked", "0", configs=THROTTLED),
    moving={
        TopicPartition("asked", 0): (BrokerId(1),),
        TopicPartition("gone", 0): (BrokerId(1),),
    },
)
WITHOUT_CONTROLLER = replace(cluster(brokers("0"), topic("t", "0", marked=True)), controller=None)
EMPTY = replace(cluster({}, topic("t", "0")), controller=None)
STRAY = {
    "/config/brokers/1": RATES,
    f"{paths.DELETE_TOPICS}/orphan": b"",
    paths.PREFERRED_ELECTION: b'{"version":1,"partitions":[{"topic":"t","partition":0}]}',
    f"{paths.topic('broken')}": b"no JSON",
}

CLUSTERS: tuple[tuple[ClusterSnapshot, Mapping[str, bytes], set[Kind]], ...] = (
    (
        SICK,
        STRAY,
        {
            *(Kind.OFFLINE, Kind.DAMAGED, Kind.UNDER_MIN_ISR, Kind.AT_MIN_ISR, Kind.RACKS),
            *(Kind.UNDER_REPLICATED, Kind.RECOVERING, Kind.NOT_PREFERRED, Kind.DEAD_BROKER),
            *(Kind.DELETION, Kind.SKEW),
        },
    ),
    (SICK, {"/config/brokers/1": RATES}, {Kind.THROTTLE}),
    (MOVING, {"/config/brokers/1": RATES}, {Kind.REASSIGNMENT}),
    (WITHOUT_CONTROLLER, {}, {Kind.CONTROLLER, Kind.DELETION}),
    (EMPTY, {}, {Kind.CONTROLLER, Kind.OFFLINE}),
)


@pytest.mark.parametrize(("snapshot", "stray", "kinds"), CLUSTERS)
def test_every_command_works_and_leaves_the_cluster_as_it_was(
    chroot: str, snapshot: ClusterSnapshot, stray: Mapping[str, bytes], kinds: set[Kind]
) -> None:
    write_snapshot(chroot, snapshot)
    with client_of(chroot) as client:
        for path, data in stray.items():
            client.create(path, data, makepath=True)
    found: Any = json.loads(
        kadmin("check", "--zookeeper", chroot, "--no-brokers", "--output", "json").stdout
    )["findings"]
    before = all_znodes(chroot)

    told = [each for each in found if each["command"] is not None]
    assert kinds <= {each["kind"] for each in told}
    for command in {each["command"] for each in told}:
        program, *words = shlex.split(command)
        outcome = kadmin(*words)
        assert program == "kadmin"
        # A description of what is ill says so; what changes much is not done unasked.
        is_asked = outcome.exit_code == ExitCode.REFUSED and "not confirmed" in outcome.stderr
        assert is_asked or outcome.exit_code in (ExitCode.DONE, ExitCode.FOUND), (command, outcome)
    assert before == all_znodes(chroot)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_command_names_a_topic_as_it_is_called(chroot: str, name: str) -> None:
    write_snapshot(chroot, cluster(brokers("0 1"), topic(name, "0,1", marked=True)))
    (found,) = json.loads(
        kadmin("check", "--zookeeper", chroot, "--no-brokers", "--output", "json").stdout
    )["findings"]

    _, *words = shlex.split(found["command"])
    outcome = kadmin(*words)

    assert name == words[words.index("--topic") + 1]
    assert ExitCode.DONE == outcome.exit_code, outcome
    assert name in outcome.stdout
