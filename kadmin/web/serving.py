"""What is served, to whom, and from where: all that the application is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Final

from anyio import CapacityLimiter

from kadmin.app.actions.shown_changes import ShownChanges
from kadmin.app.supervising import Supervisors
from kadmin.web.access import Access
from kadmin.web.audit import AuditLog
from kadmin.web.clusters import WatchedCluster

CHANGE_COUNT_MAX: Final = 8
"""So many forms of one cluster are worked on at the same time; others wait."""


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
    limiters: dict[str, CapacityLimiter] = field(default_factory=dict)

    def limiter_of(self, cluster: WatchedCluster) -> CapacityLimiter:
        """Return what bounds the threads of changes to *cluster*: however many wait for servers
        that hang, pages and other clusters have theirs."""
        return self.limiters.setdefault(cluster.name, CapacityLimiter(CHANGE_COUNT_MAX))

    def supervisors_of(self, cluster: WatchedCluster) -> Supervisors:
        """Return the supervisors of runs on *cluster*, whose threads are of this process."""
        return self.supervisors.setdefault(cluster.name, Supervisors(cluster.new_session))

    def close(self) -> None:
        """End all streams."""
        self.is_closing.set()
        for cluster in self.clusters.values():
            for listener in tuple(cluster.listeners):
                listener()
