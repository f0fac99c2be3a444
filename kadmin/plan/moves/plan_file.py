"""The file of a move plan: what is reviewed is what is run.

The planner writes it, and a supervised run reads it.  Whether the cluster is still as it was
planned for, the run judges by the versions that the plan carries.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeGuard

from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from cluster.model.placement import Racks
from cluster.model.topic_name import topic_name_problem
from kadmin.errors import UsageError
from kadmin.json_object import BadJsonObject, parse_json_object
from kadmin.repetition import repeated
from kadmin.wording import first_listed, listed

VERSION: Final = 1
INT32_MAX: Final = 2**31 - 1
INT64_MAX: Final = 2**63 - 1

JsonObject: TypeAlias = Mapping[str, object]


class BadPlanFile(UsageError):
    """A text that is no move plan; *problems* are all that is wrong with it, each with its
    place."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        super().__init__(
            f"cannot use {source} as a move plan: " + listed(problems, "; "),
            hint="plan again: kadmin reassign plan --goal GOAL --out FILE",
        )
        self.source = source
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMove:
    """One partition, from *replicas* to *target*, each with its preferred leader first.

    *zk_version* is that of the znode with the assignment of its topic, None where brokers were
    asked.  *size_bytes* is what one replica has, None where no broker reported it.
    """

    partition: TopicPartition
    replicas: tuple[BrokerId, ...]
    target: tuple[BrokerId, ...]
    zk_version: ZkVersion | None = None
    size_bytes: int | None = None

    @property
    def adding(self) -> tuple[BrokerId, ...]:
        return tuple(broker for broker in self.target if broker not in self.replicas)

    @property
    def removing(self) -> tuple[BrokerId, ...]:
        return tuple(broker for broker in self.replicas if broker not in self.target)

    @property
    def moves_preferred_leader(self) -> bool:
        return self.replicas[:1] != self.target[:1]


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlan:
    """The partitions that change for *goal*, in order, and how near that is to the least.

    *cluster_id* is None for a cluster that has none, before Kafka 0.10.1.  *arguments* are those of
    the goal, as JSON has them.  *moved_replicas* are copied to brokers that lack them;
    *lower_bound* of them no plan for the goal can avoid.  The same in bytes is None where sizes are
    not known.  A plan is *is_optimal* where what it minimizes meets its lower bound.  *brokers* are
    those that were there, each with its rack.
    """

    tool_version: str
    cluster_id: str | None
    planned_at_ms: int
    goal: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    moved_replicas: int
    lower_bound: int
    moved_bytes: int | None
    lower_bound_bytes: int | None
    is_optimal: bool
    brokers: Racks
    moves: tuple[PlannedMove, ...]

    @property
    def targets(self) -> dict[TopicPartition, tuple[BrokerId, ...]]:
        return {move.partition: move.target for move in self.moves}


def to_document(plan: MovePlan) -> dict[str, object]:
    """Return *plan* as a JSON object; `from_json` reads its text."""
    return {
        "version": VERSION,
        "tool_version": plan.tool_version,
        "cluster_id": plan.cluster_id,
        "planned_at_ms": plan.planned_at_ms,
        "goal": plan.goal,
        "arguments": dict(plan.arguments),
        "moved_replicas": plan.moved_replicas,
        "lower_bound": plan.lower_bound,
        "moved_bytes": plan.moved_bytes,
        "lower_bound_bytes": plan.lower_bound_bytes,
        "optimal": plan.is_optimal,
        "brokers": [{"broker": broker, "rack": rack} for broker, rack in plan.brokers.items()],
        "partitions": [
            {
                "topic": move.partition.topic,
                "partition": move.partition.partition,
                "replicas": list(move.replicas),
                "target": list(move.target),
                "zk_version": move.zk_version,
                "size_bytes": move.size_bytes,
            }
            for move in plan.moves
        ],
    }


