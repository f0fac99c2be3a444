"""What does an old consumer do, step by step?"""

import pytest

from cluster.model.consumer import ConsumerRegistration, SubscriptionPattern
from cluster.model.ids import NEVER_READ, TopicPartition, ZkVersion
from kadmin.old_consumer.core import (
    Changed,
    CommitDue,
    Effect,
    Event,
    Fail,
    Finished,
    Handed,
    Membership,
    Phase,
    Read,
    Run,
    SessionLost,
    SessionOpened,
    Stop,
    Tick,
    Watch,
)
from kadmin.old_consumer.znodes import Claimed, Committed, Hopeless, InTheWay, Me, Position

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
ME = Me(
    group="g",
    consumer_id="me",
    registration=ConsumerRegistration(
        streams={"t": 1}, pattern=SubscriptionPattern.STATIC, timestamp_ms=1
    ),
)
POSITIONS = {T0: Position(7, ZkVersion(3)), T1: Position(None, NEVER_READ)}


class Driven:
    """A core, and the time of its world."""

    def __init__(self) -> None:
        self.core = Membership(retries_max=2, backoff_ms=100)
        self.now_ms = 0

    def step(self, event: Event) -> list[Effect]:
        return list(self.core.step(event, self.now_ms))

    def finish(self, result: object) -> list[Effect]:
        return self.step(Finished(self.core.ticket, result))

    def kinds(self, effects: list[Effect]) -> list[type]:
        return [type(effect) for effect in effects]


@pytest.fixture
def claiming() -> Driven:
    driven = Driven()
    assert [Run] == driven.kinds(driven.step(SessionOpened(ME)))
    assert [Watch, Run] == driven.kinds(driven.finish(None))
    return driven


@pytest.fixture
def owning(claiming: Driven) -> Driven:
    assert [Read(POSITIONS)] == claiming.finish(Claimed(POSITIONS))
    return claiming


def test_a_change_stops_reading_then_releases_then_claims(owning: Driven) -> None:
    changed = owning.step(Changed())
    released = owning.finish(Committed(positions=POSITIONS, lost=()))

    assert [Stop, Run] == owning.kinds(changed)
    assert [Watch, Run] == owning.kinds(released)


def test_a_change_while_claiming_is_taken_up_behind_it(claiming: Driven) -> None:
    assert [] == claiming.step(Changed())

    assert [Stop, Run] == claiming.kinds(claiming.finish(Claimed(POSITIONS)))


def test_claims_are_tried_again_and_then_given_up_with_the_owner_named(claiming: Driven) -> None:
    for _ in range(2):
        assert [] == claiming.finish(InTheWay(T1, "other-0"))
        assert [] == claiming.step(Tick())
        claiming.now_ms += 100
        assert [Watch, Run] == claiming.kinds(claiming.step(Tick()))

    (failed,) = claiming.finish(InTheWay(T1, "other-0"))
    assert Fail("t-1 is still owned by other-0 after 2 retries, 100 ms apart") == failed


def test_a_change_is_a_reason_to_try_at_once(claiming: Driven) -> None:
    claiming.finish(InTheWay(T1, None))

    assert [Watch, Run] == claiming.kinds(claiming.step(Changed()))


def test_a_group_that_cannot_be_shared_is_given_up(claiming: Driven) -> None:
    assert [Fail("no")] == claiming.finish(Hopeless("no"))


def test_only_what_was_read_is_committed(owning: Driven) -> None:
    assert [] == owning.step(CommitDue())
    owning.step(Handed(T0, 9))

    assert [Run] == owning.kinds(owning.step(CommitDue()))
    assert Phase.COMMITTING is owning.core.phase
    owning.step(Handed(T0, 12))
    owning.finish(Committed(positions={T0: Position(9, ZkVersion(4))}, lost=()))
    assert Position(12, ZkVersion(4)) == owning.core.held[T0]
    assert {T0} == owning.core.fresh


def test_a_partition_that_is_lost_means_a_rebalance(owning: Driven) -> None:
    owning.step(Handed(T0, 9))
    owning.step(CommitDue())

    effects = owning.finish(Committed(positions={}, lost=[T0]))

    assert [Stop, Run] == owning.kinds(effects)
    assert [T1] == list(owning.core.held)


def test_what_belongs_to_a_session_that_is_over_is_dropped(owning: Driven) -> None:
    owning.step(Changed())
    ticket = owning.core.ticket

    assert [Stop()] == owning.step(SessionLost())
    assert [Run] == owning.kinds(owning.step(SessionOpened(ME)))
    assert [] == owning.step(Finished(ticket, Committed(positions=POSITIONS, lost=())))
    assert {} == owning.core.held
