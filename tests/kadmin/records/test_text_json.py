"""Does a record survive being written as a line of JSON, whatever bytes it holds?"""

import json
from contextlib import suppress

import pytest
from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_NOT_AVAILABLE, Message
from hypothesis import given
from hypothesis import strategies as st

from kadmin.records.forms import json_line
from kadmin.records.text_json import NotARecord, parse_record

data = st.none() | st.binary(max_size=20) | st.text(max_size=10).map(str.encode)
names = st.text(st.characters(codec="utf-8"), max_size=8)
headers = st.lists(st.tuples(names, data), max_size=3)


@given(data, data, headers, st.integers(0, 2**31 - 1), st.integers(1, 2**62))
def test_what_consuming_writes_producing_understands_byte_for_byte(
    key: bytes | None,
    value: bytes | None,
    headers: list[tuple[str, bytes | None]],
    partition: int,
    time_ms: int,
) -> None:
    message = Message(
        topic="orders",
        partition=partition,
        offset=7,
        key=key,
        value=value,
        headers=list(headers),
        timestamp=(TIMESTAMP_CREATE_TIME, time_ms),
    )

    line = json_line(message)
    record = parse_record(line)

    assert (key, value, tuple(headers)) == (record.key, record.value, record.headers)
    assert (partition, time_ms) == (record.partition, record.timestamp_ms)
    assert line.count(b"\n") == 1


def test_bytes_that_are_no_text_stand_in_base64_under_a_name_of_their_own() -> None:
    message = Message(
        topic="t",
        partition=0,
        offset=3,
        key=None,
        value=b"\xff\x00",
        timestamp=(TIMESTAMP_NOT_AVAILABLE, -1),
    )

    fields = json.loads(json_line(message))

    assert fields == {
        "topic": "t",
        "partition": 0,
        "offset": 3,
        "timestamp": None,
        "timestamp_type": None,
        "leader_epoch": None,
        "headers": [],
        "key": None,
        "value_base64": "/wA=",
    }


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "it is no JSON: "),
        ("[1]", "it is no JSON object"),
        ('{"valeu": "x"}', "unknown field 'valeu'"),
        ('{"value": 5}', "'value' is no string"),
        ('{"value": "a", "value_base64": "YQ=="}', "are both given"),
        ('{"value_base64": "?"}', "'value_base64' is no base64"),
        ('{"value_base64": 5}', "'value_base64' is no base64"),
        ('{"value": "\\ud800"}', "half a character"),
        ('{"partition": -1}', "'partition' is no whole number from 0 to 2147483647"),
        ('{"partition": true}', "'partition' is no whole number"),
        ('{"timestamp": 0}', "'timestamp' is no whole number from 1 "),
        ('{"headers": "a"}', "'headers' is no list"),
        ('{"headers": [{"value": "a"}]}', "a header is no object with a 'name'"),
    ],
)
def test_line_that_is_no_record_is_refused_with_its_reason(line: str, reason: str) -> None:
    with pytest.raises(NotARecord) as refusal:
        parse_record(line.encode())

    assert reason in str(refusal.value)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_line_does_worse_than_being_refused(line: bytes) -> None:
    with suppress(NotARecord):
        parse_record(line)
