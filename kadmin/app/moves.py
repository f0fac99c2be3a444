"""The way of a supervisor to its cluster, and to the journals of runs.

With ZooKeeper the journals are there, whichever way moves are asked for; without one, and of runs
that began while it could not be reached, they are files of this user on this machine.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from os import getpid
from typing import TYPE_CHECKING, Final

from kadmin.app.session import Session
from kadmin.errors import DeniedError, KadminError
from kadmin.execute.supervision.carrying_out import Site
from kadmin.execute.user_and_host import user_and_host
from kadmin.wording import moment_of

if TYPE_CHECKING:
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.wire.wire_reassignments import WireReassignments
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.admin.zookeeper.run_store import ZooKeeperRuns
    from kadmin.admin.zookeeper.zookeeper_reassignments import ZooKeeperReassignments

TIME: Final = "%Y%m%d-%H%M%S"
TIME_LENGTH: Final = len("20261128-221500")
LEASE_TIMEOUT_S: Final = 25.0
"""The lease of a supervisor that was killed ends with its session, which ZooKeeper may let last a
little longer than was asked for."""


def new_run_id(began_at_ms: int, known: Sequence[str]) -> str:
    """Return an id of a run that sorts by time, and behind all *known* ones.

    Where no run is named, the latest is meant: it must not be another one because both began in the
    same second, or because the clock of this machine is behind that of another.
    """
    moment = moment_of(began_at_ms)
    assert moment is not None
    if known:
        with suppress(ValueError):  # Something else may lie beside the journals.
            latest = datetime.strptime(known[-1][:TIME_LENGTH], TIME)
            moment = max(moment, latest + timedelta(seconds=1))
    return f"{moment:{TIME}}-{secrets.token_hex(2)}"


def supervisor_name() -> str:
    """Return a name that no other process has at the same time."""
    return f"{user_and_host()} (process {getpid()})"


@contextmanager
def site(session: Session, run_id: str | None = None) -> Iterator[Site]:
    """Connect to the cluster that is meant, and close the connections at the end; to the journals
    among which *run_id* is, or the run that has not ended.

    Moves are asked for by brokers where these are named, which takes more moves while others are
    under way; else by ZooKeeper.
    """
    from kadmin.admin.zookeeper.cluster_id import read_cluster_id
    from kadmin.admin.zookeeper.run_store import ZooKeeperRuns

    session.look_again()
    with ExitStack() as stack:
        if session.settings.text("zookeeper") is None and session.names_brokers:
            yield by_brokers(session, stack, run_id)
            return
        connection = stack.enter_context(session.connect())
        store = ZooKeeperRuns(connection)
        with suppress(DeniedError):
            store.unseen = left_in_file(connection.read(read_cluster_id()))
        told = zookeeper_admin(session, connection, stack)
        if session.names_brokers:
            brokers = stack.enter_context(session.connect_brokers())
            yield Site(wire_admin(session, brokers), store, told)
            return
        yield Site(told, store)


def by_brokers(session: Session, stack: ExitStack, run_id: str | None) -> Site:
    from kadmin.admin.wire.run_store import FileRuns
    from kadmin.admin.zookeeper.run_store import ZooKeeperRuns

    brokers = stack.enter_context(session.connect_brokers())
    admin = wire_admin(session, brokers)
    cluster_id = str(admin.cluster_id())
    try:
        connection = zookeeper_beside(session, brokers, stack)
    except (KadminError, ValueError) as error:
        reason = error.message if isinstance(error, KadminError) else error
        unseen = f"runs and leases of throttles that are kept in ZooKeeper cannot be read: {reason}"
        return Site(admin, FileRuns(cluster_id, unseen))
    if connection is None:
        return Site(admin, FileRuns(cluster_id))
    files, store = FileRuns(cluster_id), ZooKeeperRuns(connection)
    left = files.unfinished()
    is_in_file = run_id in files.run_ids()
    if left is not None or is_in_file:
        other = unfinished_in(store)
        if is_in_file or (run_id is None and other is None):
            # What ZooKeeper fences by is the journal of a run that is there.
            files.unseen = "" if other is None else f"the run {other} in ZooKeeper has not ended"
            return Site(admin, files)
        store.unseen = left_in_file(cluster_id)
    return Site(admin, store, zookeeper_admin(session, connection, stack))


def left_in_file(cluster_id: str | None) -> str:
    """Return which run of this user, begun where ZooKeeper could not be reached, has not ended;
    empty where there is none."""
    from kadmin.admin.wire.run_store import FileRuns

    files = FileRuns(str(cluster_id))
    run = files.unfinished()
    if run is None:
        return ""
    return (
        f"the run {run.run_id}, kept in {files.place} since ZooKeeper could not be reached, has not"
        f" ended: 'kadmin reassign status {run.run_id}' shows it where --bootstrap-server alone"
        " names the cluster"
    )


def unfinished_in(store: "ZooKeeperRuns") -> str | None:
    """Return the latest run of *store* that has not ended, or cannot be read."""
    return next((each for each in reversed(store.run_ids()) if not store.has_ended(each)), None)


def zookeeper_admin(
    session: Session, connection: "Connection", stack: ExitStack
) -> "ZooKeeperReassignments":
    from kadmin.admin.wire.late_replicas import LateReplicas
    from kadmin.admin.zookeeper.zookeeper_reassignments import ZooKeeperReassignments

    late = LateReplicas(lambda: session.connect_beside(connection))
    return ZooKeeperReassignments(connection, stack.enter_context(closing(late)))


def wire_admin(session: Session, brokers: "WireConnection") -> "WireReassignments":
    from kadmin.admin.wire.wire_reassignments import WireReassignments
    from kadmin.admin.zookeeper.lease_beside import LeaseBeside

    lease = LeaseBeside(session.connect_zookeeper_beside)
    return WireReassignments(brokers, session.warn, lease, leaves_out_silent=True)


class ZooKeeperUnnamed(KadminError):
    """Brokers that are coordinated by a ZooKeeper do not return which."""

    def __init__(self) -> None:
        super().__init__("brokers do not return their zookeeper.connect")


class ZooKeeperOfAnother(KadminError):
    """What brokers call localhost may be another cluster's ZooKeeper here."""

    def __init__(self, connect: str) -> None:
        super().__init__(f"{connect}, as brokers name it, is another cluster's ZooKeeper here")


