"""The cluster of this machine that is meant when none is named."""

from kadmin.cli.options import LOCAL_CLUSTER
from kadmin.cli.session import Session


def usual_cluster(session: Session) -> str:
    """Return the current cluster if it is one of this machine, else `local`."""
    from kadmin.local.state import cluster_names

    current = session.settings.cluster_name
    return current if current in cluster_names() else LOCAL_CLUSTER
