"""Four-letter words of ZooKeeper: those that are sent, and the answers that contain no state.

A module apart from what parses the answers: every command that has several servers sends one word.
"""

from typing import Final

FIGURES: Final = "mntr"
STATE: Final = "srvr"
MEMBERS: Final = "conf"
WORDS: Final = (STATE, FIGURES, MEMBERS)
"""The words that are sent: each answer has what the others lack."""

WHITELIST: Final = "4lw.commands.whitelist"

NOT_SERVING: Final = "not currently serving requests"
NOT_ALLOWED: Final = "not in the whitelist"
READ_ONLY: Final = "read-only"
"""The mode, with `readonlymode.enabled`, of a server without the majority: it has no sessions for
clients that did not ask for that, and neither brokers nor kadmin do."""


def no_majority(answering: int, named: int) -> str:
    """Describe an ensemble without a majority, of whose *named* servers so many are *answering*."""
    if named == 1:
        return f"no majority: it {'does not serve' if answering else 'does not answer'}"
    text = f"no majority: {answering} of {named} answer{'s' if answering == 1 else ''}"
    if 2 * answering <= named:
        return text
    return f"{text}, and none serves"
