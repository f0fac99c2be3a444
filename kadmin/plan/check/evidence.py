"""What a check judges: all that was read of a cluster, and what could not be."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cluster.model.fault import Fault
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.api_versions import BrokerApis
from kadmin.plan.ensemble import EnsembleReport
from kadmin.plan.groups.verdict import GroupVerdict
from kadmin.plan.log_dirs import LogDirs
from kadmin.plan.reassignment.journal import ThrottleJournal


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One look at a cluster, at *now_ms* since 1970.

    *orphan_marks* are topics that are marked for deletion and do not exist, *elections* those that
    were requested and are not done.  *broker_configs* are brokers' own dynamic configs; *log_dirs*
    and *apis* are brokers' answers, *silent_brokers* those that are registered and did not answer.
    *strays* are the bytes of logs whose brokers are no replicas of them, nor were at a second look.
    *ensemble* is the report of the ZooKeeper servers.  Each of the four is None where no server was
    asked; *unlooked* gives the reasons.  *faults* are about what cannot be read beside the
    snapshot, and *hidden* is what may not be read, each with the reason.  *journal* is that of
    throttles, None where it cannot be read.  Without *sees_moves*, replicas may be moving that the
    snapshot does not show.  With *has_supervisor* a run of moves is under way, which moves nothing
    between two parts of it.  *groups* are judged where that is asked for.
    """

    snapshot: ClusterSnapshot
    now_ms: int
    default_min_isr: int = 1
    orphan_marks: tuple[str, ...] = ()
    elections: tuple[TopicPartition, ...] = ()
    broker_configs: Mapping[BrokerId, Mapping[str, str]] | None = None
    log_dirs: LogDirs | None = None
    strays: Mapping[BrokerId, Mapping[TopicPartition, int]] = field(default_factory=dict)
    apis: BrokerApis | None = None
    ensemble: EnsembleReport | None = None
    silent_brokers: tuple[BrokerId, ...] = ()
    unlooked: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    hidden: tuple[str, ...] = ()
    journal: ThrottleJournal | None = None
    sees_moves: bool = True
    has_supervisor: bool = False
    groups: tuple[GroupVerdict, ...] = ()
