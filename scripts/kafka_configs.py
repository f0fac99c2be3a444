"""Records the broker configs of a real Kafka: from its classes, and from its answers.

    python -m scripts.kafka_configs

Maven fetches Kafka once, as for the interop tests.  From Kafka's own classes this writes
`cluster/model/kafka_broker_configs.json`, which our brokers and kadmin read; from the answers of a
broker that runs for it, what tests compare ours with: `kafka-3.9.1-described.json` and
`kafka-3.9.1-altered.json` in `tests/cluster/api/golden`.
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from py4j.java_gateway import get_field

from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
    IncrementalAlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
    IncrementalAlterConfigsResponse,
)
from kadmin.jvm.java import find_java
from tests.clients.gateway import running_gateway
from tests.cluster.api.described import ALL, ALTERATIONS, FILE, FOR_ALL, OWN
from tests.interop.brokers import RealCluster
from tests.interop.maven import Maven
from tests.interop.releases import KAFKA
from tests.support.checkout import CHECKOUT
from tests.support.serving import RawClient
from tests.support.waiting import wait_until
from tests.support.zookeeper import running_server

RELEASE: Final = "3.9.1"
TABLE: Final = CHECKOUT / "cluster" / "model" / "kafka_broker_configs.json"
GOLDEN: Final = CHECKOUT / "tests" / "cluster" / "api" / "golden"
RANGE: Final = re.compile(r"\[(-?[0-9.]+)?,?\.\.\.,?(-?[0-9.]+)?\](?: or (-?[0-9]+))?")
WORDS: Final = re.compile(r"\[([A-Za-z_, ]+)\]")


def main() -> None:
    java, class_path = str(find_java().path), Maven().class_path(KAFKA[RELEASE])
    with tempfile.TemporaryDirectory() as directory:
        write(TABLE, table_of(java, class_path, Path(directory)))
    with tempfile.TemporaryDirectory() as directory:
        for name, answers in answers_of(java, class_path, Path(directory)).items():
            write(GOLDEN / f"kafka-{RELEASE}-{name}.json", answers)


def write(path: Path, document: Mapping[str, Any]) -> None:
    """One line for each entry of the second level, so that a diff can be read."""
    lines = []
    for key, value in document.items():
        if isinstance(value, dict) and any(isinstance(one, (dict, list)) for one in value.values()):
            inner = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            lines.append(f" {json.dumps(key)}: {{\n{inner}\n }}")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    sys.stdout.write(f"{path.relative_to(CHECKOUT)}\n")


# The keys in Kafka's classes.


def table_of(java: str, class_path: str, directory: Path) -> dict[str, Any]:
    """Every key of a broker, with type, default, bounds, update mode and text."""
    with running_gateway(java, class_path, directory) as gateway:
        jvm = gateway.jvm
        keys = jvm.org.apache.kafka.server.config.AbstractKafkaConfig.CONFIG_DEF.configKeys()
        scala_object = jvm.java.lang.Class.forName("kafka.server.DynamicBrokerConfig$")
        modes = scala_object.getField("MODULE$").get(None).dynamicConfigUpdateModes()
        by_listener = jvm.org.apache.kafka.common.config.SslConfigs.RECONFIGURABLE_CONFIGS
        text_of = jvm.org.apache.kafka.common.config.ConfigDef.convertToString
        table: dict[str, Any] = {}
        for name in sorted(keys):
            key = keys[name]
            default, kind = get_field(key, "defaultValue"), get_field(key, "type")
            entry: dict[str, Any] = {"type": kind.toString()}
            if default is not None:
                entry["default"] = text_of(default, kind)
            validator = get_field(key, "validator")
            if validator is not None:
                entry |= bounds_of(validator.toString())
            if by_listener.contains(name):
                entry["update"] = "per-listener"
            elif name in modes:
                entry["update"] = modes[name]
            if get_field(key, "internalConfig"):
                entry["internal"] = True
            table[name] = entry | {"doc": get_field(key, "documentation") or ""}
        return {"release": RELEASE, "configs": table}


def bounds_of(validator: str) -> dict[str, Any]:
    """The bounds in the text of one of Kafka's validators, if it is about numbers or words."""
    if "IV0" in validator:
        return {"is_release": True}
    if "-1 means that this will be set" in validator:
        return {"at_least": 1, "also": -1}
    found = RANGE.fullmatch(validator)
    if found is not None:
        bounds = zip(("at_least", "at_most", "also"), found.groups(), strict=True)
        return {name: json.loads(text) for name, text in bounds if text is not None}
    found = WORDS.fullmatch(validator)
    return {} if found is None else {"choices": found[1].split(", ")}


