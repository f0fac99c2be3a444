"""SCRAM: the credential that ZooKeeper holds for a user's password, and the one sent to brokers.

Derives both; draws no salt and writes nothing.  Source: RFC 5802, KIP-84, KIP-554.
"""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from typing import Final

from kadmin.errors import KadminError

HASHES: Final = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
ITERATIONS_MIN: Final = 4096
ITERATIONS_MAX: Final = 1_000_000
"""Ours: a client computes that many at each login."""
SALT_SIZE: Final = 32
SALTED: Final = re.compile(r"salt=([^,]+),salted_password=([^,]+),iterations=([0-9]+)")
REQUEST: Final = re.compile(r"(?:iterations=([0-9]*),)?password=(.+)", re.DOTALL)
ITERATIONS_BEHIND: Final = re.compile(r",\s*iterations=[0-9]*$")
STORED_ITERATIONS: Final = re.compile(r"(?:^|,)iterations=([0-9]+)(?:,|$)")


class BadScramRequest(KadminError):
    """What is to become a credential cannot be understood, or is too weak; never repeats it."""

    def __init__(self, mechanism: str, reason: str) -> None:
        super().__init__(
            f"{mechanism}: {reason}",
            hint=f"--add-config '{mechanism}=[iterations=8192,password=…]'; a password that others"
            " must not see in the process list goes into a file for --add-config-file",
        )
        self.mechanism = mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class ScramRequest:
    """A password that *mechanism* shall accept, hashed *iterations* times."""

    mechanism: str
    password: str = field(repr=False)
    iterations: int = ITERATIONS_MIN


def parse_scram_request(mechanism: str, text: str) -> ScramRequest:
    """Understand `iterations=8192,password=x`; the iterations may be left out (4096).

    Raises:
        BadScramRequest: another form, or a number of iterations that Kafka refuses.
    """
    match = REQUEST.fullmatch(text)
    if match is None:
        raise BadScramRequest(mechanism, "expected iterations=NUMBER,password=TEXT")
    if ITERATIONS_BEHIND.search(match[2]) is not None:
        raise BadScramRequest(mechanism, "the iterations must stand before the password")
    iterations = ITERATIONS_MIN if match[1] is None else int(match[1] or 0)
    if iterations < ITERATIONS_MIN:
        raise BadScramRequest(
            mechanism,
            f"Iterations {iterations} is less than the minimum {ITERATIONS_MIN} required for"
            f" {mechanism}",
        )
    if iterations > ITERATIONS_MAX:
        raise BadScramRequest(
            mechanism, f"Iterations {iterations} is more than the maximum {ITERATIONS_MAX}"
        )
    return ScramRequest(mechanism=mechanism, password=match[2], iterations=iterations)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaltedPassword:
    """What is sent to a broker to make a credential of; anyone who has it can log in."""

    salt: bytes
    salted: bytes = field(repr=False)
    iterations: int

    @property
    def text(self) -> str:
        """As a config's value; `salted_password_of` understands it."""
        return (
            f"salt={base64_text(self.salt)},salted_password={base64_text(self.salted)}"
            f",iterations={self.iterations}"
        )


def salted_password(request: ScramRequest, salt: bytes) -> SaltedPassword:
    """Hash the password of *request* with its number of iterations."""
    # Kafka takes the password's UTF-8 as it is, without SASLprep.
    return SaltedPassword(
        salt=salt,
        salted=hashlib.pbkdf2_hmac(
            HASHES[request.mechanism], request.password.encode(), salt, request.iterations
        ),
        iterations=request.iterations,
    )


def salted_password_of(text: str) -> SaltedPassword:
    """Return what a `SaltedPassword` has as its text."""
    match = SALTED.fullmatch(text)
    assert match is not None
    return SaltedPassword(
        salt=base64.b64decode(match[1]),
        salted=base64.b64decode(match[2]),
        iterations=int(match[3]),
    )


def credential(request: ScramRequest, salt: bytes) -> str:
    """Return the text that a broker reads: salt, keys and iterations, but no password."""
    algorithm = HASHES[request.mechanism]
    salted = salted_password(request, salt).salted
    client_key = hmac.digest(salted, b"Client Key", algorithm)
    server_key = hmac.digest(salted, b"Server Key", algorithm)
    stored_key = hashlib.new(algorithm, client_key).digest()
    return (
        f"salt={base64_text(salt)},stored_key={base64_text(stored_key)}"
        f",server_key={base64_text(server_key)},iterations={request.iterations}"
    )


def base64_text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def shown_credential(text: str) -> str:
    """Return what may be shown of a stored credential: how often the password was hashed."""
    match = STORED_ITERATIONS.search(text)
    return "***" if match is None else f"iterations={match[1]}"
