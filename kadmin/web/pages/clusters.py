"""The pages of all clusters, and of one."""

from starlette.responses import Response

from kadmin.plan.check.findings import SEVERITY_ORDER
from kadmin.web.clusters import WatchedCluster
from kadmin.web.remedies import remedies
from kadmin.web.visit import Visit


def overview(visit: Visit) -> Response:
    """Show the clusters that the visitor may see, the worst first."""
    return visit.page("clusters.html", clusters=sorted(visit.clusters, key=urgency))


def urgency(cluster: WatchedCluster) -> tuple[int, str]:
    """Sort by how bad it is: what cannot be read, then by the worst finding."""
    look = cluster.look
    if look is None:
        return 0 if cluster.failure is not None else len(SEVERITY_ORDER) + 2, cluster.name
    if cluster.is_stale:
        return 1, cluster.name
    worst = look.report.worst
    return len(SEVERITY_ORDER) + 1 if worst is None else 1 + SEVERITY_ORDER[worst], cluster.name


def summary(visit: Visit) -> Response:
    """Show one cluster: its findings, worst first, and what it has."""
    look = visit.look
    ends = visit.of.ends.reading.answer
    findings = [(each, remedies(visit, each)) for each in look.report.findings]
    polls = visit.of.poller.polls.values()
    return visit.page(
        "cluster.html",
        look=look,
        findings=findings,
        brokers=look.brokers,
        ends=ends,
        failing=[poll.name for poll in polls if poll.reading.error is not None],
    )
