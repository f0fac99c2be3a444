"""Faults of a cluster in ZooKeeper: what is a znode about that could not be understood?"""

from collections.abc import Iterable, Iterator

from cluster.model import fault as subjects
from cluster.model.acl import PatternType, ResourcePattern, ResourceType
from cluster.model.config_entity import ConfigOverrides, EntityKind
from cluster.model.config_table import find_spec
from cluster.model.errors import CorruptZnodeError
from cluster.model.fault import Fault, Subject, Thing
from cluster.model.ids import NEVER_READ
from cluster.zk import paths
from cluster.zk.configs import config_problems, entity_at
from cluster.zk.znode import Znode

FIXED = {
    paths.CONTROLLER: subjects.CONTROLLER,
    paths.CONTROLLER_EPOCH: subjects.CONTROLLER_EPOCH,
    paths.MIGRATION: subjects.MIGRATION,
    paths.REASSIGN_PARTITIONS: subjects.REASSIGNMENT,
    paths.BROKER_IDS: subjects.BROKERS,
    paths.TOPICS: subjects.TOPICS,
    paths.DELETE_TOPICS: subjects.DELETIONS,
    paths.PREFERRED_ELECTION: subjects.ELECTION,
    paths.CLUSTER_ID: subjects.CLUSTER_ID,
}


def faults_of(errors: Iterable[CorruptZnodeError]) -> tuple[Fault, ...]:
    """Return the errors in neutral words; the path stays, so that an operator knows
    where to look."""
    return tuple(
        Fault(
            subject=subject_of(error.path),
            where=error.path,
            version=None if error.zk_version == NEVER_READ else error.zk_version,
            reason=error.reason,
            text=str(error),
        )
        for error in errors
    )


def mendable_faults(
    node: Znode, kind: EntityKind, config: ConfigOverrides
) -> Iterator[CorruptZnodeError]:
    """Return why brokers do not read *config*, or not all of it."""
    for problem in config_problems(node, config):
        yield node.corrupt(f"{problem.reason}: no broker reads these configs")
    for key in config.extra:
        if find_spec(kind, key) is not None:
            yield node.corrupt(f"'{key}' stands beside 'config', where no broker reads it")


def subject_of(path: str) -> Subject:
    """Return what the znode at *path* is about, one of those that snapshots, configs and ACLs
    are."""
    if path in FIXED:
        return FIXED[path]
    parent, _, name = path.rpartition("/")
    if parent == paths.BROKER_IDS:
        return Subject(Thing.BROKER, name)
    if parent == paths.TOPICS:
        return Subject(Thing.TOPIC, name)
    if path.startswith((paths.ACLS, paths.EXTENDED_ACLS)):
        resource = resource_of(path)
        return Subject(Thing.ACLS, path) if resource is None else subjects.acls(resource)
    if path.startswith(f"{paths.TOPICS}/"):
        topic, _, partition, _ = path.removeprefix(f"{paths.TOPICS}/").split("/")
        return Subject(Thing.PARTITION_STATE, f"{topic}-{partition}")
    entity = entity_at(path.removeprefix(f"{paths.CONFIG}/"))
    return Subject(Thing.CONFIG, path) if entity is None else subjects.config(entity)


def resource_of(path: str) -> ResourcePattern | None:
    """Return the resource whose rules stand at *path*; None where there are the rules of none."""
    for pattern_type in PatternType:
        kind, _, name = path.removeprefix(f"{paths.acl_store(pattern_type)}/").partition("/")
        if name and kind in set(ResourceType) and path.endswith(f"/{kind}/{name}"):
            return ResourcePattern(ResourceType(kind), name, pattern_type)
    return None
