"""`kadmin cluster` for single brokers: add, start, stop, kill, pause and resume one; its logs."""

from typing import Final

import click

from kadmin.cli.cluster.config_entry import update_bootstrap
from kadmin.cli.cluster.options import broker_argument, name_option
from kadmin.cli.cluster.outcomes import show, tell, tell_started
from kadmin.cli.frame import command
from kadmin.cli.options import option
from kadmin.cli.session import Session


@command("add-broker")
@name_option()
@option("--rack", metavar="RACK", help="Its rack; the one with the fewest brokers unless given.")
def add_broker(session: Session, name: str, rack: str | None) -> None:
    """Add a broker to a cluster and wait until it serves.

    It gets the next id, a free port and the settings of the others. No partition moves to it on its
    own.
    """
    from kadmin.local import brokers
    from kadmin.local.servers import BROKER

    outcome = brokers.add_broker(name, rack=rack, timeout_s=session.settings.timeout_s)
    session.output.note(f"added broker {outcome.server.id} to '{name}'")
    update_bootstrap(session, outcome.cluster)
    show(session, BROKER, outcome)


@command("start-broker")
@broker_argument()
@name_option()
def start_broker(session: Session, broker_id: int, name: str) -> None:
    """Start a broker that is not running.

    Lines that somebody has added to its server.properties, or whose values he has changed, stay and
    win over 'up --set'; lines that he has removed come back. The exit code is 0 when it serves.
    """
    from kadmin.local import brokers
    from kadmin.local.servers import BROKER

    outcome = brokers.start_broker(name, broker_id, timeout_s=session.settings.timeout_s)
    tell_started(session, BROKER, outcome)


@command("stop-broker")
@broker_argument()
@name_option()
def stop_broker(session: Session, broker_id: int, name: str) -> None:
    """Stop a broker in good order.

    Its leaderships move away and its logs are closed before it ends. The exit code is 3 when it
    has not ended within --timeout; it goes on to do so.
    """
    from kadmin.local import brokers
    from kadmin.local.servers import BROKER

    outcome = brokers.stop_broker(name, broker_id, timeout_s=session.settings.timeout_s)
    tell(session, BROKER, outcome, done="stopped", else_="was not running")


@command("kill-broker")
@broker_argument()
@name_option()
def kill_broker(session: Session, broker_id: int, name: str) -> None:
    """Kill a broker with kill -9, like a crash."""
    from kadmin.local.servers import BROKER, kill

    outcome = kill(BROKER, name, broker_id, timeout_s=session.settings.timeout_s)
    tell(session, BROKER, outcome, done="killed", else_="was not running")


@command("pause-broker")
@broker_argument()
@name_option()
def pause_broker(session: Session, broker_id: int, name: str) -> None:
    """Pause a broker with SIGSTOP.

    Its connections stay and it answers nothing; when its session expires, the others go on without
    it.
    """
    from kadmin.local.servers import BROKER, pause

    outcome = pause(BROKER, name, broker_id, timeout_s=session.settings.timeout_s)
    tell(session, BROKER, outcome, done="paused", else_="was paused already")


@command("resume-broker")
@broker_argument()
@name_option()
def resume_broker(session: Session, broker_id: int, name: str) -> None:
    """Let a paused broker go on, with SIGCONT."""
    from kadmin.local.servers import BROKER, resume

    outcome = resume(BROKER, name, broker_id, timeout_s=session.settings.timeout_s)
    tell(session, BROKER, outcome, done="resumed", else_="was not paused")


@command("logs")
@broker_argument()
@name_option()
@option("--follow", "-f", is_flag=True, help="Go on with new lines until Ctrl-C.")
@option("--controller", is_flag=True, help="controller.log instead of server.log.")
@option("--state-change", is_flag=True, help="state-change.log instead of server.log.")
def logs(
    session: Session,
    broker_id: int,
    name: str,
    follow: bool,
    controller: bool,
    state_change: bool,
) -> None:
    """Print a log of a broker.

    It prints the current hour, or the last one in which something was written; those of earlier
    hours lie beside it, in the directory logs of the broker.
    """
    from kadmin.local.broker import BrokerLog
    from kadmin.local.log_reading import follow_log, read_log
    from kadmin.local.servers import BROKER, find

    if controller and state_change:
        raise click.UsageError("give only one of --controller, --state-change")
    log = BrokerLog.CONTROLLER if controller else BrokerLog.SERVER
    path = find(BROKER, name, broker_id).log_file(BrokerLog.STATE_CHANGE if state_change else log)
    stream = session.output.visible_bytes_stream()
    for block in follow_log(path) if follow else read_log(path):
        if block:
            stream.write(block)
        else:
            stream.flush()
            session.output.check_reader()
    stream.flush()


BROKER_COMMANDS: Final = (
    add_broker,
    start_broker,
    stop_broker,
    kill_broker,
    pause_broker,
    resume_broker,
    logs,
)
