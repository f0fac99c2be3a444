"""What of the page helps with a finding: pages that show more, and forms that mend it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from kadmin.plan.check.findings import Finding, Kind
from kadmin.web.roles import Role
from kadmin.web.visit import Visit

LINK_COUNT_MAX: Final = 3
"""Of many topics or groups of a finding the first are linked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A link; one that *changes* leads to a form, and the others show more."""

    label: str
    path: str
    changes: bool = False


def remedies(visit: Visit, finding: Finding) -> list[Remedy]:
    """Return what helps with *finding* and the visitor may use, forms first."""
    found = list(forms(visit, finding)) if visit.may(Role.OPERATE) else []
    topics = finding.topics or tuple(dict.fromkeys(each.topic for each in finding.partitions))
    found += [
        Remedy(label=name, path=visit.link("topics", name)) for name in topics[:LINK_COUNT_MAX]
    ]
    found += [
        Remedy(label=name, path=visit.link("groups", name))
        for name in finding.groups[:LINK_COUNT_MAX]
    ]
    return found


def forms(visit: Visit, finding: Finding) -> Iterator[Remedy]:
    """Return the forms that mend *finding*, filled in."""
    match finding.kind:
        case Kind.DEAD_BROKER:
            numbers = ",".join(map(str, finding.brokers))
            label = f"Drain broker {numbers}" if len(finding.brokers) == 1 else "Drain them"
            yield form(visit, label, "plan-moves", goal="drain", brokers=numbers)
        case Kind.NOT_PREFERRED:
            yield form(visit, "Elect preferred leaders", "elect-leaders", kind="preferred")
        case Kind.THROTTLE:
            yield form(visit, "Release throttles left behind", "release-throttles")
        case Kind.SKEW:
            yield form(visit, "Balance replicas", "plan-moves", goal="balance")
        case Kind.RACKS:
            yield form(visit, "Spread over racks", "plan-moves", goal="racks")
        case Kind.STUCK_GROUP | Kind.LAGGING_GROUP if len(finding.groups) == 1:
            yield form(visit, "Reset its offsets", "reset-offsets", group=finding.groups[0])


def form(visit: Visit, label: str, name: str, **values: str) -> Remedy:
    query = f"?{urlencode(values)}" if values else ""
    return Remedy(label=label, path=visit.link("actions", name) + query, changes=True)
