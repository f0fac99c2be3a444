"""What does Kafka make of batches whose greatest timestamp is not that of their records?

Ours appends the same ones, and what both have then is the same to the last byte.
"""

from itertools import count
from typing import Final

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.storage.errors import HeavyBatch, LogError
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import LogConfig
from cluster.storage.records.validation import check_heavy_batch
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tests.clients.confluent import Confluent
from tests.cluster.storage.batches import START_MS, batch, with_max_timestamp
from tests.cluster.storage.logs import EPOCH, fresh_log, stored_bytes
from tests.interop.brokers import RealCluster
from tests.support.brokers import fetch
from tests.support.serving import RawClient
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop

NUMBERS = count(1)
NOT_YET: Final = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NOT_LEADER_OR_FOLLOWER)
YEAR_MS: Final = 365 * 24 * 3600 * 1000
NOW_MS: Final = START_MS + 3 * YEAR_MS
"""About now: nobody here looks at a clock."""
TIMES: Final = {
    "one record": [START_MS],
    "in order": [START_MS + 7 * number for number in range(100)],
    "backwards": [START_MS - 7 * number for number in range(100)],
    "many": [START_MS + number for number in range(9000)],
    "without": [-1, -1, -1],
    "before 1970": [-1000, -500, -7],
    "in ten years": [START_MS, START_MS + 13 * YEAR_MS, START_MS],
}
CLAIMS: Final = (None, START_MS - 1, START_MS, START_MS + 5000, 0, -1, -(2**63), 2**63 - 1)


def append(log: PartitionLog, content: bytearray, config: LogConfig) -> ErrorCode:
    """Append as our broker does."""
    try:
        try:
            log.append(content, EPOCH, NOW_MS, NOW_MS)
        except HeavyBatch:
            check_heavy_batch(content, config, NOW_MS)
            log.append(content, EPOCH, NOW_MS, NOW_MS, has_checked_records=True)
    except LogError as error:
        return error.error_code
    return ErrorCode.NONE


def produced(client: RawClient, topic: str, content: bytearray) -> int:
    """The error; a topic may have been made a moment ago."""
    data = [TopicProduceData(topic, [PartitionProduceData(0, bytes(content))])]
    body = ProduceRequest(None, 1, 5000, data)
    errors: list[int] = []

    def is_told() -> bool:
        answer = client.ask(ApiKey.PRODUCE, 8, body, ProduceResponse)
        errors.append(answer.responses[0].partition_responses[0].error_code)
        return errors[-1] not in NOT_YET

    wait_until(is_told, what=f"a leader of {topic}")
    return errors[-1]


@pytest.mark.parametrize("codec", ["none", "gzip", "lz4"])
@pytest.mark.parametrize("times", TIMES)
def test_both_keep_the_same_of_a_batch_that_claims_another_time(
    cluster_3_9: RealCluster, codec: str, times: str
):
    topic = f"lying-{next(NUMBERS)}"
    kept = {"retention.ms": "-1", "message.timestamp.after.max.ms": str(YEAR_MS)}
    Confluent(cluster_3_9.bootstrap).create_topic(topic, replicas=[[0]], configs=kept)
    config = LogConfig(timestamp_after_max_ms=YEAR_MS)
    log = fresh_log(config)
    host, _, port = cluster_3_9.bootstrap_of(0).partition(":")
    assert host in ("127.0.0.1", "localhost")

    with RawClient(int(port)) as client:
        for claim in CLAIMS:
            at = TIMES[times]
            sent = batch([b"v"] * len(at), times=at, codec=codec)
            sent = sent if claim is None else with_max_timestamp(sent, claim)
            theirs = produced(client, topic, sent)

            assert (claim, theirs) == (claim, append(log, sent, config))
        assert stored_bytes(log) == fetch(client, topic)
