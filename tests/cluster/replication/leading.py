"""A leader in a test's hands."""

from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch, ZkVersion
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.replication.follower_state import FetchTime
from cluster.replication.isr import PendingIsrChange
from cluster.replication.replica import IsrRules, Replica

ME, SECOND, THIRD = BrokerId(1), BrokerId(2), BrokerId(3)
LAG_MS = 1000
EVERYBODY = IsrRules(LAG_MS, lambda broker_id: True)


def state(
    *isr: BrokerId, leader: BrokerId = ME, epoch: int = 0, version: int = 0
) -> PartitionState:
    return PartitionState(
        leader, isr, LeaderEpoch(epoch), ControllerEpoch(1), zk_version=ZkVersion(version)
    )


def leader(
    *isr: BrokerId,
    replicas: tuple[BrokerId, ...] = (ME, SECOND, THIRD),
    min_isr: int = 1,
    end: int = 5,
    high_watermark: int = 3,
    rules: IsrRules = EVERYBODY,
    now_ms: int = 0,
) -> Replica:
    replica = Replica(ME, high_watermark, min_isr, rules)
    replica.lead(state(*isr), PartitionAssignment(replicas), end, now_ms)
    return replica


def fetch(
    replica: Replica, follower: BrokerId, offset: int, now_ms: int = 0, start: int = 0
) -> PendingIsrChange | None:
    return replica.fetched(follower, offset, start, FetchTime(now_ms))


def accept(replica: Replica, change: PendingIsrChange, now_ms: int = 0) -> bool:
    """Let ZooKeeper have written it."""
    version = ZkVersion(change.before.zk_version + 1)
    after = change.before._replace(isr=change.isr, zk_version=version)
    return replica.accepted(change, after, now_ms)
