"""kafka-python speaks as clients of Kafka 0.8 to 0.10 do, in messages of magic 0 and 1."""

import pytest

from tests.clients.confluent import Confluent
from tests.clients.conftest import NUMBERS
from tests.clients.driver import Sent
from tests.clients.kafka_python import KafkaPython
from tests.clients.marks import LIBRARIES
from tests.support.brokers import Broker

pytestmark = [pytest.mark.clients, *LIBRARIES]


@pytest.mark.parametrize(
    ("api_version", "codec"),
    [((0, 8, 2), None), ((0, 9), "gzip"), ((0, 10, 0), None), ((0, 10, 2), "gzip")],
)
def test_what_is_sent_in_an_old_version_comes_back_in_every_other(
    broker: Broker, api_version: tuple[int, ...], codec: str | None
) -> None:
    topic = f"old-versions-{next(NUMBERS)}"
    library = KafkaPython(broker.bootstrap)
    Confluent(broker.bootstrap).create_topic(topic, 1)
    records = [Sent(b"value %d" % number, key) for number in range(20) for key in (None, b"d", b"")]
    records += [Sent(b"x" * 50_000), Sent(None, b"gone")]

    try:
        offsets = library.produce(
            topic, records, api_version=api_version, compression_type=codec, linger_ms=50
        )
        old = library.consume(topic, 0, 0, len(records), api_version=api_version)
    finally:
        library.close()
    new = Confluent(broker.bootstrap).consume(topic, 0, 0, len(records))

    assert offsets == [*range(len(records))]
    sent = [(offset, record.key, record.value) for offset, record in enumerate(records)]
    for got in (old, new):
        assert sent == [(one.offset, one.record.key, one.record.value) for one in got]
    # What magic 0 has no room for.
    assert (new[0].record.timestamp_ms == records[0].timestamp_ms) == (api_version >= (0, 10))
