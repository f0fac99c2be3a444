"""The page of the brokers."""

from starlette.responses import Response

from kadmin.reports.views.brokers import COLUMNS
from kadmin.web.tables import table_of
from kadmin.web.visit import Visit


def listed(visit: Visit) -> Response:
    """Show all brokers, and what each has."""
    look = visit.look
    return visit.page(
        "brokers.html",
        look=look,
        table=table_of(visit, look.brokers, lambda row: str(row.broker), COLUMNS),
        most_leaders=max((row.load.leaders for row in look.brokers), default=0) or 1,
        most_replicas=max((row.load.replicas for row in look.brokers), default=0) or 1,
    )
