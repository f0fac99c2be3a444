"""How are Kafka's own tools called, whose classes and options differ from release to release?

One method for each thing that the tests want done; the release decides about the words.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import chain

from tests.interop.brokers import RealCluster, ToolRun
from tests.interop.releases import version_tuple
from tests.support.waiting import OUTER_LIMIT_S


class Tools:
    """The tools of the release that *cluster* runs."""

    def __init__(self, cluster: RealCluster) -> None:
        self.cluster = cluster
        self.version = version_tuple(cluster.release)

    def topics(self, *arguments: str) -> ToolRun:
        """kafka-topics: over ZooKeeper as long as it could, over the admin API since 3.0."""
        if self.version < (3, 0):
            return self.cluster.tool("kafka.admin.TopicCommand", *self.zookeeper(), *arguments)
        return self.cluster.tool(
            "org.apache.kafka.tools.TopicCommand", *self.bootstrap(), *arguments
        )

    def configs_over_zookeeper(self, *arguments: str) -> ToolRun:
        return self.cluster.tool("kafka.admin.ConfigCommand", *self.zookeeper(), *arguments)

    def configs_over_brokers(self, *arguments: str) -> ToolRun:
        return self.cluster.tool("kafka.admin.ConfigCommand", *self.bootstrap(), *arguments)

    def set_topic_config(self, topic: str, assignment: str) -> None:
        """Set a topic's config by the tool that the release has for it."""
        entity = ("--entity-type", "topics", "--entity-name", topic)
        change = ("--alter", *entity, "--add-config", assignment)
        if self.version < (0, 9):
            done = self.topics("--alter", "--topic", topic, "--config", assignment)
        elif self.version < (3, 0):
            done = self.configs_over_zookeeper(*change)
        else:
            done = self.configs_over_brokers(*change)
        assert done.exit_code == 0, done

    def produce(self, topic: str, *lines: str) -> ToolRun:
        """Send *lines* to any partitions, acknowledged by all in-sync replicas."""
        return self.send(topic, lines)

    def produce_with_keys(self, topic: str, *lines: str) -> ToolRun:
        """Send *lines* of the form `key:value`, each to the partition that its key hashes to."""
        parsing = ("--property", "parse.key=true", "--property", "key.separator=:")
        return self.send(topic, lines, *parsing)

    def produce_as(
        self, topic: str, mechanism: str, user: str, password: str, *lines: str
    ) -> ToolRun:
        """Send *lines* over the listener that wants a password."""
        properties = {
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": mechanism,
            "sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required"
            f' username="{user}" password="{password}";',
        }
        pairs = [("--producer-property", f"{key}={value}") for key, value in properties.items()]
        return self.send(
            topic, lines, *chain.from_iterable(pairs), bootstrap=self.cluster.sasl_bootstrap
        )

    def send(
        self, topic: str, lines: Sequence[str], *options: str, bootstrap: str | None = None
    ) -> ToolRun:
        servers = "--bootstrap-server" if self.version >= (2, 5) else "--broker-list"
        return self.cluster.tool(
            "kafka.tools.ConsoleProducer",
            *(servers, bootstrap or self.cluster.bootstrap),
            *("--topic", topic, "--request-required-acks", "-1"),
            *options,
            stdin="".join(f"{line}\n" for line in lines),
            timeout_s=OUTER_LIMIT_S,
        )

    def consume(self, topic: str, count: int) -> list[str]:
        """The first *count* records of *topic*, sorted: partitions have no order between them."""
        done = self.cluster.tool(
            self.consumer_class(),
            *self.consumer_source(),
            *("--topic", topic, "--from-beginning", "--max-messages", str(count)),
            timeout_s=OUTER_LIMIT_S,
        )
        assert done.exit_code == 0, done.stderr
        return sorted(done.stdout.splitlines())

    def consumer_class(self) -> str:
        if self.version < (3, 0):
            return "kafka.tools.ConsoleConsumer"
        return "org.apache.kafka.tools.consumer.ConsoleConsumer"

    def consumer_source(self) -> tuple[str, ...]:
        if self.version < (0, 9):
            return self.zookeeper()
        if self.version < (0, 10):
            return ("--new-consumer", *self.bootstrap())
        return self.bootstrap()

    def elect_preferred(self, partitions: Iterable[tuple[str, int]]) -> ToolRun:
        """Ask for the preferred leaders; before 2.4 the tool does not wait for them."""
        request = self.cluster.directory / "preferred.json"
        named = [{"topic": topic, "partition": partition} for topic, partition in partitions]
        request.write_text(json.dumps({"partitions": named}))
        file = ("--path-to-json-file", str(request))
        if self.version < (2, 4):
            tool = "kafka.admin.PreferredReplicaLeaderElectionCommand"
            return self.cluster.tool(tool, *self.zookeeper(), *file)
        package = "kafka.admin" if self.version < (3, 3) else "org.apache.kafka.tools"
        tool = f"{package}.LeaderElectionCommand"
        return self.cluster.tool(tool, *self.bootstrap(), "--election-type", "preferred", *file)

    def reassign(self, *arguments: str, by_brokers: bool = False) -> ToolRun:
        """kafka-reassign-partitions: over ZooKeeper up to 2.8, *by_brokers* since 2.6."""
        servers = self.bootstrap() if by_brokers or self.version >= (3, 0) else self.zookeeper()
        package = "kafka.admin" if self.version < (3, 3) else "org.apache.kafka.tools.reassign"
        return self.cluster.tool(f"{package}.ReassignPartitionsCommand", *servers, *arguments)

    def zookeeper(self) -> tuple[str, str]:
        return ("--zookeeper", self.cluster.zookeeper_connect)

    def bootstrap(self) -> tuple[str, str]:
        return ("--bootstrap-server", self.cluster.bootstrap)
