"""The application: every route of the table, guarded; logins; static files; the stream of news."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Any, Final
from urllib.parse import parse_qsl, quote

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match, Mount
from starlette.routing import Route as Address
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from kadmin.app.preloading import import_clients
from kadmin.errors import KadminError
from kadmin.web import login, news
from kadmin.web.audit import Author, CannotAudit
from kadmin.web.guard import SAFE_METHODS, TOO_LARGE, BodyTooLarge, Guard
from kadmin.web.roles import Role, Visitor
from kadmin.web.route import Route
from kadmin.web.routes import ROUTES
from kadmin.web.serving import Serving
from kadmin.web.sessions import WebSession
from kadmin.web.templating import html
from kadmin.web.visit import Forbidden, Visit, status_of

FIELD_COUNT_MAX: Final = 2000
METHODS: Final = (*SAFE_METHODS, "POST")


class Refused(Exception):
    """A request that is answered with *status* and a sentence."""

    def __init__(self, status: int, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.hint = hint


def application(serving: Serving) -> ASGIApp:
    """Return the whole application, which starts and stops its pollers itself."""
    return Guard(
        routed(serving),
        hosts=serving.hosts,
        origins=serving.origins,
        is_secure=serving.access.is_secure,
    )


def routed(serving: Serving) -> Starlette:
    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        import_clients()
        with ExitStack() as stack:
            for cluster in serving.clusters.values():
                stack.enter_context(cluster.poller)
            yield

    app = Starlette(
        routes=[
            Mount("/static", StaticFiles(packages=[("kadmin.web", "static")])),
            Address("/login", login.form, methods=["GET"]),
            Address("/login", login.log_in, methods=["POST"]),
            Address("/logout", login.log_out, methods=["POST"]),
            Address("/theme", login.choose_theme, methods=["POST"]),
            Address("/clusters/{cluster}/news", news.stream, methods=["GET"]),
            *(
                Address(
                    route.path,
                    answering(route),
                    methods=[route.method],
                    name=route.name or route.answer.__name__,
                )
                for route in ROUTES
            ),
        ],
        exception_handlers={
            404: not_found,
            405: not_served,
            BodyTooLarge: too_large,
            ClientDisconnect: gone,
        },
        lifespan=lifespan,
    )
    app.state.serving = serving
    # Starlette's redirects name a scheme and a port, which are those of a proxy's visitors.
    app.router.redirect_slashes = False
    return app


def answering(route: Route) -> Any:
    async def answer(request: Request) -> Response:
        is_api = route.path.startswith("/api/")
        if "" in request.path_params.values():
            return await not_found(request, None)
        try:
            visit = await visit_of(request, route)
        except login.LoginNeeded as needed:
            return login.unknown_visitor(request, needed, is_api=is_api)
        except Refused as refusal:
            return failed(request, refusal.status, str(refusal), refusal.hint)
        try:
            response = await to_thread.run_sync(route.answer, visit, limiter=limiter_of(visit))
        except KadminError as error:
            if isinstance(error, Forbidden):
                noted = (visit.serving, request, visit.visitor, error.message)
                await run_in_threadpool(note_refusal, *noted)
            return failed(request, status_of(error), error.message, error.hint, visit)
        login.keep_session(request, response)
        return response

    return answer


def limiter_of(visit: Visit) -> CapacityLimiter | None:
    """Return what bounds the threads of *visit*, None for those of all pages, which wait for no
    server."""
    if visit.cluster is None or visit.request.method != "POST":
        return None
    return visit.serving.limiter_of(visit.cluster)


async def visit_of(request: Request, route: Route) -> Visit:
    """Find out who makes the request, and whether that visitor may.

    Raises:
        LoginNeeded: no visitor is known.
        Refused: the role does not allow it, or the form is not one of this page's.
    """
    serving: Serving = request.app.state.serving
    found = login.identify(request, serving.access)
    name = request.path_params.get("cluster")
    cluster = None if name is None else serving.clusters.get(name)
    if name is not None and (cluster is None or not found.visitor.may(Role.READ, name)):
        # Those that exist and may not be seen are not given away.
        refused = Refused(404, f"there is no cluster '{name}', or you may not see it")
        if cluster is not None and route.needs is not Role.READ:
            await run_in_threadpool(note_refusal, serving, request, found.visitor, str(refused))
        raise refused
    try:
        check_role(serving, found.visitor, route, name)
        form = await form_of(request) if route.method == "POST" else {}
        check_csrf(found.session, form, route)
    except Refused as refusal:
        await run_in_threadpool(note_refusal, serving, request, found.visitor, str(refusal))
        raise
    return Visit(
        request=request,
        serving=serving,
        visitor=found.visitor,
        session=found.session,
        cluster=cluster,
        form=form,
        address=serving.access.address_of(request),
    )


def check_csrf(
    session: WebSession | None, form: Mapping[str, tuple[str, ...]], route: Route
) -> None:
    """A form of a browser has to come from a page of its session; a bearer token needs none."""
    if route.method != "POST" or session is None:
        return
    if not session.has_csrf(next(iter(form.get("csrf", ())), "")):
        raise Refused(
            403,
            "this form was not made for your session, and nothing was done",
            "go back, load the page again, and send it once more",
        )


def note_refusal(serving: Serving, request: Request, visitor: Visitor, reason: str) -> None:
    """Note in the audit log what was refused; the refusal does not depend on it."""
    if serving.audit is None:
        return
    name = request.path_params.get("cluster")
    author = Author(
        name=visitor.name,
        role=None if name is None else visitor.role_on(name),
        cluster=name,
        address=serving.access.address_of(request),
    )
    with suppress(CannotAudit):
        serving.audit.refused(author, f"{request.method} {request.url.path}", reason)


def check_role(serving: Serving, visitor: Visitor, route: Route, cluster: str | None) -> None:
    if route.needs is Role.READ:
        return
    if not serving.writes:
        raise Refused(
            403, "this page only reads", "start it with 'kadmin serve --write' to change clusters"
        )
    assert cluster is not None, f"{route.path} changes something, and names no cluster"
    if not visitor.may(route.needs, cluster):
        own = visitor.role_on(cluster)
        raise Refused(
            403, f"this needs the role {route.needs} on {cluster}; {visitor.name} has {own}"
        )


async def form_of(request: Request) -> Mapping[str, tuple[str, ...]]:
    """Read the fields of a form.

    Raises:
        Refused: it is none, or has too many fields.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if kind != "application/x-www-form-urlencoded":
        if not body:
            return {}
        raise Refused(415, "a form is expected: application/x-www-form-urlencoded")
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, max_num_fields=FIELD_COUNT_MAX, errors="strict"
        )
    except ValueError:
        raise Refused(
            400, f"the form is damaged, or has more than {FIELD_COUNT_MAX} fields"
        ) from None
    fields: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        fields[name] = (*fields.get(name, ()), value)
    return fields


