"""Is what brokers tell of configs taken for what it means, and told to them as they take it?

Their answers are built by kafka-python's own messages; real brokers are asked in `tests/interop`.
"""

from typing import Any

import pytest
from kafka.errors import UnknownError
from kafka.protocol.admin import DescribeClientQuotasResponse, DescribeConfigsResponse

from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.config_source import ConfigSource
from kadmin.admin.wire.alter_configs import HiddenWouldBeLost, changes_of, replacement_of
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.describe_configs import (
    Described,
    config_values,
    overrides_of,
    read_topic_configs,
)
from kadmin.admin.wire.quotas import component_of, entity_of, quota_text, read_quotas
from kadmin.admin.wire.wire_configs import WireConfigs
from kadmin.arguments.entities import Wanted
from kadmin.plan.config_plan import HIDDEN, NULL, ConfigPlan
from kadmin.settings.brokers import BrokerSettings

TOPICS, BROKERS, CLIENTS, USERS, IPS = EntityKind
BROKER = ConfigEntity(Entity(BROKERS, "1"))
USER = Entity(USERS, "ann")
SET, DELETE = 0, 1
OWN, OF_ALL, FUTURE = 2, 3, 99


class OldConnection(WireConnection):
    """To brokers that know none of the requests that are made here."""

    def __init__(self) -> None:
        super().__init__(None, BrokerSettings(bootstrap="b:9092", timeout_s=1))

    def serves(self, request: type) -> bool:
        return False


class DamagedConnection(WireConnection):
    """To brokers that cannot read the configs of one topic."""

    def __init__(self) -> None:
        super().__init__(None, BrokerSettings(bootstrap="b:9092", timeout_s=1))

    def serves(self, request: type) -> bool:
        return True

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        result = DescribeConfigsResponse.DescribeConfigsResult
        code = UnknownError.errno
        results = [
            result(error_code=code if name == "b" else 0, resource_name=name, configs=[])
            for _, name, _ in request.resources
        ]
        return DescribeConfigsResponse(results=results)


def plan(before: dict[str, str], after: dict[str, str]) -> ConfigPlan:
    return ConfigPlan(
        entity=BROKER, before=ConfigOverrides(values=before), after=ConfigOverrides(values=after)
    )


def told(*configs: tuple[str, str | None, int]) -> Described:
    """What a broker tells: name, value and source of each config."""
    config = DescribeConfigsResponse.DescribeConfigsResult.DescribeConfigsResourceResult
    return [
        config(
            name=name,
            value=value,
            read_only=False,
            config_source=source,
            is_sensitive=value is None,
            synonyms=[],
        )
        for name, value, source in configs
    ]


def test_a_topic_whose_configs_brokers_cannot_read_keeps_no_other_back() -> None:
    failed: dict[str, str] = {}

    found = read_topic_configs(DamagedConnection(), ["a", "b", "c"], failed=failed)

    assert (["a", "c"], ["b"]) == (list(found), list(failed))
    with pytest.raises(UnknownError):
        read_topic_configs(DamagedConnection(), ["a", "b"])


def test_only_what_is_an_entitys_own_counts_and_what_is_hidden_counts_too() -> None:
    configs = told(("a", "1", OWN), ("b", "2", OF_ALL), ("c", None, OWN), ("d", "3", FUTURE))

    assert {"a": "1", "c": HIDDEN} == overrides_of(BROKER.root, configs)
    assert {"b": "2"} == overrides_of(Entity(BROKERS, None), configs)


def test_what_is_null_and_not_hidden_is_null() -> None:
    (config,) = told(("a", None, OWN))
    config.is_sensitive = False

    assert {"a": NULL} == overrides_of(BROKER.root, [config])


def test_values_are_sorted_and_a_source_of_the_future_is_unknown() -> None:
    values = config_values(BROKER.root, told(("b", "2", FUTURE), ("a", None, OWN)))

    assert [
        ("a", None, ConfigSource.DYNAMIC_BROKER_CONFIG, True),
        ("b", "2", ConfigSource.UNKNOWN, False),
    ] == [(value.name, value.value, value.source, value.is_sensitive) for value in values]


def test_brokers_are_told_what_changes_and_nothing_else() -> None:
    made = plan(
        {"kept": "1", "gone": "2", "hidden": HIDDEN}, {"kept": "1", "hidden": HIDDEN, "new": "3"}
    )

    assert [("new", SET, "3"), ("gone", DELETE, None)] == changes_of(made)


