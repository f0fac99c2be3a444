"""`kadmin topics`: which of its five actions is asked for, and do the options go together?

The reading actions are here; what changes a topic is in `kadmin.cli.topics.changes`.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import (
    SAFETY,
    default_min_isr_option,
    dry_run_option,
    force_option,
    yes_option,
)
from kadmin.cli.frame import command
from kadmin.cli.options import (
    WholeNumber,
    action,
    chosen_action,
    flag,
    forbid,
    given_options,
    option,
)
from kadmin.cli.ordering import order_options
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import ExitCode

if TYPE_CHECKING:
    from kadmin.arguments.topics import TopicSelection
    from kadmin.reports.topics import ClusterReport

ACTIONS: Final = "Actions (exactly one)"
SELECTION: Final = "Which topics"
CHANGE: Final = "Create and alter"
FILTERS: Final = "Describe"

ALL: Final = ("create", "list", "describe", "alter", "delete")
CHANGES: Final = ("create", "alter", "delete")

PARTITIONS_MAX: Final = 2**31 - 1
"""Kafka counts partitions so far."""

TABLE_PARTITIONS_MAX: Final = 2_000
"""Above that a terminal gets plain lines, too: such a table is not readable, and it takes long."""

FILTER_FINDINGS: Final = {
    "under_replicated_partitions": "UNDER_REPLICATED",
    "unavailable_partitions": "UNAVAILABLE",
    "under_min_isr_partitions": "UNDER_MIN_ISR",
    "at_min_isr_partitions": "AT_MIN_ISR",
    "non_preferred_leader_partitions": "NON_PREFERRED_LEADER",
}
"""Parameter of a partition filter → name of the `Finding` that it keeps."""


@command("topics", short_help="See and change topics.", speaks_to_brokers=True)
@action("--create", section=ACTIONS, help="Create a topic.")
@action("--list", "list_", section=ACTIONS, help="List the names of topics.")
@action("--describe", section=ACTIONS, help="Describe topics and partitions.")
@action("--alter", section=ACTIONS, help="Add partitions or change configs.")
@action("--delete", section=ACTIONS, help="Mark topics for deletion.")
@option(
    "--topic",
    "topic",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    actions=ALL,
    completes="topics",
    help="A topic; several by comma or by repeating. Exact, unless it is a glob (*, ?, [).",
)
@option(
    "--regex",
    is_flag=True,
    section=SELECTION,
    actions=ALL,
    help="Take --topic as regular expressions.",
)
@option(
    "--topic-id",
    metavar="UUID",
    section=SELECTION,
    actions=("describe",),
    help="Describe the topic of this id.",
)
@option(
    "--exclude-internal",
    is_flag=True,
    section=SELECTION,
    actions=("list", "describe", "alter", "delete"),
    help="Leave out internal topics.",
)
@option(
    "--if-exists",
    is_flag=True,
    section=SELECTION,
    actions=("list", "describe", "alter", "delete"),
    help="Succeed when the topic does not exist.",
)
@option(
    "--if-not-exists",
    is_flag=True,
    section=CHANGE,
    actions=("create",),
    help="Succeed when the topic to create exists.",
)
@option(
    "--partitions",
    type=WholeNumber(1, PARTITIONS_MAX),
    metavar="N",
    section=CHANGE,
    actions=("create", "alter"),
    help=("Number of partitions; with --alter, the new total. Brokers, if asked, know a default."),
)
@option(
    "--replication-factor",
    type=WholeNumber(1, 32767),
    metavar="N",
    section=CHANGE,
    actions=("create",),
    help="Number of replicas of every partition. Brokers, if asked, know a default.",
)
@option(
    "--replica-assignment",
    metavar="B:B,B:B",
    section=CHANGE,
    actions=("create", "alter"),
    help="The brokers of every partition; the first is the preferred leader.",
)
@option(
    "--config",
    multiple=True,
    metavar="KEY=VALUE",
    section=CHANGE,
    actions=("create", "alter"),
    completes="topic-configs=",
    help="A topic config to set.",
)
@option(
    "--delete-config",
    multiple=True,
    metavar="KEY",
    section=CHANGE,
    actions=("alter",),
    completes="set-topic-configs",
    help="A topic config to reset to its default.",
)
@option(
    "--disable-rack-aware",
    is_flag=True,
    section=CHANGE,
    actions=("create", "alter"),
    help="Place replicas without regard to racks.",
)
@option(
    "--start-index",
    type=WholeNumber(min=0),
    metavar="N",
    section=CHANGE,
    actions=("create", "alter"),
    help="Fix the start of the placement, which is random, to repeat a layout.",
)
@option(
    "--start-shift",
    type=WholeNumber(min=0),
    metavar="N",
    section=CHANGE,
    actions=("create", "alter"),
    help="Fix the distance of the second replica, too; without it, it is --start-index.",
)
@option(
    "--allow-unknown-brokers",
    is_flag=True,
    section=CHANGE,
    actions=("create", "alter"),
    help="Let --replica-assignment name brokers that are not alive, as Kafka's tool does.",
)
@option(
    "--allow-many-partitions",
    is_flag=True,
    section=CHANGE,
    actions=("create", "alter"),
    help="Add more than 10,000 partitions at once.",
)
@option(
    "--under-replicated-partitions",
    is_flag=True,
    section=FILTERS,
    actions=("describe",),
    help="Only partitions whose ISR is smaller than their replica set.",
)
@option(
    "--unavailable-partitions",
    is_flag=True,
    section=FILTERS,
    actions=("describe",),
    help="Only partitions without a live leader.",
)
@option(
    "--under-min-isr-partitions",
    is_flag=True,
    section=FILTERS,
    actions=("describe",),
    help="Only partitions whose ISR is smaller than min.insync.replicas.",
)
@option(
    "--at-min-isr-partitions",
    is_flag=True,
    section=FILTERS,
    actions=("describe",),
    help="Only partitions whose ISR has just min.insync.replicas members.",
)
@option(
    "--non-preferred-leader-partitions",
    is_flag=True,
    section=FILTERS,
    actions=("describe",),
    help="Only partitions that are not led by their preferred leader.",
)
@option(
    "--topics-with-overrides",
    is_flag=True,
    section=FILTERS,
    actions=("describe",),
    help="Only topics with configs of their own, without their partitions.",
)
@option(
    "--summary",
    is_flag=True,
    section=FILTERS,
    actions=("describe",),
    help="One row a topic: partitions, replicas, size, and how many partitions are sick.",
)
@order_options(
    FILTERS,
    ("name", "size", "partitions", "health"),
    "Which topics of --summary come first: by name, the largest, the sickest (so on a terminal).",
    actions=("describe",),
)
@option(
    "--no-sizes",
    is_flag=True,
    section=FILTERS,
    actions=("describe",),
    help="Ask no broker how large the topics of --summary are.",
)
@option(
    "--exit-code",
    is_flag=True,
    section=FILTERS,
    actions=("describe",),
    help="Exit with 4 if one of these filters finds something, for scripts.",
)
@default_min_isr_option(FILTERS, ("describe",))
@option(
    "--all",
    is_flag=True,
    section=FILTERS,
    actions=("describe",),
    help=(
        "Show healthy partitions, too, if a table is longer than the terminal and has sick ones."
    ),
)
@option(
    "--plain",
    is_flag=True,
    section=FILTERS,
    actions=("list", "describe"),
    help="Kafka's lines, even on a terminal.",
)
@watch_option(FILTERS, actions=("list", "describe"))
@dry_run_option(CHANGES)
@yes_option(CHANGES)
@force_option(CHANGES)
@option(
    "--wait/--no-wait",
    default=None,
    section=SAFETY,
    actions=CHANGES,
    help=("Wait until leaders are elected (the default of create and alter) or the topic is gone."),
)
def topics(session: Session, **options: Any) -> None:
    """See and change topics, with the options of kafka-topics.

    It goes through ZooKeeper, or through the brokers (Kafka 2.4 and later) if only
    --bootstrap-server names the cluster. Brokers also know the min.insync.replicas of their own
    files, but not the topics that are waiting to be deleted or that no controller has picked up
    yet.

    \b
    Examples:
      kadmin topics --list
      kadmin topics --describe --topic 'orders*' --under-replicated-partitions
      kadmin topics --describe --summary --sort-by size --limit 20
      kadmin topics --create --topic orders --partitions 6 --replication-factor 3
      kadmin topics --alter --topic orders --partitions 12 --dry-run
      kadmin topics --delete --topic 'test-*'
    """
    from kadmin.arguments.topics import selection_of

    action = chosen_action(options)
    check_options(action, options)
    selection = selection_of(
        options["topic"], is_regex=options["regex"], exclude_internal=options["exclude_internal"]
    )
    if action == "list":
        show = partial(list_topics, session, selection, if_exists=options["if_exists"])
        watch(session, options["watch"], show)
    elif action == "describe":
        describe_topics(session, selection, options)
    else:
        from kadmin.cli.topics.changes import alter, create, delete

        changes = {"create": create, "alter": alter, "delete": delete}
        changes[action](session, selection, options)


def check_options(action: str, options: dict[str, Any]) -> None:
    """Refuse options that do not go with each other, as Kafka's tool does."""
    used = given_options(options)
    if action in CHANGES and not options["topic"]:
        raise click.UsageError(f"--{action} needs --topic")
    filters = [name for name in (*FILTER_FINDINGS, "topics_with_overrides") if name in used]
    if len(filters) > 1:
        raise click.UsageError(f"give only one of {', '.join(map(flag, filters))}")
    of_summary = [name for name in ("sort_by", "limit", "no_sizes") if name in used]
    if of_summary and not options["summary"]:
        raise click.UsageError(f"{flag(of_summary[0])} needs --summary")
    if options["no_sizes"] and options["sort_by"] == "size":
        raise click.UsageError("--sort-by size needs to know sizes: give it without --no-sizes")
    if "exit_code" in used and not filters:
        raise click.UsageError(f"--exit-code needs one of {', '.join(map(flag, FILTER_FINDINGS))}")
    if "topic_id" in used and options["topic"]:
        raise click.UsageError("--topic and --topic-id both name the topic: give one of them")
    if (
        action in ("list", "describe")
        and "if_exists" in used
        and not {"topic", "topic_id"} & set(used)
    ):
        raise click.UsageError("--if-exists needs --topic")
    if "start_shift" in used and "start_index" not in used:
        raise click.UsageError("--start-shift needs --start-index")
    if "replica_assignment" in used:
        placed = ("replication_factor", "disable_rack_aware", "start_index")
        clashing = [name for name in placed if name in used]
        if action == "create" and "partitions" in used:
            clashing.insert(0, "partitions")
        forbid([flag(name) for name in clashing], "--replica-assignment")


