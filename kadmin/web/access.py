"""Access: who makes a request, by a token, a session or a trusted proxy?"""

import time
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Final

from starlette.requests import HTTPConnection

from kadmin.web.attempts import Attempts
from kadmin.web.roles import Visitor
from kadmin.web.sessions import Sessions, WebSession, digest_of
from kadmin.web.tokens import BadTokenFile, Tokens, read_tokens

COOKIE: Final = "kadmin_session"
SECURE_COOKIE: Final = "__Host-kadmin_session"
"""Browsers take it by TLS alone, and from no other host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A reverse proxy that is trusted to name visitors in *header*, None if it only forwards."""

    addresses: frozenset[str]
    header: str | None = None


class TokenFile:
    """The tokens in the file at *path*, read again when it has changed.

    While it cannot be used, no login succeeds: tokens that were taken out must not live on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen = self._mark()
        self.tokens = read_tokens(path)

    def _mark(self) -> tuple[int, ...] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        # `chmod` changes the last one alone.
        return found.st_mtime_ns, found.st_ino, found.st_size, found.st_ctime_ns

    def current(self) -> Tokens:
        mark = self._mark()
        if mark != self._seen:
            self._seen = mark
            try:
                self.tokens = read_tokens(self.path)
            except BadTokenFile:
                self.tokens = Tokens(by_digest={}, by_name={})
        return self.tokens


def plain_address(text: str) -> str:
    """Return an address as it is compared: one of IPv4 in IPv6 is that of IPv4.

    Raises:
        ValueError: it is none.
    """
    address = ip_address(text)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


def peer_of(request: HTTPConnection) -> str:
    """Return the address at the other end of the connection."""
    peer = "" if request.client is None else request.client.host
    try:
        return plain_address(peer)
    except ValueError:
        return peer


def utf8_of(header: str) -> str:
    """Return the text of a *header*, which was read as Latin-1, as UTF-8 if it is that."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


@dataclass(slots=True, kw_only=True)
class Access:
    """Logins and sessions; *is_secure* where browsers come by TLS."""

    file: TokenFile
    proxy: Proxy | None = None
    is_secure: bool = False
    sessions: Sessions = field(default_factory=Sessions)
    attempts: Attempts = field(default_factory=Attempts)

    @property
    def cookie(self) -> str:
        return SECURE_COOKIE if self.is_secure else COOKIE

    def address_of(self, request: HTTPConnection) -> str:
        """Return the address that the request comes from, as a trusted proxy forwards it."""
        address = peer_of(request)
        # Some proxies add a header of their own behind that of the client.
        forwarded = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
        while self.proxy is not None and address in self.proxy.addresses and forwarded:
            try:
                address = plain_address(forwarded.pop().strip())
            except ValueError:
                break
        return address

    def name_by_proxy(self, request: HTTPConnection) -> str | None:
        """Return the name that a trusted proxy gives, None where none does."""
        if self.proxy is None or self.proxy.header is None:
            return None
        if peer_of(request) not in self.proxy.addresses:
            return None
        names = request.headers.getlist(self.proxy.header)
        return utf8_of(names[0]) if len(names) == 1 and names[0].strip() else None

    def visitor_of(self, session: WebSession) -> Visitor | None:
        """Return the visitor of *session*, None if the token has been taken out of the file."""
        tokens = self.file.current()
        if session.token_digest is None:
            return tokens.visitor_named(session.name)
        return tokens.by_digest.get(session.token_digest)

    def session_of(self, request: HTTPConnection) -> WebSession | None:
        """Return the session that the request's cookie names, None without one that is valid."""
        session_id = request.cookies.get(self.cookie)
        return None if session_id is None else self.sessions.find(session_id, time.monotonic())

    def log_in(self, token: str) -> tuple[str, WebSession] | None:
        """Begin a session by *token*: the id for the cookie, and the session; None if it is of no
        visitor."""
        visitor = self.file.current().visitor_with(token)
        if visitor is None:
            return None
        return self.sessions.begin(visitor.name, digest_of(token), time.monotonic())

    def log_in_by_proxy(self, name: str) -> tuple[str, WebSession] | None:
        """Begin a session of the visitor whom a trusted proxy calls *name*; None if there is no
        such one."""
        if self.file.current().visitor_named(name) is None:
            return None
        return self.sessions.begin(name, None, time.monotonic())
