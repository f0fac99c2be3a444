"""Plans of config changes: what is refused, what is shown, in which form brokers are told."""

import pytest

from cluster.model.broker import UNKNOWN_FORMAT
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.config_spec import ValueKind, parsed_number
from cluster.model.ids import ZkVersion
from kadmin.errors import ExitCode
from kadmin.plan.config_plan import (
    HIDDEN,
    BrokersRun,
    ConfigPlan,
    InvalidConfigs,
    NotSet,
    StoredEncrypted,
    UnknownToBrokers,
    change_version,
    check_request,
    plan_change,
    shown_value,
)
from kadmin.plan.config_warnings import ConfigRequest, Surroundings
from tests.kadmin.builders import brokers

TOPICS, BROKERS, CLIENTS, USERS, IPS = EntityKind
TOPIC = ConfigEntity(Entity(TOPICS, "t"))
BROKER = ConfigEntity(Entity(BROKERS, "1"))
ALL_BROKERS = ConfigEntity(Entity(BROKERS, None))
USER = ConfigEntity(Entity(USERS, "ann"))
ALL_USERS = ConfigEntity(Entity(USERS, None))
USERS_CLIENT = ConfigEntity(Entity(USERS, "ann"), Entity(CLIENTS, "c"))
CREDENTIAL = "salt=c2FsdA==,stored_key=c3RvcmVk,server_key=c2VydmVy,iterations=8192"
NOWHERE = Surroundings()


def request(*delete: str, **add: str) -> ConfigRequest:
    return ConfigRequest(
        add={name.replace("_", "."): value for name, value in add.items()}, delete=delete
    )


def config(**values: str) -> ConfigOverrides:
    return ConfigOverrides(
        values={name.replace("_", "."): value for name, value in values.items()},
        zk_version=ZkVersion(3),
        extra={"future": 1},
    )


def plan(
    before: ConfigOverrides, wanted: ConfigRequest, entity: ConfigEntity = TOPIC
) -> ConfigPlan:
    return plan_change(entity, before, wanted, NOWHERE)


def test_a_plan_keeps_what_it_does_not_touch() -> None:
    made = plan(
        config(retention_ms="1", segment_ms="2", future_key="x"),
        request("segment.ms", retention_ms="5", cleanup_policy="compact"),
    )

    assert made.after == ConfigOverrides(
        values={"retention.ms": "5", "future.key": "x", "cleanup.policy": "compact"},
        zk_version=ZkVersion(3),
        extra={"future": 1},
    )


def test_a_plan_is_shown_as_the_lines_that_differ() -> None:
    made = plan(
        config(retention_ms="1", segment_ms="2", index_interval_bytes="9"),
        request("segment.ms", retention_ms="5", cleanup_policy="compact,delete"),
    )

    assert str(made) == (
        "plan: configs of topic 't'\n"
        "  + cleanup.policy=compact,delete\n"
        "  ~ retention.ms: 1 -> 5\n"
        "  - segment.ms=2\n"
        "  may delete records whose key was written again later\n"
        "  may delete records by age and size"
    )


def test_a_plan_that_changes_nothing_says_so() -> None:
    made = plan(config(retention_ms="1"), request(retention_ms="1"))

    assert made.changes == ()
    assert str(made) == "plan: configs of topic 't'\n  stay as they are"


def test_what_is_not_set_cannot_be_deleted() -> None:
    with pytest.raises(NotSet) as caught:
        plan(config(retention_ms="1"), request("segment.ms", "retention.ms", "flush.ms"))

    assert caught.value.names == ("segment.ms", "flush.ms")
    assert "Invalid config(s): segment.ms,flush.ms" in caught.value.message
    assert caught.value.hint == "kadmin configs --describe --topic t"


@pytest.mark.parametrize(
    ("entity", "name", "before", "after", "is_same"),
    [
        (USER, "request_percentage", "50.0", "50", True),
        (USERS_CLIENT, "producer_byte_rate", "5", " 5", True),
        (USERS_CLIENT, "producer_byte_rate", "5", "6", False),
        (USERS_CLIENT, "producer_byte_rate", "many", "6", False),
        (TOPIC, "segment.bytes", "1000", "01000", False),
    ],
)
def test_a_quota_stays_as_it_is_written_where_the_number_is_the_same(
    entity: ConfigEntity, name: str, before: str, after: str, is_same: bool
) -> None:
    made = plan(ConfigOverrides(values={name: before}), ConfigRequest(add={name: after}), entity)

    assert {name: before if is_same else after} == made.after.values
    assert (not made.changes) is is_same


