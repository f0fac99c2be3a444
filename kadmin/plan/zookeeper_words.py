"""Words of ZooKeeper: which four-letter words are asked, and what answers say that tell nothing?

Apart from what is made of the answers: every command that has several servers asks one word.
"""

from typing import Final

FIGURES: Final = "mntr"
STATE: Final = "srvr"
MEMBERS: Final = "conf"
WORDS: Final = (STATE, FIGURES, MEMBERS)
"""The words that are asked: each tells what the others do not."""

WHITELIST: Final = "4lw.commands.whitelist"

NOT_SERVING: Final = "not currently serving requests"
NOT_ALLOWED: Final = "not in the whitelist"


def no_majority(answering: int, named: int) -> str:
    """That an ensemble does not serve, of whose *named* servers so many are *answering*."""
    if named == 1:
        return f"no majority: it {'does not serve' if answering else 'does not answer'}"
    text = f"no majority: {answering} of {named} answer{'s' if answering == 1 else ''}"
    if 2 * answering <= named:
        return text
    return f"{text}, and none serves"
