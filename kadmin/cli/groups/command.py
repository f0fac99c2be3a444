"""`kadmin groups`: which of its actions is asked for, and do the options go together?"""

from typing import Any, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import Number, action, chosen_action, flag, option
from kadmin.cli.ordering import order_options
from kadmin.cli.session import Session
from kadmin.cli.watching import watch_option

ACTIONS: Final = "Actions (exactly one)"
SELECTION: Final = "Which groups and partitions"
LISTED: Final = "List"
DESCRIBED: Final = "Describe"
JUDGED: Final = "Verdict"

ALL: Final = ("list", "describe", "verdict")
OF_GROUPS: Final = ("describe", "verdict")


@command("groups", short_help="See groups of consumers.", speaks_to_brokers=True)
@action("--list", "list_", section=ACTIONS, help="List the names of groups.")
@action("--describe", section=ACTIONS, help="Describe groups: what they have read, and who reads.")
@action(
    "--verdict",
    section=ACTIONS,
    help="Judge groups: ok, behind, stalled, stopped or rewound; exits with 4 unless all are ok.",
)
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
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME[:N,N]",
    section=SELECTION,
    actions=ALL,
    completes="topics",
    help=(
        "Who reads this topic, or these partitions of it; several by repeating. Exact, unless"
        " it is a glob."
    ),
)
@option(
    "--state",
    is_flag=False,
    flag_value="",
    metavar="[STATE,STATE]",
    section=LISTED,
    actions=("list", "describe"),
    help=(
        "List the states, too; only the groups in these. Describe states and coordinators in the"
        " place of offsets."
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
    help="The members, in the place of offsets.",
)
@option(
    "--verbose",
    is_flag=True,
    section=DESCRIBED,
    actions=("describe",),
    help="With --members: which partitions each has.",
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
    actions=OF_GROUPS,
)
@option(
    "--plain",
    is_flag=True,
    section=DESCRIBED,
    actions=OF_GROUPS,
    help="Kafka's lines, even on a terminal.",
)
@watch_option(DESCRIBED, actions=ALL)
@option(
    "--behind-after",
    type=Number(0, 10**9),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    section=JUDGED,
    actions=("verdict",),
    help="How long a record may be unread.",
)
@option(
    "--window",
    type=Number(0, 3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    section=JUDGED,
    actions=("verdict",),
    help="Look twice, so far apart: longer than groups take to commit. 0 looks once.",
)
def groups(session: Session, **options: Any) -> None:
    """See groups of consumers, with the options of kafka-consumer-groups.

    It asks the brokers (Kafka 0.10.1 and later), those of --bootstrap-server or those registered in
    ZooKeeper. A group's coordinator has its members and its offsets; the leaders of the partitions
    have where the logs end.

    On a terminal and with --output it also shows since when there is something to read: the time
    of the first record that the group has not read, which is fetched (brokers from 0.11 on). Where
    records are gone that the group never read, it has been longer.

    --watch also shows how fast groups read and others write, and when all will be read. --verdict
    judges by time: ok, behind (records are unread for too long, and the group reads), stalled (a
    member has the partition and commits nothing), stopped (no member has it), rewound (it went
    back). A group that has read all is ok, however long ago that was.

    Exits with 1 if a group does not exist, with 5 if a coordinator or leader does not answer, and
    --verdict with 4 unless all groups are ok.

    \b
    Examples:
      kadmin groups --list --state
      kadmin groups --describe --group billing
      kadmin groups --describe --all-groups --sort-by time --limit 20
      kadmin groups --describe --topic orders
      kadmin groups --describe --group billing --members --verbose
      kadmin groups --describe --group billing --watch
      kadmin groups --verdict --all-groups --behind-after 300
    """
    chosen = chosen_action(options)
    check_options(chosen, options)
    from kadmin.cli.groups.looks import describe_groups, list_groups
    from kadmin.cli.groups.verdicts import judge_groups

    does = {"list": list_groups, "describe": describe_groups, "verdict": judge_groups}
    does[chosen](session, options)


SECTIONS: Final = ("offsets", "members", "state")


def check_options(chosen: str, options: dict[str, Any]) -> None:
    """Refuse options that do not go with each other, as Kafka's tool does."""
    if chosen not in OF_GROUPS:
        return
    if options["groups"] and options["all_groups"]:
        raise click.UsageError("--group and --all-groups both say which groups: give one of them")
    if not options["groups"] and not options["all_groups"] and not options["topics"]:
        raise click.UsageError(f"--{chosen} needs --group, --all-groups or --topic")
    sections = [
        name for name in SECTIONS if options[name] is not None and options[name] is not False
    ]
    if len(sections) > 1:
        raise click.UsageError(f"give only one of {', '.join(map(flag, SECTIONS))}")
    if options["state"]:
        raise click.UsageError("--state takes states only with --list")
    for name in ("verbose", "by_host"):
        if options[name] and not options["members"]:
            raise click.UsageError(f"{flag(name)} needs --members")
    of_offsets = [name for name in ("sort_by", "limit") if options[name] is not None]
    if of_offsets and sections not in ([], ["offsets"]):
        raise click.UsageError(
            f"{flag(of_offsets[0])} is about offsets: give it without {flag(sections[0])}"
        )
    if options["topics"] and "state" in sections:
        raise click.UsageError("--topic is about offsets and members: give it without --state")
