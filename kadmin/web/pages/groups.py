"""The pages of groups of consumers: the list, and one."""

from starlette.responses import Response

from kadmin.reports.views.groups import COLUMNS, group_rows
from kadmin.web.clusters import NotReadYet
from kadmin.web.tables import table_of
from kadmin.web.visit import NoSuchThing, Visit


def listed(visit: Visit) -> Response:
    """Show some of the groups, with their verdicts and lag."""
    groups = visit.of.groups.reading.answer
    rows = [] if groups is None else group_rows((), groups.verdicts)
    return visit.page(
        "groups.html",
        table=table_of(visit, rows, lambda row: row.name, COLUMNS),
        unanswered=[] if groups is None else sorted(groups.unanswered.items()),
    )


def one(visit: Visit) -> Response:
    """Show one group: how far it is in each partition, and who its members are.

    Raises:
        NotReadYet: no group has been read.
        NoSuchThing: there is no such group.
    """
    groups, name = visit.of.groups.reading.answer, visit.path("group")
    if groups is None:
        raise NotReadYet(visit.of)
    found = [each for each in groups.verdicts if each.group.name == name]
    if not found:
        raise NoSuchThing("group", name)
    return visit.page(
        "group.html",
        row=group_rows((), found)[0],
        at_ms=groups.at_ms,
        table=table_of(visit, found[0].partitions, lambda each: str(each.row.partition)),
        members=found[0].group.members,
    )
