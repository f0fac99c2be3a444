"""Names of topics: which topics are there, and which of them wait for their deletion?

Reads names only, and imports no more than that takes: it is what the shell waits for.
"""

from typing import TYPE_CHECKING

from cluster.model.errors import CorruptZnodeError, may_not_be_read
from cluster.model.ids import NEVER_READ
from cluster.model.topic_name import topic_name_problem
from cluster.zk import paths
from cluster.zk.requests import Children, GetChildren, GetData, Refused
from cluster.zk.steps import Steps, names_in, read
from kadmin.admin.answers import NoClusterHere, TopicNames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cluster.model.fault import Fault


def read_topic_names(cluster: str, wanted: "Sequence[str]" = ()) -> Steps[TopicNames]:
    """Read the names in one round trip; where topics may not be listed, in another one for those of
    *wanted* that exist.

    Raises:
        NoClusterHere: there is no `/brokers/topics` at *cluster*.
        Denied: it may not be seen which there are, and none is wanted.
    """
    found, marked = yield from read((GetChildren(paths.TOPICS), GetChildren(paths.DELETE_TOPICS)))
    if found is None:
        raise NoClusterHere(cluster, paths.TOPICS)
    locked = []
    if isinstance(found, Refused) and wanted:
        locked.append(may_not_be_read(paths.TOPICS))
        asked = [name for name in sorted(set(wanted)) if topic_name_problem(name) is None]
        replies = yield from read(GetData(paths.topic(name)) for name in asked)
        there = zip(asked, replies, strict=True)
        found = Children(tuple(name for name, reply in there if reply is not None))
    names = names_in(paths.TOPICS, found)
    unnameable = locked + [fault for name in names if (fault := name_fault(name)) is not None]
    if isinstance(marked, Refused):
        unnameable.append(may_not_be_read(paths.DELETE_TOPICS))
        marked = None
    faults: tuple[Fault, ...] = ()
    if unnameable:
        # Waiting for names hardly ever needs it.
        from kadmin.admin.zookeeper.faults import faults_of

        faults = faults_of(unnameable)
    return TopicNames(
        names=tuple(name for name in names if topic_name_problem(name) is None),
        marked_for_deletion=frozenset(names_in(paths.DELETE_TOPICS, marked)),
        faults=faults,
    )


def name_fault(name: str) -> CorruptZnodeError | None:
    """Return what is wrong with a topic's znode that no topic can be called by: brokers leave it
    alone."""
    problem = topic_name_problem(name)
    return None if problem is None else CorruptZnodeError(paths.topic(name), NEVER_READ, problem)
