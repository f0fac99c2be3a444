"""The ACLs by Kafka's protocol: `kadmin.admin.ports.AclAdmin`.

Brokers accept no fence: a concurrent change of the same rules is not noticed, and need not be,
since rules are added and removed one by one.
"""

from collections.abc import Sequence
from typing import Final

from kafka.errors import SecurityDisabledError, for_code
from kafka.protocol.admin import CreateAclsRequest, DeleteAclsRequest, DescribeAclsRequest

from cluster.model.acl import PatternType, ResourceAcls, ResourcePattern, ResourceType
from cluster.model.outcome import Committed
from kadmin.admin.answers import AclSnapshot
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.outcomes import outcome
from kadmin.errors import KadminError
from kadmin.plan.acls import OPERATIONS, PERMISSIONS, AclPlan, Rule, in_words, order_of

ANY: Final = 1
FIRST: Final = 2
"""The number of the first type of resource, operation and permission; before it are unknown and
any."""

PATTERNS: Final = {3: PatternType.LITERAL, 4: PatternType.PREFIXED}
NUMBERS: Final = {pattern: number for number, pattern in PATTERNS.items()}
TYPES: Final = dict(enumerate(ResourceType, FIRST))
OPERATION_OF: Final = dict(enumerate(OPERATIONS, FIRST))
PERMISSION_OF: Final = dict(enumerate(PERMISSIONS, FIRST))

SINCE: Final = "2.0"
"""Kafka 0.11 to 1.1 know no prefixes, and say so by leaving them out."""


class NoAuthorizer(KadminError):
    """The brokers let everybody do everything."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(
            f"the brokers at {bootstrap} have no authorizer: there are no ACLs",
            hint="they need authorizer.class.name in their server.properties",
        )


class WireAcls:
    """The `AclAdmin` of a connection to brokers.

    Raises:
        NotServed: the brokers are older than 2.0, or serve none.
    """

    def __init__(self, connection: WireConnection) -> None:
        version = connection.version_of(DescribeAclsRequest)
        if version is None or version < 1:
            hint = "kadmin acls --zookeeper HOST:PORT works with every release"
            raise NotServed(connection.settings.bootstrap, "ACLs with patterns", SINCE, hint)
        self.connection = connection

    def snapshot(self) -> AclSnapshot:
        """Read all rules; those that this kadmin does not know, as of a newer resource type, are
        left out.

        Raises:
            NoAuthorizer: there is none.
        """
        request = DescribeAclsRequest(
            resource_type_filter=ANY,
            resource_name_filter=None,
            pattern_type_filter=ANY,
            principal_filter=None,
            host_filter=None,
            operation=ANY,
            permission_type=ANY,
        )
        answer = self.connection.ask(request)
        self.check(answer.error_code, answer.error_message)
        found = {}
        for described in answer.resources:
            kind, pattern = TYPES.get(described.resource_type), PATTERNS.get(described.pattern_type)
            if kind is None or pattern is None:
                continue
            rules = [
                Rule(acl.principal, permission, operation, acl.host)
                for acl in described.acls
                if (operation := OPERATION_OF.get(acl.operation)) is not None
                and (permission := PERMISSION_OF.get(acl.permission_type)) is not None
            ]
            resource = ResourcePattern(kind, described.resource_name, pattern)
            found[resource] = ResourceAcls(entries=tuple(rule.entry for rule in sorted(rules)))
        return AclSnapshot(
            acls={resource: found[resource] for resource in sorted(found, key=order_of)},
            damaged={},
        )

    def check(self, code: int, reason: str | None) -> None:
        if code == SecurityDisabledError.errno:
            raise NoAuthorizer(self.connection.settings.bootstrap)
        if code != 0:
            raise for_code(code)(reason or "ACLs")

    def dry_run(self, plans: Sequence[AclPlan]) -> None:
        """Do nothing: brokers offer no dry run for this request."""

    def fence(self) -> Fence:
        return self.connection.fence()

    def write(self, fence: Fence, plan: AclPlan) -> Outcome:
        what = f"change the ACLs of {in_words(plan.resource)}"
        results = []
        with self.connection.changing(what, is_whole=len(plan.added) + len(plan.removed) == 1):
            if plan.added:
                creations = [numbers_of(plan.resource, rule) for rule in plan.added]
                results += self.connection.send(CreateAclsRequest(creations=creations)).results
            if plan.removed:
                filters = [numbers_of(plan.resource, rule) for rule in plan.removed]
                request = DeleteAclsRequest(filters=filters)
                results += self.connection.send(request).filter_results
        for result in results:
            self.check_outcome(result.error_code, what, result.error_message)
        return Committed()

    def check_outcome(self, code: int, what: str, reason: str | None) -> None:
        if code == SecurityDisabledError.errno:
            raise NoAuthorizer(self.connection.settings.bootstrap)
        outcome(code, what, what, reason)


def numbers_of(resource: ResourcePattern, rule: Rule) -> tuple[int, str, int, str, str, int, int]:
    """Return a rule in the protocol's order, which creations and filters share."""
    return (
        list(ResourceType).index(resource.resource_type) + FIRST,
        resource.name,
        NUMBERS[resource.pattern_type],
        rule.principal,
        rule.host,
        OPERATIONS.index(rule.operation) + FIRST,
        PERMISSIONS.index(rule.permission_type) + FIRST,
    )
