"""A broker whose ZooKeeper has gone goes on answering, whatever it is asked."""

import time
from pathlib import Path

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from tests.support.brokers import produce, running_broker
from tests.support.serving import RawClient
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of, running_server

pytestmark = [pytest.mark.zk, pytest.mark.faults]

ANSWER_S_MAX = 12
"""Several times what a slow machine takes, and less than what ZooKeeper is waited for."""
TOPIC_COUNT = 20_000


def test_thousands_of_unknown_topics_do_not_stop_it_while_zookeeper_is_away(
    tmp_path: Path,
) -> None:
    names = [f"unknown-{number}" for number in range(TOPIC_COUNT)]
    everything = MetadataRequest([MetadataRequestTopic(name=name) for name in names])
    with (
        running_server(tmp_path / "zk") as server,
        running_broker(tmp_path / "b1", server.connect) as broker,
    ):
        with client_of(server.connect) as zookeeper:
            zookeeper.create("/brokers/topics/orders", b'{"version":1,"partitions":{"0":[1]}}')

        def takes_a_record() -> bool:
            with broker.client() as client:
                return produce(client, "orders").error_code == 0

        def asked(client: RawClient, body: MetadataRequest) -> MetadataResponse:
            answer = client.ask(ApiKey.METADATA, 9, body, MetadataResponse)
            assert isinstance(answer, MetadataResponse)
            return answer

        wait_until(takes_a_record, what="the first record")
        server.kill()

        with broker.client() as many, broker.client() as one:
            took_s = []
            for _ in range(3):
                found = asked(many, everything)
                assert len(found.topics) == TOPIC_COUNT
                began = time.monotonic()
                assert takes_a_record()
                found = asked(one, MetadataRequest([MetadataRequestTopic(name="orders")]))
                assert [ErrorCode.NONE] == [topic.error_code for topic in found.topics]
                took_s.append(time.monotonic() - began)
            # The machine may have stood still meanwhile, but not each time.
            assert min(took_s) < ANSWER_S_MAX
