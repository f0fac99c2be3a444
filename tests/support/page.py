"""The page of `kadmin serve`, run in a thread of the test, and browsers that visit it."""

import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import uvicorn
from httpx import Client, Response

from kadmin.app.actions.shown_changes import ShownChanges
from kadmin.web.access import Access, TokenFile
from kadmin.web.application import application
from kadmin.web.audit import AuditLog
from kadmin.web.clusters import WatchedCluster
from kadmin.web.server import Server, listening_socket
from kadmin.web.serving import Serving
from tests.support.waiting import OUTER_LIMIT_S, wait_until

TOKENS: Final = {name: f"{name}-token-of-many-characters" for name in ("ann", "oscar", "rita")}
ROLES: Final = {"ann": "admin", "oscar": "operate", "rita": "read"}
ORIGIN: Final = "http://page"


@dataclass
class Page:
    """A running page: *serving*, and browsers that visit it."""

    serving: Serving
    base: Client
    clients: ExitStack

    def browser(self, name: str) -> "Browser":
        client = Client(base_url=self.base.base_url, follow_redirects=True, timeout=OUTER_LIMIT_S)
        self.clients.enter_context(client)
        client.headers["Origin"] = ORIGIN
        client.post("/login", data={"token": TOKENS[name], "next": "/"})
        return Browser(self, client)


@dataclass
class Browser:
    """A visitor who has logged in; fills in the forms that pages show."""

    page: Page
    client: Client

    def get(self, path: str) -> Response:
        return self.client.get(path)

    def csrf(self, path: str) -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', self.get(path).text)
        assert found is not None, f"{path} has no form"
        return found[1]

    def plan(self, action: str, /, **fields: str) -> Response:
        """Send the form of *action*; returns the page that it leads to."""
        path = f"/clusters/one/actions/{action}"
        return self.client.post(path, data={"csrf": self.csrf(path), **fields})

    def confirm(self, shown: Response, typed: str = "") -> Response:
        """Confirm the plan on the page *shown*; returns the page when the change has ended."""
        path = shown.url.path
        answer = self.client.post(path, data={"csrf": self.csrf(path), "typed": typed})
        while "It is being written" in answer.text:
            answer = self.get(answer.url.path)
        return answer

    def do(self, action: str, /, **fields: str) -> str:
        """Plan and confirm; returns the text of the last page."""
        shown = self.plan(action, **fields)
        assert 200 == shown.status_code, shown.text
        done = self.confirm(shown)
        assert "Done." in done.text, done.text
        return done.text


def serving_of(cluster: WatchedCluster, directory: Path, *, writes: bool = True) -> Serving:
    tokens = directory / "tokens"
    lines = [f"{name} {role} {TOKENS[name]}" for name, role in ROLES.items()]
    tokens.write_text("".join(f"{line}\n" for line in lines))
    tokens.chmod(0o600)
    return Serving(
        clusters={cluster.name: cluster},
        access=Access(file=TokenFile(tokens)),
        hosts=frozenset({"127.0.0.1"}),
        origins=frozenset({ORIGIN}),
        writes=writes,
        audit=AuditLog(directory / "audit.log") if writes else None,
        changes=ShownChanges(directory / "rollback"),
    )


@contextmanager
def running_page(serving: Serving) -> Iterator[Page]:
    """Serve in a thread of the test; all clients are closed at the end."""
    with listening_socket("127.0.0.1", 0) as listening, ExitStack() as clients:
        port = listening.getsockname()[1]
        serving.origins |= {f"http://127.0.0.1:{port}"}
        config = uvicorn.Config(application(serving), log_config=None, lifespan="on")
        server = Server(config, serving.close)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            wait_until(lambda: server.started, what="the page")
            base = Client(base_url=f"http://127.0.0.1:{port}", timeout=OUTER_LIMIT_S)
            yield Page(serving, clients.enter_context(base), clients)
        finally:
            clients.close()
            serving.close()
            server.should_exit = True
            thread.join()
