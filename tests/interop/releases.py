"""Which jars make a runnable release of Apache Kafka, or a ZooKeeper server of its time?

A table.  Knows neither where the jars come from nor how they are run.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Artifact:
    """One entry of a pom; *alone* leaves out what it depends on."""

    group: str
    name: str
    version: str
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Bundle:
    """The artifacts that, with what they depend on, make one runnable directory of jars."""

    name: str
    artifacts: tuple[Artifact, ...]


def kafka(version: str, scala: str, *others: Artifact) -> Bundle:
    return Bundle(
        f"kafka-{version}", (Artifact("org.apache.kafka", f"kafka_{scala}", version), *others)
    )


def kafka_tools(version: str, argparse4j: str) -> tuple[Artifact, Artifact]:
    # The dependencies of kafka-tools are Connect and two web servers, which no tool here needs;
    # only the parser of the performance tools has to be named again.
    return (
        Artifact("org.apache.kafka", "kafka-tools", version, alone=True),
        Artifact("net.sourceforge.argparse4j", "argparse4j", argparse4j),
    )


def slf4j(binding: str, version: str) -> Artifact:
    # From 1.0 on the core pom brings no binding, and without one a broker logs nothing at all.
    return Artifact("org.slf4j", binding, version)


# 0.10.1 to 0.11 make the cluster's id with a class that left the JDK in Java 11.
JAXB: Final = Artifact("javax.xml.bind", "jaxb-api", "2.3.1")

# 2.3.1's own client, 3.4.14, connects to nothing on Java 14 or later.
OLDER_CLIENT: Final = Artifact("org.apache.zookeeper", "zookeeper", "3.4.10")

KAFKA: Final[Mapping[str, Bundle]] = {
    "0.8.2.2": kafka("0.8.2.2", "2.11"),
    "0.9.0.1": kafka("0.9.0.1", "2.11", *kafka_tools("0.9.0.1", "0.5.0")),
    "0.10.2.2": kafka("0.10.2.2", "2.11", *kafka_tools("0.10.2.2", "0.7.0"), JAXB),
    "1.1.1": kafka(
        "1.1.1", "2.11", *kafka_tools("1.1.1", "0.7.0"), slf4j("slf4j-log4j12", "1.7.25")
    ),
    "2.3.1": kafka(
        "2.3.1",
        "2.12",
        *kafka_tools("2.3.1", "0.7.0"),
        slf4j("slf4j-log4j12", "1.7.26"),
        OLDER_CLIENT,
    ),
    "2.8.2": kafka(
        "2.8.2", "2.13", *kafka_tools("2.8.2", "0.7.0"), slf4j("slf4j-log4j12", "1.7.30")
    ),
    "3.9.1": kafka(
        "3.9.1", "2.13", *kafka_tools("3.9.1", "0.7.0"), slf4j("slf4j-reload4j", "1.7.36")
    ),
}

KRAFT: Final[Mapping[str, Bundle]] = {
    "3.9.1": KAFKA["3.9.1"],
    "4.1.0": kafka(
        "4.1.0",
        "2.13",
        *kafka_tools("4.1.0", "0.7.0"),
        Artifact("org.apache.logging.log4j", "log4j-slf4j-impl", "2.24.3"),
    ),
}
"""The releases that run without ZooKeeper."""

JMX_EXPORTER: Final = Bundle(
    "jmx-exporter-0.20.0",
    (Artifact("io.prometheus.jmx", "jmx_prometheus_javaagent", "0.20.0", alone=True),),
)
JOLOKIA: Final = Bundle(
    "jolokia-1.7.2", (Artifact("org.jolokia", "jolokia-jvm", "1.7.2", alone=True),)
)

DEFAULT_RELEASES: Final = ("0.8.2.2", "1.1.1", "2.8.2", "3.9.1")

ZOOKEEPER: Final[Mapping[str, Bundle]] = {
    version: Bundle(
        f"zookeeper-{version}", (Artifact("org.apache.zookeeper", "zookeeper", version),)
    )
    for version in ("3.4.14", "3.5.9")
}

ZOOKEEPER_WITH_ADMIN_SERVER: Final = Bundle(
    "zookeeper-3.8.4-admin",
    (
        Artifact("org.apache.zookeeper", "zookeeper", "3.8.4"),
        # What Kafka's and ZooKeeper's own archives have beside it, and its pom does not name.
        Artifact("org.eclipse.jetty", "jetty-servlet", "9.4.54.v20240208"),
        Artifact("com.fasterxml.jackson.core", "jackson-databind", "2.16.2"),
        Artifact("io.dropwizard.metrics", "metrics-core", "4.2.25"),
        Artifact("org.xerial.snappy", "snappy-java", "1.1.10.5"),
        Artifact("org.slf4j", "slf4j-reload4j", "1.7.36"),
    ),
)
"""The ZooKeeper of Kafka 3.9."""


def chosen_releases() -> tuple[str, ...]:
    """The Kafka releases that this run is about, oldest first; `RELEASES=all` takes every one."""
    return tuple(KAFKA) if os.environ.get("RELEASES") == "all" else DEFAULT_RELEASES


def version_tuple(release: str) -> tuple[int, ...]:
    """*release* in a form that compares: `0.10.2.2` is after `0.9.0.1`."""
    return tuple(int(part) for part in release.split("."))
