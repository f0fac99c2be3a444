"""server.properties: what it says, what is wrong with it, and what is passed over."""

import ast
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

import pytest

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.listeners import reachable
from cluster.broker.configs.supported_configs import (
    LEADER_SELECTOR,
    RACK_SELECTOR,
    SUPPORTED_BROKER_CONFIGS,
    Applier,
)
from cluster.model.config_spec import ValueKind
from cluster.model.kafka_broker_configs import (
    KAFKA_BROKER_CONFIGS,
    READ_ONLY_BROKER_CONFIGS,
)
from cluster.runtime.broker import read_properties
from cluster.runtime.errors import ExitStatus
from cluster.settings.broker_settings import REFUSED, BrokerSettings, ConnectionSettings
from cluster.settings.errors import InvalidSettings
from cluster.settings.properties_file import Given, parse_override_options, read_variable
from kadmin.errors import ExitCode
from tests.cluster.broker.configs.values import broker_value
from tests.tidy import modules

MINIMAL = {"zookeeper.connect": "zk:2181/kafka"}


def parse(**values: str) -> BrokerSettings:
    """Settings of *values*, whose keys have underscores for dots."""
    named = {name.replace("_", "."): value for name, value in values.items()}
    return settings_of(MINIMAL | named)


def settings_of(values: dict[str, str]) -> BrokerSettings:
    return BrokerSettings.parse(
        {name: Given(value, "here") for name, value in values.items()}, working_directory="/"
    )


def problems(values: dict[str, str]) -> list[str]:
    with pytest.raises(InvalidSettings) as refused:
        settings_of(values)
    return [problem.removeprefix("here: ") for problem in refused.value.problems]


def problem(name: str, value: str) -> str:
    (only,) = problems(MINIMAL | {name: value})
    return only


def test_a_broker_needs_to_be_told_nothing_but_its_zookeeper() -> None:
    settings = parse()

    assert settings.broker_id is None
    assert [str(endpoint) for endpoint in settings.listeners] == ["PLAINTEXT://:9092"]
    assert settings.log_directories == ("/tmp/kafka-logs",)
    assert settings.logs_directory == "/tmp/logs"
    assert settings.session_timeout_ms == settings.connection_timeout_ms == 18_000
    assert settings.connections.request_size_max == 100 * 1024 * 1024
    assert settings.ignored == ()


def test_broker_0_is_a_broker_with_an_id() -> None:
    assert parse(broker_id="0").broker_id == 0


def test_all_wrong_values_are_told_at_once_each_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text(
        "# a broker\n"
        "broker.id=one\n"
        "num.partitions = \\\n"
        "  0\n"
        "listeners:SSL://:9093\n"
        "log.cleanup.policy=archive\n"
        "max.connections.per.ip.overrides=10.0.0.1\n"
        "process.roles=broker\n"
    )
    with pytest.raises(InvalidSettings) as refused:
        BrokerSettings.parse(read_properties(str(path)), working_directory="/")

    assert list(refused.value.problems) == [
        f"{path}:2: Invalid value one for configuration broker.id: Not a number of type INT",
        f"{path}:3: Invalid value 0 for configuration num.partitions: Value must be at least 1",
        f"{path}:6: Invalid value archive for configuration log.cleanup.policy:"
        " String must be one of: compact, delete",
        f"{path}:8: process.roles=broker is not possible:"
        " there is no KRaft: brokers are coordinated by ZooKeeper",
        "zookeeper.connect is missing: give it as host:port[,host:port][/chroot]",
        f"{path}:5: listeners: listener SSL speaks SSL, which is not supported: only PLAINTEXT is",
        f"{path}:7: max.connections.per.ip.overrides: '10.0.0.1' is not address:count",
    ]


def test_java_s_format_is_read_as_java_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text("broker.rack : r\\u00e4ck\\ 1\n!no=comment\nbroker.id 3\nbroker.id=4\n")
    given = read_properties(str(path))

    assert given["broker.rack"] == Given("räck 1", f"{path}:1")
    assert given["broker.id"] == Given("4", f"{path}:4")


