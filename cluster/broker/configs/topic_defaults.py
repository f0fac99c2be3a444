"""What do a broker's keys say of topics that say nothing themselves?

Knows Kafka's keys, and not who has set them.
"""

from collections.abc import Mapping
from typing import Final

from cluster.model.config_spec import trimmed
from cluster.model.config_table import TOPIC_CONFIGS
from cluster.storage.log_config import READ_KEYS, UNLIMITED

MS_PER_MINUTE: Final = 60_000
MS_PER_HOUR: Final = 60 * MS_PER_MINUTE

SUPPORTED_TOPIC_CONFIGS: Final = (
    *READ_KEYS,
    "min.insync.replicas",
    "unclean.leader.election.enable",
)
TOPIC_DEFAULTS: Final = {
    synonym: name
    for name in SUPPORTED_TOPIC_CONFIGS
    if (synonym := TOPIC_CONFIGS[name].synonym) is not None
}
"""The brokers' keys for the defaults of topic configs, each with the topic's key."""

FALLBACKS: Final = (
    ("retention.ms", "log.retention.minutes", MS_PER_MINUTE),
    ("retention.ms", "log.retention.hours", MS_PER_HOUR),
    ("segment.ms", "log.roll.hours", MS_PER_HOUR),
    ("flush.ms", "log.flush.scheduler.interval.ms", 1),
)
"""Topics' keys that brokers may speak of by a second key, with its unit in milliseconds; it counts
where no earlier one is set."""


def topic_defaults(values: Mapping[str, str]) -> dict[str, str]:
    """The topic configs that a broker's *values* speak of, under the topics' names.

    The values are legal, and there are those only that somebody has set.
    """
    defaults = {
        topic_key: trimmed(values[key])
        for key, topic_key in TOPIC_DEFAULTS.items()
        if key in values
    }
    for topic_key, key, unit_ms in FALLBACKS:
        if topic_key not in defaults and key in values:
            value = int(trimmed(values[key]))
            defaults[topic_key] = str(value if value == UNLIMITED else value * unit_ms)
    return defaults
