"""`kadmin metrics` against a broker of ours, by each of its endpoints."""

import json
from typing import Any

import pytest

from cluster.model.metrics_endpoints import FILE_NAME, decode_metrics_endpoints
from kadmin.errors import ExitCode
from tests.support.cli import done, kadmin
from tests.support.one_broker import OneBroker
from tests.support.silent_servers import mute_server

pytestmark = [pytest.mark.zk, pytest.mark.xdist_group("one-broker")]

NOWHERE = "http://127.0.0.1:1/metrics"


def urls(one_broker: OneBroker) -> dict[str, str]:
    content = (one_broker.broker.directory / "logs" / FILE_NAME).read_bytes()
    found = decode_metrics_endpoints(content)
    assert found is not None
    assert found.pid == one_broker.broker.process.pid
    return dict(found.urls)


def read(*arguments: str) -> Any:
    return json.loads(done("metrics", "--window", "0", "--output", "json", *arguments))


@pytest.mark.parametrize("protocol", ["prometheus", "jolokia"])
def test_the_usual_measures_are_there(one_broker: OneBroker, protocol: str) -> None:
    url = urls(one_broker)[protocol]

    found = read(f"--{protocol}-url", f"one={url}")

    (endpoint,) = found["endpoints"]
    assert ("one", url, None) == tuple(endpoint[key] for key in ("broker", "url", "problem"))
    metrics = {each["metric"]: each for each in found["metrics"]}
    assert 1 == metrics["controllers"]["value"]
    assert {"one": 1} == metrics["controllers"]["brokers"]
    assert metrics["controllers"]["age_s"] >= 0


def test_each_endpoint_has_the_same_series(one_broker: OneBroker) -> None:
    options = ("--metric", "kafka_controller_kafkacontroller_*")
    found = urls(one_broker)

    by_prometheus = read("--prometheus-url", f"b={found['prometheus']}", *options)
    by_jolokia = read("--jolokia-url", f"b={found['jolokia']}", *options)

    names = [
        {each["metric"] for each in answer["metrics"]} for answer in (by_prometheus, by_jolokia)
    ]
    assert names[0] == names[1]
    assert "kafka_controller_kafkacontroller_activecontrollercount" in names[0]


def test_an_endpoint_that_does_not_answer_is_named_and_the_others_shown(
    one_broker: OneBroker,
) -> None:
    url = urls(one_broker)["prometheus"]

    outcome = kadmin(
        *("metrics", "--window", "0", "--prometheus-url", f"1={url}"),
        *("--prometheus-url", f"2={NOWHERE}"),
    )

    assert ExitCode.UNREACHABLE == outcome.exit_code
    assert "controllers\t1\t1=1\t2=-\tage=" in outcome.stdout
    assert f"no metrics of 2 ({NOWHERE}): connection refused" in outcome.stderr


def test_an_endpoint_that_is_silent_leaves_time_for_the_others(one_broker: OneBroker) -> None:
    with mute_server() as mute:
        outcome = kadmin(
            *("metrics", "--prometheus-url", f"1={urls(one_broker)['prometheus']}"),
            *("--prometheus-url", f"2=http://{mute}/metrics", "--window", "0.1"),
            *("--timeout", "3"),
        )

    assert ExitCode.UNREACHABLE == outcome.exit_code, outcome
    assert "controllers" in outcome.stdout
    assert f"no metrics of 2 (http://{mute}/metrics): no answer within" in outcome.stderr
    assert " 1 (" not in outcome.stderr


def test_a_rate_is_counted_between_two_looks(one_broker: OneBroker) -> None:
    url = urls(one_broker)["prometheus"]

    text = done("metrics", "--window", "0.1", "--prometheus-url", url)

    assert 19 == len(text.splitlines())


@pytest.mark.parametrize(
    ("arguments", "exit_code", "reason"),
    [
        (("--prometheus-url", "URL/none"), ExitCode.UNREACHABLE, "it answers 404 Not Found"),
        (("--jolokia-url", "URL"), ExitCode.UNREACHABLE, "it answers 405 Method Not Allowed"),
        (("--prometheus-url", "BROKER"), ExitCode.UNREACHABLE, "no metrics of"),
        (("--prometheus-url", "URL", "--metric", "x*"), ExitCode.FAILED, "no endpoint reports"),
        (("--prometheus-url", "x"), ExitCode.USAGE, "'x' is not a URL"),
        (
            ("--prometheus-url", "a=URL", "--jolokia-url", "a=URL"),
            ExitCode.USAGE,
            "two endpoints are named 'a'",
        ),
        (
            ("--prometheus-url", "a=URL", "--broker", "b"),
            ExitCode.USAGE,
            "no endpoint has this name; there are a",
        ),
        (("--name", "none"), ExitCode.FAILED, "there is no cluster 'none'"),
        (
            ("--zookeeper", "h:1"),
            ExitCode.USAGE,
            "--zookeeper does not say where the brokers' metrics are",
        ),
    ],
)
def test_what_cannot_be_shown_is_named(
    one_broker: OneBroker, home: object, arguments: tuple[str, ...], exit_code: int, reason: str
) -> None:
    places = {
        "URL": urls(one_broker)["prometheus"],
        "BROKER": f"http://{one_broker.broker.bootstrap}",
    }
    words = list(arguments)
    for name, place in places.items():
        words = [word.replace(name, place) for word in words]

    outcome = kadmin("metrics", "--window", "0", *words)

    assert exit_code == outcome.exit_code, outcome
    assert reason in outcome.stderr
    assert "" == outcome.stdout
