"""Matching `--entity-type`, `--entity-name` and `--entity-default`."""

import pytest

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from kadmin.arguments.entities import DEFAULT, select_entities
from kadmin.errors import UsageError
from kadmin.plan.entity_options import options_of

TOPICS, BROKERS, CLIENTS, USERS, IPS = EntityKind
UA = Entity(USERS, "ann")
C1 = Entity(CLIENTS, "c1")
ALL_CLIENTS = Entity(CLIENTS, None)


@pytest.mark.parametrize(
    ("kinds", "names", "expected"),
    [
        ([TOPICS], ["t"], ConfigEntity(Entity(TOPICS, "t"))),
        ([BROKERS], [DEFAULT], ConfigEntity(Entity(BROKERS, None))),
        ([BROKERS], ["0"], ConfigEntity(Entity(BROKERS, "0"))),
        ([USERS, CLIENTS], ["ann", "c1"], ConfigEntity(UA, C1)),
        ([CLIENTS, USERS], ["c1", "ann"], ConfigEntity(UA, C1)),
        ([USERS, CLIENTS], ["ann", DEFAULT], ConfigEntity(UA, ALL_CLIENTS)),
        (
            [USERS, CLIENTS],
            [DEFAULT, "c1"],
            ConfigEntity(Entity(USERS, None), C1),
        ),
        ([IPS], ["::1"], ConfigEntity(Entity(IPS, "::1"))),
        ([USERS], ["<default>"], ConfigEntity(Entity(USERS, "<default>"))),
        ([TOPICS], [], None),
        ([USERS, CLIENTS], ["ann"], None),
        ([USERS, CLIENTS], [], None),
    ],
)
def test_names_go_to_the_types_in_the_order_of_the_command_line(
    kinds: list[EntityKind], names: list[str], expected: ConfigEntity | None
) -> None:
    assert select_entities(kinds, names).only_one() == expected


def test_short_options_name_entities_too() -> None:
    selection = select_entities([], [], [ALL_CLIENTS, UA])

    assert selection.only_one() == ConfigEntity(UA, ALL_CLIENTS)


def test_long_and_short_options_go_together() -> None:
    assert select_entities([USERS], ["ann"], [C1]).only_one() == ConfigEntity(UA, C1)


@pytest.mark.parametrize(
    ("kinds", "names", "short", "message"),
    [
        ([], [], [], "At least one entity type must be specified"),
        ([], ["t"], [], "need an --entity-type"),
        ([TOPICS], ["t", "u"], [], "need an --entity-type"),
        ([TOPICS, TOPICS], ["t", "u"], [], "given twice"),
        ([USERS], ["ann"], [UA], "given twice"),
        ([TOPICS, USERS], ["t", "u"], [], "may be specified together, not topics and users"),
        ([USERS, CLIENTS, IPS], [], [], "may be specified together"),
        ([TOPICS], [DEFAULT], [], "no defaults for all topics"),
        ([USERS], [""], [], "must not be empty"),
        ([BROKERS], ["x"], [], "must be a valid integer broker id, but it is: x"),
        ([BROKERS], ["-1"], [], "must be a valid integer broker id"),
        ([BROKERS], ["²"], [], "must be a valid integer broker id"),
        ([IPS], ["localhost"], [], "'localhost' is no IP address"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    kinds: list[EntityKind], names: list[str], short: list[Entity], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        select_entities(kinds, names, short)


@pytest.mark.parametrize(
    ("entity", "options"),
    [
        (ConfigEntity(Entity(TOPICS, "t")), "--topic t"),
        (ConfigEntity(Entity(TOPICS, "--zookeeper")), "--topic '--zookeeper'"),
        (ConfigEntity(Entity(BROKERS, None)), "--broker-defaults"),
        (ConfigEntity(Entity(USERS, "u 1"), ALL_CLIENTS), "--user 'u 1' --client-defaults"),
    ],
)
def test_an_entity_is_named_by_options_to_paste(entity: ConfigEntity, options: str) -> None:
    assert options_of(entity) == options
