"""Latches in threads, at a real ZooKeeper."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from kazoo.client import KazooClient
from kazoo.recipe.lock import Lock
from kazoo.security import make_digest_acl

from cluster.recipes.attempt import MixedElection
from cluster.recipes.latch import LeaderLatch
from cluster.recipes.lease import Lease, Loss
from cluster.zk.steps import Refusal
from cluster.zkclient.negotiated_timeout import negotiated_timeout
from kadmin.local.zookeeper import ZooKeeperServer
from tests.support.expiry import expire_owner
from tests.support.lossy_proxy import Loss as LostFrame
from tests.support.lossy_proxy import LossyProxy
from tests.support.proxy import serving
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

PATH = "/jobs/nightly"
both_kinds = pytest.mark.parametrize("is_fair", [True, False], ids=["fair", "unfair"])


@pytest.fixture
def client(chroot: str) -> Iterator[KazooClient]:
    with client_of(chroot) as client:
        yield client


def leading(latch: LeaderLatch) -> Lease:
    lease = latch.acquire(OUTER_LIMIT_S)
    assert lease is not None
    return lease


def write_by(client: Any, lease: Lease, data: bytes) -> bool:
    """Whether a transaction of *lease*'s leader is carried out."""
    transaction = client.transaction()
    for check in lease.fence:
        transaction.check(check.path, check.expected_zk_version)
    transaction.set_data("/target", data)
    return not any(isinstance(each, Exception) for each in transaction.commit())


@both_kinds
def test_one_leads_until_it_resigns_and_then_the_next(client: Any, is_fair: bool) -> None:
    client.create("/target")
    with (
        LeaderLatch(client, PATH, identity="one", is_fair=is_fair) as one,
        LeaderLatch(client, PATH, identity="two", is_fair=is_fair) as two,
    ):
        leaders = [one, two]
        wait_until(lambda: any(each.has_leadership for each in leaders), what="a leader")
        leader, other = leaders if one.has_leadership else reversed(leaders)
        lease = leading(leader)
        assert leader.still_valid(lease)
        assert other.acquire(0) is None
        assert write_by(client, lease, b"first")
        shown = leader.leader()
        assert shown is not None
        assert (leader.identity, lease.epoch) == (shown.identity, shown.epoch)

        assert leader.release()

        later = leading(other)
        assert later.epoch > lease.epoch
        assert not leader.still_valid(lease)
        assert not write_by(client, lease, b"late")
        assert write_by(client, later, b"second")
    assert [] == [name for name in client.get_children(PATH) if name != "epoch"]


def test_those_who_wait_are_listed_in_their_order(client: Any) -> None:
    with ExitStack() as stack:
        latches = [
            stack.enter_context(LeaderLatch(client, PATH, identity=name)) for name in ("a", "b")
        ]
        wait_until(lambda: len(latches[0].participants()) == 2, what="both in the queue")
        participants = latches[0].participants()

        assert {"a", "b"} == {each.identity for each in participants}
        assert [True, False] == [each.is_leader for each in participants]


@both_kinds
def test_a_loss_is_reported_and_a_latch_contends_again(
    chroot: str, client: Any, is_fair: bool
) -> None:
    losses: list[Loss] = []
    elected: list[Lease] = []
    with (
        client_of(chroot) as own,
        LeaderLatch(
            own,
            PATH,
            is_fair=is_fair,
            on_elected=elected.append,
            on_deposed=lambda _, loss: losses.append(loss),
        ) as latch,
    ):
        first = leading(latch)
        expire_owner(client, chroot, first.node)

        # Its connection is taken away first.
        wait_until(lambda: len(elected) > 1, what="another leadership")
        assert losses[0] in (Loss.SUSPENDED, Loss.EXPIRED, Loss.REMOVED)
        assert elected[-1].epoch > first.epoch


def test_leadership_ends_with_the_connection_and_a_new_one_begins(
    zookeeper: ZooKeeperServer, chroot: str
) -> None:
    _, _, path = chroot.partition("/")
    losses: list[Loss] = []
    with (
        serving(LossyProxy(zookeeper.connect)) as proxy,
        client_of(f"{proxy.address}/{path}") as own,
        LeaderLatch(own, PATH, on_deposed=lambda _, loss: losses.append(loss)) as latch,
    ):
        first = leading(latch)
        proxy.hang_up_on_all()
        wait_until(lambda: bool(losses), what="the loss")
        second = leading(latch)

        assert [Loss.SUSPENDED] == losses
        assert second.epoch > first.epoch
        assert 1 == len(latch.participants())


@both_kinds
def test_a_creation_whose_reply_was_lost_is_found(
    zookeeper: ZooKeeperServer, chroot: str, client: Any, is_fair: bool
) -> None:
    _, _, path = chroot.partition("/")
    client.ensure_path(PATH)
    with (
        serving(LossyProxy(zookeeper.connect)) as proxy,
        client_of(f"{proxy.address}/{path}") as own,
    ):
        proxy.lose(LostFrame.REPLY)
        with LeaderLatch(own, PATH, is_fair=is_fair) as latch:
            lease = leading(latch)

            assert [LostFrame.REPLY] == proxy.lost
            names = [name for name in client.get_children(PATH) if name != "epoch"]
            assert [lease.node.rpartition("/")[2]] == names


def test_without_permission_the_reason_is_raised(chroot: str, client: Any) -> None:
    client.create("/jobs", acl=[make_digest_acl("ops", "secret", read=True)])
    with LeaderLatch(client, PATH) as latch, pytest.raises(Refusal, match="NoAuth"):
        latch.acquire(OUTER_LIMIT_S)


def test_a_second_kind_of_election_is_refused(client: Any) -> None:
    with LeaderLatch(client, PATH, is_fair=False) as latch:
        leading(latch)
        with LeaderLatch(client, PATH) as other, pytest.raises(MixedElection):
            other.acquire(OUTER_LIMIT_S)


def test_a_latch_begins_before_its_client_and_knows_the_granted_timeout(chroot: str) -> None:
    client = KazooClient(chroot, timeout=24 * 3600)
    granted_ms = negotiated_timeout(client)
    try:
        with LeaderLatch(client, PATH) as latch:
            assert latch.acquire(0) is None
            client.start(timeout=OUTER_LIMIT_S)
            lease = leading(latch)
            # A sixth of the session timeout lies between giving up and the end of the lease.
            assert 0 < granted_ms() < 3600 * 1000
            assert abs(lease.valid_until_ms - lease.given_up_ms - granted_ms() // 6) <= 1
    finally:
        client.stop()
        client.close()


def test_a_lock_of_kazoo_queues_with_it(chroot: str, client: Any) -> None:
    lock = Lock(client, PATH, extra_lock_patterns=["-latch-"])
    with LeaderLatch(client, PATH) as latch:
        leading(latch)
        thread = threading.Thread(target=lock.acquire)
        thread.start()
        wait_until(lambda: len(latch.participants()) == 2, what="the lock in the queue")
        assert not lock.is_acquired
        latch.release()
        wait_until(lambda: lock.is_acquired, what="the lock")
        assert latch.acquire(0) is None
        lock.release()
        leading(latch)
        thread.join(OUTER_LIMIT_S)


@pytest.mark.parametrize("path", ["", "/", "jobs", "/jobs/", "//jobs", "/a/../b", "/a\x00b"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="no path"):
        LeaderLatch(KazooClient(), path)
