"""Writes of planned configs: one transaction for each entity, which also notifies brokers."""

from functools import partial

from cluster.coordination.configs import write_overrides
from cluster.model.outcome import Committed
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.transaction import write
from kadmin.plan.config_plan import ConfigPlan


def write_config(connection: Connection, fence: Fence, plan: ConfigPlan) -> Outcome:
    """Write *plan* and the notification of it; a plan without changes writes nothing.

    A topic must exist, and must not go in between.
    """
    if not plan.changes:
        return Committed()
    change = partial(
        write_overrides, entity=plan.entity, after=plan.after, change_version=plan.change_version
    )
    return write(connection, fence, change)
