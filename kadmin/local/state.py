"""The state of the clusters of this machine, and its place on disk.

One directory per cluster below the XDG data directory, or a link there to one elsewhere; in it a
file with the parts of the cluster.  Which of its servers run is not written down: their processes
show it.  Starts and stops nothing.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from kadmin.errors import InProgressError, KadminError, hint_for_missing
from kadmin.local.addresses import host_and_port, local_address
from kadmin.local.broker import BrokerServer
from kadmin.local.server_properties import BrokerMember
from kadmin.local.zookeeper import ZooKeeperServer
from kadmin.local.zookeeper_config import Member
from kadmin.settings.file_lock import locked_file
from kadmin.settings.keys import check_cluster_name
from kadmin.settings.xdg import user_directory

SCHEMA: Final = "kadmin.local.cluster/2"
SCHEMA_WITHOUT_BROKERS: Final = "kadmin.local.cluster/1"
"""Of kadmin 0.1; its clusters are read, and it does not read those with brokers that it would
leave behind."""

STATE_FILE: Final = "cluster.json"
UNFINISHED_STATE_FILE: Final = "cluster.json.new"

USUAL_REPLICAS_MAX: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalCluster:
    """A cluster of this machine: its servers exist on disk and may run or not."""

    name: str
    directory: Path
    address: str
    members: tuple[Member, ...]
    broker_members: tuple[BrokerMember, ...] = ()
    broker_settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def servers(self) -> tuple[ZooKeeperServer, ...]:
        """Its ZooKeepers by ascending id."""
        return tuple(
            ZooKeeperServer(
                id=member.id,
                directory=self.directory / f"zookeeper-{member.id}",
                port=member.port,
                address=self.address,
                members=self.members if len(self.members) > 1 else (),
            )
            for member in self.members
        )

    @property
    def brokers(self) -> tuple[BrokerServer, ...]:
        """Its brokers by ascending id."""
        return tuple(
            BrokerServer(
                member=member,
                directory=self.directory / f"broker-{member.id}",
                zookeeper_connect=self.zookeeper_connect,
                address=self.address,
                settings=self.broker_settings,
            )
            for member in self.broker_members
        )

    @property
    def bootstrap_servers(self) -> str:
        """The brokers for clients of this machine; empty when there are none."""
        return ",".join(broker.bootstrap for broker in self.brokers)

    @property
    def usual_replicas(self) -> int:
        """How many replicas a topic may well have: three, or one on each broker; 0 without any."""
        return min(len(self.broker_members), USUAL_REPLICAS_MAX)

    @property
    def zookeeper_connect(self) -> str:
        """The connect string for clients of this machine."""
        host = local_address(self.address)
        return ",".join(host_and_port(host, member.port) for member in self.members)

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach it."""
        return ip_address(self.address).is_loopback

    @property
    def ports(self) -> frozenset[int]:
        return frozenset(
            port
            for member in self.members
            for port in (member.port, member.quorum_port, member.election_port)
        ) | {member.port for member in self.broker_members}


class NoSuchCluster(KadminError):
    """There is no cluster of that name on this machine."""

    def __init__(self, name: str) -> None:
        known = list(cluster_names())
        super().__init__(
            f"there is no cluster '{name}' on this machine (known: {', '.join(known) or 'none'})",
            hint=hint_for_missing(name, known, listed_by="kadmin cluster list"),
        )
        self.name = name


