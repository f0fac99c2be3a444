"""A body runs while its selector leads, and never twice at a time."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from kazoo.client import KazooClient

from cluster.recipes.selector import LeaderSelector, Leadership
from tests.support.expiry import expire_owner
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

PATH = "/jobs/nightly"


@pytest.fixture
def client(chroot: str) -> Iterator[KazooClient]:
    with client_of(chroot) as client:
        yield client


def test_the_body_runs_once_and_its_end_resigns(client: Any) -> None:
    epochs = []

    def body(leadership: Leadership) -> None:
        assert leadership.is_valid()
        epochs.append(leadership.epoch)

    with LeaderSelector(client, PATH, body) as selector:
        assert selector.wait(OUTER_LIMIT_S)

    assert 1 == len(epochs)
    assert [] == client.get_children(PATH)


def test_a_selector_that_requeues_leads_again_and_again(client: Any) -> None:
    epochs: list[int] = []
    with LeaderSelector(client, PATH, lambda each: epochs.append(each.epoch), requeues=True):
        wait_until(lambda: len(epochs) > 2, what="three leaderships")

    assert sorted(set(epochs)) == epochs


def test_a_loss_interrupts_the_body_and_none_begins_before_it_has_ended(
    chroot: str, client: Any
) -> None:
    running = threading.Semaphore(1)
    begun: list[Leadership] = []

    def body(leadership: Leadership) -> None:
        assert running.acquire(blocking=False)
        begun.append(leadership)
        leadership.lost.wait(OUTER_LIMIT_S)
        running.release()

    with (
        client_of(chroot) as own,
        LeaderSelector(own, PATH, body, requeues=True) as selector,
    ):
        wait_until(lambda: len(begun) == 1, what="the first leadership")
        expire_owner(client, chroot, begun[0].fence[0].path)
        wait_until(lambda: len(begun) == 2, what="the second leadership")
        assert (False, True) == tuple(each.is_valid() for each in begun)
        selector.close()

    assert begun[0].epoch < begun[1].epoch
    assert begun[1].lost.is_set()


def test_an_exception_of_the_body_ends_the_selector(client: Any) -> None:
    def body(_leadership: Leadership) -> None:
        raise KeyError("bad")

    with (
        LeaderSelector(client, PATH, body, requeues=True) as selector,
        pytest.raises(KeyError, match="bad"),
    ):
        selector.wait(OUTER_LIMIT_S)
    assert [] == client.get_children(PATH)


def test_a_selector_that_waits_can_be_closed(client: Any) -> None:
    leads = threading.Event()

    def body(leadership: Leadership) -> None:
        leads.set()
        leadership.lost.wait(OUTER_LIMIT_S)

    with LeaderSelector(client, PATH, body):
        wait_until(leads.is_set, what="the leader")
        with LeaderSelector(client, PATH, body, requeues=True):
            wait_until(lambda: len(client.get_children(PATH)) == 2, what="the second in the queue")
        assert 1 == len(client.get_children(PATH))
