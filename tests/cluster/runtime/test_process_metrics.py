"""The metrics of a broker in the test's process: all of the catalogue, and those of its process."""

from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from cluster.metrics.catalogue.every import all_beans
from cluster.metrics.registry import Attributes
from cluster.runtime.process_metrics import BrokerState
from tests.cluster.runtime.test_process import Running, run
from tests.support.metrics import all_of
from tests.support.waiting import until
from tests.support.zookeeper import hold_controller

pytestmark = pytest.mark.zk

Metrics: TypeAlias = dict[str, Attributes]

ONLY_OF_DIRECT_LOOP: Final = frozenset(
    {
        "kafka.server:type=KafkaRequestHandlerPool,name=RequestHandlerAvgIdlePercent",
        "kafka.network:type=Processor,name=IdlePercent,networkProcessor",
        "kafka.network:type=SocketServer,name=NetworkProcessorAvgIdlePercent",
    }
)


def test_a_broker_has_all_beans_of_the_catalogue(tmp_path: Path, chroot: str) -> None:
    hold_controller(chroot)

    async def use(running: Running) -> tuple[set[str], Metrics, Metrics]:
        registry = running.process.metrics
        await running.lead({"orders": 2})
        before = all_of(registry)
        assert await running.produce("orders") == 0
        assert len(await running.fetch("orders")) > 0
        return {bean.pattern for bean in registry.beans()}, before, all_of(registry)

    patterns, before, after = run(tmp_path, chroot, use)

    assert {bean.pattern for bean in all_beans()} - patterns == ONLY_OF_DIRECT_LOOP

    def count(name: str, attribute: str = "Count") -> Any:
        return after[name][attribute]

    server, network = "kafka.server:type=", "kafka.network:type="
    assert count(f"{server}KafkaServer,name=BrokerState", "Value") == BrokerState.RUNNING
    assert len(count(f"{server}KafkaServer,name=ClusterId", "Value")) == 22
    assert count(f"{server}SessionExpireListener,name=SessionState", "Value") == "CONNECTED"
    assert count(f"{server}SessionExpireListener,name=ZooKeeperSyncConnectsPerSec") == 1
    assert count(f"{server}SessionExpireListener,name=ZooKeeperExpiresPerSec") == 0
    assert count(f"{server}ZooKeeperClientMetrics,name=ZooKeeperRequestLatencyMs") > 0
    assert count(f"{network}RequestMetrics,name=TotalTimeMs,request=Produce") == 1
    assert count(f"{network}RequestMetrics,name=TotalTimeMs,request=FetchConsumer") == 1
    assert count(f"{network}RequestMetrics,name=ErrorsPerSec,request=Produce,error=NONE") == 1
    assert count(f"{network}SocketServer,name=ExpiredConnectionsKilledCount", "Value") == 0
    assert count(f"{server}BrokerTopicMetrics,name=MessagesInPerSec,topic=orders") == 1
    assert count("kafka.controller:type=KafkaController,name=ActiveControllerCount", "Value") == 0
    sockets = f"{server}socket-server-metrics,listener=PLAINTEXT,networkProcessor=0"
    assert after[sockets]["connection-creation-total"] == 3
    assert "kafka.log:type=Log,name=Size,topic=orders,partition=1" in before.keys() & after.keys()


def test_an_expired_session_is_counted(tmp_path: Path, chroot: str) -> None:
    hold_controller(chroot)
    listener = "kafka.server:type=SessionExpireListener,name={}"

    async def use(running: Running) -> Metrics:
        membership, registry = running.process._membership, running.process.metrics
        healthy = {"zookeeper": None, "registration": None, "log.dirs": None}
        assert registry.health() == healthy
        membership.is_registered = False
        assert registry.health() == {**healthy, "registration": "the broker is not registered"}
        membership.is_registered = True
        await running.expire()
        await until(lambda: membership.is_registered, what="the next registration")
        return all_of(registry)

    found = run(tmp_path, chroot, use)

    assert found[listener.format("ZooKeeperExpiresPerSec")]["Count"] == 1
    assert int(found[listener.format("ZooKeeperSyncConnectsPerSec")]["Count"]) >= 2


def test_a_broker_that_is_the_controller_has_its_view_of_the_cluster(
    tmp_path: Path, chroot: str
) -> None:
    controller = "kafka.controller:type=KafkaController,name={}"

    async def use(running: Running) -> Metrics:
        process = running.process
        assert process._parts is not None
        core = process._parts.controller
        await until(lambda: core.controller_epoch is not None, what="a controller")
        await until(lambda: core._core.is_idle, what="an idle controller")
        return all_of(process.metrics)

    found = run(tmp_path, chroot, use)

    values = {
        name: found[controller.format(name)]["Value"]
        for name in ("ActiveControllerCount", "ActiveBrokerCount", "OfflinePartitionsCount")
    }
    assert values == {
        "ActiveControllerCount": 1,
        "ActiveBrokerCount": 1,
        "OfflinePartitionsCount": 0,
    }
    changes = "kafka.controller:type=ControllerStats,name=ControllerChangeRateAndTimeMs"
    assert found[changes]["Count"] != 0
