"""Kafka's files: what is read is what was meant, what is printed is what Kafka's tool prints."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.arguments.documents import BadFile
from kadmin.arguments.reassignment_files import parse_targets, parse_topics, targets_text
from kadmin.errors import ExitCode
from kadmin.plan.reassignment.targets import Target
from tests.kadmin.plan.reassignment.builders import part, targets
from tests.kadmin.plan.reassignment.transcripts import transcript

PRINTED = [
    line
    for name in ("51-generate", "52-generate-errors", "56-execute-ok", "59-execute-throttle")
    for _, said in transcript(name).runs
    for line in said
    if line.startswith("{") and line != '{"version":1,"partitions":[]}'
]

topic_names = st.text("abzAZ09._-", min_size=1, max_size=8).filter(lambda n: n not in (".", ".."))
partitions = st.builds(TopicPartition, topic_names, st.integers(0, 2**31 - 1))
dirs = st.one_of(st.just("any"), st.text(st.characters(codec="utf-8"), max_size=5).map("/".__add__))
replica_lists = st.lists(st.integers(0, 20).map(BrokerId), min_size=1, max_size=4, unique=True)


@st.composite
def any_target(draw: st.DrawFn) -> Target:
    replicas = tuple(draw(replica_lists))
    count = len(replicas)
    chosen = draw(st.one_of(st.just([]), st.lists(dirs, min_size=count, max_size=count)))
    return Target(replicas, tuple(chosen))


def problems_of(text: str) -> tuple[str, ...]:
    with pytest.raises(BadFile) as raised:
        parse_targets(text, "r.json")
    assert raised.value.exit_code == ExitCode.USAGE
    assert str(raised.value).startswith("cannot use r.json: ")
    return raised.value.problems


def file_of(*entries: object) -> str:
    return json.dumps({"version": 1, "partitions": entries})


def test_there_are_transcripts() -> None:
    assert len(PRINTED) >= 8


@pytest.mark.parametrize("printed", PRINTED)
def test_what_kafka_s_tool_prints_is_printed_byte_for_byte(printed: str) -> None:
    assert targets_text(parse_targets(printed, "printed")) == printed


@given(st.dictionaries(partitions, any_target(), min_size=1, max_size=6))
def test_what_was_printed_is_read_again(wanted: dict[TopicPartition, Target]) -> None:
    found = parse_targets(targets_text(wanted), "printed")

    assert list(found) == sorted(wanted)
    for partition, target in wanted.items():
        assert found[partition].replicas == target.replicas
        assert found[partition].chosen_dirs == target.chosen_dirs


def test_partitions_are_in_order_of_number() -> None:
    written = targets_text(targets("t-10:1", "t-9:1", "s-11:1"))

    assert re.findall(r'"partition":(\d+)', written) == ["11", "9", "10"]


def test_the_version_may_be_left_out_and_what_is_not_known_is_left_aside() -> None:
    text = '{"partitions":[{"topic":"t","partition":0,"replicas":[1,0],"by":"me"}],"at":"night"}'

    assert parse_targets(text, "r.json") == targets("t-0:1,0")


def test_directories_are_told_by_broker() -> None:
    text = file_of(
        {"topic": "t", "partition": 0, "replicas": [1, 2], "log_dirs": ["any", "/d2"]},
        {"topic": "t", "partition": 1, "replicas": [1, 2], "log_dirs": None},
    )

    found = parse_targets(text, "r.json")

    assert found[part("t-0")].chosen_dirs == {2: "/d2"}
    assert found[part("t-1")].chosen_dirs == {}


REFUSALS = transcript("55-execute-errors")
KAFKA_S_WORDS = {
    "x-nolist.json": "partition reassignment list cannot be empty",
    "x-version.json": "not supported version field value 2",
    "x-dup.json": "partition reassignment contains duplicate topic partitions: t1-0",
    "x-duprep.json": "partition replica lists may not contain duplicate entries:"
    " t1-0 contains multiple entries for 2",
    "x-norep.json": "partition replica list cannot be empty: t1-0",
    "x-logdirs.json": "size of replicas list [2, 0] is different from size of log dirs list [any]"
    " for partition t1-0",
}


@pytest.mark.parametrize("name", KAFKA_S_WORDS)
def test_a_file_is_refused_in_kafka_s_words(name: str) -> None:
    (said,) = (lines[0] for words, lines in REFUSALS.runs if words.endswith(f" {name}"))

    kafka = re.sub(r"List\((.*?)\)", r"[\1]", said.removeprefix("Error: "))
    assert problems_of(REFUSALS.files[name]) == (KAFKA_S_WORDS[name],)
    assert KAFKA_S_WORDS[name].startswith(kafka[0].lower() + kafka[1:])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        (
            REFUSALS.files["x-bad.json"],
            "it is not JSON (line 1, column 41: Expecting ',' delimiter)",
        ),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"version":%s}' % ("1" * 5_000), "it is not JSON"),
        ("[]", "it is no JSON object"),
        ("{}", "it has no list 'partitions'"),
        ('{"partitions":{}}', "it has no list 'partitions'"),
        ('{"version":true,"partitions":[{}]}', "not supported version field value true"),
        (REFUSALS.files["x-nover.json"], "t1-0 has no 'replicas' with a list of broker ids"),
        (file_of(7), "partitions[0] is no object"),
        (file_of({}), "partitions[0] has no 'topic' with the name of one"),
        (
            file_of({"topic": "a b", "partition": 0, "replicas": [1]}),
            "a b-0 has no 'topic' with the name of one",
        ),
        (
            file_of({"topic": "t", "partition": 99999999999, "replicas": [1]}),
            "'partition' of partitions[0] is no number from 0 to 2147483647: 99999999999",
        ),
        (
            file_of({"topic": "t", "partition": True, "replicas": [1]}),
            "'partition' of partitions[0] is no number from 0 to 2147483647: true",
        ),
        (
            file_of({"topic": "t", "partition": 0, "replicas": [1, "2"]}),
            "t-0 has no 'replicas' with a list of broker ids",
        ),
        (
            file_of({"topic": "t", "partition": 0, "replicas": [2**31]}),
            "t-0 has no 'replicas' with a list of broker ids",
        ),
        (
            file_of({"topic": "t", "partition": 0, "replicas": [1], "log_dirs": ["d"]}),
            "'log_dirs' of t-0 is no list of \"any\" and absolute paths",
        ),
        (
            file_of({"topic": "t", "partition": 0, "replicas": [1], "log_dirs": {}}),
            "'log_dirs' of t-0 is no list of \"any\" and absolute paths",
        ),
    ],
)
def test_what_cannot_be_meant_is_named(text: str, problem: str) -> None:
    assert problem in problems_of(text)


def test_a_key_that_stands_twice_in_an_object_is_named_with_the_object() -> None:
    """JSON readers take the last, people the first."""
    text = (
        '{"partitions":[{"topic":"t","partition":0,"replicas":[1, 2],"replicas":[3]},'
        '{"topic":"t","partition":1,"replicas":[1]},'
        '{"topic":"u","topic":"v","partition":0,"partition":1,"replicas":[1]}]}'
    )
    entry = '{"topic":"t","partition":0,"replicas":[1]}'
    whole = f'{{"partitions":[{",".join([entry] * 9)}],"partitions":[]}}'

    (of_file,) = problems_of(whole)

    assert problems_of(text) == (
        '\'replicas\' more than once in {"topic":"t","partition":0,"replicas":[1,2],'
        '"replicas":[3]}',
        '\'topic\' and \'partition\' more than once in {"topic":"u","topic":"v",'
        '"partition":0,"partition":1,"replicas":[1]}',
    )
    assert of_file.startswith('\'partitions\' more than once in {"partitions":[{"topic":"t",')
    assert of_file.endswith("…}")
    assert len(of_file) < 200
    with pytest.raises(BadFile, match="'topic' more than once in"):
        parse_topics('{"topics":[{"topic":"t","topic":"u"}]}', "t.json")


def test_everything_that_is_wrong_is_named_at_once() -> None:
    text = json.dumps(
        {
            "version": 3,
            "partitions": [
                {"topic": "t", "partition": 0, "replicas": [1, 1]},
                {"topic": "t", "partition": 1, "replicas": []},
                {"topic": "t", "partition": 2, "replicas": [1, 2, 1, 2]},
                {"topic": "t", "partition": 3, "replicas": [1]},
                {"topic": "t", "partition": 3, "replicas": [1]},
                {"topic": "u", "partition": 3, "replicas": []},
                {"topic": "u", "replicas": [0]},
            ],
        }
    )

    assert problems_of(text) == (
        "not supported version field value 3",
        "partitions[6] has no 'partition' with its number",
        "partition reassignment contains duplicate topic partitions: t-3",
        "partition replica list cannot be empty: t-1, u-3",
        "partition replica lists may not contain duplicate entries: t-0 contains multiple entries"
        " for 1. t-2 contains multiple entries for 1, 2",
    )


def test_all_that_generate_prints_is_told_from_the_part_that_is_wanted() -> None:
    with pytest.raises(BadFile) as raised:
        parse_targets('Current partition replica assignment\n{"version":1}\n', "plan.json")

    assert raised.value.problems == ("it is all that --generate prints, with two assignments",)
    assert "below 'Proposed partition reassignment configuration'" in str(raised.value.hint)


def test_topics_to_move_are_read() -> None:
    files = transcript("51-generate").files

    assert parse_topics(files["topics.json"], "t.json") == ("t1", "t3")


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["it is empty"]),
        ("{}", ["it has no list 'topics'"]),
        ('{"topics":[]}', ["the list of topics is empty"]),
        (
            '{"version":0,"topics":[{"topic":"t1"},{"topic":"t1"},{"topic":"a/b"},"t2",{}]}',
            [
                "not supported version field value 0",
                "topics[2] has no 'topic' with the name of one",
                "topics[3] has no 'topic' with the name of one",
                "topics[4] has no 'topic' with the name of one",
                "list of topics to reassign contains duplicate entries: t1",
            ],
        ),
    ],
)
def test_a_list_of_topics_that_cannot_be_meant_is_refused(text: str, problems: list[str]) -> None:
    with pytest.raises(BadFile) as raised:
        parse_topics(text, "t.json")

    assert list(raised.value.problems) == problems


def test_topics_are_refused_in_kafka_s_words() -> None:
    found = transcript("52-generate-errors")
    (said,) = (lines[0] for words, lines in found.runs if "topics-dup.json" in words)

    with pytest.raises(BadFile) as raised:
        parse_topics(found.files["topics-dup.json"], "t.json")

    kafka = said.removeprefix("Error: ")
    assert raised.value.problems == (kafka[0].lower() + kafka[1:],)
