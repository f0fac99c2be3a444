"""Where the value of a config comes from, under Kafka's names and numbers.

Topics go by their own overrides, brokers by what stands in ZooKeeper for them and then by what
stands there for all brokers, the cluster-wide defaults; next comes `server.properties`, and last
the default.  `cluster.broker.configs` finds out which source wins in a broker of ours,
`kadmin.plan.config_values` what can be known without asking a broker.
"""

from enum import IntEnum
from typing import NamedTuple


class ConfigSource(IntEnum):
    """Who has set a value; the numbers are those of DescribeConfigs, the first to win first."""

    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    """In ZooKeeper, for one broker."""
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    """In ZooKeeper, for all brokers: the cluster-wide default."""
    STATIC_BROKER_CONFIG = 4
    """In `server.properties`."""
    DEFAULT_CONFIG = 5

    @classmethod
    def _missing_(cls, value: object) -> "ConfigSource":
        """A source of a later Kafka's is UNKNOWN."""
        return cls.UNKNOWN


class ConfigSynonym(NamedTuple):
    """One source of a value, and the key under which it is set there.

    That is the config's own key or one of its synonyms: a topic's `retention.ms` has
    `log.retention.ms` and `log.retention.hours` of the broker.  *value* is masked where it is
    secret, None where it is not told.
    """

    source: ConfigSource
    name: str
    value: str | None

    def __str__(self) -> str:
        return f"{self.source.name}:{self.name}={'null' if self.value is None else self.value}"
