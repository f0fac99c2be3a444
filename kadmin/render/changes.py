"""How do planned and finished changes of topics look?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cluster.model.ids import BrokerId
from cluster.model.placement import Layout, Placement
from kadmin.plan.topics import AddPartitionsPlan, CreatePlan, DeletePlan
from kadmin.render.output import Document

LAYOUT_LINES_MAX: Final = 20
"""Notes show no more partitions of a plan than that; a dry run shows all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became of one topic; *line* is what Kafka's tool would say, empty where it is silent.

    *outcome* is one word or two, an interface for scripts; *details* join the document.
    """

    action: str
    topic: str
    outcome: str
    line: str = ""
    details: Mapping[str, object] = field(default_factory=dict)


def changes_document(changes: Sequence[Change], *, dry_run: bool) -> Document:
    return Document(
        schema="kadmin.topics.change/1",
        body=lambda: {"dry_run": dry_run, "changes": [change_body(change) for change in changes]},
        columns=("action", "topic", "outcome"),
        rows=lambda: ((change.action, change.topic, change.outcome) for change in changes),
        lines=lambda: (change.line for change in changes if change.line),
    )


def planned_document(lines: Sequence[str], changes: Sequence[Change]) -> Document:
    """The planned *changes*; as text the *lines* of their plans."""
    return replace(changes_document(changes, dry_run=True), lines=lambda: lines)


def change_body(change: Change) -> dict[str, object]:
    return {
        "action": change.action,
        "topic": change.topic,
        "outcome": change.outcome,
        **change.details,
    }


def create_lines(plan: CreatePlan, limit: int | None = LAYOUT_LINES_MAX) -> Iterator[str]:
    partitions = plan.assignment.partitions
    factor = len(partitions[0].replicas)
    yield (
        f"plan: create topic {plan.name}: {count(len(partitions), 'partition')}"
        f" × {count(factor, 'replica')}{placement_text(plan.placement)}"
    )
    for key, value in plan.configs.items():
        yield f"  config {key}={value}"
    yield from layout_lines(plan.layout, limit)
    for warning in plan.warnings:
        yield f"  warning: {warning}"


def add_partitions_lines(
    plan: AddPartitionsPlan, limit: int | None = LAYOUT_LINES_MAX
) -> Iterator[str]:
    yield (
        f"plan: topic {plan.name}: {len(plan.before.partitions)} ->"
        f" {count(len(plan.after.partitions), 'partition')}{placement_text(plan.placement)}"
    )
    yield from layout_lines(plan.added, limit)


def delete_line(plan: DeletePlan) -> str:
    size = f"{count(plan.partition_count, 'partition')}, {count(plan.replica_count, 'replica')}"
    if plan.is_already_marked:
        return f"plan: topic {plan.name} is already marked for deletion ({size})"
    return f"plan: delete topic {plan.name} with all its records ({size})"


def placement_text(placement: Placement | None) -> str:
    if placement is None:
        return ", as assigned"
    racks = "" if placement.is_rack_aware else ", racks left aside"
    start = f", --start-index {placement.start_index}"
    if placement.shift != placement.start_index:
        start += f" --start-shift {placement.shift}"
    return racks + start


def layout_lines(layout: Layout, limit: int | None) -> Iterator[str]:
    shown = list(layout.items())[:limit]
    for partition, replicas in shown:
        yield f"  partition {partition}: replicas {brokers(replicas)}"
    if len(shown) < len(layout):
        yield f"  … and {len(layout) - len(shown)} more (--dry-run shows all)"


def brokers(replicas: Sequence[BrokerId]) -> str:
    return ",".join(map(str, replicas))


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def layout_details(layout: Layout, placement: Placement | None) -> dict[str, object]:
    """The part of a change's document that says where partitions go."""
    details: dict[str, object] = {
        "partitions": {str(partition): replicas for partition, replicas in layout.items()}
    }
    if placement is not None:
        details["placement"] = {
            "start_index": placement.start_index,
            "start_shift": placement.shift,
            "rack_aware": placement.is_rack_aware,
        }
    return details
