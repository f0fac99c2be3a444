"""The clients of a ZooKeeper ensemble: who is connected, and what is each, by its session?

Parses answers to four-letter words, and of the admin server; asks no server.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from cluster.model.ids import BrokerId
from kadmin.plan.migration.evidence import OldConsumers
from kadmin.plan.zookeeper_words import NOT_ALLOWED, WHITELIST

CONNECTIONS: Final = "cons"
EPHEMERALS: Final = "dump"
WATCHES: Final = "wchc"
CLIENT_WORDS: Final = (CONNECTIONS, EPHEMERALS, WATCHES)
ADMIN_COMMANDS: Final = ("connections", "dump", "watches")
"""The commands of the admin server with the same content, in the order of the words."""

NO_SESSION: Final = 0
CONNECTION: Final = re.compile(r"^\s*/(?P<address>.+):(?P<port>\d+)\[\d+\]\((?P<rest>.*)\)$")
SESSION: Final = re.compile(r"\bsid=0x([0-9a-fA-F]+)")
ESTABLISHED: Final = re.compile(r"\best=(\d+)")
OWNER: Final = re.compile(r"^0x([0-9a-fA-F]+):?$")

BROKER_NODE: Final = re.compile(r"(?P<chroot>.*)/brokers/ids/(?P<id>\d+)$")
MEMBER_NODE: Final = re.compile(r"(?P<chroot>.*)/consumers/(?P<group>[^/]+)/ids/[^/]+$")

FOREIGN: Final = (
    (("kafka-manager", "cmak"), "CMAK (Kafka Manager)"),
    (("schema_registry", "schema-registry"), "Schema Registry"),
    (("burrow",), "Burrow"),
    (("hbase",), "HBase"),
    (("solr", "collections", "overseer"), "Solr"),
    (("storm",), "Storm"),
    (("druid",), "Druid"),
    (("nifi",), "NiFi"),
    (("hadoop-ha", "rmstore", "yarn-leader-election"), "Hadoop"),
    (("kadmin",), "kadmin"),
)
"""What stands in a path of other programs, and their names."""


NOTHING: Final = "owns and watches nothing that is reported"
KRAFT: Final = "a KRaft controller, or a client that owns and watches nothing"


class ClientKind(StrEnum):
    """What a client is, an interface for scripts."""

    BROKER = "broker"
    CONTROLLER = "controller"
    """The broker that is the controller."""
    OLD_CONSUMER = "old-consumer"
    OTHER_CLUSTER = "other-cluster"
    """A broker or an old consumer of another chroot."""
    PROGRAM = "program"
    """A known program that is not Kafka's."""
    WATCHER = "watcher"
    """One that watches this cluster and owns nothing: an exporter, a tool, a KRaft controller."""
    UNKNOWN = "unknown"


