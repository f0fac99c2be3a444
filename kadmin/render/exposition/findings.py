"""Metrics of a check's findings: how many there are of each kind, and how bad they are."""

from collections import Counter
from collections.abc import Iterator

from kadmin.plan.check.findings import CheckReport, Kind, Severity
from kadmin.render.exposition.text import NO_LABELS, Family, labels


def finding_families(report: CheckReport) -> Iterator[Family]:
    yield Family(
        "kafka_check_findings",
        "Findings of kadmin check, by severity.",
        {labels(severity=each): report.counted(each) for each in Severity},
    )
    kinds = Counter(finding.kind for finding in report.findings)
    yield Family(
        "kafka_check_findings_of_kind",
        "Findings of kadmin check, by kind.",
        {labels(kind=each): kinds[each] for each in Kind},
    )
    yield Family(
        "kafka_check_unlooked",
        "What kadmin check could not look at.",
        {NO_LABELS: len(report.unlooked)},
    )
