"""A topic's configs as the log understands them."""

import pytest

from cluster.model.config_table import TOPIC_CONFIGS
from cluster.storage.errors import InvalidLogConfig
from cluster.storage.log_config import NO_BOUND, READ_KEYS, LogConfig


def test_the_defaults_are_those_of_kafka():
    assert LogConfig.parse({}) == LogConfig()
    assert set(READ_KEYS) <= set(TOPIC_CONFIGS)


def test_every_key_that_is_read_has_its_effect():
    config = LogConfig.parse(
        {
            "segment.bytes": " 100000 ",
            "segment.ms": "1",
            "segment.index.bytes": "2000",
            "index.interval.bytes": "3",
            "retention.ms": "-1",
            "retention.bytes": "5",
            "max.message.bytes": "6",
            "message.timestamp.type": "LogAppendTime",
            "message.timestamp.before.max.ms": "7",
            "message.timestamp.after.max.ms": "8",
            "flush.messages": "9",
            "flush.ms": "10",
            "file.delete.delay.ms": "11",
            "preallocate": "True",
            "cleanup.policy": "delete",
            "min.insync.replicas": "nonsense that is somebody else's",
        }
    )

    assert config == LogConfig(
        segment_size_max=100_000,
        segment_ms=1,
        index_size_max=2000,
        index_interval_size=3,
        retention_ms=-1,
        retention_size=5,
        message_size_max=6,
        uses_log_append_time=True,
        timestamp_before_max_ms=7,
        timestamp_after_max_ms=8,
        flush_messages=9,
        flush_ms=10,
        file_delete_delay_ms=11,
        preallocates=True,
    )


@pytest.mark.parametrize(
    ("after", "wanted"), [({}, 4), ({"message.timestamp.after.max.ms": "9"}, 9)]
)
def test_the_older_bound_of_timestamps_holds_where_the_newer_ones_are_silent(after, wanted: int):
    config = LogConfig.parse({"message.timestamp.difference.max.ms": "4", **after})

    assert (config.timestamp_before_max_ms, config.timestamp_after_max_ms) == (4, wanted)
    assert LogConfig().timestamp_after_max_ms == NO_BOUND


def test_all_wrong_values_are_reported_at_once():
    with pytest.raises(InvalidLogConfig) as caught:
        LogConfig.parse(
            {"segment.bytes": "x", "segment.ms": "0", "cleanup.policy": "delete,archive"}
        )

    assert len(caught.value.problems) == 3
    assert "archive" in caught.value.problems[-1]
