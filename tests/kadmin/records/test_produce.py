"""Is it told rightly why records were given up, where some brokers answer and others do not?"""

import pytest
from confluent_kafka import KafkaError, Producer

from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.records.client import ConnectionLog
from kadmin.records.delivery import NotTaken
from kadmin.records.produce import ProduceRequest, Sender
from kadmin.settings.brokers import BrokerSettings

BOTH = "b1:9092,b2:9092"


@pytest.fixture
def sender() -> Sender:
    """A sender of three records, of which two were given up since one broker is gone."""
    log = ConnectionLog(BOTH)
    log.note(KafkaError(KafkaError._TRANSPORT, "b1:9092/1: Connection refused"))
    made = Sender(
        Producer({}),
        ProduceRequest(topic="orders"),
        BrokerSettings(bootstrap=BOTH, timeout_s=5),
        log,
        leaders={0: 1, 1: 2},
        report=lambda _: None,
    )
    made.summary.sent, made.summary.delivered = 3, 1
    for line in (2, 3):
        made.fail(line, KafkaError(KafkaError._MSG_TIMED_OUT))
    return made


def test_broker_that_is_gone_is_named_and_the_others_are_not_called_unreachable(
    sender: Sender,
) -> None:
    with pytest.raises(NotTaken) as raised:
        sender.check()

    assert (
        "the brokers did not acknowledge 2 of 3 records of topic 'orders' within 5 s"
        " (b1:9092: connection refused)"
    ) == raised.value.message


def test_brokers_that_are_all_gone_are_unreachable(sender: Sender) -> None:
    sender.log.note(KafkaError(KafkaError._ALL_BROKERS_DOWN))

    with pytest.raises(BrokersUnreachable) as raised:
        sender.check()

    assert f"cannot reach the brokers at {BOTH}: b1:9092: connection refused" == str(raised.value)