class ServerClients(NamedTuple):
    """The answers of *server* by word, or its admin server's by the same; *failure* is the reason
    of no answer at all."""

    server: str
    answers: Mapping[str, str]
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Connected:
    """A connection to *server*; *session* is 0 without one, *since_ms* is when it began."""

    server: str
    address: str
    port: int
    session: int
    since_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A session and its connection; *name* is what it is as far as known, *broker* its id.

    *reason* is by what it is known.
    """

    address: str
    session: int
    server: str
    kind: ClientKind
    name: str
    reason: str
    broker: BrokerId | None = None
    since_ms: int | None = None
    owns: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientReport:
    """*clients* are in order of kind and address; *unlooked* is what servers do not report, and how
    that is opened; *old_consumers* are groups in use that keep their offsets there, connected or
    not; *down* the servers that do not answer, with the reasons; *has_answer* if any does."""

    clients: tuple[Client, ...]
    unlooked: tuple[str, ...]
    old_consumers: tuple[OldConsumers, ...] = ()
    down: Mapping[str, str] = field(default_factory=dict)
    has_answer: bool = True

    @property
    def others(self) -> tuple[Client, ...]:
        """Return those that are no brokers of this cluster."""
        own = (ClientKind.BROKER, ClientKind.CONTROLLER)
        return tuple(client for client in self.clients if client.kind not in own)


def report_on(
    answers: Sequence[ServerClients],
    chroot: str,
    hosts: Mapping[str, Sequence[BrokerId]],
    controller: BrokerId | None,
    own_session: int = NO_SESSION,
    *,
    has_kraft: bool = False,
) -> ClientReport:
    """Match what servers reported with the brokers at *hosts*, by address.

    Where the cluster *has_kraft*, its controllers are clients that own and watch nothing.
    *chroot* is that of the cluster, with its slash, empty without one; the session of the command
    itself, *own_session*, is left out.
    """
    connections = [each for one in answers for each in connections_of(one)]
    owned: dict[int, set[str]] = {}
    watched: dict[int, set[str]] = {}
    for one in answers:
        merge(owned, nodes_by_session(one.answers.get(EPHEMERALS, ""), "session_id_to_ephemeral"))
        merge(watched, nodes_by_session(one.answers.get(WATCHES, ""), "session_id_to_watched"))
    nothing = KRAFT if has_kraft else NOTHING
    found = [
        identify(
            each,
            chroot,
            tuple(sorted(owned.get(each.session, ()))),
            tuple(sorted(watched.get(each.session, ()))),
            hosts,
            controller,
            nothing,
        )
        for each in connections
        if each.session not in (NO_SESSION, own_session)
    ]
    kinds = list(ClientKind)
    return ClientReport(
        clients=tuple(sorted(found, key=lambda each: (kinds.index(each.kind), each.address))),
        unlooked=tuple(gaps_of(answers)),
        has_answer=any(one.failure is None for one in answers),
        down={one.server: one.failure for one in answers if one.failure is not None},
    )


def merge(into: dict[int, set[str]], found: Mapping[int, Iterable[str]]) -> None:
    for session, nodes in found.items():
        into.setdefault(session, set()).update(nodes)


def connections_of(answers: ServerClients) -> list[Connected]:
    text = answers.answers.get(CONNECTIONS, "")
    document = document_in(text)
    if document is not None:
        items = (*listed_in(document, "connections"), *listed_in(document, "secure_connections"))
        parsed = (connected_of(answers.server, item) for item in items)
        return [connection for connection in parsed if connection is not None]
    found: list[Connected] = []
    for line in text.splitlines():
        match = CONNECTION.match(line)
        if match is None:
            continue
        session, since = SESSION.search(match["rest"]), ESTABLISHED.search(match["rest"])
        found.append(
            Connected(
                answers.server,
                match["address"],
                int(match["port"]),
                NO_SESSION if session is None else int(session[1], 16),
                None if since is None else int(since[1]),
            )
        )
    return found


def connected_of(server: str, item: object) -> Connected | None:
    """Return the connection of an entry of the admin server's list; None for what is none."""
    if not isinstance(item, dict):
        return None
    host, _, port = str(item.get("remote_socket_address", "")).rpartition(":")
    session = item.get("session_id", NO_SESSION)
    if not port.isdecimal() or not isinstance(session, int):
        return None
    return Connected(server, host.rpartition("/")[2], int(port), session % 2**64)


def document_in(text: str) -> dict[str, object] | None:
    """Return the JSON of an admin server; None for the answer to a word."""
    if not text.startswith("{"):
        return None
    try:
        document = json.loads(text)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def listed_in(document: Mapping[str, object], key: str) -> list[object]:
    value = document.get(key)
    return value if isinstance(value, list) else []


def nodes_by_session(text: str, key: str) -> dict[int, list[str]]:
    """Return the znodes of each session, in an answer to `dump` or `wchc`, or in that of the admin
    server below the first name that begins with *key*."""
    document = document_in(text)
    if document is not None:
        maps = [value for name, value in document.items() if name.startswith(key)]
        pairs = maps[0].items() if maps and isinstance(maps[0], dict) else ()
        return {
            int(session) % 2**64: [str(path) for path in nodes]
            for session, nodes in pairs
            if str(session).lstrip("-").isdecimal() and isinstance(nodes, list)
        }
    found: dict[int, list[str]] = {}
    session = NO_SESSION
    for line in text.splitlines():
        owner = OWNER.match(line)
        if owner is not None:
            session = int(owner[1], 16)
        elif line.startswith("\t/") and session != NO_SESSION:
            found.setdefault(session, []).append(line.strip())
        elif not line.startswith("\t"):
            session = NO_SESSION
    return found


