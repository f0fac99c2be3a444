"""A token for brokers that take SASL with OAUTHBEARER: where does it come from?

Of an authorization server, by the client's own id and secret; of a file; or unsigned, for brokers
in tests.  Knows no client of brokers.
"""

import base64
import json
import re
import ssl
import time
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener, url2pathname

from kadmin.errors import KadminError, UnreachableError, UsageError
from kadmin.named_file import read_named
from kadmin.settings.brokers import BrokerSettings
from kadmin.settings.keys import UNSECURED

USUAL_LIFE_S: Final = 300.0
"""Of a token that does not say how long it is valid."""

LEAST_LIFE_S: Final = 30.0
"""One that ends sooner is got anew."""

ANSWER_MAX: Final = 1 << 20
TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")
HINT: Final = (
    "check client id and secret, and with the server which grants and scopes it gives them"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token, and until when by the wall clock it is valid, in s."""

    text: str = field(repr=False)
    ends_s: float


class TokenDenied(KadminError):
    """The authorization server gives no token."""


@dataclass(slots=True)
class Tokens:
    """The tokens that *settings* ask for; each is kept as long as it is valid."""

    settings: BrokerSettings
    _last: Token | None = None
    _lock: Lock = field(default_factory=Lock)

    def token(self) -> Token:
        """Return a token that is valid for a while.

        Raises:
            TokenDenied: the server gives none.
            UnreachableError: it does not answer in time.
            UsageError: the file cannot be read.
        """
        with self._lock:
            if self._last is None or self._last.ends_s - time.time() < LEAST_LIFE_S:
                self._last = self._new()
            return self._last

    def _new(self) -> Token:
        url = str(self.settings.oauth_url)
        if url == UNSECURED:
            return unsecured(self.settings.user or "kadmin")
        if url.startswith("file:"):
            return of_file(url2pathname(urlsplit(url).path))
        return granted(url, self.settings)


def unsecured(user: str) -> Token:
    """Make an unsigned token, as Kafka's own clients make it for tests."""
    now_s = time.time()
    ends_s = now_s + USUAL_LIFE_S
    claims = {"sub": user, "iat": int(now_s), "exp": int(ends_s)}
    parts = (json.dumps(part).encode() for part in ({"alg": "none"}, claims))
    encoded = (base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)
    return Token(f"{'.'.join(encoded)}.", ends_s)


def of_file(path: str) -> Token:
    try:
        text = read_named(path).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(
            f"cannot read the token in {path}: {reason}", hint=f"ls -l {path}"
        ) from error
    if TOKEN.fullmatch(text) is None:
        raise UsageError(f"there is no token in {path}", hint="it holds the token and nothing else")
    return Token(text, time.time() + USUAL_LIFE_S)


class NoRedirect(HTTPRedirectHandler):
    """Refuses redirects: the client's secret is sent to the named server alone."""

    def redirect_request(self, *_args: Any, **_options: Any) -> None:
        return None


def granted(url: str, settings: BrokerSettings) -> Token:
    """Return a token that the server at *url* grants to the client of *settings*; raises as
    `token`."""
    parts = urlsplit(url)
    shown = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"
    login = f"{quote(settings.user or '', safe='')}:{quote(settings.password or '', safe='')}"
    form = {"grant_type": "client_credentials"}
    if settings.oauth_scope is not None:
        form["scope"] = settings.oauth_scope
    request = Request(
        url,
        data=urlencode(form).encode(),
        headers={
            "Authorization": f"Basic {base64.b64encode(login.encode()).decode()}",
            "Accept": "application/json",
        },
    )
    context = ssl.create_default_context()
    if settings.tls_ca is not None:
        context.load_verify_locations(settings.tls_ca)
    try:
        opener = build_opener(NoRedirect, HTTPSHandler(context=context))
        with opener.open(request, timeout=settings.timeout_s) as answer:
            body = read_json(answer.read(ANSWER_MAX))
    except HTTPError as error:
        with error:
            problem = read_json(error.read(ANSWER_MAX))
        words = [str(problem[name]) for name in ("error", "error_description") if problem.get(name)]
        why = ": ".join([f"{error.code} {error.reason}", *words])
        raise TokenDenied(f"{shown} gives no token: {why}", hint=HINT) from error
    except (URLError, TimeoutError, OSError) as error:
        reason = getattr(error, "reason", error)
        why = str(getattr(reason, "strerror", None) or reason).lower()
        raise UnreachableError(
            f"cannot reach {shown} for a token: {why}",
            hint="check that URL; --timeout says how long to wait",
        ) from error
    text = body.get("access_token")
    if not isinstance(text, str) or TOKEN.fullmatch(text) is None:
        raise TokenDenied(f"{shown} gives no token: there is no access_token", hint=HINT)
    life_s = body.get("expires_in")
    is_number = isinstance(life_s, int | float) and life_s is not True
    return Token(text, time.time() + (float(life_s or 0) if is_number else USUAL_LIFE_S))


def read_json(text: bytes) -> dict[str, Any]:
    """Return the object that *text* is in JSON; an empty one where it is none."""
    try:
        parsed = json.loads(text)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
