"""`kadmin zookeeper clients`: who uses ZooKeeper, and is it a broker?"""

from typing import TYPE_CHECKING, Any

import click

from kadmin.cli.frame import command
from kadmin.cli.options import WholeNumber, option
from kadmin.cli.session import Session
from kadmin.cli.zookeeper import PORT_MAX
from kadmin.errors import ExitCode

if TYPE_CHECKING:
    from kadmin.plan.zookeeper_clients import ClientReport


@command("clients", short_help="See who is connected, and what each client is.")
@option(
    "--admin-port",
    type=WholeNumber(1, PORT_MAX),
    metavar="PORT",
    help="Ask the admin servers at this port for what the four-letter words do not answer.",
)
@option("--plain", is_flag=True, help="Plain lines, even on a terminal.")
def clients(session: Session, **options: Any) -> None:
    """See who is connected to the ZooKeepers of the connect string: brokers and the controller,
    consumers that keep their offsets there, brokers of other chroots, and programs that are not
    Kafka's, known by the znodes that they own or watch.

    It asks each server with the four-letter words cons, dump and wchc, which have to be allowed by
    4lw.commands.whitelist in zoo.cfg; the admin server, if --admin-port names it, reports the same.
    Without them it can only say that it does not know. Groups that have written offsets to
    ZooKeeper within a week are listed, too, connected or not.

    Exits with 4 if any client is not a broker of this cluster, and with 5 if no server answers.

    \b
    Examples:
      kadmin zookeeper clients
      kadmin zookeeper clients --admin-port 8080 --output json
    """
    from kadmin.admin.zookeeper.connection import ZooKeeperUnreachable
    from kadmin.app.zookeeper_clients import read_clients
    from kadmin.render.zookeeper_clients import clients_document

    report: ClientReport = read_clients(session, options["admin_port"])
    session.output.show(clients_document(report), plain=options["plain"])
    for text in report.unlooked:
        session.warn(text)
    for server, reason in report.down.items():
        session.warn(f"ZooKeeper {server} is down: {reason}")
    if not report.has_answer:
        raise ZooKeeperUnreachable(session.settings.zookeeper().connect, "no server answers")
    if report.others or report.old_consumers:
        click.get_current_context().exit(ExitCode.FOUND)
