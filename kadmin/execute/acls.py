"""Plans of changes of ACLs, made from what the cluster says now."""

from functools import partial

from cluster.model.acl import ResourcePattern
from kadmin.admin.answers import AclSnapshot
from kadmin.admin.ports import AclAdmin
from kadmin.execute.change import Step
from kadmin.execute.unreadable import Unreadable
from kadmin.plan.acls import NO_ACLS, AclPlan, AclRequest, plan_acls


def acl_steps(admin: AclAdmin, request: AclRequest) -> list[Step[AclPlan]]:
    """Plan *request* for each resource, and hear whether all of it could be written.

    Raises:
        KadminError: it could not.
        Unreadable: the rules of a resource that is meant are damaged.
    """

    def replan(resource: ResourcePattern) -> AclPlan:
        snapshot = readable(admin.snapshot(), request)
        for plan in plan_acls(snapshot.acls, request):
            if plan.resource == resource:
                return plan
        # Somebody else has removed what was to be removed.
        return AclPlan(resource=resource, before=snapshot.acls.get(resource, NO_ACLS))

    plans = plan_acls(readable(admin.snapshot(), request).acls, request)
    admin.rehearse(plans)
    return [Step(plan=plan, replan=partial(replan, plan.resource)) for plan in plans]


def readable(snapshot: AclSnapshot, request: AclRequest) -> AclSnapshot:
    for resource, fault in snapshot.damaged.items():
        if any(filter_.matches(resource) for filter_ in request.rules):
            raise Unreadable(fault)
    for (resource_type, pattern_type), fault in snapshot.hidden.items():
        if any(filter_.may_match(resource_type, pattern_type) for filter_ in request.rules):
            raise Unreadable(fault)
    return snapshot
