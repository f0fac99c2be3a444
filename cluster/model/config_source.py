"""The source of a config's value, under Kafka's names and numbers.

Topics use their own overrides, brokers their overrides in ZooKeeper and then those for all brokers,
the cluster-wide defaults; next comes `server.properties`, and last the default.
`cluster.broker.configs` finds the winning source in a broker of ours, `kadmin.plan.config_values`
what can be known without a broker's answer.
"""

from enum import IntEnum
from typing import NamedTuple


class ConfigSource(IntEnum):
    """Sources of a value; the numbers are those of DescribeConfigs, the first to win first."""

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
        """A source from a later Kafka is UNKNOWN."""
        return cls.UNKNOWN


class ConfigSynonym(NamedTuple):
    """One source of a value, and the key under which it is set there.

    That is the config's own key or one of its synonyms: a topic's `retention.ms` has
    `log.retention.ms` and `log.retention.hours` of the broker.  *value* is masked where it is
    secret, None where the broker does not return it.
    """

    source: ConfigSource
    name: str
    value: str | None

    def __str__(self) -> str:
        return f"{self.source.name}:{self.name}={'null' if self.value is None else self.value}"
