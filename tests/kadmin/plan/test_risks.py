"""What a plan would bring and `check` would find then: is it named by the plan, and asked about?"""

from dataclasses import replace
from enum import StrEnum
from typing import Final

import pytest

from cluster.model import fault as subjects
from cluster.model.config_entity import (
    ConfigEntity,
    ConfigOverrides,
    Entity,
    EntityKind,
    topic_entity,
)
from cluster.model.ids import OFFSETS_TOPIC, BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import Kind
from kadmin.plan.check.judge import judge
from kadmin.plan.config_plan import plan_change
from kadmin.plan.config_warnings import ConfigRequest, Surroundings
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.plan.reassignment.moves import move_risks, plan_moves
from kadmin.plan.reassignment.targets import Target
from kadmin.plan.risks import RiskKind, TopicAsJudged, as_judged, slow_copy, with_risks
from kadmin.plan.topics import CreateRequest, plan_add_partitions, plan_create
from tests.kadmin.builders import brokers, cluster, ids, topic

RACKED = brokers("0:a 1:a 2:b 3:b")
FEW, RACKS = RiskKind.TOO_FEW_REPLICAS, RiskKind.FEWER_RACKS
UNCLEAN, RAW, BY_HAND = RiskKind.UNCLEAN, RiskKind.NOT_COMPACTED, RiskKind.BY_HAND
LOCKED_OUT, REFUSES = RiskKind.LOCKED_OUT, RiskKind.REFUSES_RECORDS
BROKERS_TIME = {"message.timestamp.type": "LogAppendTime"}
MIN_2, MIN_3 = {"min.insync.replicas": "2"}, {"min.insync.replicas": "3"}
TRUE = {"unclean.leader.election.enable": "true"}
COMPACT = {"cleanup.policy": "compact"}
TOPIC = ConfigEntity(Entity(EntityKind.TOPICS, "t"))
ALL_BROKERS = ConfigEntity(Entity(EntityKind.BROKERS, None))
ALL_IPS = ConfigEntity(Entity(EntityKind.IPS, None))
ONE_IP = ConfigEntity(Entity(EntityKind.IPS, "10.0.0.1"))
ONE_BROKER = ConfigEntity(Entity(EntityKind.BROKERS, "1"))


def with_default(snapshot: ClusterSnapshot, values: dict[str, str]) -> ClusterSnapshot:
    return replace(snapshot, broker_defaults=ConfigOverrides(values=values))


@pytest.mark.parametrize(
    ("name", "replicas", "configs", "default", "kinds"),
    [
        ("t", "0,2", {}, {}, []),
        ("t", "0,2", MIN_2, {}, []),
        ("t", "0", MIN_2, {}, [FEW]),
        ("t", "0,0", MIN_2, {}, [FEW]),
        ("t", "0", {}, MIN_2, [FEW]),
        ("t", "0", {"min.insync.replicas": "1"}, MIN_2, []),
        ("t", "0,2", MIN_3, {}, [FEW]),
        ("t", "0,1", {}, {}, [RACKS]),
        ("t", "0,1", MIN_3, {}, [FEW, RACKS]),
        ("t", "0,9", {}, {}, []),
        ("t", "0,2", TRUE, {}, [UNCLEAN]),
        ("t", "0,2", {"unclean.leader.election.enable": " TRUE "}, {}, [UNCLEAN]),
        ("t", "0,2", {"unclean.leader.election.enable": "false"}, TRUE, []),
        ("t", "0,2", {}, TRUE, [UNCLEAN]),
        ("t", "0,2", {"max.message.bytes": "1"}, {}, [REFUSES]),
        ("t", "0,2", {}, {"message.max.bytes": "1"}, [REFUSES]),
        ("__consumer_offsets", "0,2", {}, {}, [BY_HAND, RAW]),
        ("__consumer_offsets", "0,2", COMPACT, {}, [BY_HAND]),
        ("__transaction_state", "0,2", {"cleanup.policy": "delete"}, {}, [BY_HAND, RAW]),
    ],
)
def test_a_new_topic_is_asked_about_where_check_would_find_something(
    name: str,
    replicas: str,
    configs: dict[str, str],
    default: dict[str, str],
    kinds: list[RiskKind],
) -> None:
    before = with_default(cluster(RACKED), default)
    layout = {0: ids(replicas)}

    plan = plan_create(
        before,
        CreateRequest(name=name, assignment=layout, configs=configs, allow_unknown_brokers=True),
    )

    assert kinds == [risk.kind for risk in plan.risks]
    after = with_default(cluster(RACKED, topic(name, replicas, configs=configs)), default)
    # What is made by hand is not seen later; all else is what check finds.
    risky = {kind for kind in kinds if kind is not BY_HAND}
    assert {FOUND_AS[kind] for kind in risky} == found_in(after) - found_in(
        before
    ) or TRUE == default


