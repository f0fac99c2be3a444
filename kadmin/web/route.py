"""A route: an address, the function that answers it, and the role that may ask."""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.responses import Response

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
