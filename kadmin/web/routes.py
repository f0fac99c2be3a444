"""The table of routes: which function answers which address, and which role may ask?

Pages, the API and actions are rows; `application` makes all of them alike: it finds out who asks,
looks at the role, and checks forms before a function runs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from kadmin.web.api import clusters as clusters_api
from kadmin.web.pages import clusters as clusters_pages
from kadmin.web.roles import Role
from kadmin.web.visit import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """An address; *answer* runs in a thread, since it may wait for servers.

    `{cluster}` in the *path* is the cluster on which the visitor needs the role *needs*; without
    it, any visitor may ask.  A *method* POST is a form with a CSRF token, or comes with a bearer
    token.  Any role but READ needs `--write`.
    """

    path: str
    answer: Callable[[Visit], Response]
    needs: Role = Role.READ
    method: str = "GET"
    name: str | None = None
    """What links call it; None for the name of the function."""


PAGES: Final = (
    Route(path="/", answer=clusters_pages.overview, name="overview"),
    Route(path="/clusters/{cluster}", answer=clusters_pages.summary, name="summary"),
)

API: Final = (
    Route(path="/api/v1/clusters", answer=clusters_api.listed),
    Route(path="/api/v1/clusters/{cluster}", answer=clusters_api.summary),
)

ACTIONS: Final[tuple[Route, ...]] = ()

ROUTES: Final = (*PAGES, *API, *ACTIONS)
