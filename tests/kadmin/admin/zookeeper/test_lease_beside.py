"""The lease of throttles beside a connection to brokers: is it used where it is theirs alone?"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.outcome import Committed
from cluster.zk import paths
from kadmin.admin.zookeeper.connection import Connection, ZooKeeperDenied, connect
from kadmin.admin.zookeeper.lease_beside import LeaseBeside
from kadmin.admin.zookeeper.packing import packed
from kadmin.admin.zookeeper.runner import JUTE_MAXBUFFER_BYTES
from kadmin.admin.zookeeper.throttle_journal import JOURNAL_PATH, JournalUnreadable
from kadmin.plan.reassignment.journal import Recorded, ThrottleJournal
from kadmin.settings.resolve import ZooKeeperSettings
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

LEASE = ThrottleJournal(
    entries={
        ConfigEntity(Entity(EntityKind.BROKERS, "1")): {
            "leader.replication.throttled.rate": Recorded(before="5", afters=("1000",))
        }
    },
    revision=1,
)


@contextmanager
def connected(zookeeper: str) -> Iterator[Connection]:
    with connect(ZooKeeperSettings(connect=zookeeper, timeout_s=5)) as connection:
        yield connection


@pytest.fixture
def cluster(chroot: str) -> str:
    """Of cluster c."""
    with client_of(chroot) as client:
        client.create(paths.CLUSTER_ID, b'{"version":"1","id":"c"}', makepath=True)
    return chroot


def test_what_was_written_is_read_by_another_one(cluster: str) -> None:
    one, two = LeaseBeside(connected), LeaseBeside(connected)

    empty = one.read(cluster, "c"), two.read(cluster, "c")
    written = one.write(LEASE)
    too_late = two.write(LEASE)
    found = two.read(cluster, "c")

    assert (ThrottleJournal(), ThrottleJournal()) == empty
    assert Committed() == written
    assert not isinstance(too_late, Committed)
    assert found is not None
    assert (LEASE.entries, True) == (found.entries, found.is_shared)


def test_a_lease_of_more_partitions_than_a_znode_has_room_for_is_kept(cluster: str) -> None:
    """As one has whose plan moves 50,000 at once."""
    replicas = ",".join(f"{number}:1" for number in range(200_000))
    long = ThrottleJournal(
        entries={
            ConfigEntity(Entity(EntityKind.TOPICS, "t")): {
                "leader.replication.throttled.replicas": Recorded(before=None, afters=(replicas,))
            }
        },
        revision=1,
    )
    one, two = LeaseBeside(connected), LeaseBeside(connected)
    one.read(cluster, "c")

    written = one.write(long)
    found = two.read(cluster, "c")
    assert found is not None
    again = two.write(replace(LEASE, zk_version=found.zk_version))

    assert JUTE_MAXBUFFER_BYTES < len(replicas)
    assert (Committed(), Committed()) == (written, again)
    assert long.entries == found.entries


def test_a_packed_lease_that_is_cut_off_is_damaged(cluster: str) -> None:
    with client_of(cluster) as client:
        client.create(JOURNAL_PATH, packed(b"{}" * 100)[:20], makepath=True)

    with pytest.raises(JournalUnreadable, match="cut off"):
        LeaseBeside(connected).read(cluster, "c")


def test_a_lease_of_another_cluster_is_not_used(cluster: str) -> None:
    """Brokers may say localhost, and mean another host than this one."""
    lease = LeaseBeside(connected)

    assert lease.read(cluster, "d") is None
    # It is not asked again.
    assert lease.read(cluster, "c") is None


def test_one_of_a_cluster_that_kraft_owns_is_not_used(cluster: str) -> None:
    with client_of(cluster) as client:
        client.create(
            paths.CONTROLLER,
            b'{"version":2,"brokerid":1,"timestamp":"1","kraftControllerEpoch":4}',
        )

    assert LeaseBeside(connected).read(cluster, "c") is None


@pytest.mark.parametrize("zookeeper", ["[::1", "h:2181/nowhere/../x"])
def test_a_connect_string_that_is_not_understood_is_not_used(zookeeper: str) -> None:
    @contextmanager
    def refusing(connect_string: str) -> Iterator[Connection]:
        raise ValueError(connect_string)
        yield

    assert LeaseBeside(refusing).read(zookeeper, "c") is None


def test_one_that_is_damaged_is_refused(cluster: str) -> None:
    with client_of(cluster) as client:
        client.create(JOURNAL_PATH, b"{", makepath=True)

    with pytest.raises(JournalUnreadable):
        LeaseBeside(connected).read(cluster, "c")


def test_one_that_may_not_be_written_is_given_up(cluster: str) -> None:
    is_denied = False

    @contextmanager
    def denying(zookeeper: str) -> Iterator[Connection]:
        with connected(zookeeper) as connection:
            if is_denied:
                raise ZooKeeperDenied(zookeeper, "no permission")
            yield connection

    lease = LeaseBeside(denying)
    lease.read(cluster, "c")
    is_denied = True

    assert lease.write(LEASE) is None
    assert lease.read(cluster, "c") is None
