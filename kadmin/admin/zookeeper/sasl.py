"""A bound on the SASL conversation with a server that does not support SASL.

Such a ZooKeeper answers every token with an empty one, to which pure-sasl returns no token and
kazoo sends an empty one again, a thousand times a second and without end.  Here the first empty
answer ends it.
"""

from typing import Any

from puresasl import SASLProtocolException, mechanisms


class ServerWithoutSasl(SASLProtocolException):  # type: ignore[misc]  # no annotations there
    """The server gave no challenge where one must come."""


class DigestMd5(mechanisms.DigestMD5Mechanism):  # type: ignore[misc]  # no annotations there
    """pure-sasl's DIGEST-MD5, which takes an empty challenge only at the start."""

    has_begun = False

    def process(self, challenge: bytes | None = None) -> Any:
        if self.has_begun and not challenge:
            raise ServerWithoutSasl("the server gave no challenge")
        self.has_begun = True
        return super().process(challenge)


def use_digest_md5() -> None:
    """Let pure-sasl, and through it kazoo, take our mechanism for its own."""
    mechanisms.mechanisms[DigestMd5.name] = DigestMd5
