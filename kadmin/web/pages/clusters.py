"""The pages of all clusters, and of one."""

from starlette.responses import Response

from kadmin.web.visit import Visit


def overview(visit: Visit) -> Response:
    """Show the clusters that the visitor may see, the worst first."""
    return visit.page("clusters.html", clusters=visit.clusters)


def summary(visit: Visit) -> Response:
    """Show one cluster: its findings, worst first, and what it has."""
    return visit.page("cluster.html", look=visit.look)
