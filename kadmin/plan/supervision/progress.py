"""How far a run is, by partitions and by bytes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.election import ElectionType, Prospect, plan_election
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.supervision.run import Goal, MoveRun, RunState
from kadmin.plan.supervision.stalls import Stall
from kadmin.plan.supervision.standing import Standing
from kadmin.plan.supervision.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveProgress:
    """*bytes_left* are to be copied, None where the size is not known."""

    move: PlannedMove
    standing: Standing
    bytes_total: int | None
    bytes_left: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """*state* is as operators see it.  *rate* is in bytes per s, None where it is not known yet.

    *to_elect* are partitions that a preferred election would give another leader, once the run has
    ended.
    """

    run: MoveRun
    state: RunState
    moves: tuple[MoveProgress, ...]
    stalls: tuple[Stall, ...] = ()
    rate: float | None = None
    to_elect: tuple[TopicPartition, ...] = ()

    def count(self, *standings: Standing) -> int:
        return sum(each.standing in standings for each in self.moves)

    @property
    def arrived(self) -> int:
        """How many partitions are where the plan wants them; after a rollback, where they were.

        A cancellation leaves some where they were, which are no more done than before it.
        """
        is_back = self.run.goal is Goal.ROLLBACK
        return self.count(Standing.BEFORE if is_back else Standing.DONE)

    @property
    def under_way(self) -> tuple[MoveProgress, ...]:
        return tuple(each for each in self.moves if each.standing.is_under_way)

    @property
    def bytes_total(self) -> int | None:
        return total(each.bytes_total for each in self.moves)

    @property
    def bytes_left(self) -> int | None:
        return total(each.bytes_left for each in self.moves)

    @property
    def left_s(self) -> float | None:
        """How long it takes at this rate."""
        left = self.bytes_left
        return None if not self.rate or left is None else left / self.rate

    @property
    def left_by_broker(self) -> dict[BrokerId, int | None]:
        """The bytes that each broker has to receive, None where a size of them is not known."""
        left: dict[BrokerId, int | None] = {}
        for each in self.moves:
            coming = coming_of(each.move, self.run.goal)
            for broker in coming:
                known = left.get(broker, 0)
                share = None if each.bytes_left is None else each.bytes_left // len(coming)
                left[broker] = None if known is None or share is None else known + share
        return dict(sorted(left.items()))


def total(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of *numbers*; None where one is not known."""
    found = 0
    for number in numbers:
        if number is None:
            return None
        found += number
    return found


def progress_of(
    run: MoveRun,
    view: View,
    *,
    is_supervised: bool = True,
    stalls: Sequence[Stall] = (),
    rate: float | None = None,
) -> RunProgress:
    standings = view.standings(run.moves)
    state = run.state
    if not state.is_final and not is_supervised:
        state = RunState.INTERRUPTED
    return RunProgress(
        run=run,
        state=state,
        moves=tuple(
            move_progress(move, standings[move.partition], run.goal, view) for move in run.moves
        ),
        stalls=tuple(stalls),
        rate=rate,
        to_elect=to_elect(run, view) if state.is_final else (),
    )


def to_elect(run: MoveRun, view: View) -> tuple[TopicPartition, ...]:
    """Return the partitions of *run* that a preferred election would give another leader.

    A move leaves the leader where it is if that broker keeps a replica, whatever the new order.
    """
    partitions = [move.partition for move in run.moves]
    elections = plan_election(view.snapshot, ElectionType.PREFERRED, partitions)
    return tuple(each.partition for each in elections if each.prospect is Prospect.MOVES)


def move_progress(move: PlannedMove, standing: Standing, goal: Goal, view: View) -> MoveProgress:
    coming = coming_of(move, goal)
    size = size_of(move, view.sizes.get(move.partition, {}))
    whole = 0 if not coming else None if size is None else size * len(coming)
    left = whole
    if not standing.is_under_way and (standing.is_lost or is_settled(move, standing, goal)):
        left = 0
    elif standing.is_under_way and size is not None and goal is Goal.FORWARD:
        known = view.sizes.get(move.partition, {})
        left = sum(max(0, size - known.get(broker, 0)) for broker in coming)
    return MoveProgress(move=move, standing=standing, bytes_total=whole, bytes_left=left)


def coming_of(move: PlannedMove, goal: Goal) -> tuple[BrokerId, ...]:
    """Return the brokers that have to copy; to give up what is under way none has to."""
    if goal is Goal.FORWARD:
        return move.adding
    return move.removing if goal is Goal.ROLLBACK else ()


def size_of(move: PlannedMove, known: Mapping[BrokerId, int]) -> int | None:
    """Return the bytes of a whole replica: as it was planned, or as the largest is now."""
    sizes = [size for broker, size in known.items() if broker in move.replicas]
    if move.size_bytes is not None:
        sizes.append(move.size_bytes)
    return max(sizes, default=None)


def is_settled(move: PlannedMove, standing: Standing, goal: Goal) -> bool:
    """Return whether nothing is left to do for *move*.

    A cancellation restores the order of what was given up; where only the order was to change,
    nothing shows that it was.
    """
    match goal:
        case Goal.FORWARD:
            return standing is Standing.DONE
        case Goal.ROLLBACK:
            return standing is Standing.BEFORE
        case Goal.CANCEL:
            is_order_alone = set(move.replicas) == set(move.target)
            return is_order_alone or standing is not Standing.BEFORE_REORDERED


def counts(progress: RunProgress) -> dict[Standing, tuple[TopicPartition, ...]]:
    """Return the partitions of each standing that some have."""
    found: dict[Standing, list[TopicPartition]] = {}
    for each in progress.moves:
        found.setdefault(each.standing, []).append(each.move.partition)
    return {standing: tuple(partitions) for standing, partitions in found.items()}
