"""How are Kafka's own tools called that speak to brokers, and to nobody else?

A table of classes, and one way to run them.  Knows neither whose brokers they are nor what the
tools are asked; `tools.py` has those that go by way of ZooKeeper in older releases.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.interop.brokers import ToolRun, run_tool, tool_command
from tests.interop.maven import Maven, needing_maven
from tests.interop.processes import killed_with_parent
from tests.interop.releases import KAFKA, version_tuple

MOVED: Final = (3, 9)
"""The release, of those that are tried, in which most tools are in a package of another name."""

CLASSES: Final = {
    "topics": ("kafka.admin.TopicCommand", "org.apache.kafka.tools.TopicCommand"),
    "configs": ("kafka.admin.ConfigCommand", "kafka.admin.ConfigCommand"),
    "console-producer": ("kafka.tools.ConsoleProducer", "kafka.tools.ConsoleProducer"),
    "console-consumer": (
        "kafka.tools.ConsoleConsumer",
        "org.apache.kafka.tools.consumer.ConsoleConsumer",
    ),
    "producer-perf-test": (
        "org.apache.kafka.tools.ProducerPerformance",
        "org.apache.kafka.tools.ProducerPerformance",
    ),
    "consumer-perf-test": (
        "kafka.tools.ConsumerPerformance",
        "org.apache.kafka.tools.ConsumerPerformance",
    ),
    "get-offsets": ("kafka.tools.GetOffsetShell", "org.apache.kafka.tools.GetOffsetShell"),
    "consumer-groups": (
        "kafka.admin.ConsumerGroupCommand",
        "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    ),
    "delete-records": (
        "kafka.admin.DeleteRecordsCommand",
        "org.apache.kafka.tools.DeleteRecordsCommand",
    ),
    "leader-election": (
        "kafka.admin.LeaderElectionCommand",
        "org.apache.kafka.tools.LeaderElectionCommand",
    ),
    "reassign-partitions": (
        "kafka.admin.ReassignPartitionsCommand",
        "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    ),
    "replica-verification": (
        "kafka.tools.ReplicaVerificationTool",
        "org.apache.kafka.tools.ReplicaVerificationTool",
    ),
    "dump-log": ("kafka.tools.DumpLogSegments", "kafka.tools.DumpLogSegments"),
    "broker-api-versions": (
        "kafka.admin.BrokerApiVersionsCommand",
        "kafka.admin.BrokerApiVersionsCommand",
    ),
    "log-dirs": ("kafka.admin.LogDirsCommand", "org.apache.kafka.tools.LogDirsCommand"),
}
"""Each tool before and since MOVED, by the name of its script."""


class KafkaTools:
    """The tools of *release*, for the brokers at *bootstrap*."""

    def __init__(
        self, release: str, *, java: str, class_path: str, directory: Path, bootstrap: str
    ) -> None:
        self.release = release
        self.java = java
        self.class_path = class_path
        self.directory = directory
        self.bootstrap = bootstrap

    def run(self, name: str, *arguments: str, stdin: str = "") -> ToolRun:
        """Run a tool to its end with *arguments*, the brokers' addresses not among them."""
        main_class, servers = self._command(name)
        return run_tool(
            self.java,
            self.class_path,
            self.directory,
            main_class,
            *servers,
            *arguments,
            stdin=stdin,
        )

    @contextmanager
    def started(self, name: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
        """A tool that runs, until it is left; both its outputs are one."""
        main_class, servers = self._command(name)
        command = tool_command(self.java, self.class_path, self.directory, main_class)
        with subprocess.Popen(
            killed_with_parent([*command, *servers, *arguments]),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def _command(self, name: str) -> tuple[str, tuple[str, ...]]:
        """The class of a tool, and how it is told where the brokers are."""
        has_moved = version_tuple(self.release) >= MOVED
        servers: tuple[str, ...] = ("--bootstrap-server", self.bootstrap)
        if name == "replica-verification" or (name == "get-offsets" and not has_moved):
            servers = ("--broker-list", self.bootstrap)
        elif name in ("producer-perf-test", "dump-log"):
            servers = ()
        return CLASSES[name][has_moved], servers

    def done(self, name: str, *arguments: str, stdin: str = "") -> list[str]:
        """The lines that a tool prints, which must not fail."""
        outcome = self.run(name, *arguments, stdin=stdin)
        assert outcome.exit_code == 0, outcome
        return outcome.stdout.splitlines()


def fetched_tools(
    release: str, *, java: str, maven: Maven, directory: Path, bootstrap: str
) -> KafkaTools:
    """The tools of *release*; skips the test where these cannot be fetched."""
    with needing_maven():
        class_path = maven.class_path(KAFKA[release])
    return KafkaTools(
        release, java=java, class_path=class_path, directory=directory, bootstrap=bootstrap
    )
