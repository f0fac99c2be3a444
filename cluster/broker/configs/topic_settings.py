"""By what does this broker keep the partitions of a topic, given the topic's overrides?"""

from collections.abc import Mapping
from typing import Final, NamedTuple, Self

from cluster.model.config_spec import trimmed
from cluster.model.config_table import TOPIC_CONFIGS
from cluster.storage.config import LogConfig

MIN_ISR: Final = "min.insync.replicas"


class TopicSettings(NamedTuple):
    log: LogConfig
    min_isr: int

    @classmethod
    def parse(cls, defaults: Mapping[str, str], overrides: Mapping[str, str]) -> Self:
        """*defaults* are the broker's for all topics; what it does not say is Kafka's default.

        Raises:
            InvalidLogConfig: no log can be kept by these.
        """
        merged = {**defaults, **overrides}
        log = LogConfig.parse(merged)
        default = TOPIC_CONFIGS[MIN_ISR].default
        assert default is not None
        return cls(log, int(trimmed(merged.get(MIN_ISR, default))))