def identify(
    connection: Connected,
    chroot: str,
    owns: tuple[str, ...],
    watches: tuple[str, ...],
    hosts: Mapping[str, Sequence[BrokerId]],
    controller: BrokerId | None,
    nothing: str,
) -> Client:
    """Name the client of *connection*, by the znodes that it owns, else by its address, else by
    what it watches; *nothing* is the name of one that owns and watches nothing."""
    kind, name, reason, broker = by_owned(owns, chroot) or by_address(
        connection, hosts, watches, nothing
    )
    if not name:
        kind, name, reason = by_watched(watches, chroot, nothing)
    if kind is ClientKind.BROKER and broker == controller and broker is not None:
        kind, name = ClientKind.CONTROLLER, f"{name}, the controller"
    return Client(
        address=f"{connection.address}:{connection.port}",
        session=connection.session,
        server=connection.server,
        kind=kind,
        name=name,
        reason=reason,
        broker=broker,
        since_ms=connection.since_ms,
        owns=owns,
        watches=watches,
    )


Identity = tuple[ClientKind, str, str, BrokerId | None]


def by_owned(owns: Sequence[str], chroot: str) -> Identity | None:
    for path in owns:
        broker = BROKER_NODE.match(path)
        if broker is not None:
            number = BrokerId(int(broker["id"]))
            if broker["chroot"] == chroot:
                return ClientKind.BROKER, f"broker {number}", path, number
            where = broker["chroot"] or "/"
            return ClientKind.OTHER_CLUSTER, f"broker {number} of {where}", path, None
        member = MEMBER_NODE.match(path)
        if member is not None:
            name = f"old consumer of '{member['group']}'"
            if member["chroot"] == chroot:
                return ClientKind.OLD_CONSUMER, name, path, None
            where = member["chroot"] or "/"
            return ClientKind.OTHER_CLUSTER, f"{name} at {where}", path, None
    program = program_of(owns)
    return None if program is None else (ClientKind.PROGRAM, *program, None)


def by_address(
    connection: Connected,
    hosts: Mapping[str, Sequence[BrokerId]],
    watches: Sequence[str],
    nothing: str,
) -> Identity:
    """Return who is at the host, unless brokers share it, or what is watched is a program's."""
    brokers = hosts.get(connection.address, ())
    program = program_of(watches)
    if program is not None:
        return ClientKind.PROGRAM, *program, None
    if len(brokers) == 1 and not watches:
        where = f"on the host of broker {brokers[0]}"
        where = f"{nothing}, {where}" if nothing == KRAFT else where
        return ClientKind.UNKNOWN, where, "its address", None
    return ClientKind.UNKNOWN, "", "", None


def program_of(nodes: Sequence[str]) -> tuple[str, str] | None:
    for path in nodes:
        parts = set(path.lower().split("/"))
        for words, name in FOREIGN:
            if not parts.isdisjoint(words):
                return name, path
    return None


def by_watched(watches: Sequence[str], chroot: str, nothing: str) -> tuple[ClientKind, str, str]:
    own = [path for path in watches if path.startswith(f"{chroot}/")]
    kafkas = [path for path in own if path.removeprefix(chroot).split("/")[1] in WATCHED]
    if kafkas:
        return ClientKind.WATCHER, "an exporter, a tool or a KRaft controller", kafkas[0]
    if watches:
        return ClientKind.UNKNOWN, f"watches {watches[0]}", watches[0]
    return ClientKind.UNKNOWN, nothing, ""


WATCHED: Final = frozenset({"brokers", "controller", "config", "admin", "consumers"})


def gaps_of(answers: Sequence[ServerClients]) -> list[str]:
    """Return which words are not allowed where, and the setting that allows them."""
    found = []
    for word in CLIENT_WORDS:
        who = [one.server for one in answers if NOT_ALLOWED in one.answers.get(word, "")]
        if who:
            found.append(
                f"'{word}' is not allowed on {', '.join(who)}:"
                f" {WHITELIST}={','.join(('srvr', *CLIENT_WORDS))} in its zoo.cfg allows it after a"
                " restart, and --admin-port asks the admin server"
            )
    return found
