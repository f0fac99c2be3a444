"""Namespaces of the kernel: every broker and ZooKeeper is in a network of its own.

A node is reached by its address, from each other over one switch.  A way from one to another is cut
by letting the sender believe in a wrong hardware address: packets leave, and nobody gets them.
Everything is gone with the process that made it (`enter`).
"""

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final, NewType, Protocol

from kadmin.local.zookeeper_config import Member

Node = NewType("Node", str)
"""`broker-1`, `zookeeper-3`, or who asks them."""
Way = tuple[Node, Node]
"""From one to another."""

CLIENTS: Final = Node("clients")
ALONE: Final = ("--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
NEEDED: Final = (
    "mount -t tmpfs none /run",
    "ip netns add a",
    "ip link add type veth",
    "ip link add type bridge",
)
NOWHERE: Final = "02:ff:ff:ff:ff:ff"
CLIENT_PORT: Final = 9092
ZOOKEEPER_PORTS: Final = (2181, 2888, 3888)
CLONE_NEWNET: Final = 0x40000000


def broker(broker_id: int) -> Node:
    return Node(f"broker-{broker_id}")


def zookeeper(number: int) -> Node:
    return Node(f"zookeeper-{number}")


class Network(Protocol):
    """How brokers, ZooKeepers and clients reach each other, and which ways can be cut."""

    def inside(self, node: Node) -> AbstractContextManager[None]:
        """A context in which processes start in the network of *node*."""
        ...

    def member(self, number: int) -> Member: ...

    def zookeeper_address(self, number: int) -> str: ...

    def zookeeper_config(self) -> Mapping[str, str]:
        """What zoo.cfg says besides."""
        ...

    def listeners(self, broker_id: int) -> Mapping[str, str]:
        """What server.properties says of where a broker is reached."""
        ...

    def zookeeper_connect(self, broker_id: int) -> str: ...

    def bootstrap(self, broker_id: int) -> str:
        """Where clients reach a broker."""
        ...

    def cut(self, ways: Iterable[Way]) -> None: ...

    def heal(self) -> None: ...

    def close(self) -> None: ...


def unshare(*command: str) -> list[str]:
    """*command* in namespaces of its own, whose root it is even where we are not."""
    as_root = () if os.geteuid() == 0 else ("--map-root-user",)
    return ["unshare", *as_root, *ALONE, *command]


def can_enter() -> bool:
    """Whether the kernel gives this user namespaces, and has what `Namespaces` needs."""
    command = unshare("sh", "-c", " && ".join(NEEDED))
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def enter(module: str, arguments: Sequence[str]) -> int:
    """Run `python -m module arguments` in namespaces of its own; all it starts ends with it.

    Returns its exit code.
    """
    command = unshare(sys.executable, "-m", module, *arguments)
    # unshare heeds no signal while it waits, but this process does.
    return subprocess.run(["setpriv", "--pdeathsig", "KILL", *command], check=False).returncode


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


class Namespaces:
    """A network for each node, in a process that has come in by `enter`."""

    def __init__(self, broker_ids: Sequence[int], zookeepers: Sequence[int]) -> None:
        self._zookeepers = zookeepers
        self._numbers = {
            **{broker(broker_id): broker_id for broker_id in broker_ids},
            **{zookeeper(number): 100 + number for number in zookeepers},
            CLIENTS: 254,
        }
        self._cut: set[Way] = set()
        self._libc = ctypes.CDLL(None, use_errno=True)
        subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
        ip("link", "set", "lo", "up")
        ip("link", "add", "switch", "address", self._hardware(CLIENTS), "type", "bridge")
        ip("address", "add", f"{self.address(CLIENTS)}/24", "dev", "switch")
        ip("link", "set", "switch", "up")
        for node in self._numbers:
            if node != CLIENTS:
                self._connect(node)
        self._route({(a, b) for a in self._numbers for b in self._numbers if a != b})

    def _connect(self, node: Node) -> None:
        ip("netns", "add", node)
        peer = ("peer", "name", "eth0", "netns", node, "address", self._hardware(node))
        ip("link", "add", node, "type", "veth", *peer)
        ip("link", "set", node, "master", "switch", "up")
        ip("-n", node, "address", "add", f"{self.address(node)}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            ip("-n", node, "link", "set", device, "up")

    def address(self, node: Node) -> str:
        return f"10.0.0.{self._numbers[node]}"

    def _hardware(self, node: Node) -> str:
        return f"02:00:00:00:00:{self._numbers[node]:02x}"

    def _route(self, ways: Iterable[Way], hardware: str | None = None) -> None:
        """Let each way lead to its target, or to *hardware*."""
        for source, target in sorted(ways):
            where = ("dev", "switch") if source == CLIENTS else ("dev", "eth0")
            of = () if source == CLIENTS else ("-n", source)
            to = hardware or self._hardware(target)
            words = ("neighbor", "replace", self.address(target), "lladdr", to, *where)
            ip(*of, *words, "nud", "permanent")

    @contextmanager
    def inside(self, node: Node) -> Iterator[None]:
        with open("/proc/thread-self/ns/net") as before, open(f"/run/netns/{node}") as there:
            self._set(there.fileno())
            try:
                yield
            finally:
                self._set(before.fileno())

    def _set(self, descriptor: int) -> None:
        if self._libc.setns(descriptor, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def member(self, number: int) -> Member:
        port, quorum, election = ZOOKEEPER_PORTS
        return Member(id=number, port=port, quorum_port=quorum, election_port=election)

    def zookeeper_address(self, number: int) -> str:
        return self.address(zookeeper(number))

    def zookeeper_config(self) -> Mapping[str, str]:
        port, quorum, election = ZOOKEEPER_PORTS
        addresses = {number: self.zookeeper_address(number) for number in self._zookeepers}
        return {
            f"server.{number}": f"{address}:{quorum}:{election};{address}:{port}"
            for number, address in addresses.items()
        }

    def listeners(self, broker_id: int) -> Mapping[str, str]:
        return {"listeners": f"PLAINTEXT://{self.bootstrap(broker_id)}"}

    def zookeeper_connect(self, broker_id: int) -> str:
        port, *_ = ZOOKEEPER_PORTS
        return ",".join(f"{self.zookeeper_address(number)}:{port}" for number in self._zookeepers)

    def bootstrap(self, broker_id: int) -> str:
        return f"{self.address(broker(broker_id))}:{CLIENT_PORT}"

    def cut(self, ways: Iterable[Way]) -> None:
        new = set(ways) - self._cut
        self._cut |= new
        self._route(new, NOWHERE)

    def heal(self) -> None:
        self._route(self._cut)
        self._cut.clear()

    def close(self) -> None:
        """All goes with the process; a second trial in it would find its names taken."""


def all_ways(node: Node, others: Iterable[Node]) -> Iterator[Way]:
    """Both ways between *node* and each of *others*."""
    for other in others:
        if other != node:
            yield node, other
            yield other, node
