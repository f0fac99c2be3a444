"""Sessions of browsers that have logged in: kept in this process, ended by time.

A cookie holds a random id and nothing else; a form has to repeat the session's CSRF token.
"""

import hmac
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

IDLE_S: Final = 8 * 3600.0
AGE_S_MAX: Final = 24 * 3600.0
SESSION_COUNT_MAX: Final = 10_000


@dataclass(slots=True, kw_only=True)
class WebSession:
    """The session of the visitor *name*; *token_digest* is of the token that opened it, None where
    a proxy named the visitor.  Times are in seconds of a clock that never goes back."""

    name: str
    token_digest: bytes | None
    csrf: str
    begun_s: float
    used_s: float

    def is_over(self, now_s: float) -> bool:
        return now_s - self.used_s > IDLE_S or now_s - self.begun_s > AGE_S_MAX

    def has_csrf(self, given: str) -> bool:
        return hmac.compare_digest(digest_of(self.csrf), digest_of(given))


class Sessions:
    """All sessions, of which the least used one goes when there are too many."""

    def __init__(self) -> None:
        self._by_digest: OrderedDict[bytes, WebSession] = OrderedDict()

    def begin(self, name: str, token_digest: bytes | None, now_s: float) -> tuple[str, WebSession]:
        """Return the id for the cookie of a new session, and the session."""
        session_id = secrets.token_urlsafe(32)
        session = WebSession(
            name=name,
            token_digest=token_digest,
            csrf=secrets.token_urlsafe(32),
            begun_s=now_s,
            used_s=now_s,
        )
        self._by_digest[digest_of(session_id)] = session
        while len(self._by_digest) > SESSION_COUNT_MAX:
            self._by_digest.popitem(last=False)
        return session_id, session

    def find(self, session_id: str, now_s: float) -> WebSession | None:
        """Return the session with *session_id*, None if there is none or its time is over."""
        digest = digest_of(session_id)
        session = self._by_digest.get(digest)
        if session is None:
            return None
        if session.is_over(now_s):
            del self._by_digest[digest]
            return None
        session.used_s = now_s
        self._by_digest.move_to_end(digest)
        return session

    def end(self, session_id: str) -> None:
        self._by_digest.pop(digest_of(session_id), None)


def digest_of(secret: str) -> bytes:
    """Return a digest of *secret*, whatever bytes of a request it was made of."""
    return sha256(secret.encode("utf-8", "surrogateescape")).digest()
