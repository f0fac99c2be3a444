"""Do Kafka's own tools, of an old and of the last release, find and change our brokers' configs?"""

import re
from collections.abc import Iterator

import pytest

from kadmin.local.zookeeper import ZooKeeperServer
from tests.interop.kafka_tools import KafkaTools, fetched_tools
from tests.interop.maven import Maven
from tests.support.brokers import Broker, running_broker
from tests.support.cli import done
from tests.support.waiting import wait_until
from tests.support.zookeeper import make_chroot

pytestmark = pytest.mark.interop

OWN = ("--entity-type", "brokers", "--entity-name", "1")
THROTTLE = "leader.replication.throttled.rate"
ALL = ("--entity-type", "brokers", "--entity-default")


@pytest.fixture(scope="module")
def chroot_of_broker(zookeeper: ZooKeeperServer) -> str:
    return make_chroot(zookeeper)


@pytest.fixture(scope="module")
def broker(chroot_of_broker: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    settings = {"log.retention.hours": "1"}
    directory = tmp_path_factory.mktemp("ours")
    with running_broker(directory, chroot_of_broker, settings=settings) as running:
        yield running


@pytest.fixture(params=["2.8.2", "3.9.1"])
def tools(
    request: pytest.FixtureRequest,
    broker: Broker,
    java: str,
    maven: Maven,
    tmp_path_factory: pytest.TempPathFactory,
) -> KafkaTools:
    directory = tmp_path_factory.mktemp("tools")
    return fetched_tools(
        request.param, java=java, maven=maven, directory=directory, bootstrap=broker.bootstrap
    )


def described(lines: list[str]) -> dict[str, str]:
    """What `kafka-configs --describe` says behind each `key=value`, the value included."""
    pairs = [re.match(r"\s+([a-z.]+)=(.*)", line) for line in lines]
    return {pair[1]: pair[2] for pair in pairs if pair is not None}


def shown(value: str, *synonyms: str) -> str:
    return f"{value} sensitive=false synonyms={{{', '.join(synonyms)}}}"


def heard(broker: Broker, text: str) -> None:
    wait_until(lambda: text in broker.log(), what=text)


def test_kafka_configs_changes_a_broker_and_all_brokers(tools: KafkaTools, broker: Broker) -> None:
    time = f"9{tools.release.replace('.', '')}000"
    changes = f"log.retention.ms={time},{THROTTLE}=1000"
    tools.done("configs", "--alter", *OWN, "--add-config", changes)
    tools.done("configs", "--alter", *ALL, "--add-config", f"log.roll.ms={time}")
    heard(broker, f"log.roll.ms={time}")
    own = described(tools.done("configs", "--describe", *OWN))
    common = described(tools.done("configs", "--describe", *ALL))
    every = described(tools.done("configs", "--describe", "--all", *OWN))
    tools.done("configs", "--alter", *OWN, "--delete-config", f"log.retention.ms,{THROTTLE}")
    tools.done("configs", "--alter", *ALL, "--delete-config", "log.roll.ms")
    heard(broker, "log.roll.ms is unset")
    refused = tools.run("configs", "--alter", *OWN, "--add-config", "num.partitions=3")

    retention = [
        f"DYNAMIC_BROKER_CONFIG:log.retention.ms={time}",
        "STATIC_BROKER_CONFIG:log.retention.hours=1",
        "DEFAULT_CONFIG:log.retention.hours=168",
    ]
    roll = [
        f"DYNAMIC_DEFAULT_BROKER_CONFIG:log.roll.ms={time}",
        "DEFAULT_CONFIG:log.roll.hours=168",
    ]
    assert own == {
        "log.retention.ms": shown(time, *retention),
        THROTTLE: shown("1000", f"DYNAMIC_BROKER_CONFIG:{THROTTLE}=1000"),
    }
    assert common == {"log.roll.ms": shown(time, roll[0])}
    assert every["log.roll.ms"] == shown(time, *roll)
    assert every["num.partitions"] == shown("1", "DEFAULT_CONFIG:num.partitions=1")
    assert "Cannot update these configs dynamically: Set(num.partitions)" in (
        refused.stdout + refused.stderr
    )


def test_kadmin_over_zookeeper_and_kafka_s_tool_speak_of_the_same(
    tools: KafkaTools, broker: Broker, chroot_of_broker: str
) -> None:
    size = f"7{tools.release.replace('.', '')}"
    kadmin = ("configs", "--zookeeper", chroot_of_broker, "--alter", *OWN)
    done(*kadmin, "--add-config", f"message.max.bytes={size}", "--allow-running-brokers")
    heard(broker, f"message.max.bytes={size}")
    own = described(tools.done("configs", "--describe", *OWN))
    done(*kadmin, "--delete-config", "message.max.bytes")

    assert own == {
        "message.max.bytes": shown(
            size,
            f"DYNAMIC_BROKER_CONFIG:message.max.bytes={size}",
            "DEFAULT_CONFIG:message.max.bytes=1048588",
        )
    }
