"""Faults of a cluster in ZooKeeper: what is a znode about that could not be understood?"""

from collections.abc import Iterable

from cluster.model import fault as subjects
from cluster.model.errors import CorruptZnodeError
from cluster.model.fault import Fault, Subject, Thing
from cluster.model.ids import NEVER_READ
from cluster.zk import paths
from cluster.zk.configs import entity_of_path

FIXED = {
    paths.CONTROLLER: subjects.CONTROLLER,
    paths.CONTROLLER_EPOCH: subjects.CONTROLLER_EPOCH,
    paths.REASSIGN_PARTITIONS: subjects.REASSIGNMENT,
}


def faults_of(errors: Iterable[CorruptZnodeError]) -> tuple[Fault, ...]:
    """The same in neutral words; the path stays where an operator is told where to look."""
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


def subject_of(path: str) -> Subject:
    """What the znode at *path* is about, one of those that a snapshot or configs are read from."""
    if path in FIXED:
        return FIXED[path]
    parent, _, name = path.rpartition("/")
    if parent == paths.BROKER_IDS:
        return Subject(Thing.BROKER, name)
    if parent == paths.TOPICS:
        return Subject(Thing.TOPIC, name)
    if path.startswith(f"{paths.TOPICS}/"):
        topic, _, partition, _ = path.removeprefix(f"{paths.TOPICS}/").split("/")
        return Subject(Thing.PARTITION_STATE, f"{topic}-{partition}")
    entity = entity_of_path(path.removeprefix(f"{paths.CONFIG}/"))
    assert entity is not None, path
    return subjects.config(entity)
