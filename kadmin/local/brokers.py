"""What is done to single brokers of a cluster of this machine alone: add, start and stop one.

Prints nothing.
"""

from dataclasses import replace

from kadmin.errors import InProgressError, RefusedError
from kadmin.local.broker import BrokerServer, wait_until_brokers_serve
from kadmin.local.provisioning import choose_brokers
from kadmin.local.server import START_TIMEOUT_S
from kadmin.local.servers import BROKER, Outcome, changing, require_not_paused
from kadmin.local.state import LocalCluster, disk_errors, locked, require_cluster, write_state
from kadmin.local.status import registered_in


def add_broker(
    name: str, *, rack: str | None = None, timeout_s: float = START_TIMEOUT_S
) -> Outcome[BrokerServer]:
    """Add one broker to the cluster *name*, and wait until it serves.

    It is written down as joining before it is started (A1), and as a broker like the others when
    it serves (A2).  A command that is killed in between leaves one that the next finishes.  *rack*
    None is the one with the fewest brokers, if they have racks.

    Raises:
        RefusedError: ZooKeeper does not run; or the broker that is to be finished has another rack.
        PortBlocked, BrokerFailed: it cannot start, or does not serve in time.
        NoSuchCluster, BrokenState, InProgressError.
    """
    with disk_errors(name), locked(name, timeout_s) as lock:
        cluster = require_cluster(name)
        require_zookeeper(cluster)
        broker = next((each for each in cluster.brokers if each.member.is_joining), None)
        if broker is None:
            racks = () if rack is None else (rack,)
            added = choose_brokers(cluster, 1, racks, are_joining=True)
            cluster = replace(cluster, broker_members=cluster.broker_members + added)
            write_state(cluster)  # A1
            broker = cluster.brokers[-1]
        elif rack not in (None, broker.member.rack):
            raise RefusedError(
                f"broker {broker.id}, which an earlier command began to add, has the rack"
                f" {broker.member.rack}",
                hint=f"finish it first: kadmin cluster add-broker --name {name}",
            )
        broker.finish_ending()
        serve(cluster, broker, timeout_s, holding=lock)
        return Outcome(cluster=settle_joining(cluster), server=broker, is_changed=True)


def settle_joining(cluster: LocalCluster) -> LocalCluster:
    """Write down that all brokers of *cluster* have served: none is joining any more (A2)."""
    settled = replace(
        cluster,
        broker_members=tuple(
            replace(member, is_joining=False) for member in cluster.broker_members
        ),
    )
    if settled != cluster:
        write_state(settled)
    return settled


def start_broker(
    name: str, broker_id: int, *, timeout_s: float = START_TIMEOUT_S
) -> Outcome[BrokerServer]:
    """Start a broker that does not run, and wait until it serves; raises as `add_broker` does.

    Raises:
        RefusedError: it is paused, or ZooKeeper does not run.
    """
    with changing(BROKER, name, broker_id, timeout_s) as (cluster, broker, lock):
        require_zookeeper(cluster)
        broker.finish_ending()
        require_not_paused(BROKER, cluster, broker)
        was_alive = broker.is_alive
        serve(cluster, broker, timeout_s, holding=lock)
        return Outcome(cluster=cluster, server=broker, is_changed=not was_alive)


def stop_broker(
    name: str, broker_id: int, *, timeout_s: float = START_TIMEOUT_S
) -> Outcome[BrokerServer]:
    """Let a broker end in good order: its leaderships move away before.

    Raises:
        RefusedError: it is paused.
        InProgressError: it has not ended in time, and goes on to do so.
    """
    with changing(BROKER, name, broker_id, timeout_s) as (cluster, broker, _):
        was_alive = broker.is_alive
        if broker.is_paused and not broker.is_ending:
            raise RefusedError(
                f"broker {broker_id} is paused and cannot move its leaderships away",
                hint=f"kadmin cluster resume-broker {broker_id} --name {name}",
            )
        broker.ask_to_end()
        if not broker.ends_within(timeout_s):
            raise InProgressError(
                f"broker {broker_id} is still ending after {timeout_s:g} s",
                hint=f"see why: kadmin cluster logs {broker_id} --name {name}",
            )
        return Outcome(cluster=cluster, server=broker, is_changed=was_alive)


def require_zookeeper(cluster: LocalCluster) -> None:
    """Refuse what needs ZooKeeper while none of the cluster's answers; raises RefusedError."""
    if not any(server.ask() for server in cluster.servers):
        raise RefusedError(
            f"no ZooKeeper of '{cluster.name}' answers, and brokers need them",
            hint=f"kadmin cluster up --name {cluster.name}",
        )


def serve(cluster: LocalCluster, broker: BrokerServer, timeout_s: float, *, holding: int) -> None:
    """Start *broker* unless it runs, and wait until it serves."""
    if not broker.is_alive:
        broker.launch(holding=holding)
    wait_until_brokers_serve([broker], lambda: registered_in(cluster), timeout_s)