def test_what_brokers_hide_is_shown_as_hidden_and_always_set_anew() -> None:
    made = plan(
        ConfigOverrides(values={"future.key": HIDDEN, "other.key": HIDDEN}),
        ConfigRequest(add={"future.key": "***"}),
    )

    assert str(made).splitlines()[1:] == ["  ~ future.key: *** -> ***"]


def test_a_key_that_nobody_knows_can_be_deleted() -> None:
    assert plan(config(future_key="x"), request("future.key")).after.values == {}


def test_all_problems_are_told_at_once_with_what_was_meant() -> None:
    with pytest.raises(InvalidConfigs) as caught:
        check_request(TOPIC, request(retentionms="1", segment_ms="0", flush_ms="1"))

    assert caught.value.problems == (
        "Unknown topic config name: retentionms",
        "Invalid value 0 for configuration segment.ms: Value must be at least 1",
    )
    assert caught.value.hint == "did you mean retention.ms?"


def test_keys_of_plugins_pass_when_that_is_asked_for_and_others_stay_checked() -> None:
    check_request(TOPIC, request(plugin_key="x"), allow_unknown=True)
    with pytest.raises(InvalidConfigs, match=r"retention\.ms"):
        check_request(TOPIC, request(plugin_key="x", retention_ms="x"), allow_unknown=True)


def test_a_key_cannot_be_set_and_deleted_at_once() -> None:
    with pytest.raises(InvalidConfigs, match=r"retention\.ms is to be set and to be deleted"):
        check_request(TOPIC, request("retention.ms", retention_ms="1"))


def test_configs_that_exclude_each_other_are_refused_with_what_is_there_already() -> None:
    with pytest.raises(InvalidConfigs, match=r"min\.compaction\.lag\.ms \(11\)"):
        plan(config(max_compaction_lag_ms="10"), request(min_compaction_lag_ms="11"))


def test_an_old_contradiction_does_not_stand_in_the_way_of_another_change() -> None:
    before = config(max_compaction_lag_ms="10", min_compaction_lag_ms="11")

    assert plan(before, request(retention_ms="1")).after.values["retention.ms"] == "1"


@pytest.mark.parametrize(
    ("entity", "name"),
    [
        (BROKER, "listener.name.ssl.ssl.keystore.password"),
        (BROKER, "sasl.jaas.config"),
    ],
)
def test_a_brokers_password_is_refused_as_the_broker_would_not_understand_it(
    entity: ConfigEntity, name: str
) -> None:
    with pytest.raises(StoredEncrypted) as caught:
        check_request(entity, ConfigRequest(add={name: "secret"}))

    assert caught.value.exit_code is ExitCode.REFUSED
    assert "secret" not in caught.value.message.replace("password.encoder.secret", "")
    assert "kadmin configs --bootstrap-server HOST:PORT --alter" in str(caught.value.hint)


def test_a_brokers_password_passes_when_it_is_the_broker_that_encrypts_it() -> None:
    check_request(BROKER, ConfigRequest(add={"sasl.jaas.config": "secret"}), asks_brokers=True)


def test_a_brokers_password_can_be_deleted() -> None:
    check_request(BROKER, ConfigRequest(delete=("sasl.jaas.config",)))


@pytest.mark.parametrize(
    ("entity", "add", "message"),
    [
        (ALL_BROKERS, {"advertised.listeners": "PLAINTEXT://a:1"}, "only for one broker"),
        (ALL_BROKERS, {"listener.name.x.ssl.keystore.type": "JKS"}, "only for one broker"),
        (BROKER, {"broker.rak": "a"}, "Unknown broker config name: broker.rak"),
        (BROKER, {"broker.rack": "a"}, "broker.rack cannot be changed while brokers run"),
        (ALL_USERS, {"SCRAM-SHA-256": CREDENTIAL}, "the credential of one user"),
        (USERS_CLIENT, {"SCRAM-SHA-256": CREDENTIAL}, "Unknown client config name: SCRAM-SHA-256"),
        (USER, {"connection_creation_rate": "1"}, "Unknown user config name"),
    ],
)
def test_what_an_entity_cannot_have_is_refused(
    entity: ConfigEntity, add: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidConfigs, match=message):
        check_request(entity, ConfigRequest(add=add))


