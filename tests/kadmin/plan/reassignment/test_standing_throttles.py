"""Throttles that are set: whose are they, what do they slow down, and what may be released?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, broker_entity, topic_entity
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.plan.reassignment.journal import Owner, Recorded, ThrottleJournal
from kadmin.plan.reassignment.standing_throttles import (
    BROKER_DEFAULTS as ALL,
)
from kadmin.plan.reassignment.standing_throttles import (
    Holder,
    Throttle,
    ThrottleView,
    needed_for,
    standing_throttles,
)
from kadmin.plan.reassignment.throttle_release import Release, ThrottlesInUse, plan_release
from kadmin.plan.reassignment.throttles import (
    FOLLOWER_RATE,
    FOLLOWER_REPLICAS,
    LEADER_RATE,
    LEADER_REPLICAS,
    LOG_DIR_RATE,
)
from tests.kadmin.builders import brokers, cluster, state, topic

ONE, TWO, T = broker_entity(BrokerId(1)), broker_entity(BrokerId(2)), topic_entity("t")
OWNER = Owner(
    run="r", by="ann@host", since="then", rate=1000, dir_rate=None, partitions={"t": (0,)}
)
JOURNAL = ThrottleJournal(
    entries={
        ONE: {LEADER_RATE: Recorded(before="5", afters=("1000", "2000"))},
        T: {LEADER_REPLICAS: Recorded(before=None, afters=("0:1",))},
    },
    owners=(OWNER,),
)
SET: dict[ConfigEntity, dict[str, str]] = {
    ONE: {LEADER_RATE: "2000", "num.io.threads": "3"},
    TWO: {FOLLOWER_RATE: "7"},
    T: {LEADER_REPLICAS: "0:1", FOLLOWER_REPLICAS: "*"},
}
MOVING = {"moving": {TopicPartition("u", 0): (BrokerId(2),)}}


def view(
    values: Mapping[ConfigEntity, Mapping[str, str]] | None = None,
    *,
    isr: str = "1,2",
    more: Mapping[str, Any] | None = None,
    **changes: Any,
) -> ThrottleView:
    """Topic t on brokers 1 and 2, led by 1."""
    found = SET if values is None else values
    of_topic = dict(found.get(T, {}))
    snapshot: ClusterSnapshot = cluster(
        brokers("1 2"),
        topic("t", "1,2", {0: state(1, isr)}, configs=of_topic),
        topic("u", "1"),
        **(more or {}),
    )
    configs = {entity: ConfigOverrides(values=keys) for entity, keys in found.items()}
    return ThrottleView(snapshot=snapshot, configs=configs, **{"journal": JOURNAL, **changes})


def by_key(found: ThrottleView) -> dict[tuple[ConfigEntity, str], Throttle]:
    return {(each.entity, each.key): each for each in standing_throttles(found)}


def test_a_value_in_the_lease_is_an_orphan_s_once_nothing_moves() -> None:
    found = by_key(view())

    assert {
        (ONE, LEADER_RATE): (Holder.ORPHAN, "5", (OWNER,)),
        (TWO, FOLLOWER_RATE): (Holder.OPERATOR, None, ()),
        (T, LEADER_REPLICAS): (Holder.ORPHAN, None, (OWNER,)),
        (T, FOLLOWER_REPLICAS): (Holder.OPERATOR, None, ()),
    } == {key: (each.holder, each.before, each.owners) for key, each in found.items()}


def test_a_value_that_was_set_over_that_of_a_reassignment_is_an_operator_s() -> None:
    (rate,) = standing_throttles(view({ONE: {LEADER_RATE: "3000"}}))

    assert Holder.OPERATOR is rate.holder


COPIED = ReplicaLog(partition=TopicPartition("u", 0), size_bytes=1, lag_records=0, is_future=True)
COPYING = {BrokerId(1): (LogDir(path="/d", error_code=0, replicas=(COPIED,)),)}
SLOW_COPY = ThrottleJournal(entries={ONE: {LOG_DIR_RATE: Recorded(before=None, afters=("9",))}})


@pytest.mark.parametrize(
    ("found", "need"),
    [
        (view(more=MOVING), "1 partition: u-0 is being moved"),
        (view(supervised=("a", "b")), "the run b is under way"),
        (
            view(journal=SLOW_COPY, log_dirs=COPYING),
            "1 replica is being copied to another log directory",
        ),
        (
            view(more={"faults": (subjects.hidden(subjects.topic("x"), "topic x"),)}),
            "a topic cannot be read, and may be moving: ",
        ),
        (view(log_dirs=COPYING), None),
        (view(interrupted=("a",)), None),
        (view(), None),
    ],
)
def test_what_throttles_of_reassignments_are_needed_for(
    found: ThrottleView, need: str | None
) -> None:
    told = needed_for(found)
    holders = {each.holder for each in standing_throttles(found)} - {Holder.OPERATOR}

    assert told == need if need is None else told is not None and told.startswith(need)
    assert holders <= {Holder.ORPHAN if need is None else Holder.REASSIGNMENT}


@pytest.mark.parametrize(
    ("values", "slowing"),
    [
        ({T: {FOLLOWER_REPLICAS: "0:2"}, TWO: {FOLLOWER_RATE: "7"}}, {T, TWO}),
        ({T: {FOLLOWER_REPLICAS: "*"}, ALL: {FOLLOWER_RATE: "7"}}, {T, ALL}),
        ({T: {LEADER_REPLICAS: "1:1, 0:1"}, ONE: {LEADER_RATE: "7"}}, {T, ONE}),
        # Neither is enough by itself, and another replica's is none.
        ({T: {FOLLOWER_REPLICAS: "0:2"}}, set()),
        ({TWO: {FOLLOWER_RATE: "7"}}, set()),
        ({T: {FOLLOWER_REPLICAS: "0:1,1:2"}, TWO: {FOLLOWER_RATE: "7"}}, set()),
        ({T: {FOLLOWER_REPLICAS: "0:2"}, ONE: {FOLLOWER_RATE: "7"}}, set()),
    ],
)  # fmt: skip
def test_a_list_and_a_rate_together_slow_down_a_replica_outside_the_isr(
    values: dict[ConfigEntity, dict[str, str]], slowing: set[ConfigEntity]
) -> None:
    lags = standing_throttles(view(values, isr="1"))
    caught_up = standing_throttles(view(values))

    assert slowing == {each.entity for each in lags if list(map(str, each.slows)) == ["t-0-2"]}
    assert not any(each.slows for each in caught_up)


def test_a_limit_between_log_directories_slows_down_what_is_copied() -> None:
    (limit,) = standing_throttles(view({ONE: {LOG_DIR_RATE: "9"}}, log_dirs=COPYING))

    assert ["u-0-1"] == list(map(str, limit.slows))


def after(release: Release) -> dict[ConfigEntity, Mapping[str, str]]:
    return {plan.entity: plan.after.values for plan in release.plans}


def test_orphans_go_back_to_what_was_before_and_an_operator_s_own_stay() -> None:
    found = view()

    release = plan_release(found, (), (), 5)
    done = view({**SET, **{entity: dict(keys) for entity, keys in after(release).items()}},
                journal=release.left)  # fmt: skip

    assert {ONE: {LEADER_RATE: "5", "num.io.threads": "3"}, T: {FOLLOWER_REPLICAS: "*"}} == after(
        release
    )
    assert ((), {}, ()) == (release.own, release.left.entries, release.left.owners)
    assert plan_release(done, (), (), 5).is_empty


@pytest.mark.parametrize("changes", [{"more": MOVING}, {"supervised": ("a",)}])
def test_nothing_that_is_needed_is_released(changes: dict[str, Any]) -> None:
    found = view(**changes)

    assert plan_release(found, (), (), 5).is_empty
    with pytest.raises(ThrottlesInUse, match="broker"):
        plan_release(found, {ONE}, (), 5)


def test_of_what_is_named_all_throttles_go_and_of_nothing_else() -> None:
    named = plan_release(view(), {T, TWO}, (), 5)
    while_moving = plan_release(view(more=MOVING), {TWO}, (), 5)

    assert {T: {}, TWO: {}} == after(named)
    assert [(TWO, FOLLOWER_RATE), (T, FOLLOWER_REPLICAS)] == [
        (each.entity, each.key) for each in named.own
    ]
    assert ({ONE}, (OWNER,)) == (set(named.left.entries), named.left.owners)
    assert {TWO: {}} == after(while_moving)
    assert JOURNAL == while_moving.left


def test_what_was_before_an_orphan_goes_with_it_where_it_is_named() -> None:
    """So that the command does the same when it is run again."""
    assert {ONE: {"num.io.threads": "3"}} == after(plan_release(view(), {ONE}, (), 5))


def test_the_lease_keeps_what_cannot_be_read_and_forgets_what_is_gone() -> None:
    kept = plan_release(view({}), (), {ONE}, 5)
    gone = plan_release(view({}), (), (), 5)

    assert ({}, {ONE}) == (after(kept), set(kept.left.entries))
    assert ({}, {}) == (after(gone), gone.left.entries)
    assert not gone.is_empty


def test_a_lease_that_is_not_shared_keeps_what_it_has() -> None:
    """Another client may set its values again."""
    own = view({ONE: {LEADER_RATE: "3000"}}, journal=replace(JOURNAL, is_shared=False))

    assert JOURNAL.entries[ONE] == plan_release(own, (), (), 5).left.entries[ONE]
