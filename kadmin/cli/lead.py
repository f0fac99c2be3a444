"""`kadmin lead`: run a command only while leading an election in ZooKeeper."""

import os
import socket
import threading
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.frame import command
from kadmin.cli.options import Number, argument, forbid, option
from kadmin.cli.session import Session
from kadmin.errors import ExitCode, InProgressError

if TYPE_CHECKING:
    from kadmin.app.leading import Ended, Leading

PATIENCE_S: Final = 1.0
"""After that the operator is shown that another one leads."""


class AnotherLeads(InProgressError):
    """The leadership was not won within --wait."""

    def __init__(self, path: str, wait_s: float) -> None:
        super().__init__(
            f"{path}: not elected within {wait_s:g} s",
            hint=f"see who leads with 'kadmin lead {path} --status'",
        )


@command("lead", short_help="Run a command only while leading an election.")
@argument("path")
@argument("words", nargs=-1, metavar="[-- COMMAND...]", type=click.UNPROCESSED)
@option("--status", is_flag=True, help="Show who leads and who waits, and run nothing.")
@option("--plain", is_flag=True, help="With --status: lines instead of a table.")
@option(
    "--unfair",
    is_flag=True,
    help="The fastest contender leads, not the one that has waited longest.",
)
@option(
    "--wait",
    "wait_s",
    type=Number(0),
    metavar="SECONDS",
    help="Give up after so many seconds in which another one leads.",
)
@option("--requeue", is_flag=True, help="Contend and run the command again after a loss.")
@option("--id", "identity", metavar="NAME", help="Its name in --status; otherwise HOST:PID.")
def lead(session: Session, path: str, words: tuple[str, ...], **options: Any) -> None:
    """Wait until this process leads the election at PATH, then run COMMAND, and only while it
    leads.

    Of all that contend at PATH, a path in ZooKeeper below the chroot, one leads at a time: the
    znode is created if it is missing, and a contender that has gone is forgotten within 10 s. They
    take turns in the order in which they came, also with contenders of Curator's LeaderLatch.

    COMMAND finds the epoch of its leadership in KADMIN_LEADER_EPOCH, a number that rises with each
    one, PATH in KADMIN_LEADER_PATH, and its own znode in KADMIN_LEADER_NODE. Let whatever it writes
    refuse an epoch that is lower than one it has seen. When the leadership is lost since the
    connection to ZooKeeper broke, COMMAND and what it has started get SIGTERM at once, and SIGKILL
    before another one can lead; so they do if kadmin itself is killed or stands still. They get
    SIGKILL when the znode is removed by hand, which lets the next one lead at once. COMMAND does
    not read from the terminal.

    Exits with the exit code of COMMAND (128 and its number for a signal), 126 or 127 if it cannot
    be run; with 5 if the leadership was lost with the connection, 1 if the znode was removed, 3 if
    --wait is over. SIGINT, SIGTERM and SIGHUP go to COMMAND, and end a contender that waits. With
    --status it exits with 4 if there is no leader.

    \b
    Examples:
      kadmin lead /elections/nightly -- ./nightly.sh
      kadmin lead /elections/nightly --wait 0 -- ./nightly.sh
      kadmin lead /elections/worker --requeue -- ./worker --serve
      kadmin lead /elections/nightly --status
    """
    if options["status"]:
        others = {
            "--unfair": options["unfair"],
            "--wait": options["wait_s"] is not None,
            "--requeue": options["requeue"],
            "--id": options["identity"] is not None,
        }
        forbid([name for name, is_given in others.items() if is_given], "--status")
        if words:
            raise click.UsageError("--status runs no command")
        show_status(session, path, plain=options["plain"])
        return
    if options["plain"]:
        forbid(["--plain"], "a command: it is for --status")
    if not words:
        raise click.UsageError("which command is to run while leading? kadmin lead PATH -- COMMAND")
    click.get_current_context().exit(run_leading(session, path, words, **options))


def run_leading(session: Session, path: str, words: tuple[str, ...], **options: Any) -> int:
    from kadmin.admin.zookeeper.leadership import check_path
    from kadmin.app.leading import Leading
    from kadmin.jvm.interrupts import ending_in_order

    check_path(path)
    identity = options["identity"] or f"{socket.gethostname()}:{os.getpid()}"
    with (
        ending_in_order(),
        session.connect() as connection,
        Leading(connection, path, identity=identity, is_fair=not options["unfair"]) as leading,
    ):
        while True:
            ended = lead_once(session, leading, path, words, options["wait_s"])
            if ended.loss is None:
                return ended.exit_code
            error = leading.error_of(ended.loss, words)
            if not options["requeue"]:
                raise error
            session.warn(f"{error.message}; contending again")


def lead_once(
    session: Session, leading: "Leading", path: str, words: tuple[str, ...], wait_s: float | None
) -> "Ended":
    """Wait for the leadership, and run the command.

    Raises:
        AnotherLeads: not within *wait_s*.
    """
    patience_s = min(max(PATIENCE_S, wait_s or 0), threading.TIMEOUT_MAX)
    lease = leading.acquire(patience_s)
    if lease is None and wait_s is not None:
        raise AnotherLeads(path, wait_s)
    if lease is None:
        session.note(f"waiting for the leadership of {path}")
        lease = leading.acquire(None)
        assert lease is not None
    session.note(f"leading {path} with epoch {lease.epoch}")
    return leading.run(lease, words)


def show_status(session: Session, path: str, *, plain: bool) -> None:
    from kadmin.admin.zookeeper.leadership import check_path, see_election
    from kadmin.render.lead import election_document

    check_path(path)
    with session.connect() as connection:
        view = see_election(connection, path)
    session.output.show(election_document(view), plain=plain)
    if view.leader is None:
        click.get_current_context().exit(ExitCode.FOUND)
