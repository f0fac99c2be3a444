"""How what was left out of a document is listed there."""

from cluster.model import fault as subjects
from cluster.model.fault import Fault
from kadmin.render.faults import fault_bodies


def test_what_may_not_be_read_has_no_version_and_version_0_is_one() -> None:
    faults = [
        Fault(subject=subjects.topic("a"), where="/damaged", version=0, reason="is odd", text=""),
        Fault(subject=subjects.broker(1), where="/shut", version=None, reason="is shut", text=""),
    ]

    assert [
        {"path": "/damaged", "zk_version": 0, "reason": "is odd"},
        {"path": "/shut", "zk_version": None, "reason": "is shut"},
    ] == fault_bodies(faults)
