"""Writes of the rules of a resource, and of the notification of them."""

from functools import partial

import pytest

from cluster.coordination.resource_acls import write_resource_acls
from cluster.model.acl import AclEntry, PatternType, ResourceAcls, ResourcePattern, ResourceType
from cluster.model.outcome import Committed
from kadmin.admin.zookeeper.connection import connect
from kadmin.admin.zookeeper.transaction import read_fence, write
from kadmin.settings.resolve import ZooKeeperSettings
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = pytest.mark.zk

RULE = AclEntry(principal="User:a", permission_type="Allow", operation="Read", host="*")


@pytest.mark.parametrize(
    ("pattern_type", "store"),
    [
        (PatternType.LITERAL, "/kafka-acl-changes"),
        (PatternType.PREFIXED, "/kafka-acl-extended-changes"),
    ],
)
def test_a_change_gets_a_number_above_notifications_copied_from_another_zookeeper(
    chroot: str, pattern_type: PatternType, store: str
) -> None:
    resource = ResourcePattern(ResourceType.TOPIC, "t", pattern_type)
    change = partial(write_resource_acls, resource=resource, after=ResourceAcls(entries=(RULE,)))
    with connect(ZooKeeperSettings(connect=chroot, timeout_s=OUTER_LIMIT_S)) as connection:
        connection.client.create("/controller_epoch", b"1", makepath=True)
        for number in (2, 7):
            copied = f"{store}/acl_changes_{number:010d}"
            connection.client.create(copied, b"{}", makepath=True)

        outcome = write(connection, read_fence(connection), change)

        assert outcome == Committed()
        numbers = sorted(int(name[-10:]) for name in connection.client.get_children(store))
        assert numbers == [2, 7, 8]