@pytest.mark.parametrize(
    ("entity", "add"),
    [
        (ALL_BROKERS, {"log.cleaner.threads": "2", "leader.replication.throttled.rate": "1"}),
        (BROKER, {"listener.name.x.ssl.keystore.location": "/x"}),
        (USER, {"SCRAM-SHA-512": CREDENTIAL, "producer_byte_rate": "1"}),
        (USERS_CLIENT, {"request_percentage": "12.5"}),
        (ConfigEntity(Entity(IPS, None)), {"connection_creation_rate": "5"}),
    ],
)
def test_what_an_entity_can_have_passes(entity: ConfigEntity, add: dict[str, str]) -> None:
    check_request(entity, ConfigRequest(add=add))


@pytest.mark.parametrize(
    ("text", "number"),
    [("9" * 5000, None), ("0" * 5000 + "7", 7), ("-" + "0" * 30, 0), ("-2147483648", -(2**31))],
    ids=str.split("digits zeros minus-zero least"),
)
def test_a_number_of_any_length_is_parsed(text: str, number: int | None) -> None:
    assert number == parsed_number(ValueKind.INT, text)


def test_secrets_show_neither_in_a_plan_nor_in_its_repr() -> None:
    before = ConfigOverrides(values={"SCRAM-SHA-256": CREDENTIAL})
    wanted = ConfigRequest(
        add={"SCRAM-SHA-512": CREDENTIAL, "producer_byte_rate": "1"}, delete=("SCRAM-SHA-256",)
    )

    made = plan_change(USER, before, wanted, NOWHERE)

    assert str(made) == (
        "plan: configs of user-principal 'ann'\n"
        "  - SCRAM-SHA-256=iterations=8192\n"
        "  + SCRAM-SHA-512=iterations=8192\n"
        "  + producer_byte_rate=1"
    )
    assert "c3RvcmVk" not in f"{made!r} {wanted!r} {made.changes!r}"


@pytest.mark.parametrize(
    ("kind", "name", "shown"),
    [
        (TOPICS, "retention.ms", "v"),
        (TOPICS, "future.key", "v"),
        (BROKERS, "log.cleaner.threads", "v"),
        (BROKERS, "future.key", "***"),
        (BROKERS, "listener.name.ssl.ssl.key.password", "***"),
        (USERS, "future.key", "***"),
        (TOPICS, "ssl.keystore.password", "***"),
        (TOPICS, "sasl.jaas.config", "***"),
        (CLIENTS, "SCRAM-SHA-512", "***"),
        (IPS, "Plugin.Secret", "***"),
    ],
)
def test_values_are_shown_unless_they_may_be_secret(
    kind: EntityKind, name: str, shown: str
) -> None:
    assert shown_value(kind, name, "v") == shown


@pytest.mark.parametrize(
    ("oldest_registration", "versions"),
    [
        (None, {TOPICS: 2, BROKERS: 2, CLIENTS: 2, USERS: 2, IPS: 2}),
        (5, {TOPICS: 2, BROKERS: 2, CLIENTS: 2, USERS: 2, IPS: 2}),
        (4, {TOPICS: 2, BROKERS: 2, CLIENTS: 2, USERS: 2, IPS: 2}),
        (3, {TOPICS: 1, BROKERS: 2, CLIENTS: 1, USERS: 2, IPS: 2}),
        (2, {TOPICS: 1, BROKERS: None, CLIENTS: 1, USERS: None, IPS: None}),
        (1, {TOPICS: 0, BROKERS: None, CLIENTS: None, USERS: None, IPS: None}),
    ],
)
def test_the_oldest_broker_decides_in_which_form_it_is_told(
    oldest_registration: int | None, versions: dict[EntityKind, int | None]
) -> None:
    for kind, version in versions.items():
        if version is None:
            with pytest.raises(UnknownToBrokers):
                change_version(kind, oldest_registration)
        else:
            assert change_version(kind, oldest_registration) == version