FOUND_AS = {
    FEW: Kind.UNDER_MIN_ISR,
    RACKS: Kind.RACKS,
    UNCLEAN: Kind.UNCLEAN,
    RAW: Kind.INTERNAL_TOPIC,
    REFUSES: Kind.REFUSES_RECORDS,
}


def found_in(snapshot: ClusterSnapshot) -> set[StrEnum]:
    findings = judge(Evidence(snapshot=snapshot, now_ms=0)).findings
    return {each.kind for each in findings} & set(FOUND_AS.values())


@pytest.mark.parametrize(
    "subject", [subjects.CONFIGS, subjects.config(topic_entity(OFFSETS_TOPIC))], ids=["all", "one"]
)
def test_configs_that_cannot_be_read_are_not_missing(subject: subjects.Subject) -> None:
    read = cluster(RACKED, topic(OFFSETS_TOPIC, "0,2"))
    unread = replace(read, faults=(subjects.unavailable(subject, "the configs", "no answer"),))

    assert {Kind.INTERNAL_TOPIC} == found_in(read)
    assert set() == found_in(unread)


def test_a_topic_made_by_default_counts_for_the_min_isr_of_the_brokers_files() -> None:
    plan = plan_create(
        cluster(RACKED), CreateRequest(name="t", assignment={0: ids("0")}, default_min_isr=2)
    )

    (risk,) = plan.risks
    assert (
        "min.insync.replicas=2 is more than the 1 replica of a partition: producers with acks=all"
        " will be refused: t-0" == str(risk)
    )


def test_more_partitions_are_judged_by_themselves() -> None:
    snapshot = cluster(RACKED, topic("t", "0,2 0", configs=MIN_2))

    def risks(replicas: str) -> list[tuple[RiskKind, tuple[int, ...]]]:
        plan = plan_add_partitions(
            snapshot,
            "t",
            None,
            {0: ids("0,2"), 1: ids("0"), 2: ids(replicas)},
            placement=None,
            is_rack_aware=True,
        )
        return [(risk.kind, risk.partitions) for risk in plan.risks]

    assert [] == risks("2,0")
    assert [(FEW, (2,))] == risks("2")
    assert [(RACKS, (2,))] == risks("2,3")


@pytest.mark.parametrize(
    ("configs", "replicas", "target", "kinds"),
    [
        ({}, "0,2", "1,3", []),
        ({}, "0,2", "0,1", [RACKS]),
        ({}, "0,1", "2,3", []),
        ({}, "0,9", "0,1", [RACKS]),
        ({}, "0,2", "3", []),
        (MIN_2, "0,2", "3", [FEW]),
        (MIN_2, "0,2,1", "2,3", [RACKS]),
        (MIN_3, "0,2", "2", []),
        (TRUE, "0,2", "3,1", []),
    ],
)
def test_a_move_is_asked_about_what_it_makes_worse(
    configs: dict[str, str], replicas: str, target: str, kinds: list[RiskKind]
) -> None:
    snapshot = cluster(RACKED, topic("t", f"{replicas} 0,2", configs=configs))

    plan = plan_moves(snapshot, {TopicPartition("t", 0): Target(ids(target))}, is_additional=False)

    assert kinds == [risk.kind for risk in move_risks(snapshot, plan)]