def list_topics(session: Session, selection: "TopicSelection", *, if_exists: bool) -> None:
    from kadmin.arguments.topics import hint_for
    from kadmin.render.topics.names import list_document

    with session.topics() as admin:
        found = admin.names(selection.wanted if selection.is_by_name else ())
    names = selection.select(found.names)
    if not if_exists:
        selection.require_names(found.names)
    missing = selection.missing(found.names)
    if not found.names:
        session.output.note("there are no topics")
    if missing:
        from kadmin.wording import listed

        hint = hint_for(missing, found.names, selection.is_regex)
        session.output.note(f"nothing matches {listed(missing)}")
        if hint is not None:
            session.output.note(f"hint: {hint}")
    session.output.show(list_document(names, found.marked_for_deletion))
    for fault in found.faults:
        session.output.warn(f"left out: {fault}")


def describe_topics(session: Session, selection: "TopicSelection", options: dict[str, Any]) -> None:
    from kadmin.app.describing import WantedReport, read_report
    from kadmin.plan.health import Finding
    from kadmin.reports.unanswered import require_answers

    given = [name for name in FILTER_FINDINGS if options[name]]
    wanted = WantedReport(
        topic_id=options["topic_id"],
        only=Finding[FILTER_FINDINGS[given[0]]] if given else None,
        is_overrides_only=options["topics_with_overrides"],
        is_summary=options["summary"],
        has_eligible_leaders=not session.output.shows_tables(plain=options["plain"]),
        may_miss=options["if_exists"],
        default_min_isr=options["default_min_isr"],
    )
    found: list[ClusterReport] = []

    def show() -> None:
        report = read_report(session, selection, wanted)
        if options["summary"]:
            from kadmin.cli.topics.summary import show_summary

            show_summary(session, report, options)
        else:
            show_report(session, report, options)
        for fault in report.snapshot.faults:
            session.output.warn(f"left out: {fault}")
        found[:] = [report]

    watch(session, options["watch"], show)
    require_answers(selection.subjects, found[0].snapshot.faults)
    if options["exit_code"] and found[0].topics:
        raise click.exceptions.Exit(ExitCode.FOUND)


def show_report(session: Session, report: "ClusterReport", options: dict[str, Any]) -> None:
    from kadmin.render.topics.describe import describe_document
    from kadmin.reports.topics import dead_leader_warnings, folded, refusal_warnings

    plain = options["plain"]
    if session.output.shows_tables(plain=plain):
        whole = report
        if not options["all"] and report.partition_count > session.output.rows:
            report = folded(report)
        if report.partition_count > TABLE_PARTITIONS_MAX:
            plain, report = True, whole
            session.output.note(f"{report.partition_count} partitions: plain lines, no table")
    session.output.show(describe_document(report), plain=plain)
    if not session.output.shows_tables(plain=plain):
        # The table has these itself; Kafka's lines, and documents, have no room for them.
        if report.emptiness is not None:
            session.output.note(report.emptiness)
        for warning in (*dead_leader_warnings(report), *refusal_warnings(report)):
            session.output.warn(warning)
