"""Plans of ACLs: which rules does a resource get, which does it lose, and what is that called?"""

import pytest

from cluster.model.acl import AclEntry, PatternType, ResourceAcls, ResourcePattern, ResourceType
from cluster.model.ids import NEVER_READ, ZkVersion
from kadmin.plan.acls import (
    OPERATIONS,
    AclRequest,
    PatternFilter,
    ResourceFilter,
    Rule,
    constant,
    in_words,
    plan_acls,
    plan_lines,
    rule_of,
    warnings_of,
    without_effect,
)

TOPIC, GROUP, CLUSTER = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.CLUSTER
READ = Rule("User:ann", "Allow", "Read", "*")
WRITE = Rule("User:ann", "Allow", "Write", "*")
DENIED = Rule("User:bob", "Deny", "All", "10.0.0.1")
VERSION = ZkVersion(7)


def acls(*rules: Rule, version: ZkVersion = VERSION) -> ResourceAcls:
    return ResourceAcls(entries=tuple(rule.entry for rule in rules), zk_version=version)


def literal(name: str, kind: ResourceType = TOPIC) -> ResourcePattern:
    return ResourcePattern(kind, name)


def prefixed(name: str, kind: ResourceType = TOPIC) -> ResourcePattern:
    return ResourcePattern(kind, name, PatternType.PREFIXED)


FOUND = {
    literal("orders"): acls(READ, DENIED),
    literal("*"): acls(DENIED),
    prefixed("ord"): acls(READ),
    prefixed("orders"): acls(WRITE),
    literal("orders", GROUP): acls(READ),
}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (PatternFilter.LITERAL, {literal("orders")}),
        (PatternFilter.PREFIXED, {prefixed("orders")}),
        (PatternFilter.ANY, {literal("orders"), prefixed("orders")}),
        (
            PatternFilter.MATCH,
            {literal("orders"), literal("*"), prefixed("ord"), prefixed("orders")},
        ),
    ],
)
def test_a_name_means_the_patterns_that_it_means_to_kafka(
    pattern: PatternFilter, expected: set[ResourcePattern]
) -> None:
    wanted = ResourceFilter(TOPIC, "orders", pattern)

    assert expected == {resource for resource in FOUND if wanted.matches(resource)}


def test_a_prefix_matches_no_shorter_name() -> None:
    wanted = ResourceFilter(TOPIC, "or", PatternFilter.MATCH)

    assert [literal("*")] == [resource for resource in FOUND if wanted.matches(resource)]


def request(*rules: Rule, remove: bool = False, name: str = "orders") -> AclRequest:
    return AclRequest(rules={ResourceFilter(TOPIC, name): rules}, is_removal=remove)


def test_what_is_there_is_not_added_again_and_new_rules_come_last() -> None:
    (plan,) = plan_acls(FOUND, request(READ, WRITE, WRITE))

    assert (literal("orders"), (WRITE,), ()) == (plan.resource, plan.added, plan.removed)
    assert acls(READ, DENIED, WRITE) == plan.after
    assert [
        "plan: change the ACLs of topic 'orders'",
        "  + allow User:ann Write",
    ] == list(plan_lines(plan))
    assert [] == list(warnings_of(plan))


def test_nothing_new_is_no_change() -> None:
    (plan,) = plan_acls(FOUND, request(READ))

    assert not plan.is_change
    assert ["plan: the ACLs of topic 'orders' stay as they are"] == list(plan_lines(plan))
    assert [] == list(warnings_of(plan))


def test_the_first_rules_of_a_resource_are_warned_of() -> None:
    (plan,) = plan_acls(FOUND, request(READ, name="new"))

    assert acls(READ, version=NEVER_READ) == plan.after
    (warning,) = warnings_of(plan)
    assert warning.startswith("the first ACLs of topic 'new': where brokers have allow.everyone")


