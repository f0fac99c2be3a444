"""Changes of ACLs, planned from their current state."""

from collections.abc import Iterable, Sequence
from functools import partial

from cluster.model.acl import ResourcePattern
from kadmin.admin.answers import AclSnapshot
from kadmin.admin.ports import AclAdmin
from kadmin.execute.change import Change, Notices, Question, Step
from kadmin.execute.unreadable import Unreadable
from kadmin.plan.acls import (
    NO_ACLS,
    AclPlan,
    AclRequest,
    plan_acls,
    warnings_of,
    without_effect,
)
from kadmin.wording import counted


class AclChange(Change[AclPlan]):
    """Rules that are added or removed by *request*."""

    def __init__(self, admin: AclAdmin, request: AclRequest, notices: Notices) -> None:
        super().__init__(admin)
        self.admin = admin
        self.request = request
        self.notices = notices

    def steps(self) -> list[Step[AclPlan]]:
        """Plan the request for each resource, and ask brokers whether all could be written.

        Raises:
            KadminError: it could not.
            Unreadable: the rules of a resource that is meant are damaged.
        """
        plans = plan_acls(self.read().acls, self.request)
        self.admin.dry_run(plans)
        if not plans:
            self.notices.note(without_effect(self.admin.snapshot().acls, self.request))
        return [Step(plan=plan, replan=partial(self.replan, plan.resource)) for plan in plans]

    def replan(self, resource: ResourcePattern) -> AclPlan:
        snapshot = self.read()
        for plan in plan_acls(snapshot.acls, self.request):
            if plan.resource == resource:
                return plan
        # Another client has removed what was to be removed.
        return AclPlan(resource=resource, before=snapshot.acls.get(resource, NO_ACLS))

    def read(self) -> AclSnapshot:
        return readable(self.admin.snapshot(), self.request)

    def warnings(self, plan: AclPlan) -> Iterable[str]:
        return warnings_of(plan)

    def question(self, plans: Sequence[AclPlan]) -> Question | None:
        """Return the question before rules are removed; none where some are added, as with Kafka's
        tool."""
        removed = sum(len(plan.removed) for plan in plans)
        return Question(f"Remove {counted(removed, 'ACL')}?") if removed else None


def readable(snapshot: AclSnapshot, request: AclRequest) -> AclSnapshot:
    for resource, fault in snapshot.damaged.items():
        if any(filter_.matches(resource) for filter_ in request.rules):
            raise Unreadable(fault)
    for (resource_type, pattern_type), fault in snapshot.hidden.items():
        if any(filter_.may_match(resource_type, pattern_type) for filter_ in request.rules):
            raise Unreadable(fault)
    return snapshot
