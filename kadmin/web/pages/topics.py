"""The pages of topics: the list, and one."""

from typing import Final

from starlette.responses import Response

from cluster.model.config_entity import EntityKind
from kadmin.plan.config_plan import shown_value
from kadmin.plan.groups.verdict import Verdict
from kadmin.reports.views.topic import topic_page
from kadmin.web.tables import Table, requested, table_of
from kadmin.web.visit import NoSuchThing, Visit

READER_COUNT_MAX: Final = 50
"""A topic may have 15,000 groups, which have a page of their own."""


def listed(visit: Visit) -> Response:
    """Show some of the topics: searched, sorted and cut here, since there may be 10,000."""
    look = visit.look
    return visit.page("topics.html", look=look, table=Table(look.topics.page(requested(visit))))


def one(visit: Visit) -> Response:
    """Show one topic: its partitions, what brokers have of it, who reads it.

    Raises:
        NoSuchThing: there is no such topic.
    """
    look, name = visit.look, visit.path("topic")
    readers = readers_of(visit, name)
    topic = topic_page(look.topics, name)
    if topic is None:
        raise NoSuchThing("topic", name)
    return visit.page(
        "topic.html",
        look=look,
        topic=topic,
        row=topic.row,
        table=table_of(visit, topic.partitions, lambda row: str(row.view.partition)),
        readers=readers[:READER_COUNT_MAX],
        reader_count=len(readers),
        configs=[
            (key, shown_value(EntityKind.TOPICS, key, value) or "null")
            for key, value in sorted(topic.configs.items())
        ],
    )


def readers_of(visit: Visit, topic: str) -> list[tuple[str, Verdict, int]]:
    """Return the groups that have read *topic*, each with its verdict and its lag there; those that
    are furthest behind first."""
    groups = visit.of.groups.reading.answer
    found = []
    for each in () if groups is None else groups.verdicts:
        rows = [part.row for part in each.partitions if part.row.partition.topic == topic]
        if rows:
            found.append((each.group.name, each.verdict, sum(row.lag or 0 for row in rows)))
    return sorted(found, key=lambda reader: -reader[2])
