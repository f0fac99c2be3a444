"""Names of series: those that jmx_exporter's rules for Kafka make of a bean's attributes.

The table was recorded from `examples/kafka-2_0_0.yml`.  Where `JMX_EXPORTER_RULES` names that file,
the table is compared with it.
"""

import os
from pathlib import Path
from typing import Final

import pytest

from cluster.metrics.beans import Kind
from cluster.metrics.catalogue.every import all_beans
from cluster.metrics.series_names import series_of
from tests.cluster.metrics.jmx_exporter import Rules, Series

# One worker reads the series, for all tests of this module.
pytestmark = pytest.mark.xdist_group("series")

RECORDED: Final[tuple[tuple[str, str, str, dict[str, str], str, str, dict[str, str]], ...]] = (
    # domain, type, name, tags, attribute, series, labels
    ("server", "BrokerTopicMetrics", "BytesInPerSec", {}, "Count", "bytesin_total", {}),
    (
        "server",
        "BrokerTopicMetrics",
        "TotalFetchRequestsPerSec",
        {"topic": "t"},
        "Count",
        "totalfetchrequests_total",
        {"topic": "t"},
    ),
    (
        "network",
        "RequestMetrics",
        "RequestsPerSec",
        {"request": "Produce", "version": "9"},
        "Count",
        "requests_total",
        {"request": "Produce", "version": "9"},
    ),
    (
        "network",
        "RequestMetrics",
        "TotalTimeMs",
        {"request": "Produce"},
        "999thPercentile",
        "totaltimems",
        {"request": "Produce", "quantile": "0.999"},
    ),
    (
        "network",
        "RequestMetrics",
        "TotalTimeMs",
        {"request": "Produce"},
        "Count",
        "totaltimems_count",
        {"request": "Produce"},
    ),
    ("server", "ReplicaManager", "LeaderCount", {}, "Value", "leadercount", {}),
    ("server", "ReplicaManager", "IsrShrinksPerSec", {}, "Count", "isrshrinks_total", {}),
    (
        "cluster",
        "Partition",
        "UnderReplicated",
        {"topic": "t", "partition": "0"},
        "Value",
        "underreplicated",
        {"topic": "t", "partition": "0"},
    ),
    (
        "server",
        "FetcherLagMetrics",
        "ConsumerLag",
        {"clientId": "c", "topic": "t", "partition": "0"},
        "Value",
        "consumerlag",
        {"clientId": "c", "topic": "t", "partition": "0"},
    ),
    (
        "server",
        "ReplicaFetcherManager",
        "MaxLag",
        {"clientId": "Replica"},
        "Value",
        "maxlag",
        {"clientId": "Replica"},
    ),
    (
        "server",
        "KafkaRequestHandlerPool",
        "RequestHandlerAvgIdlePercent",
        {},
        "MeanRate",
        "requesthandleravgidle_percent",
        {},
    ),
    (
        "controller",
        "ControllerStats",
        "LeaderElectionRateAndTimeMs",
        {},
        "50thPercentile",
        "leaderelectionrateandtimems",
        {"quantile": "0.50"},
    ),
    (
        "controller",
        "ControllerStats",
        "UncleanLeaderElectionsPerSec",
        {},
        "Count",
        "uncleanleaderelections_total",
        {},
    ),
    ("log", "LogCleaner", "max-clean-time-secs", {}, "Value", "max_clean_time_secs", {}),
    ("coordinator.group", "GroupMetadataManager", "NumGroups", {}, "Value", "numgroups", {}),
    (
        "server",
        "DelayedOperationPurgatory",
        "PurgatorySize",
        {"delayedOperation": "Produce"},
        "Value",
        "purgatorysize",
        {"delayedOperation": "Produce"},
    ),
    (
        "controller",
        "ControllerChannelManager",
        "QueueSize",
        {"broker-id": "1"},
        "Value",
        "queuesize",
        {"broker_id": "1"},
    ),
    (
        "server",
        "SessionExpireListener",
        "ZooKeeperExpiresPerSec",
        {},
        "Count",
        "zookeeperexpires_total",
        {},
    ),
)


def recorded(domain: str, type_: str, series: str, labels: dict[str, str]) -> Series:
    name = f"kafka_{domain.replace('.', '_')}_{type_.lower()}_{series}"
    return name, frozenset(labels.items())


