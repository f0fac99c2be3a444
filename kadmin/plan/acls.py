"""A plan of ACLs: which rules shall a resource get, or lose?

Pure: what was read goes in, plans come out.  Knows neither znodes nor requests.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import Final, NamedTuple

from cluster.model.acl import (
    SUPPORTED_OPERATIONS,
    AclEntry,
    AclOperation,
    PatternType,
    ResourceAcls,
    ResourcePattern,
    ResourceType,
)
from cluster.model.ids import NEVER_READ
from kadmin.wording import counted, listed

ALL: Final = "All"
ALLOW: Final = "Allow"
DENY: Final = "Deny"
PERMISSIONS: Final = (DENY, ALLOW)
ANYWHERE: Final = "*"
"""Every host; as the name of a resource every one of its type."""

CLUSTER_NAME: Final = "kafka-cluster"
"""The one resource of the type CLUSTER."""

OPERATIONS: Final = (
    ALL,
    *("".join(word.capitalize() for word in each.name.split("_")) for each in AclOperation),
    "CreateTokens",
    "DescribeTokens",
)
"""As they stand in ZooKeeper, in the order of the protocol's numbers."""

SUPPORTED: Final[Mapping[ResourceType, frozenset[str]]] = {
    **{
        kind: frozenset(OPERATIONS[each - AclOperation.READ + 1] for each in operations)
        for kind, operations in SUPPORTED_OPERATIONS.items()
    },
    ResourceType.GROUP: frozenset({"Read", "Describe", "Delete"}),
    ResourceType.TRANSACTIONAL_ID: frozenset({"Describe", "Write"}),
    ResourceType.DELEGATION_TOKEN: frozenset({"Describe"}),
    ResourceType.USER: frozenset({"CreateTokens", "DescribeTokens"}),
}
"""What each type of resource takes besides All.  Source: Kafka's AclEntry.supportedOperations."""
assert SUPPORTED.keys() == set(ResourceType)


class PatternFilter(StrEnum):
    """Which patterns a name means, as kafka-acls has it."""

    LITERAL = "literal"
    PREFIXED = "prefixed"
    ANY = "any"
    """Those of exactly this name, of any type."""
    MATCH = "match"
    """All that say something of the resource of this name."""


@dataclass(frozen=True, slots=True)
class ResourceFilter:
    """The resource patterns that a name means."""

    resource_type: ResourceType
    name: str
    pattern: PatternFilter = PatternFilter.LITERAL

    def matches(self, resource: ResourcePattern) -> bool:
        """Return whether the filter matches.  Source: Kafka's ResourcePatternFilter."""
        if self.resource_type is not resource.resource_type:
            return False
        if self.pattern is not PatternFilter.MATCH:
            is_type = self.pattern in (PatternFilter.ANY, resource.pattern_type.lower())
            return is_type and self.name == resource.name
        if resource.is_literal:
            return resource.name in (self.name, ANYWHERE)
        return self.name.startswith(resource.name)

    def may_match(self, resource_type: ResourceType, pattern_type: PatternType) -> bool:
        """Return whether it means patterns of that kind, whatever their names."""
        is_any = self.pattern in (PatternFilter.ANY, PatternFilter.MATCH)
        return self.resource_type is resource_type and (
            is_any or self.pattern == pattern_type.lower()
        )

    @property
    def as_pattern(self) -> ResourcePattern:
        """The one pattern that it means; there is none for ANY and MATCH."""
        return ResourcePattern(self.resource_type, self.name, PatternType[self.pattern.name])


class Rule(NamedTuple):
    """What makes two entries the same."""

    principal: str
    permission_type: str
    operation: str
    host: str

    def __str__(self) -> str:
        """Write it as Kafka's logs and tools do."""
        return (
            f"(principal={self.principal}, host={self.host}, operation={constant(self.operation)},"
            f" permissionType={constant(self.permission_type)})"
        )

    @property
    def entry(self) -> AclEntry:
        return AclEntry(**self._asdict())


def rule_of(entry: AclEntry) -> Rule:
    return Rule(entry.principal, entry.permission_type, entry.operation, entry.host)


