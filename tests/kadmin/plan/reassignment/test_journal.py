"""The journal of throttles: is what was an operator's put back, and nothing else touched?"""

import json
from dataclasses import replace

import pytest

from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.ids import NEVER_READ, ZkVersion
from kadmin.plan.config_plan import ConfigPlan, UnknownToBrokers
from kadmin.plan.reassignment.journal import (
    BadJournal,
    Owner,
    Recorded,
    ThrottleJournal,
    joined,
    journal_text,
    layers_of,
    owned,
    parse_journal,
    put_back_plans,
    recorded,
    still_recorded,
    throttle_plans,
)
from kadmin.plan.reassignment.throttles import FOLLOWER_RATE, LEADER_RATE, LEADER_REPLICAS

BROKER = ConfigEntity(Entity(EntityKind.BROKERS, "1"))
TOPIC = ConfigEntity(Entity(EntityKind.TOPICS, "t"))
WANTED = {
    BROKER: {LEADER_RATE: "1000", FOLLOWER_RATE: "1000"},
    TOPIC: {LEADER_REPLICAS: "0:1"},
}


def configs(broker: dict[str, str], topic: dict[str, str]) -> dict[ConfigEntity, ConfigOverrides]:
    return {
        BROKER: ConfigOverrides(values=broker, zk_version=ZkVersion(3)),
        TOPIC: ConfigOverrides(values=topic),
    }


def written(plans: list[ConfigPlan]) -> dict[ConfigEntity, ConfigOverrides]:
    return {plan.entity: plan.after for plan in plans}


def test_an_operator_s_own_throttle_comes_back_and_the_rest_goes() -> None:
    own = configs({LEADER_RATE: "5", "num.io.threads": "8"}, {"retention.ms": "1"})

    plans = throttle_plans(WANTED, own, 5)
    journal = recorded(ThrottleJournal(), plans)
    back = put_back_plans(journal, written(plans), 5)

    assert {
        BROKER: {
            LEADER_RATE: Recorded(before="5", afters=("1000",)),
            FOLLOWER_RATE: Recorded(before=None, afters=("1000",)),
        },
        TOPIC: {LEADER_REPLICAS: Recorded(before=None, afters=("0:1",))},
    } == journal.entries
    assert (ZkVersion(3), NEVER_READ) == tuple(plan.before.zk_version for plan in plans)
    assert {entity: found.values for entity, found in own.items()} == {
        entity: found.values for entity, found in written(back).items()
    }


def test_another_rate_is_set_and_what_was_there_before_the_first_one_comes_back() -> None:
    first = throttle_plans(WANTED, configs({LEADER_RATE: "5"}, {}), 5)
    journal = recorded(ThrottleJournal(zk_version=ZkVersion(7)), first)
    faster = {BROKER: {LEADER_RATE: "9000"}}

    second = throttle_plans(faster, written(first), 5)
    journal = recorded(journal, second)

    assert Recorded(before="5", afters=("1000", "9000")) == journal.entries[BROKER][LEADER_RATE]
    assert ZkVersion(7) == journal.zk_version
    (plan, _) = put_back_plans(journal, written(first) | written(second), 5)
    assert {LEADER_RATE: "5"} == plan.after.values


def test_what_somebody_has_set_since_is_his() -> None:
    journal = recorded(ThrottleJournal(), throttle_plans(WANTED, configs({}, {}), 5))
    changed = configs({LEADER_RATE: "77", FOLLOWER_RATE: "1000"}, {LEADER_REPLICAS: "*"})

    (back,) = put_back_plans(journal, changed, 5)
    again = recorded(journal, throttle_plans({BROKER: {LEADER_RATE: "8"}}, changed, 5))

    assert {LEADER_RATE: "77"} == back.after.values
    (first, second) = layers_of(again.entries[BROKER][LEADER_RATE])
    assert Recorded(before="77", afters=("8",)) == first
    # It may be another reassignment's, with a lease elsewhere: what is below is not forgotten.
    assert Recorded(before=None, afters=("1000",)) == second


def test_a_crash_before_the_throttles_were_set_leaves_nothing_to_put_back() -> None:
    own = configs({LEADER_RATE: "5"}, {})
    journal = recorded(ThrottleJournal(), throttle_plans(WANTED, own, 5))

    assert [] == put_back_plans(journal, own, 5)
    assert [] == put_back_plans(journal, {}, 5)


def test_one_recorded_but_never_set_leaves_the_one_before_it_a_reassignment_s() -> None:
    first = throttle_plans(WANTED, configs({LEADER_RATE: "5"}, {}), 5)
    journal = recorded(ThrottleJournal(), first)
    found = configs({}, {}) | written(first)

    # Two commands are killed between the journal and the throttle, then one sets its own.
    for rate in ("2000", "3000", "4000"):
        plans = throttle_plans({BROKER: {LEADER_RATE: rate, FOLLOWER_RATE: rate}}, found, 5)
        journal = recorded(journal, plans)
    found |= written(plans)

    assert {LEADER_RATE: "5"} == put_back_plans(journal, found, 5)[0].after.values


def test_one_that_was_set_unseen_is_a_reassignment_s() -> None:
    """A broker tells an old value for a moment: the next command cannot see the last one."""
    old = configs({}, {})
    first = throttle_plans(WANTED, old, 5)
    journal = recorded(ThrottleJournal(), first)

    second = throttle_plans({BROKER: {LEADER_RATE: "2000"}}, old, 5)
    journal = recorded(journal, second)

    back = put_back_plans(journal, written(first), 5)
    assert {} == back[0].after.values


