"""What is committed is in the log, whenever a role changes or high watermarks are saved."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.replication.replica import IsrRules, Replica

PARTITION = TopicPartition("orders", 0)


@pytest.mark.parametrize(
    ("start_offset", "high_watermark", "end_offset", "reason"),
    [
        (0, 6, 5, "no more is committed than there is"),
        (4, 3, 5, "what is not committed stays"),
    ],
    ids=["beyond the end", "before the start"],
)
def test_no_high_watermark_outside_of_its_log_is_saved(
    start_offset: int, high_watermark: int, end_offset: int, reason: str
) -> None:
    replica = Replica(BrokerId(1), high_watermark, 1, IsrRules(30_000, lambda _: True))
    log = SimpleNamespace(log_start_offset=start_offset, log_end_offset=end_offset)
    partitions = Partitions(MetadataCache())
    partitions.add(HostedPartition(PARTITION, replica, cast(Any, log), NO_TOPIC_ID))

    with pytest.raises(AssertionError, match=reason):
        partitions.high_watermarks()
