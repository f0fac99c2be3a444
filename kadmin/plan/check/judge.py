"""The judgement of a whole cluster: what is wrong, worst first, by the evidence alone?"""

from collections.abc import Collection

from kadmin.plan.check.brokers import broker_findings
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import CheckReport, Kind, Severity, in_order
from kadmin.plan.check.groups import group_findings
from kadmin.plan.check.leftovers import leftover_findings
from kadmin.plan.check.partitions import partition_findings
from kadmin.plan.check.topics import topic_findings
from kadmin.plan.check.zookeepers import zookeeper_findings


def judge(
    evidence: Evidence,
    ignored: Collection[Kind] = (),
    unreadable: Severity = Severity.WARNING,
) -> CheckReport:
    """Judge *evidence*; findings of *ignored* kinds are left out.

    *unreadable* is how bad it is that something cannot be read.
    """
    snapshot = evidence.snapshot
    found = (
        *partition_findings(snapshot, evidence.default_min_isr),
        *topic_findings(snapshot),
        *broker_findings(evidence),
        *leftover_findings(evidence, unreadable),
        *zookeeper_findings(evidence.ensemble),
        *group_findings(evidence.groups),
    )
    controller = snapshot.controller
    return CheckReport(
        findings=in_order([finding for finding in found if finding.kind not in ignored]),
        unlooked=evidence.unlooked,
        broker_count=len(snapshot.brokers),
        controller=None if controller is None else controller.broker_id,
        topic_count=len(snapshot.topics),
        lacks_controller=snapshot.lacks_controller,
        partition_count=sum(len(topic.assignment.partitions) for topic in snapshot.topics.values()),
    )
