"""The make-up of a cluster of this machine, when it is new and when more is asked for.

Chooses directory, address, ports and racks and writes them down; starts nothing.  What exists gets
more brokers and other settings, and is otherwise not made over.
"""

import ipaddress
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from kadmin.errors import RefusedError, UsageError
from kadmin.local.addresses import LOOPBACK
from kadmin.local.ports import free_ports, why_blocked
from kadmin.local.server import require_free_port
from kadmin.local.server_properties import BrokerMember
from kadmin.local.state import (
    UNFINISHED_STATE_FILE,
    BrokenState,
    LocalCluster,
    cluster_names,
    location,
    read_cluster,
    read_state,
    write_state,
)
from kadmin.local.zookeeper_config import Member

ANY_PORT: Final = 0

DEFAULT_REPLICAS: Final = "default.replication.factor"
OFFSETS_REPLICAS: Final = "offsets.topic.replication.factor"
OFFSETS_REPLICAS_DEFAULT: Final = 3
"""Kafka's: with fewer brokers no group of consumers would be served."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRequest:
    """How a cluster shall be; None where it does not matter."""

    zookeepers: int | None
    directory: Path | None
    port: int | None
    bind: str | None
    brokers: int | None = None
    racks: tuple[str, ...] | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


def find_or_create(name: str, request: ClusterRequest) -> tuple[LocalCluster, bool]:
    """Return the cluster *name*, and whether it had to be made; raises RefusedError."""
    cluster = read_cluster(name)
    if cluster is None and request.directory is not None:
        # A command that was killed before it linked the directory has left it like that.
        left = read_state(request.directory.resolve())
        cluster = left if left is not None and left.name == name else None
    is_new = cluster is None
    if cluster is None:
        cluster = create(name, request)
    else:
        require_same(cluster, request)
        cluster = with_more(cluster, request)
    link_to(cluster)
    return cluster, is_new


def create(name: str, request: ClusterRequest) -> LocalCluster:
    """Write down a new cluster; nothing of it runs yet."""
    home = (request.directory or location(name)).resolve()
    require_unused(home)
    bind = request.bind or LOOPBACK
    cluster = LocalCluster(
        name=name,
        directory=home,
        address=bind,
        members=choose_members(request.zookeepers or 1, request.port, bind),
    )
    cluster = with_requested_brokers(cluster, request)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_state(cluster)
    return cluster


def with_more(cluster: LocalCluster, request: ClusterRequest) -> LocalCluster:
    """Write down the brokers and settings of *request* that *cluster* does not have yet."""
    changed = with_requested_brokers(cluster, request)
    if changed != cluster:
        write_state(changed)
    return changed


def with_requested_brokers(cluster: LocalCluster, request: ClusterRequest) -> LocalCluster:
    count = (request.brokers or 0) - len(cluster.broker_members)
    added = choose_brokers(cluster, max(count, 0), request.racks or ())
    changed = replace(
        cluster,
        broker_members=cluster.broker_members + added,
        broker_settings={**cluster.broker_settings, **request.settings},
    )
    usual = changed.usual_replicas
    if cluster.broker_members or usual == 0:
        return changed
    # With its first brokers, once and for all: a cluster that has grown goes on as it began.
    defaults = {}
    if usual > 1:
        defaults[DEFAULT_REPLICAS] = str(usual)
    if usual < OFFSETS_REPLICAS_DEFAULT:
        defaults[OFFSETS_REPLICAS] = str(usual)
    return replace(changed, broker_settings={**defaults, **changed.broker_settings})


def choose_brokers(
    cluster: LocalCluster, count: int, racks: Sequence[str], *, are_joining: bool = False
) -> tuple[BrokerMember, ...]:
    """Choose *count* more brokers, with free ports and on the racks that have the fewest.

    Without *racks* on those that *cluster* has; on none if there are none.
    """
    taken = ports_of_clusters() | cluster.ports
    ports = free_ports(count, cluster.address, avoid=taken) if count else ()
    first_id = max((member.id for member in cluster.broker_members), default=0) + 1
    placed = [member.rack for member in cluster.broker_members if member.rack is not None]
    choices = tuple(dict.fromkeys(racks or placed))
    chosen = []
    for broker_id, port in enumerate(ports, start=first_id):
        # The first of the emptiest ones: so racks take turns in the order in which they are given.
        rack = min(choices, key=placed.count) if choices else None
        if rack is not None:
            placed.append(rack)
        chosen.append(BrokerMember(id=broker_id, port=port, rack=rack, is_joining=are_joining))
    return tuple(chosen)


def choose_members(count: int, first_port: int | None, bind: str) -> tuple[Member, ...]:
    """Choose *count* members with free ports; a standalone server leaves two of its
    three unused."""
    require_own_address(bind)
    taken = ports_of_clusters()
    if first_port is None:
        ports = free_ports(count, bind, avoid=taken)
    else:
        ports = tuple(range(first_port, first_port + count))
        for number, port in enumerate(ports, start=1):
            require_free_port(f"zookeeper {number}", bind, port)
    inner = free_ports(2 * count, LOOPBACK, avoid=taken | set(ports))
    return tuple(
        Member(
            id=index + 1,
            port=port,
            quorum_port=inner[2 * index],
            election_port=inner[2 * index + 1],
        )
        for index, port in enumerate(ports)
    )


def require_own_address(address: str) -> None:
    """Refuse an address that no server of this machine can listen on; raises UsageError."""
    try:
        ipaddress.ip_address(address)
        reason = why_blocked(address, ANY_PORT)
    except ValueError:
        reason = "it is not an IP address"
    if reason is not None:
        raise UsageError(
            f"cannot listen on {address}: {reason}",
            hint="see the addresses of this machine: ip -brief address",
        )


def ports_of_clusters() -> frozenset[int]:
    """Return the ports of all clusters that can be read: those of stopped ones look free, too."""
    ports: frozenset[int] = frozenset()
    for name in cluster_names():
        with suppress(BrokenState):
            cluster = read_cluster(name)
            ports |= cluster.ports if cluster is not None else frozenset()
    return ports


def require_unused(directory: Path) -> None:
    """Refuse a directory that holds anything: what we make there is removed one day."""
    if not directory.exists():
        return
    if not directory.is_dir():
        raise RefusedError(f"{directory} is no directory", hint="give another --dir")
    others = {path.name for path in directory.iterdir()} - {UNFINISHED_STATE_FILE}
    if others:
        raise RefusedError(
            f"{directory} holds what is not kadmin's: {', '.join(sorted(others)[:3])}",
            hint="give --dir a new or empty directory",
        )


def require_same(cluster: LocalCluster, request: ClusterRequest) -> None:
    """Refuse a request that an existing cluster does not fulfil: it is not made over."""
    count = len(cluster.members)
    first = cluster.members[0].port
    differences = []
    if request.zookeepers not in (None, count):
        differences.append(f"{count} ZooKeeper{'s' if count > 1 else ''}")
    if request.directory is not None and request.directory.resolve() != cluster.directory:
        differences.append(f"its directory {cluster.directory}")
    if request.port not in (None, first):
        differences.append(f"port {first}")
    if request.bind not in (None, cluster.address):
        differences.append(f"address {cluster.address}")
    broker_count = len(cluster.broker_members)
    if request.brokers is not None and request.brokers < broker_count:
        differences.append(f"{broker_count} broker{'s' if broker_count > 1 else ''}")
    racks = {member.rack for member in cluster.broker_members}
    if request.racks is not None and not racks <= set(request.racks):
        named = ",".join(sorted(rack for rack in racks if rack is not None))
        differences.append(f"racks {named}" if named else "brokers without racks")
    if differences:
        raise RefusedError(
            f"the cluster '{cluster.name}' exists with {', '.join(differences)}",
            hint=f"another --name makes another cluster; 'kadmin cluster status --name"
            f" {cluster.name}' shows this one",
        )


def link_to(cluster: LocalCluster) -> None:
    """Make the cluster found by its name where its directory is elsewhere."""
    link = location(cluster.name)
    if link.resolve() == cluster.directory:
        return
    if link.is_symlink():
        link.unlink()
    elif link.exists():
        require_unused(link)
        shutil.rmtree(link)
    link.symlink_to(cluster.directory, target_is_directory=True)
