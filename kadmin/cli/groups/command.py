"""`kadmin groups`: which of its actions is asked for, and do the options go together?"""

from typing import Any, Final

import click

from kadmin.cli.common_options import (
    SAFETY,
    behind_after_option,
    dry_run_option,
    window_option,
    yes_option,
)
from kadmin.cli.frame import Catalog, command_with_subcommands
from kadmin.cli.options import (
    WholeNumber,
    action,
    chosen_action,
    flag,
    forbid,
    option,
)
from kadmin.cli.ordering import order_options
from kadmin.cli.session import Session
from kadmin.cli.watching import watch_option

SUBCOMMANDS: Final[Catalog] = {
    "migrate-offsets": (
        "kadmin.cli.groups.migrate",
        "migrate_offsets",
        "Copy offsets of groups from ZooKeeper to brokers, or back.",
    ),
}

ACTIONS: Final = "Actions (exactly one)"
SELECTION: Final = "Which groups and partitions"
LISTED: Final = "List"
DESCRIBED: Final = "Describe"
JUDGED: Final = "Verdict"

RESET: Final = "Reset offsets (exactly one)"

LOOKS: Final = ("list", "describe", "verdict")
JUDGING: Final = ("describe", "verdict")
RESETS: Final = ("reset-offsets",)
CHANGES: Final = ("reset-offsets", "delete", "delete-offsets")
OF_GROUPS: Final = (*JUDGING, *CHANGES)
OF_TOPICS: Final = (*LOOKS, "reset-offsets", "delete-offsets")