def test_a_move_is_not_asked_about_partitions_that_were_no_better_before() -> None:
    snapshot = cluster(RACKED, topic("t", "0,1 0,2 0,1", configs=TRUE))
    targets = {0: "2,3", 1: "0,1"}

    plan = plan_moves(
        snapshot,
        {TopicPartition("t", number): Target(ids(text)) for number, text in targets.items()},
        is_additional=False,
    )
    (risk,) = move_risks(snapshot, plan)

    assert (RACKS, (1,)) == (risk.kind, risk.partitions)
    assert risk.text.startswith("1 partition is")


@pytest.mark.parametrize(
    ("replicas", "target", "kinds"),
    [("0,1,9", "0,2,1", []), ("0,2,9", "0,2,1", [RACKS]), ("0,2,9", "0,2,3", [])],
)
def test_a_dead_broker_was_on_one_rack_at_most(
    replicas: str, target: str, kinds: list[RiskKind]
) -> None:
    """So a partition with two more replicas on one of three racks was on two."""
    snapshot = cluster(brokers("0:a 1:a 2:b 3:c 4:a"), topic("t", replicas))

    plan = plan_moves(snapshot, {TopicPartition("t", 0): Target(ids(target))}, is_additional=False)

    assert kinds == [risk.kind for risk in move_risks(snapshot, plan)]


@pytest.mark.parametrize(
    ("entity", "before", "add", "delete", "kinds"),
    [
        (TOPIC, {}, MIN_2, (), []),
        (TOPIC, {}, MIN_3, (), [FEW]),
        (TOPIC, MIN_3, {"min.insync.replicas": "4"}, (), []),
        (TOPIC, {"min.insync.replicas": "1"}, {}, ("min.insync.replicas",), []),
        (TOPIC, {}, TRUE, (), [UNCLEAN]),
        (TOPIC, TRUE, TRUE, (), []),
        (TOPIC, {}, {"retention.ms": "1"}, (), []),
        (ALL_BROKERS, {}, MIN_3, (), [FEW]),
        (ALL_BROKERS, {}, MIN_2, (), []),
        (ALL_BROKERS, {}, TRUE, (), [UNCLEAN]),
        (ONE_BROKER, {}, TRUE, (), [UNCLEAN]),
        (ALL_BROKERS, TRUE, {}, ("unclean.leader.election.enable",), []),
        (ALL_BROKERS, {}, {"max.connections": "0"}, (), [LOCKED_OUT]),
        (ALL_BROKERS, {}, {"max.connections": " 00 "}, (), [LOCKED_OUT]),
        (ALL_BROKERS, {}, {"max.connections": "9"}, (), []),
        (ALL_BROKERS, {}, {"max.connections": "3"}, (), [LOCKED_OUT]),
        (ONE_BROKER, {}, {"listener.name.plain.max.connections": "1"}, (), [LOCKED_OUT]),
        (ALL_BROKERS, {}, {"max.connections.per.ip": "3"}, (), []),
        (TOPIC, {}, {"max.message.bytes": "255"}, (), [REFUSES]),
        (TOPIC, {}, {"max.message.bytes": "256"}, (), []),
        (TOPIC, {}, {"segment.bytes": "14"}, (), [REFUSES]),
        (TOPIC, {"segment.bytes": "14"}, {"segment.bytes": "15"}, (), []),
        (TOPIC, {}, {"message.timestamp.difference.max.ms": "0"}, (), [REFUSES]),
        (TOPIC, {}, {"message.timestamp.before.max.ms": "999"}, (), [REFUSES]),
        (TOPIC, {}, {"message.timestamp.after.max.ms": " 0"}, (), [REFUSES]),
        (TOPIC, {}, {"message.timestamp.before.max.ms": "0", **BROKERS_TIME}, (), []),
        (
            TOPIC,
            {"message.timestamp.before.max.ms": "0", **BROKERS_TIME},
            {"message.timestamp.type": "CreateTime"},
            (),
            [REFUSES],
        ),
        (ALL_BROKERS, {}, {"message.max.bytes": "1"}, (), [REFUSES]),
        (ALL_BROKERS, {}, {"message.max.bytes": "5000"}, (), []),
        (ONE_BROKER, {}, {"log.segment.bytes": "14"}, (), [REFUSES]),
        (ALL_BROKERS, {}, {"log.message.timestamp.before.max.ms": "0"}, (), [REFUSES]),
        (ALL_BROKERS, {"message.max.bytes": "1"}, {"message.max.bytes": "1"}, (), []),
        (ALL_BROKERS, {"max.connections": "0"}, {"max.connections": "0"}, (), []),
        (ALL_BROKERS, {"max.connections": "0"}, {}, ("max.connections",), []),
        (ONE_BROKER, {}, {"max.connections.per.ip": "0"}, (), [LOCKED_OUT]),
        (ONE_BROKER, {}, {"max.connection.creation.rate": "0"}, (), [LOCKED_OUT]),
        (ONE_BROKER, {}, {"listener.name.plain.max.connections": "0"}, (), [LOCKED_OUT]),
        (ALL_IPS, {}, {"connection_creation_rate": "0"}, (), [LOCKED_OUT]),
        (ONE_IP, {}, {"connection_creation_rate": "0"}, (), []),
    ],
)
def test_configs_are_asked_about_by_the_topics_that_they_are_for(
    entity: ConfigEntity,
    before: dict[str, str],
    add: dict[str, str],
    delete: tuple[str, ...],
    kinds: list[RiskKind],
) -> None:
    judged = TopicAsJudged(name="t", layout={0: ids("0,2"), 1: ids("2,0")})

    plan = plan_change(
        entity,
        ConfigOverrides(values=before),
        ConfigRequest(add=add, delete=delete, allow_running_brokers=True),
        Surroundings(brokers=RACKED, judged=[judged]),
    )

    assert kinds == [risk.kind for risk in plan.risks]