def test_a_file_that_is_not_there_or_not_in_the_format_is_told_by_name(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    with pytest.raises(InvalidSettings, match=f"cannot read {path}: No such file"):
        read_properties(str(path))
    path.write_text("a=1\nb=\\u00g1\n")
    with pytest.raises(InvalidSettings, match=f"{path}:2: "):
        read_properties(str(path))


def test_overrides_are_pairs() -> None:
    assert parse_override_options(["broker.id=1", "log.dirs=/a=b"]) == {
        "broker.id": Given("1", "--override"),
        "log.dirs": Given("/a=b", "--override"),
    }
    with pytest.raises(InvalidSettings, match=r"--override broker\.id is not key=value"):
        parse_override_options(["broker.id"])


def test_the_start_script_s_variable_says_where_logs_go() -> None:
    said = read_variable({"LOG_DIR": "/var/log/kafka"}, "LOG_DIR", "kafka.logs.dir")

    assert said == {"kafka.logs.dir": Given("/var/log/kafka", "LOG_DIR")}
    assert read_variable({"LOG_DIR": ""}, "LOG_DIR", "kafka.logs.dir") == {}


def test_keys_without_effect_are_named_and_a_slip_is_recognised() -> None:
    settings = settings_of(MINIMAL | {"num.io.threads": "8", "brokr.id": "1"})

    assert settings.ignored == (
        "here: num.io.threads is not honoured",
        "here: brokr.id is not honoured; is broker.id meant?",
    )


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_somebody_relies_on_is_refused_and_not_passed_over(name: str) -> None:
    assert "is not possible" in problem(name, "true")
    harmless, _ = REFUSED[name]
    assert settings_of(MINIMAL | {name: harmless}).ignored == ()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "there has to be one listener at least"),
        ("PLAINTEXT//:9092", "'PLAINTEXT//:9092' is not LISTENER://host:port"),
        ("PLAINTEXT://h:70000", "'PLAINTEXT://h:70000' is not LISTENER://host:port"),
        ("PLAINTEXT://h:1,PLAINTEXT://h:2", "listener PLAINTEXT is there twice"),
        ("SASL_SSL://h:1", "SASL_SSL, which is not supported: only PLAINTEXT is"),
        ("INSIDE://h:1", "add INSIDE:PLAINTEXT to listener.security.protocol.map"),
    ],
)
def test_listeners_that_cannot_be_are_refused(value: str, reason: str) -> None:
    assert reason in problem("listeners", value)


def test_a_follower_waits_at_least_as_long_as_its_leader_does() -> None:
    wait = "replica.fetch.wait.max.ms"
    timeout, lag = "replica.socket.timeout.ms", "replica.lag.time.max.ms"

    for longer in (timeout, lag):
        assert [f"{longer} is less than {wait}=500"] == problems(MINIMAL | {longer: "499"})
    assert [f"{longer} is less than {wait}=30001" for longer in (timeout, lag)] == problems(
        MINIMAL | {wait: "30001"}
    )
    equal = {wait: "400", timeout: "400", lag: "400"}
    assert 400 == settings_of(MINIMAL | equal).fetchers.wait_max_ms


def test_listeners_may_have_names_of_their_own() -> None:
    settings = settings_of(
        MINIMAL
        | {
            "listener.security.protocol.map": "inside:PLAINTEXT,OUTSIDE:plaintext",
            "listeners": "INSIDE://[::1]:9092,outside://0.0.0.0:0",
            "advertised.listeners": "OUTSIDE://example.org:19092,INSIDE://:0",
            "inter.broker.listener.name": "inside",
        }
    )
    others_see = reachable(settings.advertised, {"INSIDE": 9092, "OUTSIDE": 40000}, "myself")

    assert [str(endpoint) for endpoint in settings.listeners] == [
        "INSIDE://[::1]:9092",
        "OUTSIDE://0.0.0.0:0",
    ]
    assert settings.inter_broker_listener == "INSIDE"
    assert [str(endpoint) for endpoint in others_see] == [
        "OUTSIDE://example.org:19092",
        "INSIDE://myself:9092",
    ]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("advertised.listeners", "PLAINTEXT://0.0.0.0:1", "nobody can connect to 0.0.0.0"),
        ("advertised.listeners", "SSL://h:1", "SSL, which is not supported"),
        ("inter.broker.listener.name", "INSIDE", "INSIDE is not among the listeners: PLAINTEXT"),
        ("listener.security.protocol.map", "INSIDE", "'INSIDE' is not LISTENER:PROTOCOL"),
        ("listener.security.protocol.map", "INSIDE:TLS", "'TLS' is no security protocol"),
    ],
)
def test_what_others_are_given_must_be_of_use(name: str, value: str, reason: str) -> None:
    assert reason in problem(name, value)