def constant(name: str) -> str:
    """Return `CLUSTER_ACTION` for `ClusterAction`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class AclRequest:
    """What is to become of which resources.

    With *is_removal* the rules of each filter go, or all that there are where it has none;
    otherwise they are added, and each filter means one pattern.
    """

    rules: Mapping[ResourceFilter, tuple[Rule, ...]]
    is_removal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AclPlan:
    """What *resource* gets and loses; *before* is what that was planned from."""

    resource: ResourcePattern
    added: tuple[Rule, ...] = ()
    removed: tuple[Rule, ...] = ()
    before: ResourceAcls = field(compare=False)

    @property
    def is_change(self) -> bool:
        return bool(self.added or self.removed)

    @property
    def after(self) -> ResourceAcls:
        """In the version that it is to replace."""
        kept = (entry for entry in self.before.entries if rule_of(entry) not in self.removed)
        return replace(self.before, entries=(*kept, *(rule.entry for rule in self.added)))


def plan_acls(found: Mapping[ResourcePattern, ResourceAcls], request: AclRequest) -> list[AclPlan]:
    """Plan *request* for each resource, in order; a removal only where some rule is removed."""
    if request.is_removal:
        plans = [removal(resource, acls, request) for resource, acls in found.items()]
        return in_order(plan for plan in plans if plan.is_change)
    wanted: dict[ResourcePattern, list[Rule]] = {}
    for filter_, rules in request.rules.items():
        wanted.setdefault(filter_.as_pattern, []).extend(rules)
    return in_order(
        addition(resource, found.get(resource, NO_ACLS), rules)
        for resource, rules in wanted.items()
    )


NO_ACLS: Final = ResourceAcls(entries=(), zk_version=NEVER_READ)


def addition(resource: ResourcePattern, before: ResourceAcls, rules: Iterable[Rule]) -> AclPlan:
    there = set(map(rule_of, before.entries))
    added = tuple(dict.fromkeys(rule for rule in rules if rule not in there))
    return AclPlan(resource=resource, added=added, before=before)


def removal(resource: ResourcePattern, before: ResourceAcls, request: AclRequest) -> AclPlan:
    there = tuple(map(rule_of, before.entries))
    removed: set[Rule] = set()
    for filter_, rules in request.rules.items():
        if filter_.matches(resource):
            removed |= set(rules or there)
    return AclPlan(
        resource=resource, removed=tuple(rule for rule in there if rule in removed), before=before
    )


def without_effect(found: Mapping[ResourcePattern, ResourceAcls], request: AclRequest) -> str:
    """Return why a removal removes nothing: what has rules that stay, or what may have been
    meant."""
    matching = [
        resource
        for resource in sorted(found, key=order_of)
        if any(filter_.matches(resource) for filter_ in request.rules)
    ]
    if matching:
        others = (
            f"{in_words(each)} has {counted(len(found[each].entries), 'other')}"
            for each in matching
        )
        return f"there are no such ACLs, nothing is to be removed: {listed(others)}"
    near = []
    for filter_ in request.rules:
        alike = {each.name: each for each in found if each.resource_type is filter_.resource_type}
        near += [alike[name] for name in get_close_matches(filter_.name, alike, n=1)]
    if not near:
        return "there are no such ACLs: nothing is to be removed"
    meant = listed(in_words(each) for each in dict.fromkeys(near))
    return f"there are no such ACLs, nothing is to be removed; did you mean {meant}?"


def in_order(plans: Iterable[AclPlan]) -> list[AclPlan]:
    return sorted(plans, key=lambda plan: order_of(plan.resource))


def order_of(resource: ResourcePattern) -> tuple[int, str, str]:
    return (list(ResourceType).index(resource.resource_type), resource.name, resource.pattern_type)


def in_words(resource: ResourcePattern) -> str:
    kind = constant(resource.resource_type).lower().replace("_", " ")
    if resource.resource_type is ResourceType.CLUSTER:
        return "the cluster"
    if not resource.is_literal:
        return f"{kind}s that begin with '{resource.name}'"
    return f"all {kind}s" if resource.name == ANYWHERE else f"{kind} '{resource.name}'"


def plan_lines(plan: AclPlan) -> Iterator[str]:
    """Return the lines of the plan that is shown before confirmation."""
    if not plan.is_change:
        yield f"plan: the ACLs of {in_words(plan.resource)} stay as they are"
        return
    yield f"plan: change the ACLs of {in_words(plan.resource)}"
    for sign, rules in (("+", plan.added), ("-", plan.removed)):
        for rule in rules:
            where = "" if rule.host == ANYWHERE else f" from {rule.host}"
            permission = rule.permission_type.lower()
            yield f"  {sign} {permission} {rule.principal} {rule.operation}{where}"


def warnings_of(plan: AclPlan) -> Iterator[str]:
    """Return what is different for those of whom no rule speaks."""
    unnamed = "where brokers have allow.everyone.if.no.acl.found=true"
    if plan.added and not plan.before.entries:
        yield (
            f"the first ACLs of {in_words(plan.resource)}: {unnamed}, all others lose access,"
            " unless another pattern lets them in"
        )
    elif plan.removed and not plan.after.entries:
        yield (
            f"the last ACLs of {in_words(plan.resource)}: unless another pattern says more, it is"
            f" open to everybody {unnamed}, and else to super users alone"
        )
