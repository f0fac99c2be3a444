"""`kadmin cluster` for single ZooKeepers: start, stop, kill, pause and resume one."""

from typing import TYPE_CHECKING, Final

from kadmin.cli.cluster.options import name_option, zookeeper_argument
from kadmin.cli.cluster.outcomes import tell, tell_started
from kadmin.cli.frame import command
from kadmin.cli.session import Session

if TYPE_CHECKING:
    from kadmin.local.state import LocalCluster


@command("start-zookeeper")
@zookeeper_argument()
@name_option()
def start_zookeeper(session: Session, zookeeper_id: int, name: str) -> None:
    """Start a ZooKeeper that is not running.

    Lines that somebody has added to its zoo.cfg, or whose values he has changed, stay; lines that
    he has removed come back. The exit code is 0 when it serves, and 3 when it runs and does
    not serve yet, since no majority of them runs.
    """
    from kadmin.local import zookeepers
    from kadmin.local.servers import ZOOKEEPER

    outcome = zookeepers.start_zookeeper(name, zookeeper_id, timeout_s=session.settings.timeout_s)
    tell_started(session, ZOOKEEPER, outcome)


@command("stop-zookeeper")
@zookeeper_argument()
@name_option()
def stop_zookeeper(session: Session, zookeeper_id: int, name: str) -> None:
    """Stop a ZooKeeper in good order."""
    from kadmin.local import zookeepers
    from kadmin.local.servers import ZOOKEEPER

    outcome = zookeepers.stop_zookeeper(name, zookeeper_id, timeout_s=session.settings.timeout_s)
    warn_without_majority(session, outcome.cluster)
    tell(session, ZOOKEEPER, outcome, done="stopped", else_="was not running")


@command("kill-zookeeper")
@zookeeper_argument()
@name_option()
def kill_zookeeper(session: Session, zookeeper_id: int, name: str) -> None:
    """Kill a ZooKeeper with kill -9, like a crash.

    While a majority of them runs, its clients go on with another one. Without a majority nothing
    can be changed: brokers serve on, and no partition gets another leader.
    """
    from kadmin.local.servers import ZOOKEEPER, kill

    outcome = kill(ZOOKEEPER, name, zookeeper_id, timeout_s=session.settings.timeout_s)
    warn_without_majority(session, outcome.cluster)
    tell(session, ZOOKEEPER, outcome, done="killed", else_="was not running")


@command("pause-zookeeper")
@zookeeper_argument()
@name_option()
def pause_zookeeper(session: Session, zookeeper_id: int, name: str) -> None:
    """Pause a ZooKeeper with SIGSTOP.

    Its connections stay and it answers nothing; its clients go on with another one, where there is
    one.
    """
    from kadmin.local.servers import ZOOKEEPER, pause

    outcome = pause(ZOOKEEPER, name, zookeeper_id, timeout_s=session.settings.timeout_s)
    warn_without_majority(session, outcome.cluster)
    tell(session, ZOOKEEPER, outcome, done="paused", else_="was paused already")


@command("resume-zookeeper")
@zookeeper_argument()
@name_option()
def resume_zookeeper(session: Session, zookeeper_id: int, name: str) -> None:
    """Let a paused ZooKeeper go on, with SIGCONT."""
    from kadmin.local.servers import ZOOKEEPER, resume

    outcome = resume(ZOOKEEPER, name, zookeeper_id, timeout_s=session.settings.timeout_s)
    tell(session, ZOOKEEPER, outcome, done="resumed", else_="was not paused")


def warn_without_majority(session: Session, cluster: "LocalCluster") -> None:
    from kadmin.local.zookeepers import has_majority, running

    if not has_majority(cluster):
        session.output.warn(
            f"{len(running(cluster))} of {len(cluster.servers)} ZooKeepers of '{cluster.name}' run,"
            " which is no majority: nothing can be changed until"
            f" 'kadmin cluster up --name {cluster.name}'"
        )


ZOOKEEPER_COMMANDS: Final = (
    start_zookeeper,
    stop_zookeeper,
    kill_zookeeper,
    pause_zookeeper,
    resume_zookeeper,
)
