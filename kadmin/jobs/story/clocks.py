"""The clocks of all sources, by the orders that brokers gave each other: a pass before a merge.

What it finds is taken out of the times of the merge itself.  Knows no terminal.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from kadmin.jobs.engine import Engine
from kadmin.jobs.merge.clocks import EXACT
from kadmin.jobs.merge.merge import merge
from kadmin.jobs.merge.request import MergeRequest
from kadmin.jobs.progress import Report
from kadmin.jobs.story.bucket import pairs_of_bucket
from kadmin.jobs.story.gather import Selection, gather, with_events
from kadmin.jobs.temporary import temporary_directory
from kadmin.story.clocks import ClockEstimate, estimates, fastest

AROUND_MS: Final = 3_600_000
"""So far around a range of time orders are looked for: a clock that is off has its lines there."""


def measure_clocks(
    request: MergeRequest, engine: Engine, report: Report = lambda _: None
) -> list[ClockEstimate]:
    """How far sources' clocks are apart, by all lines of *request* and of an hour around its times.

    In the times as they are with its own clocks.

    Raises:
        What `kadmin.jobs.merge.merge.merge` raises.
    """
    around = replace(request, times=request.times.widened(AROUND_MS))
    with temporary_directory("kadmin-clocks-") as directory:
        of_events = with_events(around, Selection(), directory)
        with merge(of_events, report, engine) as merged:
            found = engine.run(pairs_of_bucket, gather(merged).tasks)
            return estimates(fastest(pair for pairs in found for pair in pairs))


def shifts_of(clocks: Iterable[ClockEstimate]) -> dict[str, int]:
    """What has to be added to the times of each source whose clock is off."""
    return {each.source: -each.ahead_ms for each in clocks if each.ahead_ms != 0}


def with_shifts(request: MergeRequest, shifts_ms: Mapping[str, int]) -> MergeRequest:
    """*request* with so much added to the times of sources."""
    clocks = dict(request.clocks)
    for source, shift_ms in shifts_ms.items():
        clocks[source] = clocks.get(source, EXACT).set_forward(shift_ms)
    return replace(request, clocks=clocks)


def unlinked(sources: Sequence[str], clocks: Sequence[ClockEstimate]) -> list[str]:
    """Those of *sources* of whose clocks orders prove nothing."""
    linked = {name for each in clocks for name in (each.source, each.reference)}
    return [name for name in sources if name not in linked]
