"""Bounds on the difference between brokers' clocks, from orders that one gave and another carried
out.

No order is carried out before it is given.  So the fastest order from one clock to another bounds
how far the second can be ahead; where both have ordered the other, from both sides.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kadmin.story.causes import causes
from kadmin.story.events import Event

AHEAD_MS: Final = 1_000
"""No order takes that long to be carried out each time: the clock is ahead."""

PAIRS: Final = 3
"""Of fewer orders all may have taken long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPair:
    """The fastest of *count* orders from *giver* to *taker*, both sources: by their own clocks."""

    giver: str
    taker: str
    least_ms: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockEstimate:
    """How far a source's clock is ahead of that of *reference*, in ms; negative: behind.

    *least_ms* and *most_ms* are the bounds that orders prove, None where none does.  *ahead_ms*
    is 0 where the bounds leave it open.
    """

    source: str
    reference: str
    least_ms: int | None
    most_ms: int | None
    ahead_ms: int
    pairs: int


def order_pairs(partitions: Iterable[Sequence[Event]]) -> list[OrderPair]:
    """Return the fastest orders between each two sources, by the events of *partitions*."""
    return fastest(
        OrderPair(
            giver=cause.order.line.source,
            taker=cause.answer.line.source,
            least_ms=cause.answer.time_ms - cause.order.time_ms,
            count=1,
        )
        for events in partitions
        for cause in causes(events)
    )


def fastest(pairs: Iterable[OrderPair]) -> list[OrderPair]:
    """Return *pairs* with those of the same two sources put together."""
    together: dict[tuple[str, str], OrderPair] = {}
    for pair in pairs:
        key = pair.giver, pair.taker
        known = together.get(key)
        if known is not None:
            pair = OrderPair(
                giver=pair.giver,
                taker=pair.taker,
                least_ms=min(pair.least_ms, known.least_ms),
                count=pair.count + known.count,
            )
        together[key] = pair
    return [together[key] for key in sorted(together)]


def estimates(pairs: Sequence[OrderPair]) -> list[ClockEstimate]:
    """Return how far the clock of each source is ahead.

    One that orders link to no other is left out.

    The reference is the source that has given the most orders.
    """
    if not pairs:
        return []
    given: dict[str, int] = {}
    for pair in pairs:
        given[pair.giver] = given.get(pair.giver, 0) + pair.count
    reference = min(given, key=lambda name: (-given[name], name))
    bounds = {(pair.giver, pair.taker): pair.least_ms for pair in pairs}
    forth = nearest(reference, bounds)
    back = nearest(reference, {(taker, giver): ms for (giver, taker), ms in bounds.items()})
    names = sorted({name for pair in pairs for name in (pair.giver, pair.taker)} - {reference})
    return [
        ClockEstimate(
            source=name,
            reference=reference,
            least_ms=None if name not in back else -back[name],
            most_ms=forth.get(name),
            ahead_ms=ahead(
                None if name not in back else -back[name], forth.get(name), counted(name, pairs)
            ),
            pairs=counted(name, pairs),
        )
        for name in names
    ]


def counted(name: str, pairs: Sequence[OrderPair]) -> int:
    return sum(pair.count for pair in pairs if name in (pair.giver, pair.taker))


def nearest(start: str, bounds: Mapping[tuple[str, str], int]) -> dict[str, int]:
    """Return the least sum of *bounds* on any way from *start* to each source (Bellman and Ford).

    Bounds that contradict each other, of clocks that were set in between, would fall for ever:
    each way visits a source once at most.
    """
    least = {start: 0}
    for _ in {name for pair in bounds for name in pair}:
        for (giver, taker), ms in bounds.items():
            if giver not in least or taker == start:
                continue
            least[taker] = min(least[giver] + ms, least.get(taker, least[giver] + ms))
    return least


def ahead(least_ms: int | None, most_ms: int | None, count: int) -> int:
    """Return by how much a clock is ahead within its bounds; 0 where it may be right."""
    if least_ms is not None and most_ms is not None:
        return 0 if least_ms <= 0 <= most_ms else (least_ms + most_ms) // 2
    if most_ms is not None and (most_ms < 0 or (most_ms >= AHEAD_MS and count >= PAIRS)):
        return most_ms
    if least_ms is not None and (least_ms > 0 or (least_ms <= -AHEAD_MS and count >= PAIRS)):
        return least_ms
    return 0
