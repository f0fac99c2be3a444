"""The judgement of a cluster that is to leave ZooKeeper: is it ready, by the evidence alone?"""

from collections.abc import Collection

from kadmin.plan.check.findings import in_order
from kadmin.plan.migration.brokers import broker_findings
from kadmin.plan.migration.contents import content_findings
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.migration.findings import MigrationFinding, MigrationKind, MigrationReport
from kadmin.plan.migration.losses import loss_findings
from kadmin.plan.migration.old_clients import old_client_findings
from kadmin.plan.migration.quiet import quiet_findings
from kadmin.plan.migration.takeover import takeover_findings
from kadmin.plan.migration.unreadable import unreadable_findings


def judge(evidence: MigrationEvidence, ignored: Collection[MigrationKind] = ()) -> MigrationReport:
    """Judge *evidence*; findings of *ignored* kinds are left out."""
    is_copied = evidence.snapshot.is_hybrid
    found: tuple[MigrationFinding, ...] = (
        *takeover_findings(evidence),
        *(() if is_copied else contents(evidence)),
        *quiet_findings(evidence),
        *loss_findings(evidence),
        *old_client_findings(evidence),
    )
    snapshot = evidence.snapshot
    controller = snapshot.controller
    return MigrationReport(
        findings=in_order([finding for finding in found if finding.kind not in ignored]),
        is_copied=is_copied,
        unlooked=evidence.unlooked,
        broker_count=len(snapshot.brokers),
        controller=None if controller is None else controller.broker_id,
        topic_count=len(snapshot.topics),
        partition_count=sum(len(topic.assignment.partitions) for topic in snapshot.topics.values()),
    )


def contents(evidence: MigrationEvidence) -> tuple[MigrationFinding, ...]:
    """Return what the copy would stumble over, and the brokers."""
    return (
        *unreadable_findings(evidence),
        *content_findings(evidence),
        *broker_findings(evidence),
    )