def test_several_filters_of_one_resource_are_one_plan() -> None:
    wanted = AclRequest(
        rules={
            ResourceFilter(TOPIC, "b"): (READ,),
            ResourceFilter(TOPIC, "a", PatternFilter.PREFIXED): (READ,),
            ResourceFilter(CLUSTER, "kafka-cluster"): (WRITE,),
        },
        is_removal=False,
    )

    plans = plan_acls({}, wanted)

    assert [prefixed("a"), literal("b"), literal("kafka-cluster", CLUSTER)] == [
        plan.resource for plan in plans
    ]


def test_only_the_rules_that_are_there_are_removed() -> None:
    (plan,) = plan_acls(FOUND, request(DENIED, WRITE, remove=True))

    assert ((), (DENIED,)) == (plan.added, plan.removed)
    assert acls(READ) == plan.after
    assert "  - deny User:bob All from 10.0.0.1" in plan_lines(plan)
    assert [] == list(warnings_of(plan))


def test_without_rules_all_go_and_the_last_are_warned_of() -> None:
    (plan,) = plan_acls(FOUND, request(remove=True))

    assert acls() == plan.after
    (warning,) = warnings_of(plan)
    assert warning.startswith("the last ACLs of topic 'orders': unless another pattern")


def test_what_is_not_there_needs_no_plan() -> None:
    assert [] == plan_acls(FOUND, request(WRITE, remove=True))
    assert [] == plan_acls(FOUND, request(remove=True, name="other"))


@pytest.mark.parametrize(
    ("name", "rules", "expected"),
    [
        ("ordrs", (), "; did you mean topic 'orders'?"),
        ("payments", (), ": nothing is to be removed"),
        ("orders", (WRITE,), ": topic 'orders' has 2 others"),
    ],
)
def test_a_removal_without_effect_says_what_may_have_been_meant(
    name: str, rules: tuple[Rule, ...], expected: str
) -> None:
    """A name that was mistyped leaves somebody with access who should have lost it."""
    found = {literal("orders"): acls(READ, DENIED), literal("ordrs", GROUP): acls(READ)}
    wanted = request(*rules, remove=True, name=name)

    assert [] == plan_acls(found, wanted)
    assert without_effect(found, wanted).startswith("there are no such ACLs")
    assert without_effect(found, wanted).endswith(expected)


def test_what_this_kadmin_does_not_know_of_a_rule_is_kept() -> None:
    odd = AclEntry(
        principal="User:x", permission_type="Allow", operation="Read", host="*", extra={"a": 1}
    )
    before = ResourceAcls(entries=(odd,), zk_version=VERSION, extra={"b": 2})

    (plan,) = plan_acls({literal("orders"): before}, request(READ))

    assert ((odd, READ.entry), {"b": 2}) == (plan.after.entries, plan.after.extra)
    assert Rule("User:x", "Allow", "Read", "*") == rule_of(odd)


def test_words_are_kafka_s() -> None:
    assert "(principal=User:ann, host=*, operation=READ, permissionType=ALLOW)" == str(READ)
    assert ["ALL", "READ", "CLUSTER_ACTION", "DESCRIBE_TOKENS"] == [
        constant(name) for name in ("All", "Read", "ClusterAction", "DescribeTokens")
    ]
    assert 13 == len(OPERATIONS) == len(set(OPERATIONS))
    assert "ResourcePattern(resourceType=TOPIC, name=ord, patternType=PREFIXED)" == str(
        prefixed("ord")
    )


def test_resources_in_words() -> None:
    assert [
        "topic 'orders'",
        "topics that begin with 'ord'",
        "all topics",
        "the cluster",
        "transactional id 'tx'",
    ] == [
        in_words(resource)
        for resource in (
            literal("orders"),
            prefixed("ord"),
            literal("*"),
            literal("kafka-cluster", CLUSTER),
            literal("tx", ResourceType.TRANSACTIONAL_ID),
        )
    ]
