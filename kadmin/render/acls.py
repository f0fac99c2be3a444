"""ACLs, and what became of a change of them: how do they look?

The lines are those of kafka-acls, but sorted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from cluster.model.acl import ResourceAcls, ResourcePattern
from cluster.model.fault import Fault
from kadmin.plan.acls import DENY, AclPlan, Rule, constant, in_words, plan_lines, rule_of
from kadmin.render.faults import fault_bodies
from kadmin.render.output import Document
from kadmin.render.visible import visible

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = (
    "resource_type",
    "name",
    "pattern_type",
    "principal",
    "host",
    "operation",
    "permission",
)

ListedAcls = Mapping[ResourcePattern, Sequence[Rule]]


def list_document(
    acls: ListedAcls, faults: Sequence[Fault], principals: Sequence[str] = ()
) -> Document:
    """Return the rules of each resource; where *principals* are asked for, each has its own
    heading."""
    listed = [
        (resource, rule)
        for resource, rules in acls.items()
        for rule in sorted(rules)
        if not principals or rule.principal in principals
    ]
    return Document(
        schema="kadmin.acls.list/1",
        body=lambda: {
            "acls": [dict(zip(COLUMNS, cells(*each), strict=True)) for each in listed],
            "faults": fault_bodies(faults),
        },
        columns=COLUMNS,
        rows=lambda: (cells(*each) for each in listed),
        lines=lambda: list_lines(acls, principals),
        pretty=(lambda: pretty(listed)) if listed else None,
    )


def cells(resource: ResourcePattern, rule: Rule) -> tuple[str, ...]:
    return (
        resource.resource_type.name,
        resource.name,
        resource.pattern_type.value,
        rule.principal,
        rule.host,
        constant(rule.operation),
        constant(rule.permission_type),
    )


def list_lines(acls: ListedAcls, principals: Sequence[str]) -> Iterator[str]:
    if not principals:
        yield from current_lines(acls)
    for principal in principals:
        yield f"ACLs for principal `{principal}`"
        yield from current_lines(
            {
                resource: [rule for rule in rules if rule.principal == principal]
                for resource, rules in acls.items()
            }
        )


def current_lines(acls: ListedAcls) -> Iterator[str]:
    for resource, rules in acls.items():
        if rules:
            yield from resource_lines("Current", resource, sorted(rules))


def resource_lines(word: str, resource: ResourcePattern, rules: Iterable[Rule]) -> Iterator[str]:
    """Write the lines, with the blanks at their ends that kafka-acls prints."""
    text = "\n".join(f"\t{visible(str(rule))}" for rule in rules)
    yield from f"{word} ACLs for resource `{visible(str(resource))}`: \n {text} \n".split("\n")


def pretty(listed: Sequence[tuple[ResourcePattern, Rule]]) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import FittedTable

    table = FittedTable()
    table.add_column("resource", least=20)
    table.add_column("principal", least=16)
    table.add_column("host", worth=1)
    table.add_column("permission")
    table.add_column("operation")
    last: ResourcePattern | None = None
    for resource, rule in listed:
        style = "red" if rule.permission_type == DENY else ""
        table.add_row(
            "" if resource == last else in_words(resource),
            rule.principal,
            rule.host,
            Text(rule.permission_type, style),
            rule.operation,
        )
        last = resource
    return table


def change_document(plans: Sequence[AclPlan], *, is_dry_run: bool) -> Document:
    """Return finished changes in the lines of kafka-acls; planned ones as the plan."""
    return Document(
        schema="kadmin.acls.change/1",
        body=lambda: {
            "dry_run": is_dry_run,
            "changes": [
                {
                    "resource_type": plan.resource.resource_type.name,
                    "name": plan.resource.name,
                    "pattern_type": plan.resource.pattern_type.value,
                    "outcome": outcome_of(plan, is_dry_run=is_dry_run),
                    **{
                        word: [
                            dict(zip(COLUMNS[3:], cells(plan.resource, rule)[3:], strict=True))
                            for rule in rules
                        ]
                        for word, rules in (
                            ("added", plan.added),
                            ("removed", plan.removed),
                            ("acls", rules_of(plan.after)),
                        )
                    },
                }
                for plan in plans
            ],
        },
        columns=(*COLUMNS, "change"),
        rows=lambda: (
            (*cells(plan.resource, rule), change)
            for plan in plans
            for change, rules in (("added", plan.added), ("removed", plan.removed))
            for rule in rules
        ),
        lines=lambda: planned_lines(plans) if is_dry_run else changed_lines(plans),
    )


def outcome_of(plan: AclPlan, *, is_dry_run: bool) -> str:
    if not plan.is_change:
        return "unchanged"
    return "planned" if is_dry_run else "changed"


def rules_of(acls: ResourceAcls) -> list[Rule]:
    return sorted(map(rule_of, acls.entries))


def planned_lines(plans: Sequence[AclPlan]) -> Iterator[str]:
    for plan in plans:
        yield from plan_lines(plan)


def changed_lines(plans: Sequence[AclPlan]) -> Iterator[str]:
    for plan in plans:
        if plan.added:
            yield from resource_lines("Adding", plan.resource, plan.added)
    yield from current_lines({plan.resource: rules_of(plan.after) for plan in plans})
