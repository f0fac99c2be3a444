"""The page of moves: which replicas are being moved, and how far are they?"""

from starlette.responses import Response

from kadmin.render.reassign.run import advance_text
from kadmin.reports.views.overview import moving_rows
from kadmin.web.tables import table_of
from kadmin.web.visit import Visit


def listed(visit: Visit) -> Response:
    rows = moving_rows(visit.look.observed)
    table = table_of(visit, rows, lambda row: str(row.partition))
    runs = visit.of.runs.reading.answer
    latest = None if runs is None else runs.latest
    return visit.page(
        "moves.html",
        look=visit.look,
        table=table,
        runs=runs,
        advance="" if latest is None else advance_text(latest),
    )
