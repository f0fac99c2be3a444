"""Overrides: whose they are, and how their change is made known."""

import pytest
from hypothesis import given

from cluster.model.config_entity import ConfigChange, ConfigEntity, Entity, EntityKind
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import ZkVersion
from cluster.zk.configs import (
    config_path,
    decode_config,
    decode_config_change,
    encode_config_change,
    entity_of_path,
    entity_path,
)
from cluster.zk.znode import Znode
from tests.cluster.zk.strategies import config_entities

USER = Entity(EntityKind.USERS, "u 1")


def change_node(data: bytes) -> Znode:
    return Znode("/config/changes/config_change_0000000000", data)


@pytest.mark.parametrize(
    ("entity", "path"),
    [
        (ConfigEntity(Entity(EntityKind.TOPICS, "a.b_c-d")), "/config/topics/a.b_c-d"),
        (ConfigEntity(Entity(EntityKind.BROKERS, "1")), "/config/brokers/1"),
        (ConfigEntity(Entity(EntityKind.BROKERS, None)), "/config/brokers/<default>"),
        (
            ConfigEntity(Entity(EntityKind.CLIENTS, "a/b*~+ü")),
            "/config/clients/a%2Fb%2A%7E%2B%C3%BC",
        ),
        (ConfigEntity(USER), "/config/users/u%201"),
        (ConfigEntity(Entity(EntityKind.USERS, "<default>")), "/config/users/%3Cdefault%3E"),
        (
            ConfigEntity(USER, Entity(EntityKind.CLIENTS, None)),
            "/config/users/u%201/clients/<default>",
        ),
        (ConfigEntity(Entity(EntityKind.IPS, "::1")), "/config/ips/%3A%3A1"),
    ],
)
def test_an_entity_has_a_path_and_the_path_names_the_entity(
    entity: ConfigEntity, path: str
) -> None:
    assert config_path(entity) == path
    assert entity_of_path(path.removeprefix("/config/")) == entity


@given(config_entities())
def test_any_entity_comes_back_from_its_path(entity: ConfigEntity) -> None:
    assert entity_of_path(entity_path(entity)) == entity


@pytest.mark.parametrize(
    "path",
    [
        "",
        "topics",
        "topics/",
        "/topics/t",
        "groups/g",
        "users/u/clients",
        "users/u/clients/",
        "users//clients/c",
        "users/u/topics/t",
        "clients/c/users/u",
        "users/u/clients/c/topics/t",
    ],
)
def test_a_path_of_no_entity_is_none(path: str) -> None:
    assert entity_of_path(path) is None


def test_a_blank_may_stand_as_a_plus_as_in_java() -> None:
    assert entity_of_path("users/u+1") == ConfigEntity(USER)


def test_a_parent_without_data_overrides_nothing() -> None:
    config = decode_config(Znode("/config/users/u", None, ZkVersion(0)))

    assert (config.values, config.zk_version) == ({}, 0)


def test_a_value_that_is_no_text_is_not_repeated_since_it_may_be_a_password() -> None:
    path = "/config/brokers/1"
    with pytest.raises(CorruptZnodeError) as caught:
        decode_config(
            Znode(path, b'{"version":1,"config":{"ssl.key.password":4711}}', ZkVersion(3))
        )

    assert f"{path} (zkVersion 3): the value of 'ssl.key.password' is not text" == str(caught.value)


@pytest.mark.parametrize("data", [b"{}", b'{"config":[]}', b'{"config":{"retention.ms":1}}'])
def test_damaged_overrides_are_named(data: bytes) -> None:
    with pytest.raises(CorruptZnodeError, match="/config/topics/t"):
        decode_config(Znode("/config/topics/t", data))


def test_a_change_is_written_in_the_form_of_each_age() -> None:
    forms = [
        encode_config_change(ConfigChange(entity_path="topics/t", version=version))
        for version in range(3)
    ]

    assert forms == [
        b'"t"',
        b'{"version":1,"entity_type":"topics","entity_name":"t"}',
        b'{"version":2,"entity_path":"topics/t"}',
    ]
    assert {decode_config_change(change_node(form)).entity_path for form in forms} == {"topics/t"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'""', "'topics/' is no path of an entity"),
        (b'"a/b"', "'topics/a/b' is no path of an entity"),
        (b"7", "is neither a topic name nor a JSON object"),
        (b'{"entity_path":"topics/t"}', "has no 'version'"),
        (b'{"version":3,"entity_path":"topics/t"}', "'version' is out of bounds: 3"),
        (b'{"version":2}', "has no 'entity_path'"),
        (b'{"version":2,"entity_path":"topics"}', "'topics' is no path of an entity"),
        (b'{"version":2,"entity_path":"/topics/t/"}', "'/topics/t/' is no path of an entity"),
        (b'{"version":1,"entity_type":"users","entity_name":"u"}', "version 1 knows no 'users'"),
        (b'{"version":1,"entity_type":"topics"}', "has no 'entity_name'"),
    ],
)
def test_a_damaged_change_is_named(data: bytes, reason: str) -> None:
    with pytest.raises(CorruptZnodeError) as caught:
        decode_config_change(change_node(data))

    assert caught.value.reason == reason
