"""`kadmin topics --describe --summary`: one row a topic, with the sizes that brokers tell."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kadmin.cli.session import Session
from kadmin.errors import KadminError

if TYPE_CHECKING:
    from kadmin.plan.report import ClusterReport


def show_summary(
    session: Session,
    report: "ClusterReport",
    options: Mapping[str, Any],
) -> None:
    """Sum *report* up and show it."""
    from kadmin.plan.topic_summary import Order, summarise
    from kadmin.plan.wording import counted
    from kadmin.render.topic_summary import summary_document

    # On a terminal the answer is on the first screen; in a pipe the order is that of names.
    is_table = session.output.shows_tables(plain=options["plain"])
    usual = Order.HEALTH if is_table else Order.NAME
    sizes = None
    if report.topics and report.snapshot.brokers and not options["no_sizes"]:
        names_some = bool(options["topic"] or options["topic_id"])
        sizes = read_sizes(session, report, names_some=names_some)
    summaries = summarise(
        report,
        sizes,
        default_min_isr=options["default_min_isr"],
        order=Order(options["sort_by"] or usual),
        limit=options["limit"],
    )
    session.output.show(summary_document(summaries), plain=options["plain"])
    if report.emptiness is not None and not is_table:
        session.output.note(report.emptiness)
    if summaries.hidden_count:
        session.output.note(f"{counted(summaries.hidden_count, 'topic')} not shown")


def read_sizes(
    session: Session, report: "ClusterReport", *, names_some: bool
) -> dict[str, int] | None:
    """How many bytes all replicas of each topic take on the live brokers; None where none tells.

    Of all topics unless it *names_some*: then a broker tells of these only.
    """
    from kadmin.admin.wire.log_dirs import read_log_dirs
    from kadmin.plan.log_dir_usage import Grouping, usages
    from kadmin.plan.offsets import partitions_of

    brokers = list(report.snapshot.brokers)
    names = [item.topic.name for item in report.topics]
    partitions = partitions_of(report.snapshot, names, None) if names_some else None
    try:
        with session.connect_brokers() as connection:
            found = read_log_dirs(connection, brokers, partitions)
    except KadminError as error:
        session.output.warn(f"sizes are not known: {error.message}")
        return None
    silent = [str(broker) for broker in brokers if broker not in found]
    if silent:
        session.output.warn(
            f"not in the sizes, since they did not answer: broker {', '.join(silent)}"
        )
    return {str(row.place.topic): row.size_bytes for row in usages(found, Grouping.TOPIC)}
