"""The file of offsets before which records go: is it understood, and all that is wrong named?"""

import json

import pytest

from cluster.model.ids import TopicPartition
from kadmin.arguments.documents import BadFile
from kadmin.arguments.offsets_file import parse_offsets
from kadmin.plan.offsets import LATEST

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)


def entry(topic: object = "t", partition: object = 0, offset: object = 1) -> dict[str, object]:
    return {"topic": topic, "partition": partition, "offset": offset}


def test_a_file_of_kafka_s_tool_is_read() -> None:
    text = json.dumps({"version": 1, "partitions": [entry("u", 0, -1), entry("t", 1, 42)]})

    assert {T1: 42, U0: LATEST} == parse_offsets(text, "file")
    assert {T0: 0} == parse_offsets(json.dumps({"partitions": [entry(offset=0)]}), "file")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        ("{}", "missing partitions field"),
        ('{"partitions":[]}', "it names no partition"),
        ('{"partitions":[],"version":2}', "not supported version field value 2"),
        (json.dumps({"partitions": [7]}), "partitions[0] has no 'topic' and 'partition' of one"),
        (json.dumps({"partitions": [entry(partition=-1)]}), "partitions[0] has no 'topic'"),
        (json.dumps({"partitions": [entry(offset=-2)]}), "t-0 has no 'offset' of 0 or more"),
        (json.dumps({"partitions": [entry(offset=True)]}), "t-0 has no 'offset' of 0 or more"),
        (json.dumps({"partitions": [entry(offset=2**63)]}), "t-0 has no 'offset' of 0 or more"),
        (
            json.dumps({"partitions": [entry(), entry(offset=2)]}),
            "offset json file contains duplicate topic partitions: t-0",
        ),
    ],
)
def test_what_is_wrong_in_a_file_is_named(text: str, problem: str) -> None:
    with pytest.raises(BadFile) as refused:
        parse_offsets(text, "file")

    assert problem in refused.value.message


def test_all_problems_of_a_file_are_named_at_once() -> None:
    text = json.dumps({"version": 3, "partitions": [entry("", 0), entry(offset="1"), 5]})

    with pytest.raises(BadFile) as refused:
        parse_offsets(text, "file")

    assert 4 == len(refused.value.problems)
