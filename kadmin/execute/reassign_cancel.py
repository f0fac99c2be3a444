"""The cancellation of moves that are under way: replicas that were being added go, and all that a
partition had before stays."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from cluster.model import fault as subjects
from cluster.model.ids import TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import Made, Partly, ReassignmentAdmin, Remaining
from kadmin.errors import InProgressError, KadminError
from kadmin.execute.change import Begun, Change, Notices, Question, Step
from kadmin.execute.reassign_status import judge_dirs, look
from kadmin.execute.throttles import put_throttles_back
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.execute.waiting import wait
from kadmin.plan.reassignment.dir_moves import Replica, given_up
from kadmin.plan.reassignment.moves import (
    Move,
    MovePlan,
    only_reorders,
    part_of,
    plan_cancellation,
)
from kadmin.plan.reassignment.progress import Progress
from kadmin.plan.reassignment.status import judge
from kadmin.plan.reassignment.targets import Targets, in_order
from kadmin.plan.reassignment.throttles import ThrottlesNow
from kadmin.plan.reassignment.withdrawal import plan_withdrawal
from kadmin.wording import counted_partitions, with_reasons


class NotCancelled(KadminError):
    """The controller has refused to give some of the moves up."""

    def __init__(self, refused: Mapping[TopicPartition, str]) -> None:
        reasons = with_reasons(sorted(refused.items()))
        super().__init__(
            f"not cancelled: {reasons}",
            hint="'kadmin reassign --list' shows what is moving still",
        )
        self.refused = dict(refused)


class DirsNotCancelled(KadminError):
    """Brokers have not given up all copying to other log directories."""

    def __init__(self, reasons: Mapping[Replica, str]) -> None:
        partitions = with_reasons(sorted(reasons.items()))
        super().__init__(
            f"still copied to another log directory: {partitions}",
            hint="'kadmin reassign --list' shows what is moving still; running the command again is"
            " safe",
        )
        self.replicas = tuple(sorted(reasons))


class StillCancelling(InProgressError):
    """The controller has been asked, and is not done."""

    def __init__(self, partitions: Sequence[TopicPartition], timeout_s: float) -> None:
        super().__init__(
            f"asked for, but after {timeout_s:g} s still going on for"
            f" {counted_partitions(partitions)}",
            hint="'kadmin reassign --list' shows all that is moving; running the command again is"
            " safe",
        )
        self.partitions = tuple(partitions)


class NotAsBefore(KadminError):
    """Nothing moves any more, and some *partitions* have other replicas than before."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        super().__init__(
            "not cancelled: the controller had finished before, or refused it:"
            f" {counted_partitions(partitions)}",
            hint="kadmin reassign --execute --reassignment-json-file ROLLBACK-FILE undoes it",
        )
        self.partitions = tuple(partitions)


