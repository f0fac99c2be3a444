"""What is wrong among the ZooKeepers of a cluster, which its brokers notice when it is too late."""

from collections.abc import Iterator

from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.ensemble import EnsembleReport


def zookeeper_findings(ensemble: EnsembleReport | None) -> Iterator[Finding]:
    """One for each server and fault; None of it where nobody was asked."""
    if ensemble is None:
        return
    for number, problem in enumerate(ensemble.problems):
        # Of an ensemble without a majority the first tells that, and the others why.
        is_critical = ensemble.is_split or (ensemble.lacks_majority and number == 0)
        yield Finding(
            severity=Severity.CRITICAL if is_critical else Severity.WARNING,
            kind=Kind.ZOOKEEPER,
            text=f"ZooKeeper: {problem}",
            command="kadmin zookeeper",
        )
