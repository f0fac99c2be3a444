"""Is the place where reading begins the one that was named?"""

from typing import cast

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as Position

from kadmin.errors import KadminError, UsageError
from kadmin.records import positions
from kadmin.records.client import ConnectionLog
from kadmin.records.positions import (
    AtOffset,
    AtTime,
    BeforeEnd,
    Place,
    Start,
    offsets_of,
    parse_start,
)

NOW_MS = 1_795_000_000_000


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("earliest", Place.EARLIEST),
        ("beginning", Place.EARLIEST),
        ("latest", Place.LATEST),
        ("end", Place.LATEST),
        ("0", AtOffset(0)),
        ("9223372036854775807", AtOffset(2**63 - 1)),
        ("-0", BeforeEnd(0)),
        ("-10", BeforeEnd(10)),
        ("-10s", AtTime(NOW_MS - 10_000)),
        ("@1795000000123", AtTime(1_795_000_000_123)),
        ("2026-11-20 03:12:00,500", AtTime(1_795_144_320_500)),
        ("2026-11-20T04:12+01:00", AtTime(1_795_144_320_000)),
        ("1960-01-01", AtTime(0)),
    ],
)
def test_place_is_understood(text: str, start: Start) -> None:
    assert start == parse_start(text, NOW_MS)


@pytest.mark.parametrize("text", ["", "first", "1.5", "9223372036854775808", "--1", "@x"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no offset and no time"):
        parse_start(text, NOW_MS)


class FailingOver:
    """A consumer whose brokers answer the first questions with errors of *codes*."""

    def __init__(self, *codes: int) -> None:
        self.codes = list(codes)

    def offsets_for_times(self, wanted: list[Position], timeout: float) -> list[Position]:
        if self.codes:
            raise KafkaException(KafkaError(self.codes.pop(0)))
        return [Position(one.topic, one.partition, 7) for one in wanted]

    def list_topics(self, topic: str, timeout: float) -> None:
        pass


def test_offsets_are_asked_for_again_while_brokers_fail_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(positions, "ROUND_S", 0)
    wanted, log = [Position("t", 0, -1)], ConnectionLog("b:1")

    def asked(*codes: int, waits: bool = False) -> list[int]:
        consumer = cast(Consumer, FailingOver(*codes))
        return offsets_of(consumer, wanted, log, 30, waits_for_leaders=waits)

    assert [7] == asked(KafkaError._DESTROY_BROKER, KafkaError.FENCED_LEADER_EPOCH)
    assert [7] == asked(KafkaError.LEADER_NOT_AVAILABLE, waits=True)
    with pytest.raises(KadminError, match="the offsets of topic 't'"):
        asked(KafkaError.LEADER_NOT_AVAILABLE)
    with pytest.raises(KadminError, match="denied"):
        asked(KafkaError.TOPIC_AUTHORIZATION_FAILED, waits=True)
