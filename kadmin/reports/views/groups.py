"""The list of groups of consumers: lag in records and in time, and the verdict on each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cluster.model.ids import BrokerId
from kadmin.plan.groups.group import ZOOKEEPER, ListedGroup
from kadmin.plan.groups.verdict import SEVERITY, GroupVerdict, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One group of the list.

    *lag* is in records, *lag_ms* how long the oldest record that is not read has been there; these
    and the *verdict* are None where the group has not been looked at, or nothing is known.
    *reason* is that of the verdict.
    """

    name: str
    state: str | None
    type: str | None
    coordinator: BrokerId | None
    member_count: int | None
    topic_count: int | None
    lag: int | None
    lag_ms: int | None
    verdict: Verdict | None
    reason: str
    read_per_s: float | None

    @property
    def is_in_zookeeper(self) -> bool:
        return self.type == ZOOKEEPER


COLUMNS: Final[Mapping[str, Callable[[GroupRow], Any]]] = {
    "group": lambda row: row.name,
    "state": lambda row: row.state,
    "members": lambda row: row.member_count,
    "topics": lambda row: row.topic_count,
    "lag": lambda row: row.lag,
    "lag_time": lambda row: row.lag_ms,
    "rate": lambda row: row.read_per_s,
    "verdict": lambda row: None if row.verdict is None else SEVERITY[row.verdict],
}


def group_rows(listed: Sequence[ListedGroup], verdicts: Sequence[GroupVerdict]) -> list[GroupRow]:
    """Return a row for each group that was *listed* or judged, in order of name."""
    judged = {each.group.name: each for each in verdicts}
    known = {each.name: each for each in listed}
    return [
        row_of(name, known.get(name), judged.get(name))
        for name in sorted(judged.keys() | known.keys())
    ]


def row_of(name: str, listed: ListedGroup | None, judged: GroupVerdict | None) -> GroupRow:
    group = None if judged is None else judged.group
    movement = None if judged is None else judged.movement
    coordinator = None if listed is None else listed.coordinator
    if coordinator is None and group is not None and group.coordinator is not None:
        coordinator = group.coordinator.id
    state = None if listed is None else listed.state
    return GroupRow(
        name=name,
        state=state if group is None else group.state,
        type=None if listed is None else listed.type,
        coordinator=coordinator,
        member_count=None if group is None else len(group.members),
        topic_count=None
        if judged is None
        else len({each.row.partition.topic for each in judged.partitions}),
        lag=None if judged is None or judged.unknown else judged.lag,
        lag_ms=None if judged is None else judged.lag_ms,
        verdict=None if judged is None else judged.verdict,
        reason="" if judged is None else judged.reason,
        read_per_s=None if movement is None else movement.read_per_s,
    )
