"""The action of elections: give partitions their preferred leaders, or any that is alive."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cluster.model.ids import TopicPartition
from kadmin.app.actions.action import Action
from kadmin.errors import UsageError
from kadmin.execute.elect import ElectionRequest, Elections
from kadmin.plan.election import ElectionPlan, ElectionType
from kadmin.quoting import quoted
from kadmin.render.elections import plan_lines
from kadmin.wording import counted

if TYPE_CHECKING:
    from kadmin.app.session import Session
    from kadmin.execute.change import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectLeaders(Action):
    """Elections of *kind* for partitions of one topic, None for all that need one."""

    kind: ElectionType
    partitions: tuple[TopicPartition, ...] | None

    @property
    def verb(self) -> str:
        what = "all partitions" if self.partitions is None else self.named
        if self.kind is ElectionType.UNCLEAN:
            return f"Elect leaders out of the ISR for {what}"
        return f"Give {what} their preferred leaders"

    @property
    def named(self) -> str:
        assert self.partitions is not None
        if len(self.partitions) == 1:
            return str(self.partitions[0])
        return f"{counted(len(self.partitions), 'partition')} of topic {self.partitions[0].topic}"

    @property
    def command(self) -> str:
        if self.partitions is None:
            which = "--all-topic-partitions"
        else:
            numbers = ",".join(str(each.partition) for each in self.partitions)
            which = f"--topic {quoted(self.partitions[0].topic)} --partition {numbers}"
        return f"kadmin elect --election-type {self.kind} {which}"

    @property
    def to_be_typed(self) -> str:
        if self.kind is not ElectionType.UNCLEAN:
            return ""
        return "all partitions" if self.partitions is None else self.partitions[0].topic

    @contextmanager
    def change(self, session: "Session", rollback_path: str) -> Iterator[Elections]:
        if self.kind is ElectionType.UNCLEAN and session.known_brokers is None:
            raise UsageError(
                "unclean elections go through the brokers, and none is named",
                hint="name brokers of this cluster beside its ZooKeeper: --bootstrap-server",
            )
        request = ElectionRequest(
            kind=self.kind, partitions=self.partitions, timeout_s=session.settings.timeout_s
        )
        with session.elections(self.kind) as admin:
            yield Elections(admin, request, session)

    def lines(self, plan: ElectionPlan) -> Iterable[str]:
        return plan_lines(plan)

    def changes(self, plan: ElectionPlan) -> bool:
        return bool(plan.moving)

    def finish(self, session: "Session", change: "Change[Any]") -> None:
        assert isinstance(change, Elections)
        change.check()
