"""An order of lines by cause: by how much is the time of which source held back, and from when on?

A source's lines keep their order: who is moved behind an order takes along what it wrote until
then.  So all that is needed of a source is a list of lifts: from this time on, not before that.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

import numpy as np

from kadmin.jobs.engine import Engine
from kadmin.jobs.merge.clocks import Lifts
from kadmin.jobs.story.bucket import BucketTask, events_of
from kadmin.statechange.lines import Int64s
from kadmin.story.causes import causes
from kadmin.story.clocks import OrderPair

PROOFS_MAX: Final = 1 << 16
"""So many orders of one source to another are kept, in 1 MiB; of more, neighbours are joined."""

Route = tuple[str, str]
"""Who gave an order, and who took it; both sources."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """Orders on one route: each *given* at a time, and *taken* at one by the other's clock."""

    given: Int64s
    taken: Int64s

    def needed(self) -> "Proofs":
        """Return the proofs without those that others imply: of a later order that was taken
        earlier."""
        order = np.lexsort((-self.given, self.taken))
        given, taken = self.given[order], self.taken[order]
        before = np.concatenate([[np.iinfo(np.int64).min], np.maximum.accumulate(given)[:-1]])
        is_needed = given > before
        return Proofs(given[is_needed], taken[is_needed])

    def bounded(self) -> "Proofs":
        """Return at most PROOFS_MAX of them, by rounding: then some lines stand later than they
        need.

        Where sources order each other within what is rounded, not each answer stands behind.
        """
        found, step_ms = self.needed(), 1
        while len(found.given) > PROOFS_MAX:
            step_ms *= 2
            found = Proofs(-(-found.given // step_ms) * step_ms, found.taken // step_ms * step_ms)
            found = found.needed()
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofTask:
    """A bucket, and by how much the time of each source may be held back at most."""

    bucket: BucketTask
    most_ms: Mapping[str, int]


def proofs_of_bucket(task: ProofTask) -> dict[Route, Proofs]:
    """Return the orders of a bucket that may have been carried out before they were given."""
    found: dict[Route, list[tuple[int, int]]] = {}
    for events in events_of(task.bucket).values():
        for cause in causes(events):
            giver, taker = cause.order.line.source, cause.answer.line.source
            given_ms, taken_ms = cause.order.time_ms, cause.answer.time_ms
            if taken_ms <= given_ms + task.most_ms.get(giver, 0):
                found.setdefault((giver, taker), []).append((given_ms, taken_ms))
    return {route: proofs(pairs).bounded() for route, pairs in found.items()}


def proofs(pairs: Sequence[tuple[int, int]]) -> Proofs:
    given, taken = np.array(pairs, np.int64).T
    return Proofs(given, taken)


def together(parts: Iterable[Mapping[Route, Proofs]]) -> dict[Route, Proofs]:
    """Return all proofs of each route."""
    found: dict[Route, Proofs] = {}
    for part in parts:
        for route, some in part.items():
            known = found.get(route)
            if known is not None:
                some = Proofs(
                    np.concatenate([known.given, some.given]),
                    np.concatenate([known.taken, some.taken]),
                )
            found[route] = some.bounded()
    return dict(sorted(found.items()))


def most_lifted(fastest: Sequence[OrderPair]) -> dict[str, int]:
    """Return by how much the time of each source may be held back at most, directly or through
    others."""
    names = {name for pair in fastest for name in (pair.giver, pair.taker)}
    most = dict.fromkeys(names, 0)
    for _ in names:
        before = dict(most)
        for pair in fastest:
            wanted = before[pair.giver] - pair.least_ms + 1
            most[pair.taker] = max(most[pair.taker], wanted)
    return most


def lifts_of(sources: Sequence[str], found: Mapping[Route, Proofs]) -> dict[str, Lifts]:
    """Return the lifts of each source, of those that are held back at all.

    *sources* are in the order in which lines of one time stand.  Orders that contradict each other,
    of clocks that were set in between, or both ways within one millisecond, are followed for as
    many rounds as there are sources.
    """
    place = {name: number for number, name in enumerate(sources)}
    lifts: dict[str, Lifts] = {}
    # Two sources may hold each other back many times, each time by less, until nothing changes.
    for _ in count() if agree(found, place) else range(len(sources)):
        following = {
            taker: lifted(
                [
                    (
                        lifts.get(giver, Lifts()).apply(some.given) + (place[giver] > place[taker]),
                        some.taken,
                    )
                    for (giver, other), some in found.items()
                    if other == taker
                ]
            )
            for taker in {taker for _, taker in found}
        }
        following = {name: each for name, each in following.items() if each.since_ms}
        if following == lifts:
            break
        lifts = following
    return dict(sorted(lifts.items()))


def agree(found: Mapping[Route, Proofs], place: Mapping[str, int]) -> bool:
    """Return whether no source is held back by itself, through others: then the lifts are bounded.

    They are if the longest way to each source, by the fastest order of each route, has an end.
    """
    held = {
        (giver, taker): int((some.given - some.taken).max()) + (place[giver] > place[taker])
        for (giver, taker), some in found.items()
    }
    most = dict.fromkeys(place, 0)
    for _ in place:
        before = dict(most)
        for (giver, taker), by_ms in held.items():
            most[taker] = max(most[taker], before[giver] + by_ms)
        if most == before:
            return True
    return False


def lifted(parts: Sequence[tuple[Int64s, Int64s]]) -> Lifts:
    """Return the lifts that hold lines back which were written, by their clock, before they
    could be."""
    needed = Proofs(
        np.concatenate([not_before for not_before, _ in parts]),
        np.concatenate([taken for _, taken in parts]),
    ).needed()
    is_early = needed.given > needed.taken
    return Lifts(
        needed.taken[is_early].astype(np.int64).tobytes(),
        needed.given[is_early].astype(np.int64).tobytes(),
    )


def find_lifts(
    engine: Engine,
    tasks: Sequence[BucketTask],
    fastest: Sequence[OrderPair],
    sources: Sequence[str],
) -> dict[str, Lifts]:
    """Return the lifts that all buckets prove to be needed.

    *fastest* are the orders of all of them.
    """
    most_ms = most_lifted(fastest)
    wanted = [ProofTask(bucket=task, most_ms=most_ms) for task in tasks]
    return lifts_of(sources, together(engine.run(proofs_of_bucket, wanted)))
