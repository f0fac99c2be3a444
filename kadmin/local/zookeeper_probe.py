"""A probe of a ZooKeeper: does it serve, and as what?

Asked by a four-letter word, which needs no session.  Knows no process and no directory.
"""

from dataclasses import dataclass
from typing import Final

from kadmin.four_letter_words import say

PROBE_TIMEOUT_S: Final = 0.15
"""One connection that arrives too early can hang for seconds; a new one is answered at once."""
READ_ONLY: Final = "read-only"
"""The mode of a server without the majority, which serves no client of ours."""
PROBES: Final = 20
"""So often a server on a busy machine is asked that answers no connection in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The report of a server: whether it serves and, if so, as what (`leader`, …)."""

    is_serving: bool
    mode: str | None = None


def ask(address: str, port: int) -> Answer | None:
    """Ask the server at *port* of *address*; None without an answer in time."""
    text = four_letter_word("srvr", address, port)
    if text is None:
        return None
    for line in text.splitlines():
        if line.startswith("Mode: "):
            mode = line.removeprefix("Mode: ").strip()
            return Answer(is_serving=mode != READ_ONLY, mode=mode)
    return Answer(is_serving=False)


def four_letter_word(word: str, address: str, port: int) -> str | None:
    """Return a server's answer to *word*; None where no server listens, or none answers in time."""
    for _ in range(PROBES):
        try:
            return say(word, address, port, timeout_s=PROBE_TIMEOUT_S)
        except TimeoutError:
            continue
        except OSError:
            break
    return None
