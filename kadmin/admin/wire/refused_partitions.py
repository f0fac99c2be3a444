"""The partitions that brokers should serve and do not, as brokers of ours say themselves.

Brokers of Kafka say nothing of it.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from kafka.errors import for_code
from kafka.protocol.admin import DescribeConfigsRequest

from cluster.model.broker import BrokerRegistration
from cluster.model.config_table import REFUSED_PARTITIONS
from cluster.model.ids import BrokerId, TopicPartition
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.describe_configs import BROKER


def read_refused(
    connection: WireConnection, brokers: Collection[BrokerId]
) -> dict[BrokerId, dict[TopicPartition, str]]:
    """Return what each of *brokers* refuses, with the reason; one that does not answer is left out.

    Raises:
        KafkaError: the error of a broker, such as of rights, which `connect_brokers` translates.
    """
    if not brokers or not connection.serves(DescribeConfigsRequest):
        return {}
    answers, _silent = connection.ask_all(
        {
            broker: DescribeConfigsRequest(
                resources=[(BROKER, str(broker), [REFUSED_PARTITIONS])], include_synonyms=False
            )
            for broker in brokers
        }
    )
    return {broker: dict(refused_in(broker, answer)) for broker, answer in answers.items()}


def refused_in(broker: BrokerId, answer: Any) -> Iterator[tuple[TopicPartition, str]]:
    for result in answer.results:
        if result.error_code != 0:
            raise for_code(result.error_code)(f"configs of broker {broker}")
        for config in result.configs:
            if config.name == REFUSED_PARTITIONS and config.value is not None:
                for name, reason in json.loads(config.value).items():
                    topic, _, number = name.rpartition("-")
                    yield TopicPartition(topic, int(number)), reason


def refusing(
    brokers: Mapping[BrokerId, BrokerRegistration],
    refused: Mapping[BrokerId, Mapping[TopicPartition, str]],
) -> dict[BrokerId, BrokerRegistration]:
    """Return *brokers* with what they have *refused*, as their registrations in ZooKeeper have
    it."""
    return {
        broker: replace(registered, refused=refused.get(broker, {}))
        for broker, registered in brokers.items()
    }