def test_brokers_that_told_of_themselves_over_the_wire_have_no_say_in_it() -> None:
    made = plan_change(
        USER,
        config(),
        request(producer_byte_rate="5"),
        Surroundings(brokers=brokers("0", version=UNKNOWN_FORMAT)),
    )

    assert made.change_version == 2


def test_a_plan_looks_at_the_oldest_live_broker() -> None:
    mixed = brokers("0", version=5) | brokers("1", version=1)

    made = plan_change(TOPIC, config(), request(retention_ms="1"), Surroundings(brokers=mixed))

    assert made.change_version == 0


@pytest.mark.parametrize(
    ("entity", "add", "surroundings", "expected"),
    [
        (TOPIC, {"retention.ms": "1"}, Surroundings(brokers=brokers("0", version=1)), []),
        (
            TOPIC,
            {"compression.type": "lz4"},
            Surroundings(brokers=brokers("0", version=1)),
            ["Kafka knows compression.type since 0.9.0"],
        ),
        (
            TOPIC,
            {"max.compaction.lag.ms": "9", "message.timestamp.after.max.ms": "1"},
            Surroundings(brokers=brokers("0", version=4)),
            ["Kafka knows message.timestamp.after.max.ms since 3.6; a live broker registers like"],
        ),
        (TOPIC, {"compression.zstd.level": "1"}, Surroundings(brokers=brokers("0")), []),
        (
            TOPIC,
            {"message.format.version": "2.8"},
            NOWHERE,
            ["message.format.version is ignored"],
        ),
        (
            BROKER,
            {"leader.replication.throttled.rate": "1"},
            Surroundings(brokers=brokers("0")),
            ["broker 1 is not alive"],
        ),
        (
            BROKER,
            {"leader.replication.throttled.rate": "1"},
            Surroundings(brokers=brokers("0 1")),
            [],
        ),
        (
            BROKER,
            {"num.io.threads": "99"},
            Surroundings(brokers=brokers("0 1")),
            ["a running broker may still refuse"],
        ),
        (
            ALL_BROKERS,
            {"num.io.threads": "99"},
            Surroundings(brokers=brokers("0 1")),
            ["a running broker may still refuse"],
        ),
        (ALL_BROKERS, {"num.io.threads": "99"}, NOWHERE, []),
    ],
)
def test_the_operator_is_warned_of_what_kafka_takes_silently(
    entity: ConfigEntity, add: dict[str, str], surroundings: Surroundings, expected: list[str]
) -> None:
    wanted = ConfigRequest(add=add, allow_running_brokers=True)
    made = plan_change(entity, config(), wanted, surroundings)

    assert len(made.warnings) == len(expected)
    for warning, start in zip(made.warnings, expected, strict=True):
        assert warning.startswith(start)


@pytest.mark.parametrize(
    ("entity", "live", "shown", "address"),
    [
        (BROKER, "0 1", "broker 1 is running", "127.0.0.1:9093 --alter --broker 1"),
        (ALL_BROKERS, "0 1", "a broker is running", "127.0.0.1:9092 --alter --broker-defaults"),
    ],
)
def test_running_brokers_are_not_passed_by(
    entity: ConfigEntity, live: str, shown: str, address: str
) -> None:
    wanted = request(num_io_threads="9", leader_replication_throttled_rate="1")

    with pytest.raises(BrokersRun, match=shown) as caught:
        plan_change(entity, config(), wanted, Surroundings(brokers=brokers(live)))

    assert ExitCode.REFUSED == caught.value.exit_code
    assert ("num.io.threads",) == caught.value.names
    assert address in str(caught.value.hint)
    assert "--allow-running-brokers" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("wanted", "surroundings"),
    [
        (request(num_io_threads="9"), Surroundings(brokers=brokers("0"))),
        (request(num_io_threads="9"), Surroundings(brokers=brokers("1"), asks_brokers=True)),
        (request(leader_replication_throttled_rate="9"), Surroundings(brokers=brokers("1"))),
        (request("log.cleaner.threads"), Surroundings(brokers=brokers("1"))),
    ],
    ids=["broker is down", "it is asked", "throttle", "deletion"],
)
def test_configs_that_a_running_broker_need_not_check_pass(
    wanted: ConfigRequest, surroundings: Surroundings
) -> None:
    made = plan_change(BROKER, config(log_cleaner_threads="1"), wanted, surroundings)

    assert made.changes
