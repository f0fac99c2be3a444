"""What operators see of groups, and what holds the pieces together: deadlines, subscriptions."""

from weakref import WeakSet

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.group.context import partition_of
from cluster.group.subscription import topics_of
from cluster.group.timers import Timers
from cluster.group.views import GroupView, ListedGroup, MemberView
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import encode_payload
from cluster.wire.messages.consumer_protocol import ConsumerProtocolSubscription
from tests.cluster.group.coordinating import GROUP, Coordinating, commit, join

NONE = ErrorCode.NONE


def test_a_stable_group_is_described_with_metadata_and_assignments() -> None:
    group = Coordinating()
    (member,) = group.stabilize(join(metadata=b"m", instance_id="s"))

    view = MemberView(member.member_id, "s", "c", "/127.0.0.1", b"m", member.member_id.encode())
    assert GroupView(NONE, "Stable", "consumer", "range", (view,)) == group.core.describe(GROUP)


def test_a_group_in_a_rebalance_is_described_without_them() -> None:
    group = Coordinating()
    (member,) = group.complete(join(metadata=b"m"))

    view = MemberView(member.member_id, None, "c", "/127.0.0.1", b"", b"")
    described = group.core.describe(GROUP)
    assert GroupView(NONE, "CompletingRebalance", "consumer", "", (view,)) == described


def test_a_group_that_is_not_there_is_dead() -> None:
    assert GroupView(NONE, "Dead") == Coordinating().core.describe(GROUP)


@pytest.mark.parametrize(
    ("states", "types", "found"),
    [
        ((), (), ["g", "simple"]),
        (("stable",), (), ["g"]),
        (("Empty", "Dead"), ("Classic",), ["simple"]),
        (("Nonsense",), (), []),
        ((), ("consumer",), []),
    ],
)
def test_groups_are_listed_by_state_and_type(
    states: tuple[str, ...], types: tuple[str, ...], found: list[str]
) -> None:
    group = Coordinating()
    group.stabilize(join())
    group.send(commit(group_id="simple"))

    error, listed = group.core.list_groups(states, types)

    assert NONE == error
    assert found == [one.group_id for one in listed]
    if "g" in found:
        assert ListedGroup("g", "consumer", group.core.list_groups()[1][0].state) == listed[0]


@pytest.mark.parametrize(
    ("group_id", "partition"),
    [
        ("", 0),
        ("a", 47),
        ("my-group", 12),
        ("console-consumer-1", 24),
        ("payments-service", 43),
        ("polygenelubricants", 0),
        ("\U0001f600", 49),
    ],
)
def test_a_group_is_in_the_partition_of_its_hash(group_id: str, partition: int) -> None:
    """As Kafka 3.9.1 says; the hashes of some are negative, and of one the lowest number."""
    assert partition == partition_of(group_id, 50)


@given(st.sets(st.text(max_size=5)), st.integers(0, 3))
def test_the_topics_of_a_subscription_are_read_in_every_version(
    topics: set[str], version: int
) -> None:
    subscription = ConsumerProtocolSubscription(tuple(topics), b"user")

    assert frozenset(topics) == topics_of(encode_payload(version, subscription))


@given(st.binary(max_size=40))
def test_whatever_is_no_subscription_is_none(metadata: bytes) -> None:
    found = topics_of(metadata)

    assert found is None or len(metadata) >= 6


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.none() | st.integers(0, 20), st.integers(0, 3)),
        max_size=80,
    )
)
def test_deadlines_come_when_they_should(steps: list[tuple[int, int | None, int]]) -> None:
    """Against a dictionary: each step sets or cancels the deadline of a key, and time passes."""
    timers: Timers[int] = Timers()
    expected: dict[int, int] = {}
    now_ms = 0
    for key, delay_ms, passes_ms in steps:
        if delay_ms is None:
            timers.cancel(key)
            expected.pop(key, None)
        else:
            timers.set(key, now_ms + delay_ms)
            expected[key] = now_ms + delay_ms
        now_ms += passes_ms
        deadline_ms = timers.next_deadline()
        assert (deadline_ms is None) == (not expected)
        assert deadline_ms is None or deadline_ms <= min(expected.values())
        due = {one for one, at_ms in expected.items() if at_ms <= now_ms}
        assert due == set(timers.due(now_ms))
        expected = {one: at_ms for one, at_ms in expected.items() if one not in due}


def test_keys_of_cancelled_deadlines_are_forgotten_before_these_would_have_come() -> None:
    timers: Timers[Key] = Timers()
    keys: WeakSet[Key] = WeakSet()
    kept = Key()
    timers.set(kept, 7)

    for _ in range(1000):
        key = Key()
        keys.add(key)
        timers.set(key, 1_800_000)
        timers.cancel(key)

    assert len(keys) < 20
    assert {kept} == set(timers.due(7))


class Key:
    """A key of its own."""
