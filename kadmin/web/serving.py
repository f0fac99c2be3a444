"""What is served, to whom, and from where: all that the application is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from kadmin.app.actions.shown_changes import ShownChanges
from kadmin.app.supervising import Supervisors
from kadmin.web.access import Access
from kadmin.web.audit import AuditLog
from kadmin.web.clusters import WatchedCluster


@dataclass(slots=True, kw_only=True)
class Serving:
    """The parts of a running page.

    *hosts* are the names in lower case that the Host header may have; *origins* those of forms.
    Nothing changes a cluster unless it *writes*, and then there is an *audit* log.  *is_closing*
    ends streams.  *changes* are those that were planned here, *supervisors* carry runs of moves on.
    """

    clusters: Mapping[str, WatchedCluster]
    access: Access
    hosts: frozenset[str]
    origins: frozenset[str]
    writes: bool = False
    audit: AuditLog | None = None
    timeline: Path | None = None
    is_closing: Event = field(default_factory=Event)
    changes: ShownChanges = field(default_factory=ShownChanges)
    supervisors: dict[str, Supervisors] = field(default_factory=dict)

    def supervisors_of(self, cluster: WatchedCluster) -> Supervisors:
        """Return the supervisors of runs on *cluster*, whose threads are of this process."""
        return self.supervisors.setdefault(cluster.name, Supervisors(cluster.new_session))

    def close(self) -> None:
        """End all streams."""
        self.is_closing.set()
        for cluster in self.clusters.values():
            for listener in tuple(cluster.listeners):
                listener()
