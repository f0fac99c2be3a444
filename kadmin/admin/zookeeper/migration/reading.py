"""The evidence of a migration in ZooKeeper: reads of every znode that the controllers copy, and of
what stands in their way.

Partitions are read by the bulk reader; all else is small.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeVar

from kazoo.exceptions import NoAuthError, NoNodeError

from cluster.coordination.resource_acls import read_resource_acls
from cluster.model.acl import ResourceAcls
from cluster.model.cluster import ProducerIdBlock
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, EntityKind
from cluster.model.controller import MigrationState
from cluster.model.errors import CorruptZnodeError, may_not_be_read
from cluster.model.fault import Fault
from cluster.model.ids import TopicPartition
from cluster.model.token import DelegationToken
from cluster.zk import paths
from cluster.zk.admin import decode_preferred_election
from cluster.zk.cluster import decode_cluster_id, decode_producer_id_block
from cluster.zk.configs import entity_at
from cluster.zk.controller import decode_migration
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import (
    EVERYTHING,
    Children,
    GetChildren,
    GetData,
    GetMany,
    Refused,
    ZkReply,
)
from cluster.zk.steps import Steps, items_in, read
from cluster.zk.tokens import decode_token
from cluster.zk.znode import Znode
from kadmin.admin.zookeeper.config_reads import read_configs
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.snapshot import read_snapshot
from kadmin.arguments.topics import TopicSelection
from kadmin.plan.migration.evidence import Damage, MigrationEvidence, NodeTimes, OldConsumers

Value = TypeVar("Value")

STATE_NODES: Final = (paths.CONTROLLER, paths.CONTROLLER_EPOCH, paths.MIGRATION)
ANYONE: Final = ("world", "anyone")

CHECKED_ACLS: Final = (
    *("/", paths.BROKER_IDS, paths.TOPICS, paths.CONFIG, f"{paths.CONFIG}/{EntityKind.TOPICS}"),
    *(f"{paths.CONFIG}/{kind}" for kind in EntityKind if kind is not EntityKind.TOPICS),
    *(paths.CONFIG_CHANGES, paths.ADMIN, paths.DELETE_TOPICS, paths.PRODUCER_ID_BLOCK),
    *(paths.CONTROLLER_EPOCH, paths.MIGRATION, paths.ACLS, paths.EXTENDED_ACLS),
    paths.DELEGATION_TOKENS,
)
"""What controllers read or write."""

KAFKAS_OWN: Final = frozenset(
    path.split("/")[1]
    for path in (
        *(*PERSISTENT_PATHS, *STATE_NODES, paths.CLUSTER, paths.FEATURE, paths.ACLS),
        *(paths.ACL_CHANGES, paths.EXTENDED_ACLS, paths.EXTENDED_ACL_CHANGES),
        *(paths.DELEGATION_TOKENS, "/kadmin", "/zookeeper"),
    )
)
"""The names at the root of a cluster's chroot."""


def read_migration_evidence(cluster: str, now_ms: int) -> Steps[MigrationEvidence]:
    """Read all of *cluster* that a migration depends on, at *now_ms*.

    What cannot be decoded, or may not be read, is damage of its own, and spoils nothing else.

    Raises:
        NoClusterHere: there is no `/brokers/topics`.
    """
    snapshot = yield from read_snapshot(cluster, TopicSelection())
    damages = [damage_of(fault) for fault in snapshot.faults]
    nodes, migration = yield from read_state_nodes(damages)
    configs, misplaced = yield from read_all_configs(snapshot.topics, damages)
    acls = yield from read_resource_acls()
    for resource, rules in acls.rules.items():
        if isinstance(rules, CorruptZnodeError):
            path = paths.acls(resource)
            is_hidden = rules.reason == may_not_be_read(path).reason
            damages.append(Damage(path, rules.reason, is_hidden))
    damages += (Damage(each.path, each.reason, True) for each in acls.hidden.values())
    damages += (Damage(each.path, each.reason) for each in acls.unread)
    small = yield from read_small(damages)
    old_consumers = yield from read_old_consumers(damages)
    return MigrationEvidence(
        snapshot=snapshot,
        now_ms=now_ms,
        nodes=nodes,
        migration=migration,
        cluster_id=small.cluster_id,
        configs=configs,
        acls={
            resource: rules
            for resource, rules in acls.rules.items()
            if isinstance(rules, ResourceAcls)
        },
        tokens=small.tokens,
        producer_ids=small.producer_ids,
        orphan_marks=tuple(name for name in small.marks if name not in snapshot.topics),
        elections=small.elections,
        log_dir_events=small.log_dir_events,
        damages=tuple(dict.fromkeys(damages)),
        misplaced=tuple(misplaced),
        old_consumers=old_consumers,
        foreign=tuple(name for name in small.roots if name not in KAFKAS_OWN),
        has_id_sequence=small.has_id_sequence,
    )