def test_brokers_that_forget_the_rest_are_told_all_of_it() -> None:
    made = plan({"kept": "1", "gone": HIDDEN, "set": HIDDEN}, {"kept": "1", "set": "secret"})

    assert [("kept", "1"), ("set", "secret")] == replacement_of(made)


def test_brokers_that_forget_the_rest_are_told_nothing_where_some_of_it_is_hidden() -> None:
    with pytest.raises(HiddenWouldBeLost, match="do not return kept of brokers '1'") as caught:
        replacement_of(plan({"kept": HIDDEN}, {"kept": HIDDEN, "new": "3"}))
    with pytest.raises(HiddenWouldBeLost):
        replacement_of(plan({"kept": NULL}, {"kept": NULL, "new": "3"}))

    assert "--alter --broker 1" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("kind", "name", "value", "text"),
    [
        (CLIENTS, "producer_byte_rate", 1024.0, "1024"),
        (CLIENTS, "producer_byte_rate", float(2**63), "9223372036854775807"),
        (USERS, "request_percentage", 50.0, "50.0"),
        (USERS, "controller_mutation_rate", 0.25, "0.25"),
        (IPS, "connection_creation_rate", 0.0, "0"),
        (CLIENTS, "future_rate", 3.0, "3.0"),
    ],
)
def test_quotas_are_written_as_brokers_write_them(
    kind: EntityKind, name: str, value: float, text: str
) -> None:
    assert text == quota_text(kind, name, value)


@pytest.mark.parametrize(
    ("parts", "entity"),
    [
        ([("user", "ann")], ConfigEntity(USER)),
        ([("client-id", None)], ConfigEntity(Entity(CLIENTS, None))),
        ([("client-id", "c"), ("user", "ann")], ConfigEntity(USER, Entity(CLIENTS, "c"))),
        ([("ip", "10.0.0.1")], ConfigEntity(Entity(IPS, "10.0.0.1"))),
        ([("ip", "10.0.0.1"), ("user", "ann")], None),
        ([("user", "ann"), ("planet", "mars")], None),
        ([("planet", "mars")], None),
    ],
)
def test_whose_quota_it_is(
    parts: list[tuple[str, str | None]], entity: ConfigEntity | None
) -> None:
    data = DescribeClientQuotasResponse.EntryData.EntityData

    assert entity == entity_of([data(entity_type=kind, entity_name=name) for kind, name in parts])


@pytest.mark.parametrize(
    ("wanted", "component"),
    [
        (Wanted(CLIENTS), ("client-id", 2, None)),
        (Wanted(USERS, Entity(USERS, None)), ("user", 1, None)),
        (Wanted(IPS, Entity(IPS, "10.0.0.1")), ("ip", 0, "10.0.0.1")),
    ],
)
def test_whose_quotas_are_asked_for(wanted: Wanted, component: tuple[str, int, str | None]) -> None:
    """Kafka's numbers: 0 for one by its name, 1 for the default, 2 for any that has a name."""
    assert component == component_of(wanted)


def test_brokers_without_quotas_are_named_with_the_release_that_has_them() -> None:
    with pytest.raises(NotServed, match=r"b:9092 do not serve client quotas; .* from 2\.6 on"):
        read_quotas(OldConnection(), [Wanted(CLIENTS)])


def test_brokers_with_quotas_and_without_credentials_tell_what_they_have() -> None:
    warnings: list[str] = []

    admin = WireConfigs(OldConnection(), warnings.append)
    assert {} == admin.credentials(["ann"]) == admin.credentials(None)

    assert ["SCRAM credentials are left out: brokers describe them from Kafka 2.7 on"] == warnings


def test_password_of_a_user_is_refused_by_brokers_that_take_none() -> None:
    made = ConfigPlan(
        entity=ConfigEntity(USER),
        before=ConfigOverrides(values={}),
        after=ConfigOverrides(
            values={"SCRAM-SHA-256": "salt=cw==,salted_password=cA==,iterations=1"}
        ),
    )

    with pytest.raises(NotServed, match=r"do not serve SCRAM credentials; .* from 2\.7 on"):
        WireConfigs(OldConnection(), lambda _: None).dry_run([made])
