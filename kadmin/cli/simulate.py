"""`kadmin simulate`: what would the controller do if brokers failed, came, or replicas moved?

Writes to no cluster.
"""

from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.broker_ids import broker_ids
from kadmin.cli.common_options import default_min_isr_option
from kadmin.cli.files import name_of, read_text
from kadmin.cli.frame import command
from kadmin.cli.options import forbid, option
from kadmin.cli.session import Session
from kadmin.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from cluster.model.ids import BrokerId
    from kadmin.simulation.scenario import Scenario
    from kadmin.snapshots.saved import SavedCluster

EVENTS: Final = "What happens"
SOURCE: Final = "To which cluster"


@command("simulate", short_help="See what the controller would do.", speaks_to_brokers=True)
@option(
    "--kill",
    "killed",
    multiple=True,
    metavar="ID,ID",
    section=EVENTS,
    completes="brokers",
    help="These brokers fail, all at once.",
)
@option(
    "--lose-rack",
    "racks",
    multiple=True,
    metavar="RACK",
    section=EVENTS,
    help="All brokers of this rack fail; may be repeated.",
)
@option(
    "--add",
    "added",
    multiple=True,
    metavar="ID[:RACK]",
    section=EVENTS,
    help="This broker starts: a new one, or one that is dead; may be repeated.",
)
@option(
    "--plan",
    metavar="FILE",
    section=EVENTS,
    help="Partitions are reassigned: Kafka's JSON, or a file of 'kadmin reassign plan'.",
)
@option(
    "--unclean",
    is_flag=True,
    section=EVENTS,
    help="Then leaders are elected for what is offline, even out of the ISR.",
)
@option(
    "--snapshot",
    metavar="FILE",
    section=SOURCE,
    help="The cluster in a file of 'kadmin snapshot save', and not the live one.",
)
@default_min_isr_option(SOURCE)
def simulate(session: Session, **options: Any) -> None:
    """See what would go offline if brokers failed, and what a plan would do to each of them.

    The controller of kadmin's own brokers, which elects as Kafka's does, runs in this process on
    the cluster's data; nothing is written. Brokers obey it at once, replicas that move catch up,
    and nothing is produced meanwhile. Leaders are elected out of the ISR where a topic, or the
    dynamic default of the brokers, allows it; a default in the brokers' own files is not known.

    It shows the partitions that would go offline, come under min ISR or lose records, the leaders
    that would move, and of each broker the replicas, leaders and bytes before, at most and after.
    Exits with 4 if anything would go offline.

    \b
    Examples:
      kadmin simulate --kill 3,7
      kadmin simulate --lose-rack b --snapshot before.json.gz --output json
      kadmin simulate --add 9:a --plan moves.json
    """
    require_event(options)
    from kadmin.render.simulation import simulation_document
    from kadmin.simulation.simulate import simulate as play

    # What is wrong in a command line or a file is said before a cluster is read.
    added = added_brokers(options["added"])
    plan = None
    if options["plan"] is not None:
        from kadmin.arguments.reassignment_files import TARGETS_HINT

        plan = read_text(options["plan"], TARGETS_HINT)
    saved = saved_cluster(session, options["snapshot"])
    scenario = scenario_of(options, saved, added, plan)
    report = play(saved, scenario, options["default_min_isr"])
    session.output.show(simulation_document(report))
    if report.offline:
        click.get_current_context().exit(ExitCode.FOUND)


def require_event(options: dict[str, Any]) -> None:
    failures = [
        name for name, given in (("--kill", "killed"), ("--lose-rack", "racks")) if options[given]
    ]
    others = [name for name, given in (("--add", "added"), ("--plan", "plan")) if options[given]]
    if not failures and not others and not options["unclean"]:
        raise click.UsageError(
            "what happens? give at least one of --kill, --lose-rack, --add, --plan, --unclean"
        )
    if others:
        forbid(failures, " and ".join(others))


def saved_cluster(session: Session, file: str | None) -> "SavedCluster":
    from kadmin.app.snapshot_files import read_snapshot_file
    from kadmin.app.snapshots import LAYOUT, read_saved

    if file is not None:
        return read_snapshot_file(file)
    saved = read_saved(session, LAYOUT)
    if not saved.log_dirs:
        session.warn("sizes are not known: no broker returned its log directories")
    return saved


def scenario_of(
    options: dict[str, Any],
    saved: "SavedCluster",
    added: "dict[BrokerId, str | None]",
    plan: str | None,
) -> "Scenario":
    from kadmin.simulation.scenario import Scenario, killed_brokers, planned_targets, require_new

    cluster = saved.cluster
    require_new(cluster, added)
    return Scenario(
        added=added,
        killed=killed_brokers(cluster, broker_ids(options["killed"]) or (), options["racks"]),
        targets={} if plan is None else planned_targets(plan, name_of(options["plan"]), saved),
        elects_unclean=options["unclean"],
    )


def added_brokers(texts: tuple[str, ...]) -> "dict[BrokerId, str | None]":
    """Return the brokers in *texts*, such as `9` and `9:a`, each with its rack.

    Raises:
        UsageError: what is no id, or one twice.
    """
    found: dict[BrokerId, str | None] = {}
    for text in texts:
        name, _, rack = text.partition(":")
        for broker in sorted(broker_ids([name]) or ()):
            if broker in found:
                raise UsageError(f"--add names broker {broker} twice", hint="name it once")
            found[broker] = rack or None
    return found
