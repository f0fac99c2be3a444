"""The cluster for which moves were planned, which has to be the one that is meant."""

from kadmin.admin.ports import ReassignmentAdmin
from kadmin.errors import RefusedError


class AnotherCluster(RefusedError):
    """The plan was made for another cluster."""

    def __init__(self, planned: str, here: str | None) -> None:
        super().__init__(
            f"the plan is for the cluster {planned}, and this is {here or 'one without an id'};"
            " nothing was written",
            hint="name the cluster of the plan, or plan again for this one",
        )


def check_cluster(planned: str | None, admin: ReassignmentAdmin) -> None:
    """Refuse what was *planned* for the cluster with this id, where that is not the one of *admin*.

    Raises:
        AnotherCluster: it is not.
    """
    if planned is not None and planned != (here := admin.cluster_id()):
        raise AnotherCluster(planned, here)
