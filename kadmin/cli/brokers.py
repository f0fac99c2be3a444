"""`kadmin brokers`: who is alive, where, since when, and with how much load?"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.app.reading import read_cluster
from kadmin.cli.frame import command
from kadmin.cli.options import WholeNumber, action, chosen_action, option
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import ExitCode

if TYPE_CHECKING:
    from cluster.model.snapshot import ClusterSnapshot

ALL: Final = ("list", "describe")


@command("brokers", short_help="See the live brokers and their load.", speaks_to_brokers=True)
@action("--list", "list_", help="List the ids of the live brokers.")
@action("--describe", help="Describe endpoints, rack, epoch, load and skew.")
@option(
    "--broker",
    "wanted",
    metavar="ID",
    multiple=True,
    type=WholeNumber(min=0),
    completes="brokers",
    actions=ALL,
    help="Only this broker; may be repeated.",
)
@option("--plain", is_flag=True, actions=ALL, help="Lines instead of a table, even on a terminal.")
@watch_option(actions=ALL)
def brokers(session: Session, **options: Any) -> None:
    """See the live brokers: those registered in ZooKeeper, or those that brokers report.

    It asks the brokers (Kafka 0.10 and later) if only --bootstrap-server names the cluster. Only
    ZooKeeper knows epochs, times, and listeners other than the one that was asked.

    Skew is how far a broker's number of replicas or leaders is from the mean, in percent. Dead
    brokers that still have replicas are described, too. Exits with 4 if no broker is alive.

    \b
    Examples:
      kadmin brokers --list
      kadmin brokers --describe --output json
    """
    from cluster.model import fault as subjects
    from kadmin.plan.broker_names import NoSuchBroker
    from kadmin.plan.health import judge_loads
    from kadmin.render.brokers import describe_document, list_document
    from kadmin.reports.unanswered import require_answers

    describes = chosen_action(options) == "describe"
    found: list[ClusterSnapshot] = []

    def show() -> None:
        snapshot = read_cluster(session, with_topics=describes)
        if not describes:
            # Ids are those of registrations, whatever else of the cluster cannot be read.
            needed = (subjects.Thing.BROKERS, subjects.Thing.BROKER)
            faults = tuple(each for each in snapshot.faults if each.subject.thing in needed)
            snapshot = replace(snapshot, faults=faults)
        loads = judge_loads(snapshot)
        known = loads.keys() | snapshot.brokers.keys()
        missing = set(options["wanted"]) - known
        if missing:
            raise NoSuchBroker(missing, sorted(known))
        chosen = options["wanted"] or loads
        if describes:
            document = describe_document(snapshot, {broker: loads[broker] for broker in chosen})
        else:
            document = list_document(
                snapshot, [broker for broker in snapshot.brokers if broker in chosen]
            )
        session.output.show(document, plain=options["plain"])
        for fault in snapshot.faults:
            session.output.warn(f"left out: {fault}")
        if not snapshot.brokers:
            session.output.warn("no broker is alive: none is registered")
        found[:] = [snapshot]

    watch(session, options["watch"], show)
    require_answers({subjects.broker(each) for each in options["wanted"]}, found[0].faults)
    if not found[0].brokers:
        click.get_current_context().exit(ExitCode.FOUND)