def test_a_key_that_hid_a_default_is_judged_when_it_goes() -> None:
    judged = TopicAsJudged(name="t", layout={0: ids("0,2")}, defaults=MIN_3)

    plan = plan_change(
        TOPIC,
        ConfigOverrides(values=MIN_2),
        ConfigRequest(delete=("min.insync.replicas",)),
        Surroundings(brokers=RACKED, judged=[judged]),
    )

    assert [FEW] == [risk.kind for risk in plan.risks]


def test_many_topics_with_one_risk_are_one() -> None:
    judged = [TopicAsJudged(name=f"t{n}", layout={0: ids("0")}) for n in range(9)]

    plan = plan_change(
        ALL_BROKERS,
        ConfigOverrides(values={}),
        ConfigRequest(add=MIN_2, allow_running_brokers=True),
        Surroundings(brokers=RACKED, judged=judged),
    )

    (risk,) = plan.risks
    assert str(risk).endswith("will be refused: t0-0 (and so for 8 more topics)")


@pytest.mark.parametrize(
    ("copied", "rate", "text"),
    [
        (0, 1, None),
        (7 * 86_400 * 1000, 1000, None),
        (8 * 86_400 * 1000, 1000, "about 8 days"),
        (10**11, 1, "about 3,169 years"),
        (365 * 86_400 + 86_400, 1, "about 1 year"),
    ],
)
def test_a_throttle_that_takes_for_ever_is_named(copied: int, rate: int, text: str | None) -> None:
    found = slow_copy({BrokerId(1): copied, BrokerId(2): 1}, {BrokerId(1): rate, BrokerId(2): 9})

    expected = [] if text is None else [f"the copying take {text}"]
    assert expected == [str(risk)[-len(end) :] for risk, end in zip(found, expected, strict=True)]


