"""Where each value comes from, as `configs --describe --all` tells it."""

from cluster.model.config_entity import Entity, EntityKind
from cluster.model.config_source import ConfigSource, ConfigSynonym
from cluster.model.config_table import TOPIC_CONFIGS
from kadmin.plan.config_values import ConfigValue, config_values

TOPIC = Entity(EntityKind.TOPICS, "t")
BROKER = Entity(EntityKind.BROKERS, "1")
ALL_BROKERS = Entity(EntityKind.BROKERS, None)


def value_of(entity: Entity, name: str, own: dict[str, str], shared: dict[str, str]) -> ConfigValue:
    [value] = [value for value in config_values(entity, own, shared) if value.name == name]
    return value


def synonyms(value: ConfigValue) -> list[str]:
    return [str(synonym) for synonym in value.synonyms]


def test_all_keys_of_kafka_are_there_and_those_that_are_set_besides() -> None:
    values = config_values(TOPIC, {"future.key": "x"}, {})

    assert [value.name for value in values] == sorted({*TOPIC_CONFIGS, "future.key"})


def test_an_override_beats_the_brokers_which_beat_kafka() -> None:
    value = value_of(TOPIC, "retention.ms", {"retention.ms": "1"}, {"log.retention.ms": "2"})

    assert synonyms(value) == [
        "DYNAMIC_TOPIC_CONFIG:retention.ms=1",
        "DYNAMIC_DEFAULT_BROKER_CONFIG:log.retention.ms=2",
        "DEFAULT_CONFIG:log.retention.ms=604800000",
    ]
    assert (value.value, value.source) == ("1", ConfigSource.DYNAMIC_TOPIC_CONFIG)


def test_a_value_that_was_not_told_is_null() -> None:
    assert "STATIC_BROKER_CONFIG:ssl.key.password=null" == str(
        ConfigSynonym(ConfigSource.STATIC_BROKER_CONFIG, "ssl.key.password", None)
    )


def test_a_broker_has_its_own_and_what_all_have() -> None:
    value = value_of(
        BROKER, "log.cleaner.threads", {"log.cleaner.threads": "1"}, {"log.cleaner.threads": "2"}
    )

    assert synonyms(value) == [
        "DYNAMIC_BROKER_CONFIG:log.cleaner.threads=1",
        "DYNAMIC_DEFAULT_BROKER_CONFIG:log.cleaner.threads=2",
        "DEFAULT_CONFIG:log.cleaner.threads=1",
    ]


def test_what_all_brokers_have_is_told_once() -> None:
    shared = {"log.cleaner.threads": "2"}

    value = value_of(ALL_BROKERS, "log.cleaner.threads", shared, shared)

    assert synonyms(value) == [
        "DYNAMIC_DEFAULT_BROKER_CONFIG:log.cleaner.threads=2",
        "DEFAULT_CONFIG:log.cleaner.threads=1",
    ]


def test_a_key_that_nobody_gives_a_value_has_none() -> None:
    value = value_of(BROKER, "ssl.provider", {}, {})

    assert (value.value, value.source, value.synonyms) == (None, None, ())


def test_a_topics_throttle_has_no_key_of_the_brokers() -> None:
    value = value_of(TOPIC, "leader.replication.throttled.replicas", {}, {})

    assert synonyms(value) == ["DEFAULT_CONFIG:leader.replication.throttled.replicas="]


def test_a_password_is_masked_wherever_it_comes_from() -> None:
    secret = {"sasl.jaas.config": "secret", "future.password": "secret"}

    values = config_values(BROKER, secret, secret)

    assert all("secret" not in str(synonym) for value in values for synonym in value.synonyms)
    assert value_of(BROKER, "sasl.jaas.config", secret, {}).is_sensitive
    assert value_of(BROKER, "future.password", secret, {}).is_sensitive
