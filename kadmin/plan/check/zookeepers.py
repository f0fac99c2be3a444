"""What is wrong among the ZooKeepers of a cluster, which its brokers notice when it is too late."""

from collections.abc import Iterator

from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.ensemble import EnsembleReport


def zookeeper_findings(ensemble: EnsembleReport | None) -> Iterator[Finding]:
    """Return a finding for each server and fault; none where no server was asked."""
    if ensemble is None:
        return
    for number, problem in enumerate(ensemble.problems):
        # Without a majority the first problem is that one, and the others are its causes.
        is_critical = ensemble.is_split or (ensemble.lacks_majority and number == 0)
        yield Finding(
            severity=Severity.CRITICAL if is_critical else Severity.WARNING,
            kind=Kind.ZOOKEEPER,
            text=f"ZooKeeper: {problem}",
            command="kadmin zookeeper",
        )
