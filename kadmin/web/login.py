"""Logging in and out: the page for it, the bearer of the API, and the cookie in between."""

import time
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from kadmin.web.access import Access, utf8_of
from kadmin.web.roles import Visitor
from kadmin.web.serving import Serving
from kadmin.web.sessions import AGE_S_MAX, WebSession, digest_of
from kadmin.web.templating import THEME_COOKIE, THEMES, html

FORM_SIZE_MAX: Final = 8192
YEAR_S: Final = 365 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A *visitor*, and the session of the browser; None where a token came with the request."""

    visitor: Visitor
    session: WebSession | None = None


class LoginNeeded(Exception):
    """No visitor is known; a token was wrong, or has to wait *wait_s*, where there was one."""

    def __init__(self, text: str, wait_s: float = 0.0) -> None:
        super().__init__(text)
        self.wait_s = wait_s


def identify(request: Request, access: Access) -> Identity:
    """Find out who makes the request: by a bearer token, a trusted proxy, or a cookie.

    Raises:
        LoginNeeded: none of them names a visitor.
    """
    authorization = request.headers.get("authorization")
    name = access.name_by_proxy(request)
    # A proxy that asks for a password passes it on.
    if authorization is not None and (name is None or is_bearer(authorization)):
        return Identity(visitor=by_bearer(request, access, authorization))
    session = access.session_of(request)
    if session is not None and session.token_digest is None and name is None:
        # The proxy has named the visitor, and no longer does.
        session = None
    if name is not None and (session is None or session.name != name):
        begun = access.log_in_by_proxy(name)
        if begun is None:
            raise LoginNeeded(f"'{name}' may not log in here: the token file does not name it")
        new_id, session = begun
        request.state.new_session_id = new_id
    visitor = None if session is None else access.visitor_of(session)
    if session is None or visitor is None:
        raise LoginNeeded("log in first")
    return Identity(visitor=visitor, session=session)


def by_bearer(request: Request, access: Access, authorization: str) -> Visitor:
    if not is_bearer(authorization):
        raise LoginNeeded("the header Authorization has to be 'Bearer TOKEN'")
    return checked(request, access, token_in(authorization))


def token_in(authorization: str) -> str:
    return utf8_of(authorization.partition(" ")[2]).strip()


def still_known(request: Request, access: Access, found: Identity) -> Visitor | None:
    """Return the visitor of a request that goes on, as the token file has it now; None when it is
    out of that, or the session is over."""
    session = found.session
    if session is None:
        return access.file.current().visitor_with(token_in(request.headers["authorization"]))
    has_cookie = getattr(request.state, "new_session_id", None) is None
    if has_cookie and access.session_of(request) is not session:
        return None
    return access.visitor_of(session)


def is_bearer(authorization: str) -> bool:
    return authorization.partition(" ")[0].lower() == "bearer"


def checked(request: Request, access: Access, token: str) -> Visitor:
    """Return the visitor with *token*; an address that has failed often has to wait.

    Raises:
        LoginNeeded: the token is of no visitor, or it is too early.
    """
    address = access.address_of(request)
    wait_s = access.attempts.wait_s(address, time.monotonic())
    if wait_s > 0:
        raise LoginNeeded("too many attempts have failed", wait_s)
    visitor = access.file.current().visitor_with(token)
    if visitor is None:
        access.attempts.failed(address, time.monotonic(), digest_of(token))
        raise LoginNeeded("this token is not known")
    access.attempts.succeeded(address)
    return visitor


def unknown_visitor(request: Request, needed: LoginNeeded, *, is_api: bool) -> Response:
    """Return the answer to a visitor who is not known: the page for logging in, or 401."""
    status = 429 if needed.wait_s > 0 else 401
    headers = {"Retry-After": str(round(needed.wait_s) + 1)} if needed.wait_s > 0 else {}
    if is_api or "authorization" in request.headers:
        problem = {"type": "about:blank", "title": str(needed), "status": status}
        headers["WWW-Authenticate"] = "Bearer"
        return JSONResponse(problem, status, headers, media_type="application/problem+json")
    if request.method == "GET":
        return RedirectResponse(f"/login?to={quote(address_in(request), safe='')}", 303)
    return html(request, "login.html", status=status, problem=str(needed), to="/")


def address_in(request: Request) -> str:
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")


async def form(request: Request) -> Response:
    return html(request, "login.html", problem=None, to=here(request.query_params.get("to", "/")))


async def log_in(request: Request) -> Response:
    """Begin a session by the token of the form, and go to where the visitor wanted to go."""
    serving: Serving = request.app.state.serving
    access = serving.access
    fields = parse_qs((await request.body())[:FORM_SIZE_MAX].decode("utf-8", "replace"))
    to = here(fields.get("to", ["/"])[0])
    token = fields.get("token", [""])[0].strip()
    try:
        visitor = checked(request, access, token)
    except LoginNeeded as needed:
        status = 429 if needed.wait_s > 0 else 401
        problem = str(needed)
        if needed.wait_s > 0:
            problem += f": wait {round(needed.wait_s) + 1} s"
        response = html(request, "login.html", status=status, problem=problem, to=to)
        if needed.wait_s > 0:
            response.headers["Retry-After"] = str(round(needed.wait_s) + 1)
        return response
    access.sessions.end(request.cookies.get(access.cookie, ""))
    begun = access.log_in(token)
    assert begun is not None, f"{visitor.name} has just been found by the token"
    response = RedirectResponse(to, 303)
    set_cookie(response, access, begun[0])
    return response


def here(to: str) -> str:
    """Return *to* if it is an address of this page, else that of the overview: a link to the login
    must not lead elsewhere."""
    is_ours = to.startswith("/") and not to.startswith("//") and "\\" not in to
    return to if is_ours and to.isprintable() else "/"


async def log_out(request: Request) -> Response:
    """End the session, if the form is one of its own."""
    serving: Serving = request.app.state.serving
    access = serving.access
    session = access.session_of(request)
    fields = parse_qs((await request.body())[:FORM_SIZE_MAX].decode("utf-8", "replace"))
    response = RedirectResponse("/login", 303)
    if session is not None and session.has_csrf(fields.get("csrf", [""])[0]):
        access.sessions.end(request.cookies[access.cookie])
        response.delete_cookie(access.cookie, secure=access.is_secure, httponly=True)
    return response


async def choose_theme(request: Request) -> Response:
    """Keep in a cookie whether the page is dark or light, and go back to it."""
    serving: Serving = request.app.state.serving
    fields = parse_qs((await request.body())[:FORM_SIZE_MAX].decode("utf-8", "replace"))
    theme = fields.get("theme", ["auto"])[0]
    response = RedirectResponse(here(fields.get("to", ["/"])[0]), 303)
    if theme in THEMES:
        response.set_cookie(
            THEME_COOKIE,
            theme,
            max_age=YEAR_S,
            secure=serving.access.is_secure,
            httponly=True,
            samesite="strict",
        )
    return response


def keep_session(request: Request, response: Response) -> None:
    """Hand the browser the session that the request has begun, if it has."""
    new_id = getattr(request.state, "new_session_id", None)
    if new_id is not None:
        serving: Serving = request.app.state.serving
        set_cookie(response, serving.access, new_id)


def set_cookie(response: Response, access: Access, session_id: str) -> None:
    response.set_cookie(
        access.cookie,
        session_id,
        max_age=round(AGE_S_MAX),
        secure=access.is_secure,
        httponly=True,
        samesite="strict",
    )