@pytest.mark.parametrize(
    ("value", "by_rack"), [(RACK_SELECTOR, True), (LEADER_SELECTOR, False), ("", False)]
)
def test_of_selectors_of_replicas_kafkas_own_are_known(value: str, by_rack: bool) -> None:
    assert by_rack == settings_of(MINIMAL | {"replica.selector.class": value}).selects_by_rack


def test_a_selector_of_somebodys_own_is_refused() -> None:
    assert "must be one of" in problem("replica.selector.class", "com.example.Nearest")


def test_addresses_with_limits_of_their_own_may_be_of_both_families() -> None:
    settings = parse(max_connections_per_ip_overrides="10.0.0.1:5,[::1]:7")

    assert settings.connections.address_overrides == {"10.0.0.1": 5, "::1": 7}


def test_the_exit_statuses_are_those_of_kadmin() -> None:
    assert {status.name: status.value for status in ExitStatus} == {
        status.name: ExitCode[status.name].value for status in ExitStatus
    }


OTHER_VALUES = {
    "listeners": "PLAINTEXT://:1",
    "advertised.listeners": "PLAINTEXT://elsewhere:1",
    "listener.security.protocol.map": "OTHER:PLAINTEXT",
    "replica.selector.class": RACK_SELECTOR,
    "zookeeper.connect": "elsewhere:2181",
}


def settings_and_defaults(values: dict[str, str]) -> object:
    """What follows from *values*: the settings beside their text, and the defaults of topics."""
    try:
        settings = settings_of(values)
    except InvalidSettings as refused:
        return refused.problems
    return replace(settings, given={}, ignored=()), BrokerConfigs(values).topic_defaults


READ_AT_THE_START = {
    name for name, row in SUPPORTED_BROKER_CONFIGS.items() if row.applied_by is Applier.STARTUP
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(READ_AT_THE_START))
def test_every_read_only_config_that_is_supported_is_read(name: str) -> None:
    changed = settings_and_defaults(MINIMAL | {name: OTHER_VALUES.get(name) or broker_value(name)})

    assert changed != settings_and_defaults(MINIMAL)


@pytest.mark.slow
# The worker that parses the files for the tests of the whole checkout.
@pytest.mark.xdist_group("tidy")
def test_every_setting_is_asked_for_where_it_has_an_effect() -> None:
    asked_for = {
        module: {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for module, tree in modules().items()
        if module.startswith("cluster.")
    }

    for settings in (BrokerSettings, ConnectionSettings):
        others = [names for module, names in asked_for.items() if module != settings.__module__]
        assert [] == [
            field.name
            for field in fields(settings)
            if not any(field.name in names for names in others)
        ]


def test_what_is_not_supported_changes_nothing() -> None:
    unsupported = READ_ONLY_BROKER_CONFIGS - SUPPORTED_BROKER_CONFIGS.keys() - REFUSED.keys()
    values = MINIMAL | {name: broker_value(name) for name in unsupported}

    assert len(settings_of(values).ignored) == len(unsupported)
    assert settings_and_defaults(values) == settings_and_defaults(MINIMAL)


NOT_ALONE: Final = {
    "inter.broker.listener.name": "PLAINTEXT",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT",
    "log.cleanup.policy": "delete",
}
"""Where another value needs another config beside it, or is not supported."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KAFKA_BROKER_CONFIGS.keys() - REFUSED.keys()))
def test_every_key_of_kafka_is_taken_where_its_value_is_legal_and_only_there(name: str) -> None:
    spec = KAFKA_BROKER_CONFIGS[name].spec
    legal = NOT_ALONE.get(name) or OTHER_VALUES.get(name) or broker_value(name)

    values = settings_of(MINIMAL | {name: legal}).given

    assert legal == values[name]
    if spec.kind not in (ValueKind.STRING, ValueKind.CLASS, ValueKind.PASSWORD, ValueKind.LIST):
        assert f"{name}" in problem(name, "no such value")


def test_the_id_of_a_node_is_that_of_the_broker() -> None:
    by_node = settings_of(MINIMAL | {"node.id": "7"})

    assert (7, "7") == (by_node.broker_id, by_node.given["broker.id"])
    assert 7 == settings_of(MINIMAL | {"broker.id": "7", "node.id": "7"}).broker_id
    with pytest.raises(InvalidSettings, match=r"node\.id is not the same as broker.id=7"):
        settings_of(MINIMAL | {"broker.id": "7", "node.id": "8"})