class BrokenState(KadminError):
    """The file that describes a cluster cannot be read or understood."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"cannot understand {path}: {reason}",
            hint=f"if the cluster is of no use any more, remove {path.parent} by hand after ending"
            " the processes noted in its pid files",
        )
        self.path = path


def clusters_directory() -> Path:
    """Return where the clusters of this user are, by the XDG rules."""
    return Path(user_directory("XDG_DATA_HOME", "~/.local/share"), "clusters")


def location(name: str) -> Path:
    """Return the directory of the cluster *name*, or the link to it; it may not exist.

    Raises:
        UsageError: *name* cannot be a directory's name or would need quoting.
    """
    check_cluster_name(name)
    return clusters_directory() / name


def cluster_names() -> list[str]:
    """Return the names of all clusters, sorted; those of which only a part was made are among
    them."""
    root = clusters_directory()
    if not root.is_dir():
        return []
    return sorted(path.name for path in root.iterdir() if not path.name.startswith("."))


def read_cluster(name: str) -> LocalCluster | None:
    """Return the cluster *name*; None when there is none.

    Raises:
        BrokenState: its file cannot be understood, or describes another one.
    """
    cluster = read_state(location(name).resolve())
    if cluster is not None and cluster.name != name:
        raise BrokenState(cluster.directory / STATE_FILE, f"it describes '{cluster.name}'")
    return cluster


def require_cluster(name: str) -> LocalCluster:
    """Return the cluster *name*; raises NoSuchCluster or BrokenState."""
    cluster = read_cluster(name)
    if cluster is None:
        raise NoSuchCluster(name)
    return cluster


def read_state(directory: Path) -> LocalCluster | None:
    """Return the cluster that *directory* holds; None when no such file is in it."""
    path = directory / STATE_FILE
    try:
        body = json.loads(path.read_bytes())
        if body["schema"] not in (SCHEMA, SCHEMA_WITHOUT_BROKERS):
            raise BrokenState(path, f"its schema is {body['schema']!r}, not {SCHEMA!r}")
        return LocalCluster(
            name=str(body["name"]),
            directory=directory,
            address=str(ip_address(body["address"])),
            members=tuple(
                Member(**{key: int(member[key]) for key in Member.__slots__})
                for member in body["zookeepers"]
            ),
            broker_members=tuple(broker_member(fields) for fields in body.get("brokers", ())),
            broker_settings={
                str(key): str(value) for key, value in body.get("broker_settings", {}).items()
            },
        )
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BrokenState(path, error.strerror or str(error)) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BrokenState(path, f"{type(error).__name__}: {error}") from error


def broker_member(fields: Any) -> BrokerMember:
    """Parse a broker; raise KeyError, TypeError or ValueError when *fields* describe no broker."""
    rack = fields["rack"]
    return BrokerMember(
        id=int(fields["id"]),
        port=int(fields["port"]),
        rack=None if rack is None else str(rack),
        is_joining=bool(fields["is_joining"]),
    )


def write_state(cluster: LocalCluster) -> None:
    """Write down *cluster* in its directory, which exists: readers see nothing or all of it."""
    body = {
        "schema": SCHEMA,
        "name": cluster.name,
        "address": cluster.address,
        "zookeepers": [asdict(member) for member in cluster.members],
        "brokers": [asdict(member) for member in cluster.broker_members],
        "broker_settings": dict(cluster.broker_settings),
    }
    unfinished = cluster.directory / UNFINISHED_STATE_FILE
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(body, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(cluster.directory / STATE_FILE)


@contextmanager
def disk_errors(name: str) -> Iterator[None]:
    """Turn what the disk refuses into an error that names the cluster and the file."""
    try:
        yield
    except OSError as error:
        # What a full disk refuses comes without a name.
        where = error.filename if error.filename is not None else location(name).resolve()
        raise KadminError(
            f"cannot write the cluster '{name}': {where}: {error.strerror or error}",
            hint="check the owner, mode and free space there, or give another --dir",
        ) from error


@contextmanager
def locked(name: str, timeout_s: float) -> Iterator[int]:
    """Keep other commands from changing the cluster *name*; gives the lock's descriptor.

    Raises:
        InProgressError: another command holds it for longer than *timeout_s*.
    """
    root = location(name).parent
    root.mkdir(parents=True, exist_ok=True)
    taken = InProgressError(
        f"another command is changing the cluster '{name}' for {timeout_s:g} s by now",
        hint=f"see how far it is: kadmin cluster status --name {name}",
    )
    with locked_file(root / f".{name}.lock", timeout_s, taken) as descriptor:
        yield descriptor
