"""What is served, to whom, and from where: all that the application is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from kadmin.web.access import Access
from kadmin.web.audit import AuditLog
from kadmin.web.clusters import WatchedCluster


@dataclass(slots=True, kw_only=True)
class Serving:
    """The parts of a running page.

    *hosts* are the names in lower case that the Host header may have; *origins* those of forms.
    Nothing changes a cluster unless it *writes*, and then there is an *audit* log.  *is_closing*
    ends streams.
    """

    clusters: Mapping[str, WatchedCluster]
    access: Access
    hosts: frozenset[str]
    origins: frozenset[str]
    writes: bool = False
    audit: AuditLog | None = None
    timeline: Path | None = None
    is_closing: Event = field(default_factory=Event)

    def close(self) -> None:
        """End all streams."""
        self.is_closing.set()
        for cluster in self.clusters.values():
            for listener in tuple(cluster.listeners):
                listener()
