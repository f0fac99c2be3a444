"""The largest batch that a topic takes, by its configs.

librdkafka does not read configs of topics: it would fill batches that are refused with all of their
records.
"""

from collections.abc import Mapping
from concurrent.futures import TimeoutError as NotInTime
from typing import Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import ConfigResource

from kadmin.records.client import ConnectionLog, client_config, create_client
from kadmin.settings.brokers import BrokerSettings

BATCH_SIZE_USUAL: Final = 1_000_000
"""librdkafka's own, in bytes, which is below what brokers take by default."""

LIMITS: Final = ("max.message.bytes", "segment.bytes")
COMPRESSED_PERCENT: Final = 98
"""What cannot be compressed grows by it."""

PATIENCE_S: Final = 5.0


def batch_size_of(
    settings: BrokerSettings, topic: str, properties: Mapping[str, str], *, debug: bool
) -> int | None:
    """Return how many bytes a batch to *topic* may have; None for as many as usual.

    None also where no broker returns it: releases before 0.11, or without permission.
    """
    log = ConnectionLog(settings.bootstrap, has_tls=settings.tls)
    admin = create_client(
        AdminClient, {**client_config(settings, {}, log, debug=debug), **properties}
    )
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    patience_s = min(settings.timeout_s, PATIENCE_S)
    try:
        asked = admin.describe_configs([resource], request_timeout=patience_s)
        configs = asked[resource].result(patience_s)
    except (KafkaException, NotInTime):
        return None
    values = [configs[name].value for name in LIMITS if name in configs]
    limit = min((int(value) for value in values if value), default=BATCH_SIZE_USUAL)
    allowed = limit * COMPRESSED_PERCENT // 100
    return max(1, allowed) if allowed < BATCH_SIZE_USUAL else None