def hidden(path: str) -> Damage:
    return Damage(path, may_not_be_read(path).reason, True)


def damage_of(fault: Fault) -> Damage:
    return Damage(fault.where, fault.reason, fault.reason == may_not_be_read(fault.where).reason)


def read_state_nodes(
    damages: list[Damage],
) -> Steps[tuple[dict[str, NodeTimes], MigrationState | None]]:
    """Return the times of the nodes that say who owns the cluster, and the state of a migration.

    `/migration` is there with numbers of -1 from the first start of the controllers on.
    """
    replies = yield from read(map(GetData, STATE_NODES))
    found = {}
    migration = None
    for path, reply in zip(STATE_NODES, replies, strict=True):
        if isinstance(reply, Refused):
            damages.append(hidden(path))
        elif isinstance(reply, Znode):
            ephemeral = reply.ephemeral_owner != 0
            found[path] = NodeTimes(reply.ctime_ms, reply.mtime_ms, reply.zk_version, ephemeral)
            if path == paths.MIGRATION:
                migration = decoded(decode_migration, reply, damages)
    return found, migration


def decoded(decode: Callable[[Znode], Value], node: Znode, damages: list[Damage]) -> Value | None:
    """Return what *decode* makes of *node*; None where it is damaged."""
    try:
        return decode(node)
    except CorruptZnodeError as error:
        damages.append(Damage(error.path, error.reason))
        return None


def read_all_configs(
    topics: Iterable[str], damages: list[Damage]
) -> Steps[tuple[dict[ConfigEntity, ConfigOverrides], list[str]]]:
    """Return the configs of all entities but the *topics*, which have theirs, and the paths below
    `/config` that are no entity's."""
    known = set(topics)
    parents = [f"{paths.CONFIG}/{kind}" for kind in EntityKind]
    children = yield from read_names(parents, damages)
    skipped = {paths.topic_config(name) for name in known}
    own = [path for path in children if path not in skipped]
    users = [path for path in own if path.startswith(f"{paths.CONFIG}/{EntityKind.USERS}/")]
    below = yield from read_names(users, damages)
    clients = [path for path in below if path.endswith(f"/{EntityKind.CLIENTS}")]
    misplaced = [path for path in below if not path.endswith(f"/{EntityKind.CLIENTS}")]
    candidates = [*own, *(yield from read_names(clients, damages))]
    entities = [entity_at(path.removeprefix(f"{paths.CONFIG}/")) for path in candidates]
    configs, faults = yield from read_configs([each for each in entities if each is not None])
    damages += map(damage_of, faults)
    return configs, misplaced


def read_names(parents: Iterable[str], damages: list[Damage]) -> Steps[list[str]]:
    """Return the paths of the children of *parents*; one that may not be read is damage."""
    parents = tuple(parents)
    replies = yield from read(map(GetChildren, parents))
    return list(names_below(zip(parents, replies, strict=True), damages))


def names_below(listings: Iterable[tuple[str, ZkReply]], damages: list[Damage]) -> Iterator[str]:
    for parent, reply in listings:
        if isinstance(reply, Refused):
            damages.append(hidden(parent))
        elif isinstance(reply, Children):
            yield from (f"{parent}/{name}" for name in sorted(reply.names))


def note_refused(answers: Iterable[tuple[str, ZkReply]], damages: list[Damage]) -> None:
    """Add what may not be read to *damages*."""
    damages += (hidden(path) for path, reply in answers if isinstance(reply, Refused))


class Small(NamedTuple):
    """What takes a znode or a list of names each."""

    roots: tuple[str, ...]
    marks: tuple[str, ...]
    log_dir_events: int
    elections: tuple[TopicPartition, ...]
    tokens: tuple[DelegationToken, ...]
    producer_ids: ProducerIdBlock | None
    has_id_sequence: bool
    cluster_id: str | None


