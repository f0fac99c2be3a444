"""The part of Kafka's controllers that reads ZooKeeper for a migration, in a JVM of its own.

It shows in a fraction of a second what a broker and a controller show in a minute.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from py4j.protocol import Py4JJavaError

PY4J: Final = next((Path(pyspark.__file__).parent / "jars").glob("py4j-*.jar"))
JVM: Final = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
SESSION_MS: Final = 18_000


@dataclass(frozen=True, slots=True)
class Reading:
    """The errors of what controllers read before they claim a cluster, and when they copy it; each
    is empty where there is none."""

    before: str
    copying: str

    @property
    def fate(self) -> str:
        return "waits" if self.before else "dies" if self.copying else "copied"


class MigrationClient:
    """Kafka's `ZkMigrationClient`, by *gateway*."""

    def __init__(self, gateway: JavaGateway) -> None:
        self.jvm = gateway.jvm
        self.migration = gateway.jvm.org.apache.kafka.metadata.migration

    def read(self, connect: str) -> Reading:
        sessions = (SESSION_MS, SESSION_MS, 10)
        time = self.jvm.org.apache.kafka.common.utils.Time.SYSTEM
        config = self.jvm.org.apache.zookeeper.client.ZKClientConfig()
        zookeeper = self.jvm.kafka.zk.KafkaZkClient.apply(
            connect, False, *sessions, time, "test", config, "kafka.test", "Test", False, True
        )
        try:
            encoder = self.jvm.org.apache.kafka.security.PasswordEncoder.NOOP
            client = self.jvm.kafka.zk.ZkMigrationClient.apply(zookeeper, encoder)
            return Reading(
                error_of(lambda: self.prepare(client)), error_of(lambda: self.copy(client))
            )
        finally:
            zookeeper.close()

    def prepare(self, client: Any) -> None:
        """Read what the controllers wait for."""
        client.getOrCreateMigrationRecoveryState(self.migration.ZkMigrationLeadershipState.EMPTY)
        client.readBrokerIds()
        visitor = "org.apache.kafka.metadata.migration.TopicMigrationClient$TopicVisitor"
        interest = self.jvm.java.lang.Class.forName(f"{visitor}Interest")
        topics = self.jvm.java.lang.Enum.valueOf(interest, "TOPICS")
        client.topicClient().iterateTopics(
            self.jvm.java.util.EnumSet.of(topics), self.sink(visitor)
        )

    def copy(self, client: Any) -> None:
        consumer = self.sink("java.util.function.Consumer")
        client.readAllMetadata(consumer, consumer)

    def sink(self, interface: str) -> Any:
        """Return a Java object of *interface* that ignores what it is given."""
        wanted = self.jvm.java.lang.Class.forName(interface)
        return self.jvm.java.beans.EventHandler.create(
            wanted, self.jvm.java.util.ArrayList(), "size"
        )


def error_of(call: Callable[[], None]) -> str:
    try:
        call()
    except Py4JJavaError as error:
        return str(error.java_exception.toString())
    return ""


@contextmanager
def migration_client(java: str, class_path: str) -> Iterator[MigrationClient]:
    port, process = launch_gateway(
        classpath=class_path,
        jarpath=str(PY4J),
        java_path=java,
        javaopts=list(JVM),
        die_on_exit=True,
        return_proc=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port))
    try:
        yield MigrationClient(gateway)
    finally:
        gateway.close()
        process.stdin.close()
        process.kill()
        process.wait()