@pytest.mark.parametrize(
    ("domain", "type_", "name", "tags", "attribute", "series", "labels"), RECORDED
)
def test_a_bean_has_the_series_of_the_rules(
    domain: str,
    type_: str,
    name: str,
    tags: dict[str, str],
    attribute: str,
    series: str,
    labels: dict[str, str],
) -> None:
    names, found = series_of(f"kafka.{domain}", type_, name, tags.items(), attribute)

    assert recorded(domain, type_, series, labels) == (names[0].name, frozenset(found))


@pytest.mark.parametrize(
    ("type_", "name", "tags", "attribute", "expected"),
    [
        # Strimzi's rules, whose dashboards ask for these.
        (
            "SocketServer",
            "NetworkProcessorAvgIdlePercent",
            {},
            "Value",
            [
                "kafka_network_socketserver_networkprocessoravgidlepercent",
                "kafka_network_socketserver_networkprocessoravgidle_percent",
            ],
        ),
        (
            "socket-server-metrics",
            "",
            {"listener": "L", "networkProcessor": "0"},
            "connection-count",
            ["kafka_network_socket_server_metrics_connection_count"],
        ),
        # Rates are for Prometheus to compute.
        ("RequestMetrics", "RequestsPerSec", {"request": "Produce"}, "OneMinuteRate", []),
        ("RequestMetrics", "TotalTimeMs", {"request": "Produce"}, "StdDev", []),
    ],
)
def test_other_attributes_have_the_series_of_strimzis_rules_or_none(
    type_: str, name: str, tags: dict[str, str], attribute: str, expected: list[str]
) -> None:
    names, _ = series_of("kafka.network", type_, name, tags.items(), attribute)

    assert expected == [each.name for each in names]


def test_host_and_port_of_a_broker_are_one_label() -> None:
    tags = (("clientId", "c"), ("brokerHost", "h"), ("brokerPort", "9092"))

    _, labels = series_of("kafka.server", "FetcherStats", "RequestsPerSec", tags, "Count")

    assert (("clientId", "c"), ("broker", "h:9092")) == labels


ATTRIBUTES: Final = {
    Kind.GAUGE: ("Value",),
    Kind.COUNTER: ("Count",),
    Kind.METER: ("Count", "MeanRate", "OneMinuteRate"),
    Kind.HISTOGRAM: ("Count", "Max", "50thPercentile", "999thPercentile"),
    Kind.TIMER: ("Count", "MeanRate", "Max", "99thPercentile"),
    Kind.ATTRIBUTES: ("connection-count",),
}

DIFFERENT: Final = {
    "FetcherStats": "the rules take a client's id and a broker's host for the name of a label",
    "socket-server-metrics": "the rules leave out beans without a name",
}
"""Types of beans whose series are others than those of the rules, and why."""


@pytest.fixture(scope="module")
def rules() -> Rules:
    path = os.environ.get("JMX_EXPORTER_RULES")
    if path is None:
        pytest.skip("JMX_EXPORTER_RULES does not name kafka-2_0_0.yml of jmx_exporter")
    return Rules(Path(path).read_text())


@pytest.mark.interop
def test_the_table_is_what_the_rules_themselves_make(rules: Rules) -> None:
    for domain, type_, name, tags, attribute, series, labels in RECORDED:
        properties = {"type": type_, "name": name, **tags}

        found = rules.series(f"kafka.{domain}", properties, attribute, 1)

        assert recorded(domain, type_, series, labels) == found


@pytest.mark.interop
def test_all_beans_of_our_brokers_have_the_series_of_the_rules(rules: Rules) -> None:
    different = set()
    for bean in all_beans():
        tags = {tag: f"value-{number}" for number, tag in enumerate(bean.tags)}
        name = {"name": bean.name} if bean.name else {}
        for attribute in ATTRIBUTES[bean.kind]:
            by_rules = rules.series(bean.domain, {"type": bean.type, **name, **tags}, attribute, 1)
            names, labels = series_of(bean.domain, bean.type, bean.name, tags.items(), attribute)
            ours: list[Series | None] = [(each.name, frozenset(labels)) for each in names]
            if by_rules not in (ours or [None]):
                different.add(bean.type)

    assert DIFFERENT.keys() == different
