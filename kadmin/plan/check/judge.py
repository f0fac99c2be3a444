"""The judgement of a whole cluster: what is wrong, worst first, by the evidence alone?"""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from kadmin.plan.check.brokers import broker_findings
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import CheckReport, Finding, Kind, Severity, in_order
from kadmin.plan.check.groups import group_findings
from kadmin.plan.check.leftovers import leftover_findings
from kadmin.plan.check.partitions import partition_findings
from kadmin.plan.check.topics import topic_findings
from kadmin.plan.check.zookeepers import zookeeper_findings

CHANGES: Final = re.compile(r"kadmin (elect|reassign --cancel)\b")
"""The commands of findings that change something, or plan to."""


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
        findings=in_order(
            [
                over_the_wire(finding) if snapshot.is_hybrid else finding
                for finding in found
                if finding.kind not in ignored
            ]
        ),
        unlooked=evidence.unlooked,
        broker_count=len(snapshot.brokers),
        controller=None if controller is None else controller.broker_id,
        topic_count=len(snapshot.topics),
        lacks_controller=snapshot.lacks_controller,
        partition_count=sum(len(topic.assignment.partitions) for topic in snapshot.topics.values()),
    )


def over_the_wire(finding: Finding) -> Finding:
    """Return *finding* with a command that asks brokers, where it changes something: through the
    ZooKeeper of a cluster that KRaft owns that is refused."""
    if finding.command is None or CHANGES.match(finding.command) is None:
        return finding
    return replace(finding, command=f"{finding.command} --bootstrap-server HOST:PORT")
