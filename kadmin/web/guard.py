"""The guard before all routes: hosts, origins, sizes of requests, headers of answers.

Pure ASGI: what it refuses reaches no other code.
"""

import re
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_SIZE_MAX: Final = 1024 * 1024
HEADERS: Final = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'; object-src 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Under "no-referrer" browsers send "null" as the origin of our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
HOST: Final = re.compile(r"([\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?", re.ASCII)
STRICT_TRANSPORT: Final = "max-age=31536000"
SAFE_METHODS: Final = ("GET", "HEAD")


class BodyTooLarge(Exception):
    """More bytes came than a request may have; *app* answers with 413."""


class Guard:
    """Lets those requests through to *app* that name a host of *hosts* and are small enough; one
    that changes something and comes from a page must come from one of *origins*."""

    def __init__(
        self, app: ASGIApp, *, hosts: frozenset[str], origins: frozenset[str], is_secure: bool
    ) -> None:
        self.app = app
        self.hosts = hosts
        self.origins = origins
        self.headers = dict(HEADERS)
        if is_secure:
            self.headers["strict-transport-security"] = STRICT_TRANSPORT

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.encode(), value.encode())
                        for name, value in self.headers.items()
                        if name.encode() not in given
                    ),
                ]
                if b"cache-control" not in given:
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        received_bytes = 0

        async def receive_bounded() -> Message:
            nonlocal received_bytes
            message = await receive()
            received_bytes += len(message.get("body", b""))
            if received_bytes > BODY_SIZE_MAX:
                raise BodyTooLarge
            return message

        refusal = self.refusal(scope)
        if refusal is not None:
            await refuse(send_guarded, *refusal)
            return
        await self.app(scope, receive_bounded, send_guarded)

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return why the request is refused before it is looked at, with the status; None if it is
        not."""
        hosts = values_of(scope, b"host")
        if len(hosts) != 1 or host_name(hosts[0]) not in self.hosts:
            # Another name that resolves to this address: a page elsewhere would read this one.
            return 421, "this is not the host that the page is served as (see --url)"
        lengths = values_of(scope, b"content-length")
        if any(not each.isdecimal() or int(each[:12]) > BODY_SIZE_MAX for each in lengths):
            return 413, TOO_LARGE
        if scope["method"] not in SAFE_METHODS:
            origins = values_of(scope, b"origin")
            if any(each.lower() not in self.origins for each in origins):
                return 403, "the form is on another page than this one"
        return None


TOO_LARGE: Final = f"a request has at most {BODY_SIZE_MAX} bytes"


def values_of(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def host_name(host: str) -> str:
    """Return the name in a Host header, in lower case and without its port; empty where it is
    not a name with at most a port."""
    found = HOST.fullmatch(host)
    return "" if found is None else found[1].strip("[]").lower()


async def refuse(send: Send, status: int, text: str) -> None:
    body = f"{text}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
