"""A run of a move plan, as its journal has it.

Where each partition stands is not in it: that is read from the cluster.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cluster.model.ids import NEVER_READ, BrokerId, ZkVersion
from kadmin.plan.moves.plan_file import MovePlan, PlannedMove
from kadmin.plan.supervision.gates import Gate

MAX_MOVES: Final = 5
"""So many moves at a broker are under way at the same time, unless it is set; as in Cruise
Control."""


class RunState(StrEnum):
    PLANNED = "planned"
    """Confirmed; nothing has been written to the cluster."""
    RUNNING = "running"
    INTERRUPTED = "interrupted"
    """Neither ended nor supervised; in no journal, since only the missing lease shows it."""
    DONE = "done"
    FAILED = "failed"
    """Ended with some partitions elsewhere than planned, or cancelled; the reason is beside it."""
    ROLLED_BACK = "rolled-back"

    @property
    def is_final(self) -> bool:
        return self in (RunState.DONE, RunState.FAILED, RunState.ROLLED_BACK)


class Goal(StrEnum):
    FORWARD = "forward"
    """All partitions get the replicas of the plan."""
    CANCEL = "cancel"
    """What is under way goes back; what has arrived, and what has not begun, stays."""
    ROLLBACK = "rollback"
    """All partitions get the replicas back that they had before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a run is carried out; may change while it runs.

    *max_moves* are under way at each broker, *max_moves_total* in the cluster, None for no limit.
    *rate* is the throttle in bytes per s at each broker, None for none; an *is_adaptive* one
    changes with what the brokers bear.  *overrides* are the gates that are left open.
    """

    max_moves: int = MAX_MOVES
    max_moves_total: int | None = None
    rate: int | None = None
    is_adaptive: bool = False
    overrides: frozenset[Gate] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRun:
    """One run of *plan*.

    *epoch* grows with each supervisor, *supervisor* is the latest.  *by* is the user and host that
    began it.  *reason* is why a run failed.  *zk_version* is that of the journal as it was read.
    """

    run_id: str
    plan: MovePlan
    by: str
    began_at_ms: int
    state: RunState = RunState.PLANNED
    goal: Goal = Goal.FORWARD
    settings: Settings = Settings()
    epoch: int = 0
    supervisor: str = ""
    ended_at_ms: int | None = None
    reason: str = ""
    zk_version: ZkVersion = NEVER_READ

    def __post_init__(self) -> None:
        assert self.state is not RunState.INTERRUPTED, "no journal has that"
        assert self.state.is_final == (self.ended_at_ms is not None)

    @property
    def moves(self) -> tuple[PlannedMove, ...]:
        return self.plan.moves

    def heading_of(self, move: PlannedMove) -> tuple[BrokerId, ...]:
        """Return the replicas that *move* is to lead to by the goal of now."""
        return move.target if self.goal is Goal.FORWARD else move.replicas
