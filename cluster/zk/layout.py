"""The layout of an empty ensemble: the znodes that a broker creates first."""

from typing import Final

from cluster.model.config_entity import EntityKind
from cluster.zk import paths

PERSISTENT_PATHS: Final = (
    paths.CONSUMERS,
    paths.BROKERS,
    paths.BROKER_IDS,
    paths.TOPICS,
    paths.CONFIG,
    paths.CONFIG_CHANGES,
    paths.ADMIN,
    paths.DELETE_TOPICS,
    paths.BROKER_SEQUENCE,
    paths.ISR_CHANGES,
    paths.PRODUCER_ID_BLOCK,
    paths.LOG_DIR_EVENTS,
    f"{paths.CONFIG}/{EntityKind.TOPICS}",
    f"{paths.CONFIG}/{EntityKind.CLIENTS}",
    f"{paths.CONFIG}/{EntityKind.USERS}",
    f"{paths.CONFIG}/{EntityKind.BROKERS}",
    f"{paths.CONFIG}/{EntityKind.IPS}",
)
"""In the order in which Kafka 2.8 creates them, all persistent and with null data.

Brokers watch the children of several of them, and such a watch needs an existing node.
"""