def test_check_finds_the_throttle_of_a_move_that_never_ends() -> None:
    moving = cluster(RACKED, topic("t", "0,1", adding="1"))
    log = ReplicaLog(partition=TopicPartition("t", 0), size_bytes=10**12, lag_records=0)

    def texts(rate: str) -> list[str]:
        evidence = Evidence(
            snapshot=moving,
            now_ms=0,
            log_dirs={BrokerId(0): (LogDir(path="/d", replicas=(log,)),)},
            broker_configs={BrokerId(1): {"follower.replication.throttled.rate": rate}},
        )
        found = judge(evidence).findings
        return [each.text for each in found if each.kind is Kind.REASSIGNMENT]

    assert ["1 partition is being reassigned"] == texts("100000000")
    assert (
        "the throttle of 10 B/s at broker 1 lets the copying take about 3,169 years"
        == texts("10")[0]
    )


def test_a_question_names_how_much_is_risked() -> None:
    assert "Move it?" == with_risks("Move it?", [])
    assert "Move it, in spite of the 1 risk above?" == with_risks("Move it?", ["x"])


def test_a_topic_that_moves_is_judged_as_it_will_be() -> None:
    moving = topic("t", "2,0", adding="2", removing="0")

    assert {0: ids("2")} == as_judged(cluster(RACKED, moving), moving).layout


# Brokers that do not support a policy.

OURS: Final = {
    broker: replace(registered, cleanup_policies=("delete",))
    for broker, registered in brokers("0 1").items()
}
MIXED: Final = {**OURS, **brokers("2 3")}
"""Those of Kafka say nothing of policies: they support all."""
UNSERVED = RiskKind.UNSERVED


@pytest.mark.parametrize(
    ("replicas", "configs", "kinds"),
    [
        ("0,1", {}, []),
        ("0,1", {"cleanup.policy": " delete "}, []),
        ("2,3", COMPACT, []),
        ("0,1", COMPACT, [UNSERVED]),
        ("2,0", COMPACT, [UNSERVED]),
        ("0,1", {"cleanup.policy": "delete, compact"}, [UNSERVED]),
    ],
)
def test_a_topic_that_brokers_do_not_serve_is_asked_about_wherever_it_would_come_to_be(
    replicas: str, configs: dict[str, str], kinds: list[RiskKind]
) -> None:
    """Made, altered, extended and moved; and `check` finds it."""
    plain = cluster(MIXED, topic("t", replicas))
    there = cluster(MIXED, topic("t", replicas, configs=configs))
    elsewhere = cluster(MIXED, topic("t", "2,3", configs=configs))
    request = CreateRequest(name="t", assignment={0: ids(replicas)}, configs=configs)
    change = ConfigRequest(add=configs)
    surroundings = Surroundings(brokers=MIXED, judged=[as_judged(plain, plain.topics["t"])])

    made = plan_create(cluster(MIXED), request)
    altered = plan_change(TOPIC, ConfigOverrides(values={}), change, surroundings)
    targets = {TopicPartition("t", 0): Target(ids(replicas))}
    moved = plan_moves(elsewhere, targets, is_additional=False)
    found = judge(Evidence(snapshot=there, now_ms=0)).findings

    assert kinds == [risk.kind for risk in made.risks]
    assert kinds == [risk.kind for risk in altered.risks]
    assert kinds == [risk.kind for risk in move_risks(elsewhere, moved)]
    assert (Kind.UNSERVED in {each.kind for each in found}) == bool(kinds)


def test_the_brokers_that_do_not_serve_it_are_named() -> None:
    request = CreateRequest(name="t", assignment={0: ids("2,1"), 1: ids("3,2")}, configs=COMPACT)

    (risk,) = plan_create(cluster(MIXED), request).risks

    assert "cleanup.policy=compact: broker 1 does not support it, and will not serve t: t-0" == str(
        risk
    )
