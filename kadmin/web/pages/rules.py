"""The pages of what is set in a cluster: dynamic configs, and the rules of the authorizer."""

from dataclasses import dataclass

from starlette.responses import Response

from kadmin.plan.config_plan import shown_value
from kadmin.web.tables import table_of
from kadmin.web.visit import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of the authorizer."""

    kind: str
    name: str
    is_prefix: bool
    principal: str
    operation: str
    permission: str
    host: str


def configs(visit: Visit) -> Response:
    """Show the dynamic configs of everything but topics; secrets are masked."""
    answer = visit.of.configs.reading.answer
    found, faults = ({}, ()) if answer is None else answer
    entities = [
        (
            entity,
            [
                (key, shown_value(entity.kind, key, value) or "null")
                for key, value in sorted(overrides.values.items())
            ],
        )
        for entity, overrides in found.items()
    ]
    return visit.page("configs.html", entities=entities, faults=faults)


def acls(visit: Visit) -> Response:
    """Show the rules of the authorizer."""
    answer = visit.of.acls.reading.answer
    rules = [
        Rule(
            kind=resource.resource_type.name.lower().replace("_", " "),
            name=resource.name,
            is_prefix=not resource.is_literal,
            principal=entry.principal,
            operation=entry.operation,
            permission=entry.permission_type,
            host=entry.host,
        )
        for resource, acls in (() if answer is None else answer.acls.items())
        for entry in acls.entries
    ]
    table = table_of(visit, rules, lambda rule: f"{rule.kind} {rule.name} {rule.principal}")
    return visit.page("acls.html", table=table)
