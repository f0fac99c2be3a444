"""The latch and the body for a loop."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from kazoo.client import KazooClient

from cluster.recipes.aio import AsyncLeaderLatch, LeadershipLost
from cluster.recipes.attempt import MixedElection
from cluster.recipes.lease import Lease
from tests.support.expiry import expire_owner
from tests.support.waiting import until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

PATH = "/jobs/nightly"


@pytest.fixture
def client(chroot: str) -> Iterator[KazooClient]:
    with client_of(chroot) as client:
        yield client


def test_one_waits_for_the_other_without_holding_up_the_loop(client: Any) -> None:
    async def play() -> tuple[int, int]:
        async with AsyncLeaderLatch(client, PATH) as one, AsyncLeaderLatch(client, PATH) as two:
            first = await one.acquire()
            waiting = asyncio.create_task(two.acquire())
            await until(lambda: len(client.get_children(PATH)) == 2, what="both in the queue")
            assert not waiting.done()
            assert one.still_valid(first)
            await one.release()
            second = await waiting
            assert two.has_leadership
            return first.epoch, second.epoch

    first, second = asyncio.run(play())

    assert first < second
    assert [] == client.get_children(PATH)


def test_a_body_runs_while_it_leads(client: Any) -> None:
    async def body(lease: Lease) -> int:
        return lease.epoch

    async def play() -> list[int]:
        async with AsyncLeaderLatch(client, PATH) as latch:
            return [await latch.lead(body) for _ in range(2)]

    first, second = asyncio.run(play())

    assert first < second


def test_a_loss_cancels_the_body(chroot: str, client: Any) -> None:
    async def play(own: Any) -> list[Lease]:
        leases = []

        async def body(lease: Lease) -> None:
            leases.append(lease)
            await asyncio.Event().wait()

        async with AsyncLeaderLatch(own, PATH) as latch:
            leading = asyncio.create_task(latch.lead(body))
            await until(lambda: bool(leases), what="the leadership")
            await asyncio.to_thread(expire_owner, client, chroot, leases[0].node)
            with pytest.raises(LeadershipLost) as caught:
                await leading
            assert leases == [caught.value.lease] or leases[0].epoch == caught.value.lease.epoch
            # It contends again when it is asked.
            leases.append(await latch.acquire())
        return leases

    with client_of(chroot) as own:
        first, second = asyncio.run(play(own))

    assert first.epoch < second.epoch


def test_whoever_cancels_a_leader_cancels_the_body_and_resigns(client: Any) -> None:
    async def play() -> bool:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def body(_lease: Lease) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        async with AsyncLeaderLatch(client, PATH) as latch:
            leading = asyncio.create_task(latch.lead(body))
            await begun.wait()
            leading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leading
            assert [] == client.get_children(PATH)
            return ended.is_set()

    assert asyncio.run(play())


def test_an_election_of_another_kind_is_raised(client: Any) -> None:
    async def play() -> None:
        async with AsyncLeaderLatch(client, PATH, is_fair=False) as latch:
            await latch.acquire()
            async with AsyncLeaderLatch(client, PATH) as other:
                with pytest.raises(MixedElection):
                    await other.acquire()

    asyncio.run(play())
