"""Do real brokers of every release give leaders back when kadmin asks, and is it told as theirs
tell it?"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.interop.brokers import RealCluster
from tests.interop.made_topics import create, wait_until_all_tell
from tests.interop.outages import (
    killed,
    unregister,
    wait_until_back,
    wait_until_dead,
)
from tests.interop.tools import Tools
from tests.support.cli import done, kadmin, kadmin_process
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop


def leaders(cluster: RealCluster, topic: str) -> list[int | None]:
    words = ("topics", "--describe", "--topic", topic, "--output", "json")
    (found,) = json.loads(done(*words, "--zookeeper", cluster.zookeeper_connect))["topics"]
    return [part["leader"] for part in found["partitions"]]


def test_leaders_come_home_by_zookeeper_on_every_release(
    cluster: RealCluster, tools: Tools
) -> None:
    create(cluster, "homing", "0:1,0:1,1:0")
    elect = ("elect", "--zookeeper", cluster.zookeeper_connect)
    with killed(cluster, 0):
        away = kadmin(*elect, "--topic", "homing", "--partition", "0")
    before = leaders(cluster, "homing")

    one = done(*elect, "--topic", "homing", "--partition", "0")
    after_one = leaders(cluster, "homing")
    kadmin(*elect, "--all-topic-partitions")
    after_all = leaders(cluster, "homing")
    tools.elect_preferred([("homing", 0), ("homing", 1), ("homing", 2)])
    wait_until(
        lambda: kadmin(*elect, "--topic", "homing", "--partition", "0").exit_code == 0,
        what="the tool's own election to be over",
    )

    assert (
        "Error completing leader election (PREFERRED) for partition: homing-0: broker 0, its"
        " preferred leader, is not alive\n" == away.stdout
    )
    assert 4 == away.exit_code
    assert [1, 1, 1] == before
    assert "Successfully completed leader election (PREFERRED) for partitions homing-0\n" == one
    assert [0, 1, 1] == after_one
    assert [0, 0, 1] == after_all
    assert [0, 0, 1] == leaders(cluster, "homing")


def test_leaders_come_home_by_brokers_in_the_words_of_their_tool(cluster_3_9: RealCluster) -> None:
    cluster = cluster_3_9
    create(cluster, "homed-by-wire", "0:1,0:1")
    alive = ("--bootstrap-server", cluster.bootstrap_of(1))
    with killed(cluster, 0):
        away = kadmin_process("elect", *alive, "--topic", "homed-by-wire", "--partition", "0")
    before = leaders(cluster, "homed-by-wire")
    wait_until_all_tell(
        cluster,
        "homed-by-wire",
        lambda partitions: all({0, 1} == set(each.isr_nodes) for each in partitions),
    )

    ours = done(
        *("elect", "--bootstrap-server", cluster.bootstrap),
        *("--topic", "homed-by-wire", "--partition", "0"),
    )
    after_ours = leaders(cluster, "homed-by-wire")
    theirs = Tools(cluster).elect_preferred([("homed-by-wire", 1)]).stdout

    assert (4, [1, 1]) == (away.exit_code, before)
    assert "homed-by-wire-0: broker 0, its preferred leader, is not alive" in away.stdout
    assert [0, 1] == after_ours
    assert theirs.replace("homed-by-wire-1", "homed-by-wire-0") == ours
    assert [0, 0] == leaders(cluster, "homed-by-wire")


@contextmanager
def late_one_alone(cluster: RealCluster, tools: Tools) -> Iterator[None]:
    """Brokers 1 and 0 have died in this order, and only 0 has all of costly-0; 1 is back, and 0
    afterwards, whatever becomes of it: other tests go on with them.
    """
    cluster.kill(1)
    try:
        unregister(cluster.zookeeper_connect, 1)
        wait_until_dead(cluster, 1)
        tools.produce("costly", "three")
        cluster.kill(0)
        unregister(cluster.zookeeper_connect, 0)
        # Where there are no others, it is the controller who finds that nobody can lead.
        cluster.start(1)
        # Of this partition only: others may have lost their leader with broker 1 already.
        wait_until(
            lambda: leaders(cluster, "costly") in ([None], [-1]),
            what="the end of costly's leader",
        )
        yield
    finally:
        for broker_id in (1, 0):
            if not cluster.brokers[broker_id].server.is_running:
                cluster.start(broker_id)
        for broker_id in (1, 0):
            wait_until_back(cluster, broker_id)


@pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True)
def test_a_leader_that_lacks_records_is_elected_by_real_brokers(cluster: RealCluster) -> None:
    create(cluster, "costly", "0:1")
    tools = Tools(cluster)
    tools.produce("costly", "one", "two")
    with late_one_alone(cluster, tools):
        unclean = (
            *("elect", "--election-type", "unclean", "--topic", "costly", "--partition", "0"),
            *("--bootstrap-server", cluster.bootstrap_of(1)),
        )
        wait_until(
            lambda: (
                "leader none -> 1" in kadmin(*unclean, "--dry-run").stdout
                and "ends at offset 2" in kadmin(*unclean, "--dry-run").stderr
            ),
            what="broker 1 to tell of its log",
        )
        preferred = kadmin("elect", *unclean[3:])
        in_pipe = kadmin(*unclean)
        said = done(*unclean, "--yes")

    assert 4 == preferred.exit_code
    assert 6 == in_pipe.exit_code
    assert "costly-0: broker 1 is not in the ISR; what it has not copied is lost" in in_pipe.stderr
    assert "; broker 0, which has all of it, is dead, so how much more is not known\n" in (
        in_pipe.stderr
    )
    assert "Successfully completed leader election (UNCLEAN) for partitions costly-0\n" == said
    assert [1] == leaders(cluster, "costly")
    assert ["one", "two"] == tools.consume("costly", 2)
