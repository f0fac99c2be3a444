"""The configs of the reporters of metrics, with Kafka's names where Kafka has them.

Those that Kafka's own config has are in its table; its reporters, and those of others, read theirs
from `server.properties` themselves.
"""

from enum import StrEnum
from typing import Final

from cluster.model.config_spec import ConfigSpec, UpdateMode, ValueKind

REPORTERS: Final = "kafka.metrics.reporters"
INTERVAL: Final = "kafka.metrics.polling.interval.secs"
CSV_ENABLED: Final = "kafka.csv.metrics.reporter.enabled"
CSV_DIRECTORY: Final = "kafka.csv.metrics.dir"
GRAPHITE_PREFIX: Final = "kafka.graphite.metrics.prefix"


class Reporter(StrEnum):
    """The reporters, by their short names."""

    PROMETHEUS = "prometheus"
    JOLOKIA = "jolokia"
    CSV = "csv"
    GRAPHITE = "graphite"
    CONSOLE = "console"
    LOG = "log"


CLASS_NAMES: Final = {
    "kafka.metrics.KafkaCSVMetricsReporter": Reporter.CSV,
    "com.criteo.kafka.KafkaGraphiteMetricsReporter": Reporter.GRAPHITE,
}
"""Classes that a broker of Kafka loads, and the reporter here that does the work of each."""


def host_key(reporter: str) -> str:
    return f"kafka.{reporter}.metrics.host"


def port_key(reporter: str) -> str:
    return f"kafka.{reporter}.metrics.port"


def spec(name: str, kind: ValueKind, default: str, **bounds: float) -> ConfigSpec:
    return ConfigSpec(name, kind, default, update_mode=UpdateMode.READ_ONLY, **bounds)  # type: ignore[arg-type]


ROWS: Final = (
    (
        spec(CSV_ENABLED, ValueKind.BOOLEAN, "false"),
        "Whether the reporter writes CSV that kafka.metrics.reporters names by its class; csv"
        " there needs it only to be left out again.",
    ),
    (
        spec(CSV_DIRECTORY, ValueKind.STRING, "kafka_metrics"),
        "The directory of its files, which go on where they are there.",
    ),
    *(
        row
        for reporter, what in (
            ("prometheus", "Prometheus scrapes"),
            ("jolokia", "Jolokia's clients read"),
        )
        for row in (
            (
                spec(host_key(reporter), ValueKind.STRING, "127.0.0.1"),
                f"The address at which {what} metrics.",
            ),
            (
                spec(port_key(reporter), ValueKind.INT, "0", at_least=0, at_most=65_535),
                "Its port; 0: any that is free, which server.log names.",
            ),
        )
    ),
    (
        spec(host_key("graphite"), ValueKind.STRING, "127.0.0.1"),
        "The Graphite that gets metrics.",
    ),
    (
        spec(port_key("graphite"), ValueKind.INT, "2003", at_least=1, at_most=65_535),
        "The port on which it takes plain text.",
    ),
    (
        spec(GRAPHITE_PREFIX, ValueKind.STRING, ""),
        "What the names of metrics begin with there; several brokers need one each.",
    ),
)
"""Specs and meanings of those that Kafka's own config does not have."""
