"""Endpoints of metrics: what their answers become, and which addresses are refused."""

import json

import pytest

from kadmin.admin.metrics.endpoints import Protocol, parse_endpoint
from kadmin.admin.metrics.http_client import EndpointError
from kadmin.admin.metrics.jolokia import read_samples as read_jolokia
from kadmin.admin.metrics.prometheus_text import read_samples as read_text
from kadmin.errors import UsageError
from kadmin.plan.metrics.samples import SampleCollection

Samples = dict[str, dict[tuple[tuple[str, str], ...], float]]


def plain(found: SampleCollection) -> Samples:
    return {name: dict(values) for name, values in found.scrape(0).samples.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# HELP x y\n# TYPE x gauge\njvm_threads 7\n", {}),
        ("kafka_a 1\nkafka_b{} 2.5e1 1700000000\n", {"kafka_a": {(): 1}, "kafka_b": {(): 25}}),
        (
            'kafka_log_log_size{topic="a\\"b\\\\\\nc",partition="0",} 3\n',
            {"kafka_log_log_size": {(("partition", "0"), ("topic", 'a"b\\\nc')): 3}},
        ),
        ("kafka_a NaN_\nkafka_b one\nkafka_c{ 1\n", {}),
        pytest.param("kafka_a{" + 'b="c",' * 100_000 + "} 1", {}, id="long line"),
        # Only a newline ends a line: what else looks like one is in a label.
        (
            'kafka_a{client="x\u2028kafka_b 9\u2028\x85kafka_b 9\x0ckafka_b 9\x0b\x1c"} 1\n',
            {
                "kafka_a": {
                    (("client", "x\u2028kafka_b 9\u2028\x85kafka_b 9\x0ckafka_b 9\x0b\x1c"),): 1
                }
            },
        ),
        ('kafka_a{b="} 7"} 1\r\n', {"kafka_a": {(("b", "} 7"),): 1}}),
        (
            'kafka_a_total{b="c"} 1 # {trace="x"} 0.5 1700000000.0\nkafka_b 2 1.7e9 # {} 1\n',
            {"kafka_a_total": {(("b", "c"),): 1}, "kafka_b": {(): 2}},
        ),
        # jmx_exporter without rules.
        (
            'kafka_server_ReplicaManager_Value{name="LeaderCount",} 4\n'
            'kafka_server_BrokerTopicMetrics_Count{name="BytesInPerSec",topic="t",} 5\n'
            'kafka_server_BrokerTopicMetrics_OneMinuteRate{name="BytesInPerSec",topic="t",} 6\n'
            'kafka_coordinator_group_GroupMetadataManager_Value{name="NumGroups",} 7\n'
            'kafka_network_RequestMetrics_99thPercentile{name="TotalTimeMs",request="Fetch",} 8\n',
            {
                "kafka_server_replicamanager_leadercount": {(): 4},
                "kafka_server_brokertopicmetrics_bytesin_total": {(("topic", "t"),): 5},
                "kafka_coordinator_group_groupmetadatamanager_numgroups": {(): 7},
                "kafka_network_requestmetrics_totaltimems": {
                    (("quantile", "0.99"), ("request", "Fetch")): 8
                },
            },
        ),
    ],
)
def test_texts_of_prometheus_become_samples_of_kafka(text: str, expected: Samples) -> None:
    assert expected == plain(read_text(text))


def test_beans_of_jolokia_become_samples_under_the_same_names() -> None:
    answers = [
        {
            "status": 200,
            "value": {
                "kafka.server:name=LeaderCount,type=ReplicaManager": {"Value": 4},
                'kafka.server:clientId="a,b*",name=MaxLag,type=ReplicaFetcherManager': {"Value": 2},
                "kafka.server:name=ClusterId,type=KafkaServer": {"Value": "abc"},
                "kafka.network:name=RequestsPerSec,request=Fetch,type=RequestMetrics,version=4": {
                    "Count": 7,
                    "RateUnit": "SECONDS",
                    "OneMinuteRate": 0.5,
                },
            },
        },
        {"status": 404, "error": "javax.management.InstanceNotFoundException : none"},
    ]

    assert {
        "kafka_server_replicamanager_leadercount": {(): 4},
        "kafka_server_replicafetchermanager_maxlag": {(("clientId", "a,b*"),): 2},
        "kafka_network_requestmetrics_requests_total": {
            (("request", "Fetch"), ("version", "4")): 7
        },
    } == plain(read_jolokia(json.dumps(answers).encode()))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "none of Jolokia's"),
        (b'{"status": 200}', "none of Jolokia's"),
        (b"[7]", "none of Jolokia's"),
        pytest.param(b"[" * 100_000, "none of Jolokia's", id="lists in lists"),
        pytest.param(
            b'[{"status": 200, "value": {"kafka.a:type=B": {"Value": 1%b}}}]' % (b"0" * 400),
            "none of Jolokia's",
            id="a whole number that is no float",
        ),
        (b'[{"status": 200, "value": 7}]', "none of Jolokia's"),
        (b'[{"status": 403, "error": "forbidden here"}]', "403: forbidden here"),
    ],
)
def test_answers_that_are_none_of_jolokias_are_named(content: bytes, reason: str) -> None:
    with pytest.raises(EndpointError, match=reason):
        read_jolokia(content)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://h:9404", ("h:9404", "http://h:9404/metrics")),
        ("b1=https://h/x?y=z", ("b1", "https://h/x?y=z")),
        ("http://[::1]:9404/", ("[::1]:9404", "http://[::1]:9404/metrics")),
        ("http://h/x?name=y", ("h", "http://h/x?name=y")),
    ],
)
def test_an_endpoint_has_a_name_and_a_url(text: str, expected: tuple[str, str]) -> None:
    found = parse_endpoint(text, Protocol.PROMETHEUS)

    assert expected == (found.name, found.url)


@pytest.mark.parametrize(
    "text",
    [
        *("", "h:9404", "ftp://h", "http://", "http://h:x", "http://u:p@h"),
        *("http://a..b:1", f"http://{'a' * 64}:1", "http://h/a b", "http://h/ü", "http://h/?x=ü"),
    ],
)
def test_what_is_no_url_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_endpoint(text, Protocol.JOLOKIA)


def test_a_password_in_a_url_is_not_repeated() -> None:
    with pytest.raises(UsageError) as refused:
        parse_endpoint("http://user:secret@h:1", Protocol.JOLOKIA)

    assert "secret" not in str(refused.value)
