"""The ACLs as they stand in ZooKeeper: `kadmin.admin.ports.AclAdmin`, by reads and writes of
znodes.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from cluster.coordination.resource_acls import read_resource_acls, write_resource_acls
from cluster.model.acl import ResourceAcls, ResourcePattern, ResourceType
from cluster.model.errors import CorruptZnodeError
from cluster.model.outcome import Committed
from cluster.zk import paths
from cluster.zk.requests import GetData
from cluster.zk.steps import read, read_children
from kadmin.admin.answers import AclSnapshot
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.faults import faults_of
from kadmin.admin.zookeeper.snapshot import brokers_in, decoding_brokers
from kadmin.admin.zookeeper.transaction import read_fence, write
from kadmin.errors import RefusedError, UsageError
from kadmin.plan.acls import AclPlan, constant, order_of

NODE_NAME: Final = re.compile(
    r"(?!\.{1,2}$)[^/\0-\x1f\x7f-\x9f\ud800-\uf8ff\ufff0-\uffff]+", re.ASCII
)
"""What ZooKeeper takes for the name of one znode."""

SPELT_ANEW: Final = (ResourceType.TRANSACTIONAL_ID, ResourceType.DELEGATION_TOKEN)
"""Their names in notifications changed with 2.4; a broker that reads the other one processes no
further change."""

REGISTERED_SINCE_2_7: Final = 5
"""The version of the registrations of brokers that certainly know the newer names."""


class KindUnknown(RefusedError):
    """No broker of this cluster knows ACLs of that kind."""

    def __init__(self, what: str, path: str) -> None:
        super().__init__(
            f"the brokers of this cluster know no ACLs of {what}: there is no {path}",
            hint="an authorizer makes it when it starts; is it older, or none configured?",
        )


class SpellingUnknown(RefusedError):
    """ZooKeeper's contents do not show how these brokers want to be notified."""

    def __init__(self, resource: ResourcePattern) -> None:
        kind = constant(resource.resource_type).lower().replace("_", " ")
        super().__init__(
            f"ACLs of a {kind} are not written to ZooKeeper for brokers that may be older than 2.4:"
            " they want another notification, and a wrong one stops them from hearing of any",
            hint="kadmin acls --bootstrap-server HOST:PORT does it from 2.0 on",
        )


class ZooKeeperAcls:
    """The `AclAdmin` of a ZooKeeper session; *warn* takes a sentence for the operator."""

    def __init__(self, connection: Connection, warn: Callable[[str], None]) -> None:
        self.connection = connection
        self.warn = warn

    def snapshot(self) -> AclSnapshot:
        found = self.connection.read(read_resource_acls())
        acls: dict[ResourcePattern, ResourceAcls] = {}
        damaged = {}
        for resource in sorted(found.rules, key=order_of):
            rules = found.rules[resource]
            if isinstance(rules, CorruptZnodeError):
                (damaged[resource],) = faults_of([rules])
            else:
                acls[resource] = rules
        return AclSnapshot(
            acls=acls,
            damaged=damaged,
            hidden=dict(zip(found.hidden, faults_of(found.hidden.values()), strict=True)),
            unread=faults_of(found.unread),
        )

    def dry_run(self, plans: Sequence[AclPlan]) -> None:
        """See that there are brokers that will understand *plans*.

        Raises:
            KindUnknown, SpellingUnknown: they will not.
            UsageError: a name that no znode can have.
        """
        resources = [plan.resource for plan in plans if plan.is_change]
        parents = {resource: paths.acls(resource).rpartition("/")[0] for resource in resources}
        wrong = [each.name for each in resources if not NODE_NAME.fullmatch(each.name)]
        if wrong:
            raise UsageError(
                f"ZooKeeper has no place for ACLs of {wrong[0]!r}: no znode can have that name",
                hint="kadmin acls --bootstrap-server HOST:PORT asks the brokers",
            )
        # What may not be read is there all the same.
        asked = [paths.ACLS, *parents.values()]
        store, *nodes = self.connection.read(read(map(GetData, asked)))
        for resource, parent, node in zip(resources, parents.values(), nodes, strict=True):
            # An authorizer that knows these makes their parents when it starts.
            is_young = not resource.is_literal or resource.resource_type is ResourceType.USER
            if node is None and is_young:
                raise KindUnknown("users" if resource.is_literal else "name prefixes", parent)
        if store is None and resources:
            self.warn(
                "no broker has started with an authorizer here: ACLs mean nothing until one does"
            )
        spelt = [resource for resource in resources if resource.resource_type in SPELT_ANEW]
        if spelt and not self.brokers_are_new():
            raise SpellingUnknown(spelt[0])

    def brokers_are_new(self) -> bool:
        """Return whether all live brokers are of 2.7 or newer; not where none is alive, or one
        cannot be read."""
        request = decoding_brokers(self.connection.read(read_children(paths.BROKER_IDS)))
        faults: list[CorruptZnodeError] = []
        (reply,) = self.connection.read(read((request,)))
        brokers = brokers_in(request, reply, faults).values()
        for fault in faults_of(faults):
            self.warn(f"left out: {fault}")
        is_known = bool(brokers) and not faults
        return is_known and all(broker.version >= REGISTERED_SINCE_2_7 for broker in brokers)

    def fence(self) -> Fence:
        return read_fence(self.connection)

    def write(self, fence: Fence, plan: AclPlan) -> Outcome:
        if not plan.is_change:
            return Committed()
        change = partial(write_resource_acls, resource=plan.resource, after=plan.after)
        return write(self.connection, fence, change)