class NotThere(KadminError):
    """Partitions were named that do not exist; all others were dealt with."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        super().__init__(
            f"not there: {counted_partitions(partitions)}",
            hint="'kadmin topics --describe' shows what partitions there are",
        )
        self.partitions = tuple(partitions)


@dataclass(frozen=True, slots=True, kw_only=True)
class CancellationRequest:
    """Those partitions of *targets_in* that are being moved, wherever to, are given up.

    So are moves to other log directories of the replicas for which it names one, unless it is
    *by_zookeeper*, which knows none.  The throttles are put back in the end unless it
    *keeps_throttles*.
    """

    targets_in: Callable[[ClusterSnapshot], Targets]
    by_zookeeper: bool
    keeps_throttles: bool
    timeout_s: float


class Cancelling(Change[MovePlan]):
    """The cancellation of *request*: *admin* has it done, and *keeper* has the throttles."""

    def __init__(
        self,
        admin: ReassignmentAdmin,
        keeper: ReassignmentAdmin,
        request: CancellationRequest,
        notices: Notices,
    ) -> None:
        super().__init__(admin)
        self.admin = admin
        self.keeper = keeper
        self.request = request
        self.notices = notices
        self.plan = MovePlan(moves=(), before={})
        self.only_reorders = False
        """Whether what the file has is the order of replicas alone, once this is done."""
        self.refused: Mapping[TopicPartition, str] = {}
        self.given_up_dirs: Sequence[Replica] = ()
        self.unheard: set[TopicPartition] = set()
        """Those that the controller is not known to have noticed."""
        self.removed: tuple[TopicPartition, ...] = ()
        """Those that have left the request in ZooKeeper."""
        self.throttles: ThrottlesNow | None = None
        self.finished_count = 0
        """How many of the targets had been reached before, which stay as they are."""
        self.missing: Sequence[TopicPartition] = ()
        """Those of the targets that do not exist, and of which nothing is asked for either."""

    def steps(self) -> list[Step[MovePlan]]:
        """Plan from one look at the cluster; nothing where none of it moves."""
        self.replan()
        return [] if self.plan.is_empty else [Step(plan=self.plan, replan=self.replan)]

    def replan(self) -> MovePlan:
        snapshot = look(self.admin)
        targets = self.request.targets_in(snapshot)
        refuse_unreadable(snapshot, {subjects.topic(partition.topic) for partition in targets})
        self.only_reorders = only_reorders(snapshot, targets)
        self.finished_count = sum(
            each.progress is Progress.DONE for each in judge(snapshot, targets)
        )
        asked_for = {*snapshot.moving, *snapshot.stale_moves}
        self.missing = [
            partition
            for partition in in_order(targets)
            if part_of(snapshot, partition) is None and partition not in asked_for
        ]
        if self.request.by_zookeeper:
            self.plan = plan_withdrawal(snapshot, targets)
            return self.plan
        moving = [move for move in judge_dirs(self.admin, targets) or () if move.future is not None]
        self.plan = replace(plan_cancellation(snapshot, targets), dir_moves=given_up(moving))
        return self.plan

    def question(self, plans: Sequence[MovePlan]) -> Question:
        """Return the question whether to cancel; it is always asked before a change of controllers,
        which affects the whole cluster."""
        resigns = any(plan.resigning is not None for plan in plans)
        count = sum(len(plan.asked) + len(plan.dir_moves) + len(plan.dropped) for plan in plans)
        text = f"Cancel {'this move' if count == 1 else f'these {count} moves'}"
        if resigns:
            return Question(f"{text}, and have another controller elected?")
        return Question(f"{text}?", is_optional=True)

    def question_again(self, plan: MovePlan, first: Question | None) -> Question:
        return self.question([plan])

    def prepare(self, plans: Sequence[MovePlan]) -> Iterable[Begun]:
        if not plans:
            self.put_throttles_back()
        return ()

    @property
    def cancelled(self) -> list[TopicPartition]:
        """The partitions that are known to have been given up."""
        moves = (
            move
            for plan in self.written
            for move in (plan.moves if self.request.by_zookeeper else plan.asked)
        )
        unknown = self.refused.keys() | self.unheard
        return [
            *(move.partition for move in moves if move.partition not in unknown),
            *self.removed,
        ]

    def settle(self, plan: MovePlan, made: Made) -> None:
        """Wait until nothing of *plan* moves any more, and put the throttles back.

        Raises:
            NotCancelled: the controller refuses some of it.
            DirsNotCancelled: brokers do, or one does not answer.
            StillCancelling: it takes longer than the timeout.
            NotAsBefore: ZooKeeper was asked, and the controller has done something else.
        """
        if isinstance(made, Partly):
            self.refused = made.refused
        if self.request.by_zookeeper:
            self.unheard = {move.partition for move in plan.moves}
            self.removed = tuple(plan.dropped)
        # Also what was requested in ZooKeeper before: this run may be the second.
        asked = [move for move in plan.moves if move.partition not in self.refused]
        left = wait(
            self.remaining,
            asked,
            timeout_s=self.request.timeout_s,
            tell=lambda: self.notices.note("asked for; waiting for the controller"),
        )
        self.give_dirs_up(plan)
        if self.refused:
            raise NotCancelled(self.refused)
        if left.items:
            raise StillCancelling([move.partition for move in left.items], self.request.timeout_s)
        self.put_throttles_back()
        if self.request.by_zookeeper:
            self.check(asked)

    def remaining(self, moves: Sequence[Move]) -> Remaining[Move]:
        """Return those of *moves* that go on.

        Where a controller has resigned, the next one is awaited.
        """
        found = self.admin.not_moved(moves)
        has_controller = found.has_controller or self.request.by_zookeeper
        return replace(found, has_controller=has_controller)

    def check(self, asked: Sequence[Move]) -> None:
        """Raise NotAsBefore unless all of *asked* have their target, in any order.

        Another client may have cancelled them at the same time.
        """
        targets = {move.partition: move.target for move in asked}
        self.unheard = {
            each.partition
            for each in judge(look(self.admin), targets)
            if each.progress is Progress.MISMATCH and set(each.replicas) != set(each.target)
        }
        if self.unheard:
            raise NotAsBefore(sorted(self.unheard))

    def give_dirs_up(self, plan: MovePlan) -> None:
        if not plan.dir_moves:
            return
        asked = self.admin.move_dirs(plan.dir_moves)
        self.given_up_dirs = [move.replica for move in asked.begun]
        silent = dict.fromkeys(
            (move.replica for move in asked.awaited), "its broker does not do it"
        )
        if silent or asked.refused:
            raise DirsNotCancelled({**silent, **asked.refused})

    def put_throttles_back(self) -> None:
        """Do so, unless they are to be kept or something else moves."""
        if not self.request.keeps_throttles:
            self.throttles = put_throttles_back(self.keeper, lambda: look(self.keeper), [])