@command_with_subcommands(
    "groups",
    SUBCOMMANDS,
    short_help="See and change groups of consumers.",
    speaks_to_brokers=True,
)
@action("--list", "list_", section=ACTIONS, help="List the names of groups.")
@action("--describe", section=ACTIONS, help="Describe groups: what they have read, and who reads.")
@action(
    "--verdict",
    section=ACTIONS,
    help="Judge groups: ok, unknown, behind, stalled, stopped or rewound; exits with 4 unless all"
    " are ok.",
)
@action("--reset-offsets", section=ACTIONS, help="Plan new offsets; with --execute, commit them.")
@action("--delete", section=ACTIONS, help="Delete groups that have no members.")
@action("--delete-offsets", section=ACTIONS, help="Delete what groups committed to topics.")
@option(
    "--group",
    "groups",
    multiple=True,
    metavar="NAME",
    section=SELECTION,
    actions=OF_GROUPS,
    completes="groups",
    help="A group; several by repeating. A glob (*, ?, [) where no group has that very name.",
)
@option(
    "--all-groups",
    is_flag=True,
    section=SELECTION,
    actions=OF_GROUPS,
    help="All groups of consumers.",
)
@option(
    "--in-zookeeper",
    is_flag=True,
    section=SELECTION,
    actions=(*LOOKS, *CHANGES),
    help=(
        "The groups of old consumers (Kafka 0.8 and 0.9), whose members and offsets are there; so"
        " does --zookeeper without --bootstrap-server."
    ),
)
@option(
    "--of-brokers",
    is_flag=True,
    section=SELECTION,
    actions=(*LOOKS, *CHANGES),
    help="The groups that brokers keep, though --zookeeper alone names the cluster.",
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME[:N,N]",
    section=SELECTION,
    actions=OF_TOPICS,
    completes="topics",
    help=(
        "A topic, or these partitions of it: who reads it, or what is reset or deleted. Several by"
        " repeating; exact, unless it is a glob."
    ),
)
@option(
    "--all-topics",
    is_flag=True,
    section=SELECTION,
    actions=("reset-offsets",),
    help="All partitions that a group has committed to.",
)
@option(
    "--state",
    is_flag=False,
    flag_value="",
    metavar="[STATE,STATE]",
    section=LISTED,
    actions=("list", "describe"),
    help=(
        "List the states, too; only the groups in these. With --describe: states and coordinators"
        " instead of offsets."
    ),
)
@option(
    "--type",
    "types",
    is_flag=False,
    flag_value="",
    metavar="[TYPE,TYPE]",
    section=LISTED,
    actions=("list",),
    help="List the types of groups, too (brokers from 3.8 on); only those: classic, consumer.",
)
@option(
    "--offsets",
    is_flag=True,
    section=DESCRIBED,
    actions=("describe",),
    help="What is committed, and how much there is to read: so without --members and --state.",
)
@option(
    "--members",
    is_flag=True,
    section=DESCRIBED,
    actions=("describe",),
    help="The members, instead of offsets.",
)
@option(
    "--verbose",
    is_flag=True,
    section=DESCRIBED,
    actions=("describe",),
    help="With --members: which partitions each has; the others have all there is anyway.",
)
@option(
    "--by-host",
    is_flag=True,
    section=DESCRIBED,
    actions=("describe",),
    help="With --members: how many there are on each host.",
)
@order_options(
    DESCRIBED,
    ("name", "lag", "time"),
    "What comes first: by name, the most to read, or the longest unread. --verdict: the worst.",
    actions=JUDGING,
)
@option(
    "--plain",
    is_flag=True,
    section=DESCRIBED,
    actions=JUDGING,
    help="Kafka's lines, even on a terminal.",
)
@watch_option(DESCRIBED, actions=LOOKS)
@behind_after_option(JUDGED, ("verdict",))
@window_option(
    JUDGED,
    10.0,
    ("verdict",),
    help="Look twice, so far apart: longer than groups take to commit. 0 looks once.",
)
@option("--to-earliest", is_flag=True, section=RESET, actions=RESETS, help="To the log's start.")
@option("--to-latest", is_flag=True, section=RESET, actions=RESETS, help="To the log's end.")
@option(
    "--to-current",
    is_flag=True,
    section=RESET,
    actions=RESETS,
    help="To where the group is; to the end where it has committed nothing.",
)
@option(
    "--to-offset",
    type=WholeNumber(0, 2**63 - 1),
    metavar="OFFSET",
    section=RESET,
    actions=RESETS,
    help="To this offset.",
)
@option(
    "--to-datetime",
    metavar="TIME",
    section=RESET,
    actions=RESETS,
    help="To the first record that is not older: '2026-11-20T03:12:00.000', -2h; UTC.",
)
@option(
    "--by-duration",
    metavar="DURATION",
    section=RESET,
    actions=RESETS,
    help="The same, so long ago: P7D, PT2H, PT15M.",
)
@option(
    "--shift-by",
    metavar="N",
    section=RESET,
    actions=RESETS,
    help="By so many offsets; below 0 is back.",
)
@option(
    "--from-file",
    metavar="FILE",
    section=RESET,
    actions=RESETS,
    help="To those of a file, with lines topic,partition,offset or group,topic,partition,offset;"
    " - as FILE is standard input.",
)
@option(
    "--export",
    is_flag=True,
    section=SAFETY,
    actions=RESETS,
    help="Show the new offsets as such a file, and write nothing.",
)
@option("--execute", is_flag=True, section=SAFETY, actions=RESETS, help="Commit the new offsets.")
@dry_run_option(CHANGES, note="; so --reset-offsets does without --execute")
@option(
    "--rollback-file",
    metavar="FILE",
    section=SAFETY,
    actions=CHANGES,
    help="Where to keep what is overwritten (default: a new file in this directory).",
)
@yes_option(CHANGES)
def groups(session: Session, **options: Any) -> None:
    """See and change groups of consumers, with the options of kafka-consumer-groups.

    It asks the brokers of the cluster, or those of --bootstrap-server (Kafka 0.10.1 and later). A
    group's coordinator has its members and its offsets; the leaders of the partitions have where
    the logs end. --zookeeper alone means, as for Kafka's tool, the groups that no broker knows:
    those of old consumers, which keep members and offsets there. So does --in-zookeeper, for a
    cluster that is named otherwise. Brokers are then asked for the logs alone. With --of-brokers,
    the groups are those of the brokers that are registered in the ZooKeeper.

    On a terminal and with --output it also shows since when there is something to read: the time
    of the first record that the group has not read, which is fetched. Where
    records are gone that the group never read, it has been longer.

    --watch also shows how fast groups read and others write, and when all will be read. --verdict
    judges by time: ok, unknown (no leader returned where the log ends), behind (records are unread
    for too long, and the group reads), stalled (a member has the partition and commits nothing, or
    what is committed is beyond the end), stopped (no member has it), rewound (it went back). A
    group that has read all is ok, however long ago that was.

    --reset-offsets plans new offsets, within the log, and says how many records are skipped or read
    again; --execute commits them. A group must have no members for that, not even one that joins
    meanwhile. What is overwritten or deleted is first kept in a rollback file,
    which --from-file puts back. Running it again changes nothing more.

    Exits with 1 if a group or topic does not exist, with 5 if a coordinator or leader does not
    answer, and --verdict with 4 unless all groups are ok. A change of a group with members is
    refused with 6; with 1 if a coordinator, or ZooKeeper, refused it.

    \b
    Examples:
      kadmin groups --list --state
      kadmin groups --describe --group billing
      kadmin groups --describe --all-groups --sort-by time --limit 20
      kadmin groups --describe --topic orders
      kadmin groups --describe --group billing --members --verbose
      kadmin groups --describe --group billing --watch
      kadmin groups --verdict --all-groups --behind-after 300
      kadmin groups --reset-offsets --group billing --topic orders --to-datetime -2h
      kadmin groups --reset-offsets --group billing --all-topics --to-latest --execute
      kadmin groups --delete-offsets --group billing --topic orders:0,1
      kadmin groups --delete --group 'test-*'
      kadmin groups --zookeeper zk1:2181/kafka --describe --all-groups
    """
    chosen = chosen_action(options)
    check_options(chosen, options)
    if session.names_only_zookeeper and not options["of_brokers"]:
        options["in_zookeeper"] = True
    check_place(options)
    from kadmin.cli.groups.looks import describe_groups, list_groups
    from kadmin.cli.groups.places import leading_to_groups
    from kadmin.cli.groups.verdicts import judge_groups

    in_zookeeper = options["in_zookeeper"]
    with leading_to_groups(session, in_zookeeper=in_zookeeper, changed_in_zookeeper=in_zookeeper):
        looks = {"list": list_groups, "describe": describe_groups, "verdict": judge_groups}
        if chosen in looks:
            looks[chosen](session, options)
            return
        from kadmin.cli.groups.changes import delete_groups, delete_offsets, reset_offsets

        changes = {
            "reset-offsets": reset_offsets,
            "delete": delete_groups,
            "delete-offsets": delete_offsets,
        }
        changes[chosen](session, options)