def failed(
    request: Request,
    status: int,
    text: str,
    hint: str | None = None,
    visit: Visit | None = None,
) -> Response:
    """Return the answer to a request that failed: a page, or a problem document for the API."""
    if request.url.path.startswith("/api/"):
        problem = {"type": "about:blank", "title": text, "status": status}
        if hint is not None:
            problem["detail"] = hint
        # Names in a reason may hold halves of characters: JSON has them as escapes.
        body = json.dumps(problem)
        return Response(body, status, media_type="application/problem+json")
    if visit is not None:
        # What has not been read yet, or not now, is there after one of the next looks.
        waits = status == 503 and visit.cluster is not None and request.method == "GET"
        return visit.page("failed.html", status=status, text=text, hint=hint, waits=waits)
    return html(request, "failed.html", status=status, text=text, hint=hint, waits=False)


async def not_served(request: Request, _error: Exception) -> Response:
    """Answer a method that the address does not have with those that it has."""
    # Of what is mounted, the static files, no address says which it has.
    methods = [each for each in METHODS if is_served(request, each)] or SAFE_METHODS
    response = failed(request, 405, f"this address is not there for {request.method}")
    response.headers["Allow"] = ", ".join(methods)
    return response


def is_served(request: Request, method: str) -> bool:
    scope = {**request.scope, "method": method}
    addresses = (each for each in request.app.routes if isinstance(each, Address))
    return any(each.matches(scope)[0] is Match.FULL for each in addresses)


async def too_large(request: Request, _error: Exception) -> Response:
    return failed(request, 413, TOO_LARGE)


async def gone(_request: Request, _error: Exception) -> Response:
    """Answer a client that has hung up within its request: that is no fault of the page."""
    return Response(status_code=400)


async def not_found(request: Request, _error: Exception | None) -> Response:
    """Lead an address with a slash too many to the one without; there is no other."""
    path = request.scope["path"].rstrip("/")
    shorter = {**request.scope, "path": path}
    is_known = any(each.matches(shorter)[0] is Match.FULL for each in request.app.routes)
    if is_known and path != request.scope["path"]:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(quote(path, errors="surrogatepass") + query)
    return failed(request, 404, "there is no such page", "the overview is at /")
