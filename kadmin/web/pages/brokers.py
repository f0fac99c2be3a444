"""The pages of brokers: all of them, and one."""

from typing import TYPE_CHECKING

from starlette.responses import Response

from cluster.model.ids import TopicPartition
from kadmin.plan.health import PartitionView, judge_topic
from kadmin.reports.views.brokers import COLUMNS
from kadmin.web.measured import BYTES_IN, BYTES_OUT, Measured
from kadmin.web.tables import table_of
from kadmin.web.visit import NoSuchThing, Visit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kadmin.web.clusters import Look


def listed(visit: Visit) -> Response:
    """Show all brokers, and what each has."""
    look, measured = visit.look, measured_of(visit)
    rates = {}
    if measured is not None:
        for row in look.brokers:
            both = (measured.number(title, row.broker) for title in (BYTES_IN, BYTES_OUT))
            rates[row.broker] = (*both, measured.answered_ms(row.broker))
    return visit.page(
        "brokers.html",
        look=look,
        table=table_of(visit, look.brokers, lambda row: str(row.broker), COLUMNS),
        rates=rates,
        most_leaders=max((row.load.leaders for row in look.brokers), default=0) or 1,
        most_replicas=max((row.load.replicas for row in look.brokers), default=0) or 1,
    )


def one(visit: Visit) -> Response:
    """Show one broker: its metrics, its directories, and the partitions that it has.

    Raises:
        NoSuchThing: there is no such broker.
    """
    look, name = visit.look, visit.path("broker")
    row = next((each for each in look.brokers if str(each.broker) == name), None)
    if row is None:
        raise NoSuchThing("broker", name)
    held = [
        TopicPartition(topic.name, number)
        for topic in look.observed.snapshot.topics.values()
        for number, assigned in topic.assignment.partitions.items()
        if row.broker in assigned.replicas
    ]
    table = table_of(visit, sorted(held), str)
    measured = measured_of(visit)
    endpoint = None if measured is None else measured.endpoint_of(row.broker)
    return visit.page(
        "broker.html",
        look=look,
        row=row,
        table=table,
        views=views_of(look, table.rows),
        measures=[] if measured is None else measured.rows_of(row.broker),
        answered_ms=None if measured is None else measured.answered_ms(row.broker),
        problem=None if endpoint is None else endpoint.problem,
    )


def measured_of(visit: Visit) -> Measured | None:
    poll = visit.of.measured
    return None if poll is None else poll.reading.answer


def views_of(
    look: "Look", partitions: "Iterable[TopicPartition]"
) -> dict[TopicPartition, PartitionView]:
    """Return what is known of *partitions*; of their topics alone, since there may be 10,000."""
    snapshot = look.observed.snapshot
    names = dict.fromkeys(each.topic for each in partitions)
    return {
        TopicPartition(view.topic, view.partition): view
        for name in names
        for view in judge_topic(snapshot, snapshot.topics[name], look.observed.default_min_isr)
    }
