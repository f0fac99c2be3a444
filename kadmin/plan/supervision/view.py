"""What a supervisor sees of the cluster at a moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import PartitionState
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.reassignment.sizes import Sizes
from kadmin.plan.supervision.standing import Standing, standing_of


@dataclass(frozen=True, kw_only=True)
class View:
    """*snapshot* has the topics of the plan with states and configs, maybe all topics.

    *takes_request* is False while the controller has no room for another request.  *sizes* are
    those of replicas that are being copied, as far as brokers report them, and *rooms* the bytes
    that are free on the emptiest disk of a broker.  *silent* brokers are registered and did not
    answer when they were asked for that, while others did.  *now_ms* is of a steady clock, by which
    durations are measured, *time_ms* of the wall clock, whose times are kept and shown.
    """

    snapshot: ClusterSnapshot
    now_ms: int
    time_ms: int
    takes_request: bool = True
    sizes: Sizes = field(default_factory=dict)
    rooms: Mapping[BrokerId, int] = field(default_factory=dict)
    silent: frozenset[BrokerId] = frozenset()

    def wall_time(self, then_ms: int) -> int:
        """Return the time of the wall clock at *then_ms* of the steady one."""
        return self.time_ms - (self.now_ms - then_ms)

    @cached_property
    def live(self) -> frozenset[BrokerId]:
        return frozenset(self.snapshot.brokers)

    def state(self, partition: TopicPartition) -> PartitionState | None:
        topic = self.snapshot.topics.get(partition.topic)
        return None if topic is None else topic.states.get(partition.partition)

    def standings(self, moves: tuple[PlannedMove, ...]) -> dict[TopicPartition, Standing]:
        return {move.partition: standing_of(self.snapshot, move) for move in moves}
