"""Kafka's JSON files of reassignments: what do they say, and how are they written?

All that is wrong in a file is found at once, where Kafka's tool names the first thing, and said in
its words where it has some.  Knows neither the disk nor the cluster.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias, TypeGuard

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic_name import topic_name_problem
from kadmin.plan.reassignment.targets import (
    ANY_DIR,
    BadFile,
    Target,
    Targets,
    in_order,
    repeated,
)
from kadmin.plan.wording import listed

VERSION: Final = 1
INT32_MAX: Final = 2**31 - 1

QUOTED_MAX: Final = 100
"""So much of an object is quoted: an entry whole, but not a whole file."""

TARGETS_HINT: Final = (
    'write it like {"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2]}]},'
    " as --generate prints it"
)
TOPICS_HINT: Final = 'write it like {"version":1,"topics":[{"topic":"t"},{"topic":"u"}]}'

JsonObject: TypeAlias = dict[str, object]


def parse_targets(text: str, source: str) -> dict[TopicPartition, Target]:
    """What the reassignment file *source*, which holds *text*, asks for, in order.

    Raises:
        BadFile: it is not of Kafka's form, names nothing, a partition twice, or a partition with
            replicas that no partition can have.
    """
    document = parse_document(text, source, TARGETS_HINT)
    problems = list(version_problems(document))
    entries = document.get("partitions")
    if not isinstance(entries, list):
        problems.append("it has no list 'partitions'")
        entries = []
    elif not entries:
        problems.append("partition reassignment list cannot be empty")
    pairs = []
    for number, entry in enumerate(entries):
        found = entry_problems(entry, number)
        problems += found
        if not found:
            pairs.append(target_of(entry))
    twice = repeated(partition for partition, _ in pairs)
    if twice:
        problems.append(
            f"partition reassignment contains duplicate topic partitions: {listed(twice)}"
        )
    targets = dict(pairs)
    problems += replica_problems(targets)
    if problems:
        raise BadFile(source, problems, TARGETS_HINT)
    return in_order(targets)


def parse_topics(text: str, source: str) -> tuple[str, ...]:
    """The topics that the file *source*, which holds *text*, names, in its order.

    Raises:
        BadFile: it is not of Kafka's form, names none, or one twice.
    """
    document = parse_document(text, source, TOPICS_HINT)
    problems = list(version_problems(document))
    entries = document.get("topics")
    if not isinstance(entries, list):
        problems.append("it has no list 'topics'")
        entries = []
    elif not entries:
        problems.append("the list of topics is empty")
    names: list[str] = []
    for number, entry in enumerate(entries):
        name = entry.get("topic") if isinstance(entry, dict) else None
        if is_topic(name):
            names.append(name)
        else:
            problems.append(f"topics[{number}] has no 'topic' with the name of one")
    twice = repeated(names)
    if twice:
        problems.append(f"list of topics to reassign contains duplicate entries: {listed(twice)}")
    if problems:
        raise BadFile(source, problems, TOPICS_HINT)
    return tuple(names)


def targets_text(targets: Targets) -> str:
    """*targets* in one line, byte for byte as Kafka's tool prints them since 2.6.

    A directory stands for each replica, `any` where none is asked for.
    """
    entries = [
        {
            "topic": partition.topic,
            "partition": partition.partition,
            "replicas": target.replicas,
            "log_dirs": target.log_dirs or (ANY_DIR,) * len(target.replicas),
        }
        for partition, target in in_order(targets).items()
    ]
    document = {"version": VERSION, "partitions": entries}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def parse_document(text: str, source: str, hint: str) -> JsonObject:
    """The object that *text* is.

    Raises:
        BadFile: it is none, or nobody can tell which of two values of a key is meant.
    """
    ambiguous: list[str] = []

    def object_of(pairs: list[tuple[str, object]]) -> JsonObject:
        found = dict(pairs)
        if len(found) < len(pairs):
            ambiguous.append(twice_text(pairs))
        return found

    try:
        document = json.loads(text, object_pairs_hook=object_of)
    except ValueError as error:
        where = ""
        if isinstance(error, json.JSONDecodeError):
            where = f" (line {error.lineno}, column {error.colno}: {error.msg})"
        problem = f"it is not JSON{where}" if text.strip() else "it is empty"
        raise BadFile(source, [problem], hint) from error
    except RecursionError as error:
        raise BadFile(source, ["it is nested too deeply"], hint) from error
    if not isinstance(document, dict):
        raise BadFile(source, ["it is no JSON object"], hint)
    if ambiguous:
        raise BadFile(source, ambiguous, hint)
    return document


def twice_text(pairs: list[tuple[str, object]]) -> str:
    """What is wrong with the object of *pairs*, some of whose keys stand in it more than once."""
    keys = " and ".join(f"'{key}'" for key in repeated(key for key, _ in pairs))
    compact = json.JSONEncoder(separators=(",", ":")).encode
    written = ",".join(f"{compact(key)}:{compact(value)}" for key, value in pairs)
    more = "…" if len(written) > QUOTED_MAX else ""
    return f"{keys} more than once in {{{written[:QUOTED_MAX]}{more}}}"


def version_problems(document: JsonObject) -> Iterator[str]:
    version = document.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        yield f"not supported version field value {json.dumps(version)}"


def target_of(entry: Mapping[str, Any]) -> tuple[TopicPartition, Target]:
    """What an entry without problems asks for."""
    partition = TopicPartition(entry["topic"], entry["partition"])
    replicas = tuple(map(BrokerId, entry["replicas"]))
    return partition, Target(replicas, tuple(entry.get("log_dirs") or ()))


def entry_problems(entry: object, number: int) -> list[str]:
    """What keeps partitions[*number*] from being understood at all."""
    if not isinstance(entry, dict):
        return [f"partitions[{number}] is no object"]
    place = place_of(entry, number)
    problems = []
    topic = entry.get("topic")
    if not is_topic(topic):
        problems.append(f"{place} has no 'topic' with the name of one")
    if not is_number(entry.get("partition")):
        problems.append(f"{place} has no 'partition' with its number")
    replicas = entry.get("replicas")
    if not isinstance(replicas, list) or not all(map(is_number, replicas)):
        problems.append(f"{place} has no 'replicas' with a list of broker ids")
    dirs = entry.get("log_dirs")
    if dirs is not None and not (isinstance(dirs, list) and all(map(is_log_dir, dirs))):
        problems.append(f"'log_dirs' of {place} is no list of \"any\" and absolute paths")
    elif dirs and isinstance(replicas, list) and len(dirs) != len(replicas):
        problems.append(
            f"size of replicas list [{', '.join(map(str, replicas))}] is different from size of log"
            f" dirs list [{', '.join(map(str, dirs))}] for partition {place}"
        )
    return problems


def place_of(entry: Mapping[str, object], number: int) -> str:
    """How an operator finds the entry again: by its partition, or by its place in the list."""
    topic, partition = entry.get("topic"), entry.get("partition")
    if isinstance(topic, str) and is_number(partition):
        return f"{topic}-{partition}"
    return f"partitions[{number}]"


def is_topic(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and topic_name_problem(value) is None


def is_number(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= INT32_MAX


def is_log_dir(value: object) -> bool:
    return isinstance(value, str) and (value == ANY_DIR or value.startswith("/"))


def replica_problems(targets: Targets) -> Iterator[str]:
    empty = [partition for partition, target in targets.items() if not target.replicas]
    if empty:
        yield f"partition replica list cannot be empty: {listed(empty)}"
    lists = []
    for partition, target in targets.items():
        twice = repeated(target.replicas)
        if twice:
            brokers = ", ".join(map(str, twice))
            lists.append(f"{partition} contains multiple entries for {brokers}")
    if lists:
        entries = listed(lists, ". ")
        yield f"partition replica lists may not contain duplicate entries: {entries}"