# A broker's answers.


@contextmanager
def running_broker(java: str, class_path: str, directory: Path) -> Iterator[RealCluster]:
    with running_server(directory / "zookeeper") as server:
        cluster = RealCluster(
            RELEASE,
            f"{server.connect}/kafka",
            java=java,
            class_path=class_path,
            directory=directory,
            brokers=1,
        )
        try:
            properties = cluster.brokers[0].directory / "server.properties"
            place = cluster.brokers[0].place
            lines = {
                **FILE,
                "zookeeper.connect": cluster.zookeeper_connect,
                "log.dirs": str(place.directory / "data"),
                "listeners": f"PLAINTEXT://127.0.0.1:{place.port}",
            }
            properties.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
            cluster.start()
            yield cluster
        finally:
            cluster.kill_all()


def answers_of(java: str, class_path: str, directory: Path) -> dict[str, dict[str, Any]]:
    with (
        running_broker(java, class_path, directory) as cluster,
        RawClient(cluster.brokers[0].place.port) as client,
    ):
        verdicts = {
            f"{resource or ALL} {key}={value}": list(altered(client, resource, {key: value}))
            for resource, key, value in ALTERATIONS
        }
        for resource, configs in (("", FOR_ALL), ("0", OWN)):
            error = altered(client, resource, configs, validates=False)
            assert error == (0, None), error
        key = "log.roll.ms"
        wait_until(lambda: values(client, "0")[key] == OWN[key], what="the configs")
        described = {
            "file": FILE,
            "for_all": FOR_ALL,
            "own": OWN,
            "broker": describe(client, 4, "0"),
            "all_brokers": describe(client, 4, ""),
        }
    return {"described": described, "altered": {"verdicts": verdicts}}


def values(client: RawClient, name: str) -> dict[str, str | None]:
    return {key: one["value"] for key, one in describe(client, 4, name).items()}


def describe(client: RawClient, kind: int, name: str) -> dict[str, Any]:
    body = DescribeConfigsRequest(
        [DescribeConfigsResource(kind, name, None)],
        include_synonyms=True,
        include_documentation=True,
    )
    (result,) = client.ask(ApiKey.DESCRIBE_CONFIGS, 4, body, DescribeConfigsResponse).results
    assert result.error_code == 0, result.error_message
    return {
        one.name: {
            "value": one.value,
            "source": one.config_source,
            "read_only": one.read_only,
            "sensitive": one.is_sensitive,
            "type": one.config_type,
            "has_documentation": bool(one.documentation),
            "synonyms": [list(synonym) for synonym in one.synonyms],
        }
        for one in sorted(result.configs, key=lambda one: one.name)
    }


def altered(
    client: RawClient, resource: str, configs: Mapping[str, str], *, validates: bool = True
) -> tuple[int, str | None]:
    changes = [IncrementalAlterableConfig(key, 0, value) for key, value in configs.items()]
    body = IncrementalAlterConfigsRequest(
        [IncrementalAlterConfigsResource(4, resource, changes)], validates
    )
    answer = client.ask(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, body, IncrementalAlterConfigsResponse)
    (result,) = answer.responses
    return result.error_code, result.error_message


if __name__ == "__main__":
    main()