def check_place(options: dict[str, Any]) -> None:
    if options["in_zookeeper"]:
        forbid(["--of-brokers"] if options["of_brokers"] else [], "--in-zookeeper")
    if options["in_zookeeper"] and options["types"] is not None:
        raise click.UsageError(
            "--type is about groups that brokers keep, not about those in ZooKeeper"
        )


SECTIONS: Final = ("offsets", "members", "state")


def check_options(chosen: str, options: dict[str, Any]) -> None:
    """Refuse options that do not go with each other, as Kafka's tool does."""
    if options["groups"] and options["all_groups"]:
        raise click.UsageError("--group and --all-groups both say which groups: give one of them")
    if chosen not in JUDGING:
        return
    if not options["groups"] and not options["all_groups"] and not options["topics"]:
        raise click.UsageError(f"--{chosen} needs --group, --all-groups or --topic")
    sections = [
        name for name in SECTIONS if options[name] is not None and options[name] is not False
    ]
    if len(sections) > 1:
        raise click.UsageError(f"give only one of {', '.join(map(flag, SECTIONS))}")
    if options["state"]:
        raise click.UsageError("--state takes states only with --list")
    if options["by_host"] and not options["members"]:
        raise click.UsageError("--by-host needs --members")
    of_offsets = [name for name in ("sort_by", "limit") if options[name] is not None]
    if of_offsets and sections not in ([], ["offsets"]):
        raise click.UsageError(
            f"{flag(of_offsets[0])} is about offsets: give it without {flag(sections[0])}"
        )
    if options["topics"] and "state" in sections:
        raise click.UsageError("--topic is about offsets and members: give it without --state")
