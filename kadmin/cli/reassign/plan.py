"""`kadmin reassign plan`: which replicas go where for a goal, with the least movement proven?

Writes to no cluster.
"""

import time
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import ByteRate, Percent, WholeNumber, option
from kadmin.cli.session import Session
from kadmin.extras import Extra, require_extra
from kadmin.quoting import quoted

if TYPE_CHECKING:
    from kadmin.app.move_plans import Wish

GOALS: Final = (
    *("balance", "drain", "add", "replace", "replication-factor", "racks", "relieve", "leaders"),
    "kafka",
)
GOAL: Final = "Goal"
BOUNDS: Final = "Bounds"
FILES: Final = "From and to files"


@command("plan", speaks_to_brokers=True)
@option(
    "--goal",
    type=click.Choice(GOALS),
    metavar="GOAL",
    required=True,
    section=GOAL,
    help="What the plan is to reach: one of those above.",
)
@option(
    "--brokers",
    metavar="ID,…",
    section=GOAL,
    completes="brokers",
    help="drain: the brokers to empty, alive or not. add: the new ones. kafka: those to use.",
)
@option(
    "--replace",
    metavar="OLD=NEW,…",
    section=GOAL,
    help="replace: which broker takes the replicas of which.",
)
@option(
    "--replication-factor",
    type=WholeNumber(min=1, max=2**15 - 1),
    metavar="N",
    section=GOAL,
    help="replication-factor: how many replicas each partition gets.",
)
@option(
    "--above",
    type=Percent(min=1, max=100),
    metavar="PERCENT",
    section=GOAL,
    help="relieve: the fullest that the disks of a broker may be, such as 85%.",
)
@option(
    "--disk-size",
    type=ByteRate(min=1, max=2**63 - 1),
    metavar="BYTES",
    section=GOAL,
    help="relieve: the size of all disks of a broker, where brokers do not report it.",
)
@option(
    "--by",
    type=click.Choice(("replicas", "bytes")),
    default="replicas",
    show_default=True,
    section=GOAL,
    help="balance: what is to be even. It makes no difference to the other goals.",
)
@option(
    "--tolerance",
    type=Percent(min=0, max=1000),
    metavar="PERCENT",
    default=10.0,
    show_default=True,
    section=GOAL,
    help="balance --by bytes: how far above the mean a broker may be.",
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME",
    section=BOUNDS,
    completes="topics",
    help="Move only this topic; several by comma or by repeating, or a glob.",
)
@option(
    "--exclude-topic",
    "exclude_topics",
    multiple=True,
    metavar="NAME",
    section=BOUNDS,
    completes="topics",
    help="Leave this topic alone; several by comma or by repeating, or a glob.",
)
@option(
    "--exclude-brokers",
    metavar="ID,…",
    section=BOUNDS,
    completes="brokers",
    help="Brokers that keep what they have and get nothing.",
)
@option(
    "--max-replicas",
    type=WholeNumber(min=0),
    metavar="N",
    section=BOUNDS,
    help="No broker gets more replicas than this.",
)
@option(
    "--disable-rack-aware",
    is_flag=True,
    section=BOUNDS,
    help="Place replicas without regard to racks.",
)
@option(
    "--snapshot",
    metavar="FILE",
    section=FILES,
    help="Plan for the cluster in a file of 'kadmin snapshot save', and ask no server.",
)
@option(
    "--no-brokers",
    is_flag=True,
    section=FILES,
    help="Ask only ZooKeeper, and no broker for the sizes of replicas.",
)
@option("--out", metavar="FILE", section=FILES, help="Write the plan to this new file.")
@option(
    "--svg",
    metavar="FILE",
    section=FILES,
    help="Draw what each broker holds before and after into this new file.",
)
@option("--force", is_flag=True, section=FILES, help="Overwrite files that exist.")
def plan(session: Session, **options: Any) -> None:
    """Plan moves of replicas for a goal, and prove how little has to be copied for it.

    Changes nothing. The plan shows what it copies beside a lower bound that no plan for the goal
    can go below; where they meet, it is the least. Racks are kept where all brokers have one; a
    warning names the partitions that get on fewer since a rack loses its last broker. A goal that
    cannot be reached is refused with its bottleneck (exit code 6).

    \b
    balance             all brokers have as many replicas as the others, and lead as many
    drain               the --brokers have no replica
    add                 the --brokers, which are new, get their share; nothing else moves
    replace             the new broker of each pair of --replace has what the old one has
    replication-factor  each partition has N replicas
    racks               each partition is on as many racks as possible
    relieve             no broker's disks are fuller than --above; nothing else moves
    leaders             all brokers are preferred leader of as many partitions; copies nothing
    kafka               what --generate proposes, beside what less would do

    Sizes are those that brokers report; without them, plans count replicas alone.

    'kadmin reassign run' carries the file out under supervision; 'kadmin reassign --execute' takes
    it as its --reassignment-json-file. It needs kadmin-kafka[plan], which brings SciPy.

    \b
    Examples:
      kadmin reassign plan --goal drain --brokers 4,7 --out drain.json
      kadmin reassign plan --goal balance --exclude-topic 'tmp-*' --out plan.json
      kadmin reassign plan --goal relieve --above 85% --output json
      kadmin reassign plan --goal add --brokers 9 --snapshot cluster.json.gz
    """
    require_extra("reassign plan", Extra.PLAN, "scipy")
    from kadmin.app.move_plans import plan_of
    from kadmin.app.snapshot_files import check_target, write_file
    from kadmin.plan.moves.loads import broker_loads
    from kadmin.plan.moves.plan_file import to_json
    from kadmin.render.reassign.load_picture import load_picture
    from kadmin.render.reassign.plans import plan_document

    wish = wish_of(options)
    path, picture = options["out"], options["svg"]
    for file in filter(None, (path, picture)):
        check_target(file, overwrites=options["force"])
    layout, made = plan_of(session, wish, time.time_ns() // 1_000_000)
    loads = broker_loads(layout, made.plan)
    if path is not None:
        write_file(path, to_json(made.plan))
    if picture is not None:
        write_file(picture, load_picture(made.plan, loads))
    session.output.show(plan_document(made.plan, loads, made.notes))
    for note in made.notes:
        session.warn(note)
    if path is not None and made.plan.moves:
        file = quoted(path)
        session.note(f"next: kadmin simulate --plan {file}; then kadmin reassign run {file}")


def wish_of(options: dict[str, Any]) -> "Wish":
    """Return what the options ask for.

    Raises:
        UsageError: what does not go together, or cannot be meant.
    """
    from kadmin.app.move_plans import Wish
    from kadmin.arguments.moves import parse_replacements
    from kadmin.arguments.numbers import parse_numbers
    from kadmin.arguments.topics import selection_of
    from kadmin.cli.options import given_options
    from kadmin.plan.moves.request import NEEDS, TAKES, By, Goal, Request, check_arguments

    goal = Goal(options["goal"])
    names = {name for table in (NEEDS, TAKES) for of_goal in table.values() for name in of_goal}
    given = given_options(options)
    check_arguments(goal, {name: name in given for name in options if name in names})
    by = By(options["by"]) if goal is Goal.BALANCE else By.REPLICAS
    if by is not By.BYTES and "tolerance" in given:
        raise click.UsageError("--tolerance needs --by bytes")
    if options["snapshot"] is not None and options["no_brokers"]:
        raise click.UsageError("--no-brokers does not go with --snapshot")

    def broker_list(name: str) -> Any:
        text = options[name]
        return () if text is None else parse_numbers(text, "--" + name.replace("_", "-"))

    return Wish(
        request=Request(
            goal=goal,
            brokers=broker_list("brokers"),
            replacements={}
            if options["replace"] is None
            else parse_replacements(options["replace"]),
            replication_factor=options["replication_factor"],
            above_percent=options["above"],
            disk_size_bytes=options["disk_size"],
            by=by,
            tolerance_percent=options["tolerance"],
            max_replicas=options["max_replicas"],
            excluded_brokers=broker_list("exclude_brokers"),
            is_rack_aware=not options["disable_rack_aware"],
        ),
        topics=selection_of(options["topics"], is_regex=False),
        excluded_topics=(
            selection_of(options["exclude_topics"], is_regex=False)
            if options["exclude_topics"]
            else None
        ),
        snapshot_file=options["snapshot"],
        asks_brokers=not options["no_brokers"],
    )
