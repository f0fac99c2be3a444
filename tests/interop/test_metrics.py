"""`kadmin metrics` with Kafka's own brokers, by the agents that people run in their JVMs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import Producer

from kadmin.local.ports import free_ports
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.maven import Maven, needing_maven
from tests.interop.one_broker import one_broker, start
from tests.interop.releases import JMX_EXPORTER, JOLOKIA, Bundle
from tests.support.cli import done, kadmin
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.interop

WITHOUT_RULES: Final = "rules:\n- pattern: '.*'\n"
HOST: Final = "127.0.0.1"


# Of Fetch and the like, the versions of clients of Kafka 0.9.
OLD: Final = {"api.version.request": False, "broker.version.fallback": "0.9.0.1"}


def jar(maven: Maven, bundle: Bundle, name: str) -> Path:
    with needing_maven():
        class_path = maven.class_path(bundle)
    (found,) = Path(class_path).parent.glob(f"{name}-*.jar")
    return found


@pytest.fixture(params=["2.8.2", "3.9.1"])
def sources(
    request: pytest.FixtureRequest,
    chroot: str,
    java: str,
    maven: Maven,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[dict[str, tuple[str, str]]]:
    """The options of each agent in one broker, which has a topic `orders` with records."""
    exporter = jar(maven, JMX_EXPORTER, "jmx_prometheus_javaagent")
    agent = jar(maven, JOLOKIA, "jolokia-jvm")
    ports = dict(zip(("raw", "jolokia"), free_ports(2, HOST), strict=True))
    (tmp_path / "raw.yml").write_text(WITHOUT_RULES)
    agents = [
        f"-javaagent:{exporter}={HOST}:{ports['raw']}:{tmp_path / 'raw.yml'}",
        f"-javaagent:{agent}=host={HOST},port={ports['jolokia']}",
    ]
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", " ".join(agents))
    broker = one_broker(request.param, chroot, java=java, maven=maven, directory=tmp_path / "kafka")
    with broker as kafka:
        start(kafka)
        client = Confluent(kafka.bootstrap)
        client.create_topic("orders", 1)
        client.produce("orders", [Sent(b"x" * 1000)] * 10, acks="all")
        old = Producer({"bootstrap.servers": kafka.bootstrap, **OLD})
        old.produce("orders", b"x")
        assert 0 == old.flush(OUTER_LIMIT_S)
        yield {
            "raw": ("--prometheus-url", f"0=http://{HOST}:{ports['raw']}"),
            "jolokia": ("--jolokia-url", f"0=http://{HOST}:{ports['jolokia']}"),
        }


def read(*options: str) -> dict[str, Any]:
    found = json.loads(done("metrics", "--window", "0.5", "--output", "json", *options))
    return {each["metric"]: each["value"] for each in found["metrics"]}


@pytest.mark.smoke
def test_each_agent_has_the_same_numbers(
    sources: dict[str, tuple[str, str]], chroot: str, request: pytest.FixtureRequest
) -> None:
    by_agent = {name: read(*options) for name, options in sources.items()}

    for name, numbers in by_agent.items():
        unknown = {title for title, number in numbers.items() if number is None}
        # Without another broker none fetches, and there is no consumer.
        assert unknown <= {"FetchFollower p99", "FetchConsumer p99", "largest replica lag"}, name
        assert (1, 0, 0) == tuple(
            numbers[title] for title in ("controllers", "offline partitions", "under-replicated")
        )
        assert numbers["replicas"] >= 1

    wait_until(
        lambda: all(
            read(*options, "--topic", "orders")["size of logs"] > 10_000
            for options in sources.values()
        ),
        what="the size of the log by each agent",
    )
    counts_them = request.node.callspec.params["sources"] == "3.9.1"
    assert dict.fromkeys(sources, counts_them) == {
        name: "does not serve: Produce v1"
        in kadmin("migration", "check", "--zookeeper", chroot, *agent).stdout
        for name, agent in sources.items()
    }
