"""Curator's LeaderLatch and ours queue up at one path, and lead in turn.

Its jars are those of Maven Central that PySpark brings.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyspark
import pytest
from kazoo.client import KazooClient

from cluster.recipes.latch import LeaderLatch
from tests.clients.gateway import running_gateway
from tests.support.expiry import expire_owner
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of

pytestmark = [pytest.mark.zk, pytest.mark.clients, pytest.mark.xdist_group("curator")]

PATH: Final = "/elections/nightly"
JARS: Final = ("curator", "zookeeper", "guava", "failureaccess", "slf4j-api", "log4j", "netty")


@pytest.fixture(scope="module")
def jvm(java: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    jars = Path(pyspark.__path__[0], "jars")
    class_path = ":".join(
        str(jar) for jar in sorted(jars.glob("*.jar")) if jar.name.startswith(JARS)
    )
    with running_gateway(java, class_path, tmp_path_factory.mktemp("jvm")) as gateway:
        yield gateway.jvm


@pytest.fixture
def client(chroot: str) -> Iterator[KazooClient]:
    with client_of(chroot) as client:
        yield client


@pytest.fixture
def curator(jvm: Any, chroot: str) -> Iterator[Any]:
    retry = jvm.org.apache.curator.retry.RetryForever(100)
    made = jvm.org.apache.curator.framework.CuratorFrameworkFactory.newClient(
        chroot, OUTER_LIMIT_S * 1000, OUTER_LIMIT_S * 1000, retry
    )
    made.start()
    yield made
    made.close()


def latch_of(jvm: Any, curator: Any, identity: str) -> Any:
    latch = jvm.org.apache.curator.framework.recipes.leader.LeaderLatch(curator, PATH, identity)
    latch.start()
    return latch


def test_each_leads_in_its_turn_and_sees_the_other(jvm: Any, curator: Any, client: Any) -> None:
    with LeaderLatch(client, PATH, identity="ours") as ours:
        first = ours.acquire(OUTER_LIMIT_S)
        assert first is not None
        theirs = latch_of(jvm, curator, "theirs")
        wait_until(lambda: len(ours.participants()) == 2, what="both in the queue")
        assert not theirs.hasLeadership()
        assert ["ours", "theirs"] == [each.identity for each in ours.participants()]
        shown = {each.getId(): each.isLeader() for each in theirs.getParticipants()}
        assert {"ours": True, "theirs": False} == shown

        ours.release()
        wait_until(theirs.hasLeadership, what="their leadership")
        assert ours.acquire(0) is None
        leader = ours.leader()
        assert leader is not None
        assert ("theirs", True) == (leader.identity, leader.epoch > first.epoch)

        theirs.close()
        second = ours.acquire(OUTER_LIMIT_S)
        assert second is not None
        assert second.epoch > leader.epoch
    assert [] == client.get_children(PATH)


def test_they_lead_when_our_session_is_over(
    jvm: Any, curator: Any, client: Any, chroot: str
) -> None:
    with client_of(chroot) as own, LeaderLatch(own, PATH, rejoins=False) as ours:
        lease = ours.acquire(OUTER_LIMIT_S)
        assert lease is not None
        theirs = latch_of(jvm, curator, "theirs")
        wait_until(lambda: len(ours.participants()) == 2, what="both in the queue")
        expire_owner(client, chroot, lease.node)
        wait_until(theirs.hasLeadership, what="their leadership")

        assert not ours.still_valid(lease)
        theirs.close()
