"""The judgement of a cluster that is to leave ZooKeeper: is it ready, by the evidence alone?"""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from kadmin.plan.check.findings import in_order
from kadmin.plan.migration.brokers import broker_findings
from kadmin.plan.migration.contents import content_findings
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.migration.findings import MigrationFinding, MigrationKind, MigrationReport
from kadmin.plan.migration.losses import loss_findings
from kadmin.plan.migration.old_clients import old_client_findings
from kadmin.plan.migration.quiet import quiet_findings
from kadmin.plan.migration.takeover import takeover_findings
from kadmin.plan.migration.unreadable import unreadable_findings, with_names
from kadmin.quoting import quoted

SHELL: Final = {
    MigrationKind.UNREADABLE: "get",
    MigrationKind.CONFIG_NAME: "delete",
    MigrationKind.ZNODE_ACL: "getAcl",
}
"""The commands of Kafka's zookeeper-shell for znodes that no command of kadmin mends."""

ASKS_ZOOKEEPER: Final = re.compile(r"kadmin (migration|zookeeper|controller|groups)\b")
"""Commands that work by ZooKeeper in a cluster that KRaft owns."""


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
        findings=in_order(
            [with_command(with_names(each), evidence) for each in found if each.kind not in ignored]
        ),
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


def with_command(finding: MigrationFinding, evidence: MigrationEvidence) -> MigrationFinding:
    """Return *finding* with a command that can be run: one for its first znode, where it has none
    of kadmin, and over brokers where KRaft refuses changes in ZooKeeper."""
    assert isinstance(finding.kind, MigrationKind)
    command = finding.command
    verb = SHELL.get(finding.kind)
    if verb is not None and command is None:
        path = finding.znodes[0]
        if any(each.is_hidden and each.path == path for each in evidence.damages):
            verb = "getAcl"
        command = f"zookeeper-shell.sh {evidence.connect} {verb} {quoted(path)}"
    elif evidence.snapshot.is_hybrid and command and not ASKS_ZOOKEEPER.match(command):
        command += " --bootstrap-server HOST:PORT"
    return replace(finding, command=command)
