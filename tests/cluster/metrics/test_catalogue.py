"""The beans of the catalogue, compared with those that were recorded of real brokers."""

from typing import Final

from cluster.metrics.beans import Kind
from cluster.metrics.catalogue.every import all_beans
from tests.support.checkout import CHECKOUT

NOT_YET_THERE: Final = frozenset(
    {
        # Kafka makes them by topic with the first event, and for fetchers of a second broker.
        *(
            f"kafka.server:type=BrokerTopicMetrics,name={name}PerSec,topic"
            for name in (
                *("BytesRejected", "FailedProduceRequests", "FailedFetchRequests"),
                *("FetchMessageConversions", "ProduceMessageConversions"),
            )
        ),
        "kafka.server:type=FetcherLagMetrics,name=ConsumerLag,clientId,topic,partition",
        "kafka.server:type=FetcherStats,name=RequestsPerSec,clientId,brokerHost,brokerPort",
        "kafka.server:type=FetcherStats,name=BytesPerSec,clientId,brokerHost,brokerPort",
    }
)


def recorded() -> set[str]:
    lines = (CHECKOUT / "docs" / "kafka_beans.txt").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if not line.startswith("#")}


def test_kafka_has_every_bean_that_is_here() -> None:
    assert {bean.pattern for bean in all_beans()} - recorded() == NOT_YET_THERE


def test_no_two_beans_have_the_same_name_and_tags() -> None:
    beans = all_beans()

    assert len({bean.pattern for bean in beans}) == len(beans)


def test_each_bean_has_a_meaning_and_only_attributes_have_no_name() -> None:
    for bean in all_beans():
        assert bean.meaning.endswith("."), bean
        assert (bean.name == "") == (bean.kind is Kind.ATTRIBUTES), bean