def to_json(plan: MovePlan) -> str:
    """Return the text of *plan*, one line for each partition, so that people can read and compare
    it."""
    head = to_document(plan)
    encode = json.JSONEncoder(ensure_ascii=False).encode
    lists = {
        key: "[" + ",".join(f"\n  {encode(entry)}" for entry in entries) + "\n ]"
        for key in ("brokers", "partitions")
        if isinstance(entries := head[key], list) and entries
    }
    members = (f" {encode(key)}: {lists.get(key) or encode(value)}" for key, value in head.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def from_json(text: str, source: str) -> MovePlan:
    """Return the plan that *text*, which is called *source*, holds.

    Keys that are not known are ignored.

    Raises:
        BadPlanFile: it holds none, with every problem and its place.
    """
    try:
        document = parse_json_object(text)
    except BadJsonObject as error:
        raise BadPlanFile(source, error.problems) from error
    version = document.get("version")
    if version != VERSION or isinstance(version, bool):
        raise BadPlanFile(source, [f"'version' is {json.dumps(version)}, and not {VERSION}"])
    reader = _Reader()
    plan = reader.plan(document)
    if not reader.problems:
        reader.problems += contradictions(plan)
    if reader.problems:
        raise BadPlanFile(source, reader.problems)
    return plan


def contradictions(plan: MovePlan) -> Iterator[str]:
    """Return what no planner would have written, though each value by itself is sound."""
    twice = repeated(move.partition for move in plan.moves)
    if twice:
        yield f"'partitions' names more than once: {first_listed(twice)}"
    same = [move.partition for move in plan.moves if move.replicas == move.target]
    if same:
        yield f"'partitions' names what does not change: {first_listed(same)}"
    named = {broker for move in plan.moves for broker in move.target}
    unknown = sorted(named - plan.brokers.keys())
    if unknown:
        yield f"'target' names brokers that are not in 'brokers': {first_listed(unknown)}"
    added = sum(len(move.adding) for move in plan.moves)
    if added != plan.moved_replicas:
        yield f"'moved_replicas' is {plan.moved_replicas}, and 'partitions' move {added}"
    if plan.lower_bound > plan.moved_replicas:
        yield f"'lower_bound' is {plan.lower_bound}, above 'moved_replicas'"


class _Reader:
    """Reads the values of a plan and collects what is wrong with them; a wrong value has a
    substitute, which is never returned to callers of `from_json`."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def plan(self, document: JsonObject) -> MovePlan:
        return MovePlan(
            tool_version=self.text(document, "tool_version"),
            cluster_id=self.optional_text(document, "cluster_id"),
            planned_at_ms=self.number(document, "planned_at_ms", INT64_MAX),
            goal=self.text(document, "goal"),
            arguments=self.arguments(document),
            moved_replicas=self.number(document, "moved_replicas", INT64_MAX),
            lower_bound=self.number(document, "lower_bound", INT64_MAX),
            moved_bytes=self.optional_number(document, "moved_bytes", INT64_MAX),
            lower_bound_bytes=self.optional_number(document, "lower_bound_bytes", INT64_MAX),
            is_optimal=self.truth(document, "optimal"),
            brokers=self.brokers(document),
            moves=tuple(
                self.move(entry, place) for entry, place in self.entries(document, "partitions")
            ),
        )

    def brokers(self, document: JsonObject) -> Racks:
        found: dict[BrokerId, str | None] = {}
        for entry, place in self.entries(document, "brokers"):
            broker = BrokerId(self.number(entry, "broker", INT32_MAX, place))
            if broker in found and not self.problems:
                self.problems.append(f"'brokers' names more than once: {broker}")
            found[broker] = self.optional_text(entry, "rack", place)
        return found

    def move(self, entry: JsonObject, place: str) -> PlannedMove:
        topic = self.text(entry, "topic", place)
        problem = topic_name_problem(topic) if topic else None
        if problem is not None:
            self.problems.append(f"{place}: {problem}")
        zk_version = self.optional_number(entry, "zk_version", INT32_MAX, place)
        return PlannedMove(
            partition=TopicPartition(topic, self.number(entry, "partition", INT32_MAX, place)),
            replicas=self.replicas(entry, "replicas", place),
            target=self.replicas(entry, "target", place, is_empty_allowed=False),
            zk_version=None if zk_version is None else ZkVersion(zk_version),
            size_bytes=self.optional_number(entry, "size_bytes", INT64_MAX, place),
        )

    def entries(self, document: JsonObject, key: str) -> Iterator[tuple[JsonObject, str]]:
        """Yield the objects of the list *key*, each with its place."""
        entries = document.get(key)
        if not isinstance(entries, list):
            self.refuse(document, key, "is no list")
            return
        for number, entry in enumerate(entries):
            place = f"{key}[{number}]"
            if isinstance(entry, dict):
                yield entry, place
            else:
                self.problems.append(f"{place} is no object")

    def replicas(
        self, entry: JsonObject, key: str, place: str, *, is_empty_allowed: bool = True
    ) -> tuple[BrokerId, ...]:
        found = entry.get(key)
        if not isinstance(found, list) or not all(is_number(each, INT32_MAX) for each in found):
            self.refuse(entry, key, "is no list of broker ids", place)
            return ()
        if not found and not is_empty_allowed:
            self.problems.append(f"{place}: '{key}' is empty")
        # Damage that is there may be read; none may be planned.
        if key == "target" and (twice := repeated(found)):
            self.problems.append(f"{place}: '{key}' names more than once: {listed(twice)}")
        return tuple(map(BrokerId, found))

    def arguments(self, document: JsonObject) -> JsonObject:
        found = document.get("arguments")
        if isinstance(found, dict):
            return found
        self.refuse(document, "arguments", "is no object")
        return {}

    def text(self, entry: JsonObject, key: str, place: str = "") -> str:
        found = entry.get(key)
        if isinstance(found, str) and found:
            return found
        self.refuse(entry, key, "is no text", place)
        return ""

    def optional_text(self, entry: JsonObject, key: str, place: str = "") -> str | None:
        return None if self.is_null(entry, key) else self.text(entry, key, place)

    def number(self, entry: JsonObject, key: str, number_max: int, place: str = "") -> int:
        found = entry.get(key)
        if is_number(found, number_max):
            return found
        self.refuse(entry, key, "is no number", place)
        return 0

    def optional_number(
        self, entry: JsonObject, key: str, number_max: int, place: str = ""
    ) -> int | None:
        return None if self.is_null(entry, key) else self.number(entry, key, number_max, place)

    def truth(self, document: JsonObject, key: str) -> bool:
        found = document.get(key)
        if isinstance(found, bool):
            return found
        self.refuse(document, key, "is neither true nor false")
        return False

    @staticmethod
    def is_null(entry: JsonObject, key: str) -> bool:
        """Return whether *key* is there and null; what is missing is wrong."""
        return key in entry and entry[key] is None

    def refuse(self, entry: JsonObject, key: str, problem: str, place: str = "") -> None:
        begin = f"{place}: " if place else ""
        self.problems.append(f"{begin}'{key}' {problem if key in entry else 'is missing'}")


def is_number(value: object, number_max: int) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= number_max
