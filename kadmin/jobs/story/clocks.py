"""The clocks of all sources, by the orders that brokers gave each other: a pass before a merge.

What it finds is taken out of the times of the merge itself.  Knows no terminal.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from kadmin.jobs.engine import Engine
from kadmin.jobs.merge.clocks import Lifts
from kadmin.jobs.merge.merge import merge
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.progress import Report
from kadmin.jobs.story.bucket import pairs_of_bucket
from kadmin.jobs.story.causality import find_lifts
from kadmin.jobs.story.gather import Selection, gather, with_events
from kadmin.jobs.temporary import temporary_directory
from kadmin.story.clocks import ClockEstimate, OrderPair, estimates, fastest

AROUND_MS: Final = 3_600_000
"""So far around a range of time orders are looked for: a clock that is off has its lines there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a pass found: *clocks*, and what is done about them.

    *shifts_ms* is added to the times of each source; *lifts* then hold back what would stand before
    its cause.  Of no lines, without *has_lines*, nothing can be said.
    """

    clocks: tuple[ClockEstimate, ...]
    shifts_ms: Mapping[str, int] = field(default_factory=dict)
    lifts: Mapping[str, Lifts] = field(default_factory=dict)
    has_lines: bool = True


def find_correction(
    request: MergeRequest,
    engine: Engine,
    report: Report = lambda _: None,
    *,
    corrects_clocks: bool,
    is_causal: bool,
) -> Correction:
    """Return how far sources' clocks are apart, by all lines of *request* and of an hour around its
    times.

    In the times as they are with its own clocks.  One that *corrects_clocks* takes that out of
    them; one that *is_causal* holds lines back that would stand before their cause still.

    Raises:
        What `kadmin.jobs.merge.merge.merge` raises.
    """
    # Sources with the same lines have the same clock: each is found by its own.
    around = replace(request, times=request.times.widened(AROUND_MS), keeps_duplicates=True)
    with temporary_directory("kadmin-clocks-") as directory:
        of_events = with_events(around, Selection(), directory)
        with merge(of_events, report, engine) as merged:
            tasks = gather(merged).tasks
            has_lines = any(source.wanted_lines > 0 for source in merged.summary().sources)
            pairs = fastest(pair for some in engine.run(pairs_of_bucket, tasks) for pair in some)
            clocks = tuple(estimates(pairs))
            shifts = shifts_of(clocks) if corrects_clocks else {}
            lifts: Mapping[str, Lifts] = {}
            if is_causal:
                lifts = find_lifts(
                    engine,
                    [replace(task, shifts_ms=shifts) for task in tasks],
                    [set_right(pair, shifts) for pair in pairs],
                    [source.name for source in request.sources],
                )
    return Correction(clocks=clocks, shifts_ms=shifts, lifts=lifts, has_lines=has_lines)


def set_right(pair: OrderPair, shifts_ms: Mapping[str, int]) -> OrderPair:
    shift_ms = shifts_ms.get(pair.taker, 0) - shifts_ms.get(pair.giver, 0)
    return replace(pair, least_ms=pair.least_ms + shift_ms)


def shifts_of(clocks: Iterable[ClockEstimate]) -> dict[str, int]:
    """Return what has to be added to the times of each source whose clock is off."""
    return {each.source: -each.ahead_ms for each in clocks if each.ahead_ms != 0}


def with_correction(request: MergeRequest, correction: Correction) -> MergeRequest:
    """Return *request* with its clocks set right."""
    clocks = dict(request.clocks)
    for source in {*correction.shifts_ms, *correction.lifts}:
        clock = clocks.get(source, request.clock).set_forward(correction.shifts_ms.get(source, 0))
        clocks[source] = replace(clock, lifts=correction.lifts.get(source, Lifts()))
    return replace(request, clocks=clocks)


def unlinked(sources: Sequence[str], clocks: Sequence[ClockEstimate]) -> list[str]:
    """Return those of *sources* of whose clocks orders prove nothing."""
    linked = {name for each in clocks for name in (each.source, each.reference)}
    return [name for name in sources if name not in linked]
