"""Kafka's JSON files of reassignments: what do they say, and how are they written?

All that is wrong in a file is found at once, where Kafka's tool names the first thing, and said in
its words where it has some.  Knows neither the disk nor the cluster.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.arguments.documents import (
    INT32_MAX,
    VERSION,
    BadFile,
    is_number,
    is_topic,
    parse_document,
    version_problems,
)
from kadmin.plan.reassignment.targets import (
    ANY_DIR,
    Target,
    Targets,
    in_order,
)
from kadmin.repetition import repeated
from kadmin.wording import listed

TARGETS_HINT: Final = (
    'write it like {"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2]}]},'
    " as --generate prints it"
)
CURRENT: Final = "Current partition replica assignment"
ALL_HINT: Final = (
    "keep the JSON below 'Proposed partition reassignment configuration'; that above it is the way"
    " back"
)
SHOWN_MAX: Final = 40
"""How many characters of a wrong value are shown."""
TOPICS_HINT: Final = 'write it like {"version":1,"topics":[{"topic":"t"},{"topic":"u"}]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFrom:
    """What a file was planned from: the cluster's id, and the *replicas* that partitions had.

    Kafka's own files have neither.
    """

    cluster_id: str | None = None
    replicas: Mapping[TopicPartition, tuple[BrokerId, ...]] = field(default_factory=dict)


def parse_targets(text: str, source: str) -> dict[TopicPartition, Target]:
    """Return what the reassignment file *source*, which holds *text*, asks for, in order.

    Raises:
        BadFile: as `parse_targets_for`.
    """
    return parse_targets_for(text, source)[0]


def parse_targets_for(text: str, source: str) -> tuple[dict[TopicPartition, Target], PlannedFrom]:
    """Return what the file *source* asks for, in order, and what it was planned from.

    Raises:
        BadFile: it is not of Kafka's form, names nothing, a partition twice, or a partition with
            replicas that no partition can have.
    """
    if text.lstrip().startswith(CURRENT):
        raise BadFile(source, ["it is all that --generate prints, with two assignments"], ALL_HINT)
    document = parse_document(text, source, TARGETS_HINT)
    problems = list(version_problems(document))
    entries = document.get("partitions")
    if not isinstance(entries, list):
        problems.append("it has no list 'partitions'")
        entries = []
    elif not entries:
        problems.append("partition reassignment list cannot be empty")
    pairs = []
    replicas = {}
    for number, entry in enumerate(entries):
        found = entry_problems(entry, number)
        problems += found
        if not found:
            pairs.append(target_of(entry))
            if wanted_key(entry) != "replicas" and is_broker_list(entry.get("replicas")):
                replicas[pairs[-1][0]] = tuple(map(BrokerId, entry["replicas"]))
    twice = repeated(partition for partition, _ in pairs)
    if twice:
        problems.append(
            f"partition reassignment contains duplicate topic partitions: {listed(twice)}"
        )
    targets = dict(pairs)
    problems += replica_problems(targets)
    if problems:
        raise BadFile(source, problems, TARGETS_HINT)
    planned_for = document.get("cluster_id")
    cluster_id = planned_for if isinstance(planned_for, str) else None
    return in_order(targets), PlannedFrom(cluster_id=cluster_id, replicas=replicas)


def parse_topics(text: str, source: str) -> tuple[str, ...]:
    """Return the topics that the file *source*, which holds *text*, names, in its order.

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
    """Return *targets* in one line, byte for byte as Kafka's tool prints them since 2.6.

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


def target_of(entry: Mapping[str, Any]) -> tuple[TopicPartition, Target]:
    """Return what an entry without problems asks for."""
    partition = TopicPartition(entry["topic"], entry["partition"])
    replicas = tuple(map(BrokerId, entry[wanted_key(entry)]))
    return partition, Target(replicas, tuple(entry.get("log_dirs") or ()))


def entry_problems(entry: object, number: int) -> list[str]:
    """Return what keeps partitions[*number*] from being understood at all."""
    if not isinstance(entry, dict):
        return [f"partitions[{number}] is no object"]
    place = place_of(entry, number)
    problems = []
    topic = entry.get("topic")
    if not is_topic(topic):
        problems.append(f"{place} has no 'topic' with the name of one")
    if "partition" not in entry:
        problems.append(f"{place} has no 'partition' with its number")
    elif not is_number(entry["partition"]):
        shown = json.dumps(entry["partition"])[:SHOWN_MAX]
        problems.append(f"'partition' of {place} is no number from 0 to {INT32_MAX}: {shown}")
    key = wanted_key(entry)
    replicas = entry.get(key)
    if not is_broker_list(replicas):
        problems.append(f"{place} has no '{key}' with a list of broker ids")
    dirs = entry.get("log_dirs")
    if dirs is not None and not (isinstance(dirs, list) and all(map(is_log_dir, dirs))):
        problems.append(f"'log_dirs' of {place} is no list of \"any\" and absolute paths")
    elif dirs and isinstance(replicas, list) and len(dirs) != len(replicas):
        problems.append(
            f"size of replicas list [{', '.join(map(str, replicas))}] is different from size of log"
            f" dirs list [{', '.join(map(str, dirs))}] for partition {place}"
        )
    return problems


def wanted_key(entry: Mapping[str, object]) -> str:
    """Return under which key the wanted replicas stand: in the file of a move plan 'replicas' are
    those before."""
    return "target" if "target" in entry else "replicas"


def is_broker_list(value: object) -> bool:
    return isinstance(value, list) and all(map(is_number, value))


def place_of(entry: Mapping[str, object], number: int) -> str:
    """Return how an operator finds the entry again: by its partition, or by its place in the
    list."""
    topic, partition = entry.get("topic"), entry.get("partition")
    if isinstance(topic, str) and is_number(partition):
        return f"{topic}-{partition}"
    return f"partitions[{number}]"


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
