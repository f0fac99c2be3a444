"""Arguments of `kadmin acls`: which rules do they mean?"""

import pytest

from cluster.model.acl import ResourceType
from kadmin.arguments.acls import (
    Whom,
    convenient_request,
    filters_of,
    match_warnings,
    operations_of,
    plain_request,
    principals_of,
)
from kadmin.errors import UsageError
from kadmin.plan.acls import PatternFilter, ResourceFilter, Rule

TOPIC = ResourceFilter(ResourceType.TOPIC, "t", PatternFilter.PREFIXED)
GROUP = ResourceFilter(ResourceType.GROUP, "g", PatternFilter.PREFIXED)
TX = ResourceFilter(ResourceType.TRANSACTIONAL_ID, "x")
THE_CLUSTER = ResourceFilter(ResourceType.CLUSTER, "kafka-cluster")
ANN = Whom(allowed=("User:ann",))


def test_there_is_a_rule_for_each_principal_host_and_operation() -> None:
    whom = Whom(allowed=("User:a", "User:b"), allowed_hosts=("1.1.1.1",), denied=("User:c",))

    assert (
        Rule("User:a", "Allow", "Read", "1.1.1.1"),
        Rule("User:a", "Allow", "Write", "1.1.1.1"),
        Rule("User:b", "Allow", "Read", "1.1.1.1"),
        Rule("User:b", "Allow", "Write", "1.1.1.1"),
        Rule("User:c", "Deny", "Read", "*"),
        Rule("User:c", "Deny", "Write", "*"),
    ) == whom.rules(("Read", "Write"))


@pytest.mark.parametrize("text", ["ann", "User:", ":ann", ""])
def test_a_principal_has_a_type_and_a_name(text: str) -> None:
    assert ("User:ann", "Group:a:b") == principals_of((" User:ann", "Group:a:b "))
    with pytest.raises(UsageError, match="is no principal"):
        principals_of((text,))


def test_operations_are_understood_in_each_spelling() -> None:
    expected = ("DescribeConfigs", "DescribeConfigs", "Read")

    assert expected == operations_of(("describe_configs", "DescribeConfigs", "READ"))
    assert ("All",) == operations_of(())
    with pytest.raises(UsageError, match="there is no operation 'Rread'"):
        operations_of(("Rread",))


def test_the_cluster_has_no_prefix_and_no_name_is_empty() -> None:
    names = {ResourceType.TOPIC: ("t", " t"), ResourceType.CLUSTER: ("kafka-cluster",)}

    assert (TOPIC, THE_CLUSTER) == filters_of(names, PatternFilter.PREFIXED)
    with pytest.raises(UsageError, match="a topic has an empty name"):
        filters_of({ResourceType.TOPIC: (" ",)}, PatternFilter.LITERAL)


def test_a_resource_takes_its_own_operations_only() -> None:
    request = plain_request((TOPIC, GROUP), ANN, ("Read", "All"), is_removal=True)

    assert request.is_removal
    assert {TOPIC, GROUP} == request.rules.keys()
    assert {2} == {len(rules) for rules in request.rules.values()}
    with pytest.raises(UsageError) as raised:
        plain_request((TOPIC, GROUP), ANN, ("Read", "Write"), is_removal=False)
    assert "GROUP only supports operations All, Read, Delete, Describe: not Write" in str(
        raised.value
    )


@pytest.mark.parametrize(
    ("produces", "consumes", "is_idempotent", "expected"),
    [
        (True, False, False, {TOPIC: "Write Describe Create", TX: "Write Describe"}),
        (False, True, False, {TOPIC: "Read Describe", GROUP: "Read"}),
        (
            True,
            True,
            True,
            {
                TOPIC: "Write Describe Create Read",
                TX: "Write Describe",
                GROUP: "Read",
                THE_CLUSTER: "IdempotentWrite",
            },
        ),
    ],
)
def test_producers_and_consumers_get_what_they_need(
    produces: bool, consumes: bool, is_idempotent: bool, expected: dict[ResourceFilter, str]
) -> None:
    request = convenient_request(
        (TOPIC, GROUP, TX),
        ANN,
        produces=produces,
        consumes=consumes,
        is_idempotent=is_idempotent,
        is_removal=False,
    )

    assert expected == {
        filter_: " ".join(rule.operation for rule in rules)
        for filter_, rules in request.rules.items()
    }


@pytest.mark.parametrize(
    ("filters", "principals", "hosts", "said"),
    [
        ([ResourceFilter(ResourceType.TOPIC, "*")], ["User:*"], ["*", "10.0.0.1"], ""),
        (
            [ResourceFilter(ResourceType.TOPIC, "*", PatternFilter.PREFIXED)],
            [],
            [],
            "all topics are --topic '*' with literal",
        ),
        ([], ["user:ann"], [], "'user:ann' is not User:ann"),
        ([], ["Group:a, b"], [], ""),
        ([], ["User:CN=a, OU=b,O=c"], [], "User:CN=a,OU=b,O=c"),
        ([], [], ["app1.example"], "host 'app1.example' is no IP address"),
        ([], [], ["10.0.0.0/8"], "is a network: brokers before KAFKA-20088"),
        ([], [], ["::1"], "brokers write that address as 0:0:0:0:0:0:0:1"),
        ([], [], ["2001:db8:0:0:0:0:0:1"], ""),
    ],
    ids=[
        *("all", "prefix of all", "capitals", "other type", "DN", "name", "network", "IPv6"),
        "whole IPv6",
    ],
)
def test_what_matches_less_than_it_seems_to_is_warned_of(
    filters: list[ResourceFilter], principals: list[str], hosts: list[str], said: str
) -> None:
    warnings = list(match_warnings(filters, principals, hosts))

    assert bool(said) == bool(warnings)
    assert said in "".join(warnings)
