"""How is the page asked without a server and without a cluster: two clusters that nothing reads."""

import asyncio
from pathlib import Path

from httpx import ASGITransport, BaseTransport, Client, Request, Response
from starlette.types import ASGIApp

from kadmin.web.access import Access, Proxy, TokenFile
from kadmin.web.application import application
from kadmin.web.audit import AuditLog
from kadmin.web.clusters import WatchedCluster
from kadmin.web.serving import Serving

ORIGIN = "http://testserver"
TOKENS = {name: f"{name}-has-a-long-token-here" for name in ("ann", "oscar", "rita", "wes")}
LINES = f"""\
ann admin {TOKENS["ann"]}
oscar operate {TOKENS["oscar"]}
rita read {TOKENS["rita"]}
wes admin {TOKENS["wes"]} west
pat operate -
"""


def serving_of(directory: Path, *, is_secure: bool = False, writes: bool = True) -> Serving:
    path = directory / "tokens"
    path.write_text(LINES)
    path.chmod(0o600)
    clusters = {
        name: WatchedCluster(name, {"bootstrap_server": "127.0.0.1:1"}, interval_s=3600)
        for name in ("east", "west")
    }
    return Serving(
        clusters=clusters,
        access=Access(
            file=TokenFile(path),
            proxy=Proxy(addresses=frozenset({"10.0.0.9"}), header="X-Remote-User"),
            is_secure=is_secure,
        ),
        hosts=frozenset({"testserver"}),
        origins=frozenset({ORIGIN, "https://testserver"}),
        writes=writes,
        audit=AuditLog(directory / "audit.jsonl"),
    )


class InProcess(BaseTransport):
    """Asks an application in this thread, as from *address*; its polls do not run."""

    def __init__(self, app: ASGIApp, address: str) -> None:
        self.transport = ASGITransport(app=app, client=(address, 50000))

    def handle_request(self, request: Request) -> Response:
        async def asked() -> Response:
            content = request.read()
            whole = Request(request.method, request.url, headers=request.headers, content=content)
            answer = await self.transport.handle_async_request(whole)
            body = await answer.aread()
            return Response(answer.status_code, headers=answer.headers, content=body)

        return asyncio.run(asked())


def client_of(serving: Serving, *, address: str = "10.0.0.1", at: str = ORIGIN) -> Client:
    client = Client(transport=InProcess(application(serving), address), base_url=at)
    client.headers["Origin"] = ORIGIN
    return client


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKENS[name]}"}
