"""Planned and finished changes of topics: how do they look?"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cluster.model.ids import BrokerId
from cluster.model.placement import Layout, Placement
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.topics import AddPartitionsPlan, CreatePlan, DeletePlan, TopicPlan
from kadmin.render.configs import loss_bodies
from kadmin.render.output import Document
from kadmin.render.plan_items import PLAN_LINES_MAX, item_lines

UNCHANGED: Final = "unchanged"


KEY_WARNING: Final = (
    "if partitions are increased for a topic that has a key, the partition logic or ordering of"
    " the messages will be affected"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicChange:
    """What became of one topic; *line* is what Kafka's tool would say, empty where it is silent.

    *outcome* is one word or two, an interface for scripts; *details* join the document.
    """

    action: str
    topic: str
    outcome: str
    line: str = ""
    details: Mapping[str, object] = field(default_factory=dict)


def written_document(plans: Sequence[TopicPlan]) -> Document:
    """Return the *plans* that were written, in the words of Kafka's tool."""
    return changes_document([change_of(plan, is_written=True) for plan in plans], is_dry_run=False)


def planned_document(plans: Sequence[TopicPlan]) -> Document:
    """Return the *plans* of a dry run; as text their lines."""
    changes = [change_of(plan, is_written=False) for plan in plans]
    return replace(
        changes_document(changes, is_dry_run=True),
        lines=lambda: (line for plan in plans for line in plan_lines(plan, limit=None)),
    )


def existing_document(topic: str, *, is_dry_run: bool) -> Document:
    """Return the document of no change, since *topic* exists."""
    change = TopicChange(action="create", topic=topic, outcome="exists")
    return changes_document([change], is_dry_run=is_dry_run)


def changes_document(changes: Sequence[TopicChange], *, is_dry_run: bool) -> Document:
    return Document(
        schema="kadmin.topics.change/1",
        body=lambda: {
            "dry_run": is_dry_run,
            "changes": [change_body(change) for change in changes],
        },
        columns=("action", "topic", "outcome"),
        rows=lambda: ((change.action, change.topic, change.outcome) for change in changes),
        lines=lambda: (change.line for change in changes if change.line),
    )


def change_body(change: TopicChange) -> dict[str, object]:
    return {
        "action": change.action,
        "topic": change.topic,
        "outcome": change.outcome,
        **change.details,
    }


def change_of(plan: TopicPlan, *, is_written: bool) -> TopicChange:
    """Return what *plan* made of its topic, or would make of it."""
    match plan:
        case CreatePlan():
            change = created(plan)
        case AddPartitionsPlan():
            change = partitions_added(plan)
        case DeletePlan():
            change = deleted(plan)
        case ConfigPlan():
            change = configs_changed(plan)
    if is_written or change.outcome == UNCHANGED:
        return change
    return replace(change, outcome="planned", line="")


def created(plan: CreatePlan) -> TopicChange:
    return TopicChange(
        action="create",
        topic=plan.name,
        outcome="created",
        line=f"Created topic {plan.name}.",
        details={
            **layout_details(plan.layout, plan.placement),
            "configs": dict(plan.configs),
        },
    )


def partitions_added(plan: AddPartitionsPlan) -> TopicChange:
    return TopicChange(
        action="add_partitions",
        topic=plan.name,
        outcome="done",
        line="Adding partitions succeeded!",
        details=layout_details(plan.added, plan.placement),
    )


def deleted(plan: DeletePlan) -> TopicChange:
    state = "already marked" if plan.is_already_marked else "marked"
    return TopicChange(
        action="delete",
        topic=plan.name,
        outcome="done",
        line=f"Topic {plan.name} is {state} for deletion.",
    )


def configs_changed(plan: ConfigPlan) -> TopicChange:
    name = str(plan.entity.root.name)
    return TopicChange(
        action="alter_configs",
        topic=name,
        outcome="done" if plan.changes else UNCHANGED,
        line=f"Updated config for topic {name}."
        if plan.changes
        else f"Config for topic {name} stays as it is.",
        details={
            "configs": [
                {"name": change.name, "before": change.before, "after": change.after}
                for change in plan.changes
            ],
            "may_delete": loss_bodies(plan),
        },
    )


def plan_lines(plan: TopicPlan, limit: int | None = PLAN_LINES_MAX) -> Iterable[str]:
    """Return *plan* before it is written; of its new partitions no more than *limit*, None for
    all."""
    match plan:
        case CreatePlan():
            return create_lines(plan, limit)
        case AddPartitionsPlan():
            warnings = (*plan.warnings, *map(str, plan.risks), KEY_WARNING)
            return [
                *add_partitions_lines(plan, limit),
                *(f"  warning: {text}" for text in warnings),
            ]
        case DeletePlan():
            return [delete_line(plan)]
        case ConfigPlan():
            warnings = (*plan.warnings, *map(str, plan.risks))
            return [*str(plan).splitlines(), *(f"  warning: {text}" for text in warnings)]


def create_lines(plan: CreatePlan, limit: int | None) -> Iterator[str]:
    partitions = plan.assignment.partitions
    factor = len(partitions[0].replicas)
    yield (
        f"plan: create topic {plan.name}: {count(len(partitions), 'partition')}"
        f" × {count(factor, 'replica')}{placement_text(plan.placement)}"
    )
    for key, value in plan.configs.items():
        yield f"  config {key}={value}"
    yield from layout_lines(plan.layout, limit)
    for warning in (*plan.warnings, *map(str, plan.risks)):
        yield f"  warning: {warning}"


def add_partitions_lines(plan: AddPartitionsPlan, limit: int | None) -> Iterator[str]:
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
    def text(item: tuple[int, Sequence[BrokerId]]) -> str:
        partition, replicas = item
        return f"partition {partition}: replicas {brokers(replicas)}"

    return item_lines(list(layout.items()), text, limit)


def brokers(replicas: Sequence[BrokerId]) -> str:
    return ",".join(map(str, replicas))


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def layout_details(layout: Layout, placement: Placement | None) -> dict[str, object]:
    """Return the part of a change's document with the placement of partitions."""
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
