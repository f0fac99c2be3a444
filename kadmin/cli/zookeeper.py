"""`kadmin zookeeper`: which servers has the ensemble, which one leads, and how are they?"""

from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import Catalog, command_with_subcommands
from kadmin.cli.options import WholeNumber, option
from kadmin.cli.session import Session
from kadmin.cli.watching import watch, watch_option
from kadmin.errors import ExitCode

if TYPE_CHECKING:
    from kadmin.plan.ensemble import EnsembleReport

PORT_MAX: Final = 65_535


SUBCOMMANDS: Final[Catalog] = {
    "clients": (
        "kadmin.cli.zookeeper_clients",
        "clients",
        "See who is connected, and what each client is.",
    ),
}


@command_with_subcommands("zookeeper", SUBCOMMANDS, short_help="See the ZooKeepers of the cluster.")
@option(
    "--admin-port",
    type=WholeNumber(1, PORT_MAX),
    metavar="PORT",
    help="Also ask the servers' admin servers at this port (8080 unless configured).",
)
@option("--plain", is_flag=True, help="Lines instead of a table, even on a terminal.")
@watch_option()
def zookeeper(session: Session, **options: Any) -> None:
    """See each ZooKeeper of the connect string: mode, latency, sessions, connections, znodes.

    It asks each server with the four-letter words srvr, mntr and conf. From ZooKeeper 3.5.3 on only
    srvr is allowed, unless 4lw.commands.whitelist in zoo.cfg allows more; mntr adds sessions,
    watches and the state of the leader's followers, conf adds the members. The admin server, if it
    is enabled and --admin-port names it, reports what mntr does. Latencies are of requests since
    the server was started. Values that a server does not report are null in JSON.

    Exits with 4 if a server is down or does not serve, if none leads, or if they do not form one
    ensemble, and with 5 if none answers.

    \b
    Examples:
      kadmin zookeeper
      kadmin zookeeper --watch
      kadmin zookeeper clients
      kadmin zookeeper --zookeeper zk1:2181,zk2:2181,zk3:2181 --output json
    """
    from kadmin.admin.zookeeper.connection import ZooKeeperUnreachable
    from kadmin.admin.zookeeper.ensemble import ask_ensemble
    from kadmin.plan.ensemble import report_on
    from kadmin.render.zookeeper import ensemble_document

    settings = session.settings.zookeeper()
    found: list[EnsembleReport] = []

    def show() -> None:
        report = report_on(ask_ensemble(settings, options["admin_port"]))
        session.output.show(ensemble_document(report), plain=options["plain"])
        if not session.output.shows_tables(plain=options["plain"]):
            for problem in report.problems:
                session.output.warn(problem)
        for note in report.notes:
            session.output.note(note)
        if len(report.down) == len(report.servers):
            raise ZooKeeperUnreachable(settings.connect, "no server answers")
        found[:] = [report]

    watch(session, options["watch"], show)
    if found[0].problems:
        click.get_current_context().exit(ExitCode.FOUND)
