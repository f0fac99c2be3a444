"""`kadmin topics --describe --summary`: one row a topic, with the sizes that brokers report."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kadmin.cli.session import Session

if TYPE_CHECKING:
    from kadmin.reports.topics import ClusterReport


def show_summary(
    session: Session,
    report: "ClusterReport",
    options: Mapping[str, Any],
) -> None:
    """Sum *report* up and show it."""
    from kadmin.app.reading import read_sizes
    from kadmin.render.topics.summary import summary_document
    from kadmin.reports.topic_summary import Order, summarise
    from kadmin.wording import counted

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
