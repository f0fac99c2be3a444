"""What is wrong among the ZooKeepers of a cluster, which its brokers notice when it is too late."""

from collections.abc import Iterator

from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.ensemble import EnsembleReport


def zookeeper_findings(ensemble: EnsembleReport | None) -> Iterator[Finding]:
    """One for each server and fault; None of it where nobody was asked."""
    if ensemble is None:
        return
    for problem in ensemble.problems:
        yield Finding(
            severity=Severity.CRITICAL if ensemble.is_split else Severity.WARNING,
            kind=Kind.ZOOKEEPER,
            text=f"ZooKeeper: {problem}",
            command="kadmin zookeeper",
        )