def zookeeper_beside(
    session: Session, brokers: "WireConnection", stack: ExitStack
) -> "Connection | None":
    """Return a session to the ZooKeeper that the brokers name; None where they have none.

    Raises:
        KadminError: it cannot be reached, or is another cluster's.
        ValueError: brokers take connect strings that kadmin does not.
    """
    from kadmin.admin.wire.kept_throttles import zookeeper_of_brokers
    from kadmin.admin.zookeeper.cluster_id import read_cluster_id

    connect = zookeeper_of_brokers(brokers)
    if connect is None:
        if brokers.is_on_kraft:
            return None
        raise ZooKeeperUnnamed
    connection = stack.enter_context(connect_beside(session, connect))
    if connection.read(read_cluster_id()) != brokers.metadata([])["cluster_id"]:
        raise ZooKeeperOfAnother(connect)
    return connection


@contextmanager
def connect_beside(session: Session, connect: str) -> Iterator["Connection"]:
    """Open a session to the ZooKeeper that brokers name, which is not waited for for long."""
    from kadmin.admin.wire.late_brokers import PATIENCE_S
    from kadmin.admin.zookeeper.connection import connect as connect_zookeeper
    from kadmin.admin.zookeeper.ensemble_probe import EnsembleProbe
    from kadmin.settings.keys import parse_connect

    found = session.settings.zookeeper_at(parse_connect(connect))
    found = replace(found, timeout_s=min(session.budget.left_s(), PATIENCE_S))
    with (
        closing(EnsembleProbe(found)) as probe,
        connect_zookeeper(found, probe=probe) as connection,
    ):
        yield connection