def read_small(damages: list[Damage]) -> Steps[Small]:
    lists = ("/", paths.DELETE_TOPICS, paths.LOG_DIR_EVENTS, paths.DELEGATION_TOKENS)
    singles = (paths.CLUSTER_ID, paths.PRODUCER_ID_BLOCK, paths.PREFERRED_ELECTION)
    replies = yield from read(
        (*map(GetChildren, lists), *map(GetData, singles), GetData(paths.BROKER_SEQUENCE))
    )
    note_refused(zip((*lists, *singles), replies, strict=False), damages)
    names = [
        tuple(sorted(reply.names)) if isinstance(reply, Children) else ()
        for reply in replies[: len(lists)]
    ]
    nodes = {
        path: reply
        for path, reply in zip(singles, replies[len(lists) :], strict=False)
        if isinstance(reply, Znode)
    }
    sequence = replies[-1]
    cluster_id = producer_ids = election = None
    if paths.CLUSTER_ID in nodes:
        cluster_id = decoded(decode_cluster_id, nodes[paths.CLUSTER_ID], damages)
    if paths.PRODUCER_ID_BLOCK in nodes and nodes[paths.PRODUCER_ID_BLOCK].data == b"":
        # Brokers write null; controllers want JSON of anything else.
        damages.append(Damage(paths.PRODUCER_ID_BLOCK, "its data is empty, and not null"))
    elif paths.PRODUCER_ID_BLOCK in nodes:
        producer_ids = decoded(decode_producer_id_block, nodes[paths.PRODUCER_ID_BLOCK], damages)
    if paths.PREFERRED_ELECTION in nodes:
        election = decoded(decode_preferred_election, nodes[paths.PREFERRED_ELECTION], damages)
    tokens = yield from read_tokens(names[3], damages)
    return Small(
        roots=names[0],
        marks=names[1],
        log_dir_events=len(names[2]),
        elections=() if election is None else election.partitions,
        tokens=tokens,
        producer_ids=producer_ids,
        has_id_sequence=isinstance(sequence, Znode) and sequence.zk_version > 0,
        cluster_id=None if cluster_id is None else cluster_id.cluster_id,
    )


def read_tokens(names: Iterable[str], damages: list[Damage]) -> Steps[tuple[DelegationToken, ...]]:
    asked = tuple(map(paths.delegation_token, names))
    replies = yield from read(map(GetData, asked))
    note_refused(zip(asked, replies, strict=True), damages)
    found = [reply for reply in replies if isinstance(reply, Znode)]
    tokens = (decoded(decode_token, node, damages) for node in found)
    return tuple(token for token in tokens if token is not None)


def read_restricted(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Return which of the paths that controllers need not anyone may use, each with who may.

    The ACL of one that may not be read is another identity's.
    """
    started = [(path, connection.client.get_acls_async(path)) for path in CHECKED_ACLS]
    found: dict[str, tuple[str, ...]] = {}
    for path, waiting in started:
        try:
            with connection.budget.spending() as left_s:
                entries, _ = waiting.get(timeout=left_s)
        except NoNodeError:
            continue
        except NoAuthError:
            found[path] = ("another identity",)
            continue
        who = [f"{each.id.scheme}:{each.id.id.partition(':')[0]}" for each in entries]
        is_open = any(
            (each.id.scheme, each.id.id, each.perms) == (*ANYONE, EVERYTHING) for each in entries
        )
        if not is_open:
            found[path] = tuple(dict.fromkeys(name for name in who if name != ":".join(ANYONE)))
    return found


def has_migration_node() -> Steps[bool]:
    """Return whether a KRaft controller has begun with the cluster.

    Controllers create `/migration` when they start, long before they own the cluster.
    """
    (node,) = yield from read([GetData(paths.MIGRATION)])
    return node is not None


def read_old_consumers(damages: list[Damage]) -> Steps[tuple[OldConsumers, ...]]:
    """Return the groups that keep members or offsets in ZooKeeper.

    What may not be read joins the *damages*.
    """
    groups = yield from read_names((paths.CONSUMERS,), damages)
    members: dict[str, int] = {}
    ids = [f"{group}/ids" for group in groups]
    replies = yield from read(map(GetChildren, ids))
    note_refused(zip(ids, replies, strict=True), damages)
    for group, reply in zip(groups, replies, strict=True):
        members[group] = len(reply.names) if isinstance(reply, Children) else 0
    topics = yield from read_names((f"{group}/offsets" for group in groups), damages)
    partitions = yield from read_names(topics, damages)
    request = GetMany(partitions, lambda node: node.mtime_ms)
    (reply,) = yield from read((request,))
    written: dict[str, int] = {}
    for path, time_ms in zip(partitions, items_in(request, reply), strict=True):
        if isinstance(time_ms, int):
            group = "/".join(path.split("/")[:3])
            written[group] = max(time_ms, written.get(group, 0))
    return tuple(
        OldConsumers(group.rpartition("/")[2], members[group], written.get(group))
        for group in groups
    )
