"""The pages of all clusters, and of one."""


def overview(visit: Visit) -> Response:
    """Show the clusters that the visitor may see, the worst first."""
    return visit.page("clusters.html", clusters=visit.clusters)


def summary(visit: Visit) -> Response:
    """Show one cluster: its findings, worst first, and what it has."""
    return visit.page("cluster.html", look=visit.look)
