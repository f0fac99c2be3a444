"""The probe of an ensemble: which of its servers serve, and whether there is a majority.

It asks all at the same time, by one four-letter word, so that a session is opened with a server
that serves, without waiting for those that hang.
"""

import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final

from cluster.model.address import split_address
from kadmin.admin.asking import Asking, Lines
from kadmin.admin.zookeeper.client import is_refusal, reason
from kadmin.four_letter_words import answer_to
from kadmin.plan.zookeeper_words import NOT_SERVING, READ_ONLY, STATE, no_majority
from kadmin.settings.resolve import ZooKeeperSettings

if TYPE_CHECKING:
    import ssl

    from kadmin.budget import Budget

PROBE_S: Final = 0.3
"""For servers that the command does not wait for: it ends at most that much later with
a live one."""

ROUND_S: Final = 1.5
"""A server that is silent for so long is asked again, on another connection; the next round is
longer."""

PAUSE_S: Final = 0.3
SILENCE_MAX_S: Final = 1.0
"""After that the operator is shown what is waited for."""

IDLE_TEXT: Final = "it does not serve: most of the ensemble is not there"


class Voice(Enum):
    """The state that a server reports."""

    SERVES = "serves"
    LIVES = "lives"
    """It does not allow the command, or its answer is no ZooKeeper's."""
    IDLE = "idle"
    """It has no majority."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What each of *servers* has said, or why it has said nothing."""

    servers: tuple[str, ...]
    voices: Mapping[str, Voice | OSError]

    @property
    def usable(self) -> list[str]:
        """Those that a session may be opened with, the best first."""
        return [
            server
            for voice in (Voice.SERVES, Voice.LIVES)
            for server in self.servers
            if self.voices.get(server) is voice
        ]

    @property
    def is_refused(self) -> bool:
        """Whether all say that another attempt would fail as well."""
        voices = [self.voices.get(server) for server in self.servers]
        return all(isinstance(each, OSError) and is_refusal(each) for each in voices)

    def reasons(self) -> dict[str, str]:
        """Return why those do not serve that do not."""
        return {
            server: why
            for server in self.servers
            if (why := reason_of(self.voices.get(server))) is not None
        }

    def __str__(self) -> str:
        """Return why there is no majority."""
        answering = [each for each in self.servers if isinstance(self.voices.get(each), Voice)]
        silent = {each: why for each, why in self.reasons().items() if each not in answering}
        text = no_majority(len(answering), len(self.servers))
        reasons = "; ".join(f"{server}: {why}" for server, why in silent.items())
        return f"{text} ({reasons})" if reasons else text


class EnsembleProbe:
    """A look at all servers of *settings*, from now on."""

    def __init__(self, settings: ZooKeeperSettings) -> None:
        self._servers = tuple(servers_of(settings.connect))
        tls = None
        if settings.tls:
            from kadmin.admin.tls import tls_context

            tls = tls_context(settings, "zookeeper")
        self._timeout_s = settings.timeout_s
        self._tls = tls
        self._asking = self._begun()

    def _begun(self) -> Asking[str, Voice | OSError]:
        lines = Lines()
        ask = partial(voice_of, lines=lines, timeout_s=self._timeout_s, tls=self._tls)
        return Asking(self._servers, ask, lines)

    def heard(self, patience_s: float) -> Heard:
        """Return what they have said when one of them may serve, or *patience_s* after they were
        asked."""
        found = self._asking.answers(
            patience_s,
            lambda answers: not {Voice.SERVES, Voice.LIVES}.isdisjoint(answers.values()),
        )
        return Heard(self._servers, found)

    def wait_for_majority(self, budget: "Budget", note: Callable[[str], None]) -> Heard:
        """Return the answers when one of the servers may serve, or when the *budget* is over.

        They are asked again and again, since an election takes a moment.  A refused connection is
        not waited for.  *note* takes what is waited for.
        """
        began_s, end_s = time.monotonic(), budget.end_s()
        round_s, has_noted = ROUND_S, False
        voices: dict[str, Voice | OSError] = {}
        while True:
            with budget.spending() as left_s:
                # What was said before stands until it is said anew: the last round may be short.
                voices |= self.heard(min(round_s, left_s)).voices
            heard = Heard(self._servers, voices)
            now_s = time.monotonic()
            if heard.usable or heard.is_refused or now_s >= end_s:
                return heard
            if now_s - began_s > SILENCE_MAX_S and not has_noted:
                note(str(heard))
                has_noted = True
            budget.pause(PAUSE_S)
            round_s = 2 * round_s
            self._asking.close()
            self._asking = self._begun()

    def down(self) -> dict[str, str]:
        """Return those of them that do not serve, each with the reason."""
        return self.heard_by_all(PROBE_S).reasons()

    def heard_by_all(self, patience_s: float) -> Heard:
        """Return what they have said when all have, or *patience_s* after they were asked."""
        return Heard(self._servers, self._asking.answers(patience_s))

    def close(self) -> None:
        self._asking.close()


def voice_of(
    server: str, *, lines: Lines, timeout_s: float, tls: "ssl.SSLContext | None"
) -> Voice | OSError:
    """Return the state that *server* reports, or why it reports none."""
    host, port = split_address(server)
    try:
        text = answer_from(host, port, STATE, lines=lines, timeout_s=timeout_s, tls=tls)
    except OSError as error:
        return error
    if NOT_SERVING in text or f"Mode: {READ_ONLY}" in text:
        return Voice.IDLE
    return Voice.SERVES if "Mode: " in text else Voice.LIVES


def answer_from(
    host: str,
    port: int,
    word: str,
    *,
    lines: Lines,
    timeout_s: float,
    tls: "ssl.SSLContext | None",
) -> str:
    """Return what the server there answers to *word*, on a connection of *lines*.

    Raises:
        OSError: no server listens there, or none answers in time.
    """
    with (
        lines.connect((host, port), timeout_s) as plain,
        lines.secured(plain, tls, host) as connection,
    ):
        return answer_to(word, connection)


def reason_of(voice: Voice | OSError | None) -> str | None:
    """Return why a server does not serve; None if it does, or if it only proves that it lives."""
    if voice is None:
        return "no answer"
    if isinstance(voice, socket.timeout):
        return "no answer"
    if isinstance(voice, OSError):
        return reason(voice)
    return IDLE_TEXT if voice is Voice.IDLE else None


def servers_of(connect: str) -> list[str]:
    """Return the servers of a connect string, `host:port` each."""
    return connect.partition("/")[0].split(",")
