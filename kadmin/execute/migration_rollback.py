"""The write that gives a cluster back to ZooKeeper, as a change that is shown and asked about."""

from collections.abc import Callable, Sequence

from kadmin.admin.ports import Writer
from kadmin.errors import RefusedError
from kadmin.execute.change import Change, Question, Step
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.migration.rollback import NOTHING_BEGUN, Fix, rollback


class NotNow(RefusedError):
    """The way back is closed, or something has to be done before."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"{reason}; nothing was written", hint="kadmin migration rollback-check shows the order"
        )


class GivingBack(Change[Fix]):
    """The write of a rollback, planned from what *look* reads; none where nothing is due."""

    def __init__(self, writer: Writer[Fix], look: Callable[[], MigrationEvidence]) -> None:
        super().__init__(writer)
        self.look = look

    def steps(self) -> list[Step[Fix]]:
        report = rollback(self.look())
        if report.blockers == (NOTHING_BEGUN,):
            return []
        if report.blockers:
            raise NotNow(report.blockers[0])
        return [] if report.fix is None else [Step(plan=report.fix, replan=self.replan)]

    def replan(self) -> Fix:
        """Plan anew.

        Raises:
            NotNow: another client has done it, or the way back is closed.
        """
        report = rollback(self.look())
        if report.fix is None:
            raise NotNow(next(iter(report.blockers), "nothing is left to do"))
        return report.fix

    def question(self, plans: Sequence[Fix]) -> Question:
        return Question(
            "Are all KRaft controllers stopped, and shall ZooKeeper's znodes be written?"
        )

    def question_again(self, plan: Fix, first: Question | None) -> Question:
        return self.question([plan])
