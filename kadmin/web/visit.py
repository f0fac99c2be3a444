"""A visit: one request that may be made, with all that an answer to it needs."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from kadmin.errors import KadminError, UnreachableError, UsageError
from kadmin.web.audit import Author
from kadmin.web.clusters import Look, NotReadYet, WatchedCluster
from kadmin.web.roles import Role, Visitor
from kadmin.web.serving import Serving
from kadmin.web.sessions import WebSession
from kadmin.web.templating import html, segment

CHANGES: Final[str] = "changes"
PLACES: Final[tuple[tuple[str, str, str], ...]] = (
    ("", "Overview", "o"),
    ("brokers", "Brokers", "b"),
    ("topics", "Topics", "t"),
    ("groups", "Groups", "c"),
    ("moves", "Moves", "m"),
    ("configs", "Configs", "s"),
    ("acls", "ACLs", "a"),
    (CHANGES, "Changes", "p"),
    ("audit", "Audit log", "l"),
)
"""Parts of addresses, labels, and keys."""


class NoSuchThing(KadminError):
    """A page is about a *kind* of thing with a *name* that there is not: a topic, a cluster."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"there is no {kind} '{name}'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A page of a cluster in the navigation; `g` and *key* lead there."""

    label: str
    path: str
    key: str
    count: int | None
    is_here: bool


class Forbidden(KadminError):
    """The visitor's role does not allow what the *action* would do."""

    def __init__(self, action: str, needed: Role, author: Author) -> None:
        super().__init__(
            f"{action}: this needs the role {needed} on {author.cluster}; {author.name} has"
            f" {author.role}"
        )


def status_of(error: KadminError) -> int:
    """Return the status of an answer that has *error*."""
    if isinstance(error, NoSuchThing):
        return 404
    if isinstance(error, Forbidden):
        return 403
    if isinstance(error, UsageError):
        return 400
    return 503 if isinstance(error, UnreachableError) else 409


@dataclass(slots=True, kw_only=True)
class Visit:
    """A request of *visitor*, whose role has been looked at.

    *cluster* is the one in the path, None where it has none.  *session* is None where a token came
    with the request.  *form* has the fields of a POST, whose CSRF token was right.
    """

    request: Request
    serving: Serving
    visitor: Visitor
    session: WebSession | None
    cluster: WatchedCluster | None = None
    form: Mapping[str, tuple[str, ...]]
    address: str

    @property
    def of(self) -> WatchedCluster:
        """The cluster in the path."""
        assert self.cluster is not None, "only routes with a cluster in the path ask for it"
        return self.cluster

    @property
    def look(self) -> Look:
        """The latest look at that cluster.

        Raises:
            NotReadYet: there has been none.
        """
        look = self.of.look
        if look is None:
            raise NotReadYet(self.of)
        return look

    def path(self, name: str) -> str:
        """Return the part of the path that a route calls *name*."""
        return str(self.request.path_params[name])

    def query(self, name: str, default: str = "") -> str:
        """Return a parameter of the address."""
        return self.request.query_params.get(name, default)

    def field(self, name: str, default: str = "") -> str:
        """Return the first value of a field of the form."""
        return next(iter(self.form.get(name, ())), default)

    def may(self, role: Role) -> bool:
        """Return whether the visitor may do here what *role* may; only reading without
        `--write`."""
        if role is not Role.READ and not self.serving.writes:
            return False
        return self.visitor.may(role, self.of.name)

    @property
    def author(self) -> Author:
        """The visitor as the audit log has it."""
        name = None if self.cluster is None else self.cluster.name
        return Author(
            name=self.visitor.name,
            role=None if name is None else self.visitor.role_on(name),
            cluster=name,
            address=self.address,
        )

    def audited(self, action: str, plan: object) -> AbstractContextManager[dict[str, Any]]:
        """Note in the audit log that *action* begins, on disk before the block, and its outcome
        behind it: what the block puts into the mapping, or the error that it raised.

        Raises:
            CannotAudit: the log takes no line, and nothing is done.
        """
        assert self.serving.audit is not None, "a page that writes has an audit log"
        return self.serving.audit.change(self.author, action, plan)

    @property
    def clusters(self) -> list[WatchedCluster]:
        """Those that the visitor may see."""
        return [
            cluster
            for cluster in self.serving.clusters.values()
            if self.visitor.may(Role.READ, cluster.name)
        ]

    def link(self, *parts: str) -> str:
        """Return the address of a page of the cluster, whatever is in the names."""
        return "/".join(["/clusters", *map(segment, (self.of.name, *parts))])

    @property
    def places(self) -> list[Place]:
        """The pages of the cluster, as the navigation has them."""
        look, groups = self.of.look, self.of.groups.reading.answer
        moving = None if look is None else len(look.observed.snapshot.moving) or None
        counts = {
            "brokers": None if look is None else len(look.brokers),
            "topics": None if look is None else look.overview.topic_count,
            "groups": None if groups is None else len(groups.verdicts),
            "moves": moving,
        }
        here = self.request.url.path
        found = []
        places = (
            PLACES if self.may(Role.OPERATE) else [each for each in PLACES if each[0] != CHANGES]
        )
        for part, label, key in places:
            path = self.link(part) if part else self.link()
            is_here = here == path or (bool(part) and here.startswith(f"{path}/"))
            is_here = is_here or (part == "groups" and here.startswith(self.link("old-groups")))
            found.append(
                Place(label=label, path=path, key=key, count=counts.get(part), is_here=is_here)
            )
        if self.serving.timeline is not None:
            found.append(
                Place(label="Timeline", path="/timeline", key="i", count=None, is_here=False)
            )
        return found

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """Return the page that *template* makes of *values*."""
        csrf = "" if self.session is None else self.session.csrf
        return html(self.request, template, status=status, visit=self, csrf=csrf, **values)
