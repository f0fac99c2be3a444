"""The pages of groups of consumers, which brokers keep, and of old ones, in ZooKeeper."""

from starlette.responses import Response

from kadmin.app.polling import Poll
from kadmin.reports.views.groups import COLUMNS, group_rows
from kadmin.web.clusters import Groups, NotReadYet
from kadmin.web.tables import table_of
from kadmin.web.visit import NoSuchThing, Visit


def listed(visit: Visit) -> Response:
    """Show some of the groups, with their verdicts and lag."""
    return list_page(visit, visit.of.groups, "groups")


def old_listed(visit: Visit) -> Response:
    """Show the groups of old consumers in the same way."""
    return list_page(visit, old_poll(visit), "old-groups")


def one(visit: Visit) -> Response:
    """Show one group: how far it is in each partition, and who its members are."""
    return group_page(visit, visit.of.groups, "groups")


def old_one(visit: Visit) -> Response:
    """Show one group of old consumers."""
    return group_page(visit, old_poll(visit), "old-groups")


def old_poll(visit: Visit) -> Poll[Groups]:
    """Return the poll of the groups in ZooKeeper.

    Raises:
        NoSuchThing: only brokers are named.
    """
    poll = visit.of.old_groups
    if poll is None:
        raise NoSuchThing("ZooKeeper of", visit.of.name)
    return poll


def list_page(visit: Visit, poll: Poll[Groups], part: str) -> Response:
    groups = poll.reading.answer
    rows = [] if groups is None else group_rows((), groups.verdicts)
    return visit.page(
        "groups.html",
        poll=poll,
        part=part,
        table=table_of(visit, rows, lambda row: row.name, COLUMNS),
        unanswered=[] if groups is None else sorted(groups.unanswered.items()),
    )


def group_page(visit: Visit, poll: Poll[Groups], part: str) -> Response:
    """Show the group that the address names.

    Raises:
        NotReadYet: no group has been read.
        NoSuchThing: there is no such group.
    """
    groups, name = poll.reading.answer, visit.path("group")
    if groups is None:
        raise NotReadYet(visit.of)
    found = [each for each in groups.verdicts if each.group.name == name]
    if not found:
        raise NoSuchThing("group", name)
    return visit.page(
        "group.html",
        poll=poll,
        part=part,
        row=group_rows((), found)[0],
        at_ms=groups.at_ms,
        table=table_of(visit, found[0].partitions, lambda each: str(each.row.partition)),
        members=found[0].group.members,
    )
