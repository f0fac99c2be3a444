"""Python's garbage collector: long-lived objects are kept out of its collections.

A broker makes hardly any cycles, and what it keeps, for each partition some dozens of objects, it
keeps for long.  A full collection visits all of it while no client is served: 35 ms of CPU in an
empty broker, 300 ms in one with 10,000 partitions, a dozen times while those are created.
"""

import gc
from typing import Any, Final

GROWTH: Final = 3
"""By which factor the frozen objects grow before all are visited again: some of them become garbage
later, and what a cycle refers to is only freed with it.  Rarer visits would leave more garbage."""
OLDEST: Final = 2
"""The generation of full collections."""


def begin_collecting() -> None:
    """Turn the collector on in a process that was started without it; ignore present objects."""
    gc.freeze()
    gc.enable()


def keep_survivors() -> None:
    """From now on exclude present objects from all collections, and those that survive a full one.

    Objects whose reference count falls to zero are still freed at once.
    """
    gc.freeze()
    looked_at = gc.get_freeze_count()
    kept_max = looked_at
    is_whole = False

    def keep(phase: str, info: dict[str, Any]) -> None:
        nonlocal looked_at, kept_max, is_whole
        if phase != "stop" or info["generation"] < OLDEST:
            return
        if is_whole:
            gc.freeze()
            looked_at = kept_max = gc.get_freeze_count()
            is_whole = False
            return
        # To count all frozen objects takes 20 ms with 10,000 partitions, several times as long as
        # most full collections. So survivors are added up, which counts those freed since as well.
        kept_max += len(gc.get_objects(OLDEST))
        gc.freeze()
        if kept_max > GROWTH * looked_at:
            kept_max = gc.get_freeze_count()
        if kept_max > GROWTH * looked_at:
            # The next full collection visits everything.
            gc.unfreeze()
            is_whole = True

    gc.callbacks.append(keep)
