"""How what was left out of a document is listed there."""

from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NEVER_READ, ZkVersion
from kadmin.render.faults import fault_bodies


def test_a_znode_that_may_not_be_read_has_no_version_and_version_0_is_one() -> None:
    faults = [
        CorruptZnodeError("/damaged", ZkVersion(0), "is odd"),
        CorruptZnodeError("/shut", NEVER_READ, "may not be read"),
    ]

    assert [
        {"path": "/damaged", "zk_version": 0, "reason": "is odd"},
        {"path": "/shut", "zk_version": None, "reason": "may not be read"},
    ] == fault_bodies(faults)
