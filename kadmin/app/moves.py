"""The way of a supervisor to its cluster, and to the journals of runs.

With ZooKeeper the journals are there, whichever way moves are asked for; without one that can be
reached they are files of this user on this machine.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from os import getpid
from typing import TYPE_CHECKING, Final

from kadmin.app.session import Session
from kadmin.errors import KadminError
from kadmin.execute.supervision.carrying_out import Site
from kadmin.execute.user_and_host import user_and_host
from kadmin.wording import moment_of

if TYPE_CHECKING:
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.wire.wire_reassignments import WireReassignments
    from kadmin.admin.zookeeper.connection import Connection
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
def site(session: Session) -> Iterator[Site]:
    """Connect to the cluster that is meant, and close the connections at the end.

    Moves are asked for by brokers where these are named, which takes more moves while others are
    under way; else by ZooKeeper.
    """
    from kadmin.admin.zookeeper.run_store import ZooKeeperRuns

    session.look_again()
    with ExitStack() as stack:
        if session.settings.text("zookeeper") is None and session.names_brokers:
            yield by_brokers(session, stack)
            return
        connection = stack.enter_context(session.connect())
        store, told = ZooKeeperRuns(connection), zookeeper_admin(session, connection, stack)
        if session.names_brokers:
            brokers = stack.enter_context(session.connect_brokers())
            yield Site(wire_admin(session, brokers), store, told)
            return
        yield Site(told, store)


def by_brokers(session: Session, stack: ExitStack) -> Site:
    from kadmin.admin.wire.run_store import FileRuns
    from kadmin.admin.zookeeper.run_store import ZooKeeperRuns

    brokers = stack.enter_context(session.connect_brokers())
    admin = wire_admin(session, brokers)
    connection = zookeeper_beside(session, brokers, stack)
    if connection is None:
        return Site(admin, FileRuns(str(admin.cluster_id())))
    told = zookeeper_admin(session, connection, stack)
    return Site(admin, ZooKeeperRuns(connection), told)


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


def zookeeper_beside(
    session: Session, brokers: "WireConnection", stack: ExitStack
) -> "Connection | None":
    """Return a session to the ZooKeeper that the brokers name; None where that cannot be reached,
    or is another cluster's."""
    from kadmin.admin.wire.kept_throttles import zookeeper_of_brokers
    from kadmin.admin.zookeeper.lease_beside import read_cluster_id

    connect = zookeeper_of_brokers(brokers)
    if connect is None:
        return None
    try:
        connection = stack.enter_context(connect_beside(session, connect))
        # What brokers call localhost may be another cluster's ZooKeeper here.
        is_same = connection.read(read_cluster_id()) == brokers.metadata([])["cluster_id"]
    # Brokers take connect strings that kadmin does not.
    except (KadminError, ValueError):
        return None
    return connection if is_same else None


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