def test_what_is_set_once_more_is_remembered_once() -> None:
    journal = ThrottleJournal()
    found = configs({}, {})
    for rate in ("1", "2", "1"):
        plans = throttle_plans({BROKER: {LEADER_RATE: rate}}, found, 5)
        journal, found = recorded(journal, plans), found | written(plans)

    assert ("1", "2") == journal.entries[BROKER][LEADER_RATE].afters


def test_what_is_set_already_is_not_set_again() -> None:
    own = configs(dict(WANTED[BROKER]), dict(WANTED[TOPIC]))

    assert [] == throttle_plans(WANTED, own, 5)
    assert ThrottleJournal() == recorded(ThrottleJournal(), [])


def test_brokers_too_old_for_throttles_get_none() -> None:
    with pytest.raises(UnknownToBrokers):
        throttle_plans(WANTED, configs({}, {}), 2)


def test_a_journal_is_read_as_it_was_written() -> None:
    plans = throttle_plans(WANTED, configs({LEADER_RATE: "5"}, {}), 5)
    journal = recorded(ThrottleJournal(revision=3), plans)

    text = journal_text(journal)

    assert journal == parse_journal(text)
    assert ThrottleJournal() == parse_journal(journal_text(ThrottleJournal()))
    assert {
        "entity_type": "topics",
        "entity_name": "t",
        "configs": {LEADER_REPLICAS: {"before": None, "afters": ["0:1"]}},
    } == json.loads(text)["throttles"][1]
    assert journal == replace(parse_journal(text), zk_version=NEVER_READ)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("[]", "no list 'throttles'"),
        ('{"version":1}', "no list 'throttles'"),
        ('{"version":2,"throttles":[]}', "its version is 2, and not 1"),
        ('{"version":1,"revision":"1","throttles":[]}', "its revision is no number"),
        ('{"version":1,"throttles":[1]}', "no object"),
        ('{"version":1,"throttles":[{"entity_type":"users"}]}', "no topic or broker"),
        (
            '{"version":1,"throttles":[{"entity_type":"topics","entity_name":"t","configs":'
            '{"k":{"before":1,"afters":["x"]}}}]}',
            "k has no values before and after",
        ),
        (
            '{"version":1,"throttles":[{"entity_type":"topics","entity_name":"t","configs":'
            '{"k":"x"}}]}',
            "k has no values before and after",
        ),
        (
            '{"version":1,"throttles":[{"entity_type":"topics","entity_name":"t","configs":'
            '{"k":{"before":null,"afters":["x",1]}}}]}',
            "k has no values before and after",
        ),
    ],
)
def test_what_is_no_journal_is_refused_and_says_why(text: str, reason: str) -> None:
    with pytest.raises(BadJournal, match=reason):
        parse_journal(text)


def test_a_lease_is_what_it_was_when_read_again_and_an_earlier_kadmin_reads_the_top() -> None:
    lower = Recorded(before=None, afters=("1000",))
    owner = Owner(
        run="r", by="ann@host", since="2026-11-28T07:00:00Z", rate=8, dir_rate=None,
        partitions={"t": (0, 2)},
    )  # fmt: skip
    entry = Recorded(before="77", afters=("8",), under=lower)
    lease = owned(ThrottleJournal(entries={BROKER: {LEADER_RATE: entry}}, revision=3), owner)

    document = json.loads(journal_text(lease))

    assert lease == parse_journal(journal_text(lease))
    (one,) = document["throttles"]
    assert (1, "77", ["8"]) == (
        document["version"],
        one["configs"][LEADER_RATE]["before"],
        one["configs"][LEADER_RATE]["afters"],
    )


@pytest.mark.parametrize(
    ("rate", "dir_rate", "left"),
    [(9, None, {"t": (2,)}), (9, 9, {"t": (2,)}), (None, 9, {"t": (0, 2), "u": (1,)})],
)
def test_whoever_slows_the_same_partitions_down_owns_them(
    rate: int | None, dir_rate: int | None, left: dict[str, tuple[int, ...]]
) -> None:
    entries = {BROKER: {LEADER_RATE: Recorded(before=None, afters=("8", "9"))}}
    first = Owner(
        run="1", by="ann@host", since="", rate=8, dir_rate=None,
        partitions={"t": (0, 2), "u": (1,)},
    )  # fmt: skip
    second = Owner(
        run="2", by="bob@host", since="", rate=rate, dir_rate=dir_rate,
        partitions={"t": (0,), "u": (1,)},
    )  # fmt: skip

    lease = owned(owned(ThrottleJournal(entries=entries), first), second)

    assert [left, {"t": (0,), "u": (1,)}] == [owner.partitions for owner in lease.owners]
    assert () == owned(ThrottleJournal(), first).owners


def test_what_an_earlier_kadmin_left_in_a_file_joins_the_lease_once() -> None:
    file = ThrottleJournal(entries={BROKER: {LEADER_RATE: Recorded(before="5", afters=("1000",))}})
    lease = ThrottleJournal(
        entries={BROKER: {LEADER_RATE: Recorded(before="1000", afters=("2000",))}},
        zk_version=ZkVersion(4),
    )
    now = configs({LEADER_RATE: "2000"}, {})

    both = joined(file, lease)
    (plan,) = put_back_plans(both, now, 5)

    assert {LEADER_RATE: "5"} == plan.after.values
    assert both == joined(file, both)
    assert (ZkVersion(4), {}) == (both.zk_version, still_recorded(both, now).entries)
