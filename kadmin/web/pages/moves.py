"""The page of moves: which replicas are being moved, and how far are they?"""

from collections.abc import Iterable
from typing import Final

from starlette.responses import Response

from cluster.model.ids import TopicPartition
from kadmin.plan.supervision.run import Goal
from kadmin.plan.supervision.stalls import Stall
from kadmin.render.reassign.run import advance_text
from kadmin.reports.views.overview import moving_rows
from kadmin.web.tables import table_of
from kadmin.web.visit import Visit
from kadmin.wording import abridged

UNDER_WAY_MAX: Final = 50

DOING: Final = {
    Goal.FORWARD: "is moving replicas",
    Goal.CANCEL: "is being cancelled",
    Goal.ROLLBACK: "is being rolled back",
}


def listed(visit: Visit) -> Response:
    """Show the run under way, all that is being moved, and all runs."""
    rows = moving_rows(visit.look.observed)
    table = table_of(visit, rows, lambda row: str(row.partition))
    runs = visit.of.runs.reading.answer
    latest = None if runs is None else runs.latest
    if latest is not None and latest.state.is_final:
        latest = None
    return visit.page(
        "moves.html",
        look=visit.look,
        table=table,
        runs=runs,
        run=latest,
        doing="" if latest is None else DOING[latest.run.goal],
        advance="" if latest is None else advance_text(latest),
        under_way=() if latest is None else latest.under_way[:UNDER_WAY_MAX],
        stalls=[] if latest is None else stall_lines(latest.stalls),
    )


def stall_lines(stalls: Iterable[Stall]) -> list[tuple[str, str]]:
    """Return each reason once, with the partitions that wait for it; none where all do."""
    by_reason: dict[str, list[TopicPartition]] = {}
    for stall in stalls:
        held = by_reason.setdefault(stall.reason, [])
        if stall.partition is not None:
            held.append(stall.partition)
    return [(reason, abridged(held) if held else "") for reason, held in by_reason.items()]
