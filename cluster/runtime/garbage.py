"""Python's collector of garbage: what need it not go through again and again?

A broker makes hardly any cycles, and what it keeps, for each partition some dozens of objects, it
keeps for long.  A full collection goes through all that is kept while no client is served: 35 ms of
CPU in an empty broker, 300 ms in one with 10,000 partitions, a dozen times while those are made.
"""

import gc
from typing import Any, Final

GROWTH: Final = 3
"""By which factor the kept grow before they are all looked at again: for garbage that became one
later, as what it refers to is freed with its cycle only.  Rarer looks would let more of it lie."""


def keep_survivors() -> None:
    """From now on keep out of all collections what is there, and what outlives a full one.

    Whatever of it goes by its count of references goes at once, as before.
    """
    gc.freeze()
    looked_at = gc.get_freeze_count()
    is_whole = False

    def keep(phase: str, info: dict[str, Any]) -> None:
        nonlocal looked_at, is_whole
        if phase != "stop" or info["generation"] < 2:
            return
        gc.freeze()
        kept = gc.get_freeze_count()
        if is_whole:
            looked_at, is_whole = kept, False
        elif kept > GROWTH * looked_at:
            # The next full collection goes through everything.
            gc.unfreeze()
            is_whole = True

    gc.callbacks.append(keep)
