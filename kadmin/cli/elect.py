"""`kadmin elect`: for which partitions are leaders to be elected, and how?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import dry_run_option, yes_option
from kadmin.cli.frame import command
from kadmin.cli.options import exactly_one, option
from kadmin.cli.session import Session
from kadmin.errors import UsageError

if TYPE_CHECKING:
    from cluster.model.ids import TopicPartition
    from kadmin.plan.election import ElectionPlan

SELECTION: Final = "Which partitions"
KIND: Final = "Which leaders"

OF_ALL_BY_DEFAULT: Final = "preferred-replica-election"
"""The name of Kafka's tool that takes all partitions where none are named."""


class OnlyByBrokers(UsageError):
    """An unclean election of a cluster of which no broker is named."""

    def __init__(self) -> None:
        super().__init__(
            "an unclean election cannot be asked for through ZooKeeper, only of the brokers",
            hint="kadmin elect --election-type unclean --bootstrap-server HOST:PORT …",
        )


@command(
    "elect", short_help="Bring leaders back to their preferred brokers.", speaks_to_brokers=True
)
@option(
    "--topic",
    metavar="NAME",
    section=SELECTION,
    completes="topics",
    help="The topic of the partitions that --partition names.",
)
@option(
    "--partition",
    "--partitions",
    "partition",
    metavar="N,N",
    section=SELECTION,
    help="The number of the partition of --topic; several by comma.",
)
@option(
    "--path-to-json-file",
    metavar="FILE",
    section=SELECTION,
    help='File with {"partitions":[{"topic":"t","partition":0}]}; - is standard input.',
)
@option(
    "--all-topic-partitions",
    is_flag=True,
    section=SELECTION,
    help="All partitions except those that have the right leader already.",
)
@option(
    "--election-type",
    type=click.Choice(["preferred", "unclean"], case_sensitive=False),
    default="preferred",
    show_default=True,
    section=KIND,
    help=(
        "preferred: the first replica, if it is in the ISR; unclean: any live replica "
        "where there is no leader."
    ),
)
@dry_run_option()
@yes_option(help="Do not ask before an unclean election.")
def elect(session: Session, **options: Any) -> None:
    """Bring leaders back to their preferred brokers, with the options of kafka-leader-election.

    A preferred election gives partitions back to their first replica; it loses nothing. An unclean
    election gives a partition without a live leader to a live replica, whether it is in the ISR or
    not; records that this replica lacks are lost for good, so kadmin always asks first.

    It goes through ZooKeeper (any release), or through the brokers (preferred from Kafka 2.2 on,
    unclean from 2.4) if only --bootstrap-server names the cluster. Unclean elections always go
    through the brokers. The command waits until the controller is done: it exits with 3 if that
    takes longer than --timeout, and with 4 if some partitions did not get their leader.

    \b
    Examples:
      kadmin elect --all-topic-partitions --dry-run
      kadmin elect --all-topic-partitions
      kadmin elect --topic orders --partition 0
      kadmin elect --path-to-json-file partitions.json
      kadmin elect --election-type unclean --topic orders --partition 0 --bootstrap-server b1:9092
    """
    from kadmin.cli.changing import make
    from kadmin.cli.files import STDIN
    from kadmin.cli.hint_command import command_line
    from kadmin.execute.elect import ElectionRequest, Elections
    from kadmin.plan.election import ElectionType
    from kadmin.render.elections import plan_lines, planned_document, result_document

    kind = ElectionType(options["election_type"])
    if kind is ElectionType.UNCLEAN and not session.names_brokers:
        raise OnlyByBrokers
    request = ElectionRequest(
        kind=kind,
        partitions=named_partitions(options),
        timeout_s=session.settings.timeout_s,
        is_dry_run=options["dry_run"],
    )
    with session.elections(kind) as admin:
        elections = Elections(admin, request, session)

        def report(plans: "Sequence[ElectionPlan]", *, is_dry_run: bool) -> None:
            if is_dry_run:
                session.output.show(planned_document(kind, plans))
                return
            results = sorted(elections.results.values(), key=lambda each: each.election.partition)
            session.output.show(result_document(kind, results))

        make(
            elections,
            session.output,
            lines=plan_lines,
            report=report,
            is_dry_run=options["dry_run"],
            is_confirmed=options["yes"],
        )
    if options["dry_run"] and elections.planned_count and options["path_to_json_file"] != STDIN:
        session.note(f"next: {command_line('elect', options, without=('dry_run',))}")
    elections.check()


def named_partitions(options: dict[str, Any]) -> "Sequence[TopicPartition] | None":
    """Return the partitions that are meant, None for all.

    Raises:
        click.UsageError: the options name none, or in several ways.
        BadFile: what the file holds.
    """
    given = {
        "--topic": options["topic"] is not None,
        "--all-topic-partitions": options["all_topic_partitions"],
        "--path-to-json-file": options["path_to_json_file"] is not None,
    }
    if options["partition"] is not None and not given["--topic"]:
        raise click.UsageError("--partition is only allowed if --topic is used")
    tool = click.get_current_context().info_name
    if tool == OF_ALL_BY_DEFAULT and not any(given.values()):
        return None
    chosen = exactly_one(given, "which partitions are meant")
    if chosen == "--all-topic-partitions":
        return None
    if chosen == "--topic":
        return partitions_of(options["topic"], options["partition"])
    from kadmin.arguments.election_file import FILE_HINT, parse_partitions
    from kadmin.cli.files import name_of, read_text

    path = options["path_to_json_file"]
    return parse_partitions(read_text(path, FILE_HINT), name_of(path))


def partitions_of(topic: str, numbers: str | None) -> "Sequence[TopicPartition]":
    from cluster.model.ids import TopicPartition
    from kadmin.arguments.moments import parse_numbers
    from kadmin.plan.topic_refusals import check_topic_name

    if numbers is None:
        raise click.UsageError("--topic needs --partition; --all-topic-partitions takes all")
    check_topic_name(topic)
    return [TopicPartition(topic, number) for number in sorted(parse_numbers(numbers))]
