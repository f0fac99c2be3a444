"""Elections, carried out: is each asked for once, waited for, and told for what it was?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import pytest

from cluster.model import fault as subjects
from cluster.model.fault import Fault, Subject, Thing
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed, Conflict, ConflictKind
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import Fence, Outcome, Partly, Remaining
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import ExitCode
from kadmin.execute import waiting
from kadmin.execute.change import Proposal, carry_out
from kadmin.execute.elect import (
    ElectionRequest,
    Elections,
    ElectionUnderWay,
    NotElected,
    StillElecting,
)
from kadmin.execute.unreadable import Unreadable
from kadmin.plan import election as election_module
from kadmin.plan.election import (
    ElectionPlan,
    ElectionType,
    PartitionElection,
    has_another_leader,
)
from kadmin.plan.election_results import Result
from tests.kadmin.builders import brokers, cluster, state, topic

PREFERRED, UNCLEAN = ElectionType.PREFERRED, ElectionType.UNCLEAN
THREE: Final = brokers("0 1 2")


def parts(*numbers: int) -> list[TopicPartition]:
    return [TopicPartition("t", number) for number in numbers]


@dataclass
class Admin:
    """A cluster with the topic t: partition → (leader, replicas, ISR), and its controller.

    A controller with *patience* elects at that look; *refuses* are refused by it.
    """

    leaders: dict[int, tuple[int, str, str]]
    patience: float = 1
    refuses: Mapping[TopicPartition, str] = field(default_factory=dict)
    has_controller: bool = True
    requests: list[tuple[TopicPartition, ...]] = field(default_factory=list)
    requested: tuple[TopicPartition, ...] = ()
    before_write: Callable[["Admin"], None] = lambda _: None
    faults: tuple[Fault, ...] = ()
    ends: dict[TopicPartition, dict[BrokerId, int]] = field(default_factory=dict)
    looks: int = 0

    def snapshot(self, selection: TopicSelection, *, with_topics: bool = True) -> ClusterSnapshot:
        states = {number: state(leader, isr) for number, (leader, _, isr) in self.leaders.items()}
        layout = " ".join(replicas for _, replicas, _ in self.leaders.values())
        topics = [topic("t", layout, states)] if with_topics else []
        return cluster(THREE, *topics, faults=self.faults)

    def under_way(self) -> Sequence[TopicPartition]:
        return self.requested

    def end_offsets(
        self, replicas: Mapping[TopicPartition, Sequence[BrokerId]]
    ) -> Mapping[TopicPartition, Mapping[BrokerId, int]]:
        return {
            part: {broker: self.ends[part][broker] for broker in brokers_of_it}
            for part, brokers_of_it in replicas.items()
        }

    def fence(self) -> Fence:
        return Fence(mark=None)

    def write(self, fence: Fence, plan: ElectionPlan) -> Outcome:
        self.before_write(self)
        if self.requested:
            return Conflict("the request", ConflictKind.EXISTS)
        if not plan.moving:
            return Committed()
        self.looks = 0
        self.requested = tuple(each.partition for each in plan.moving)
        self.requests.append(self.requested)
        return Partly(self.refuses) if self.refuses else Committed()

    def elect(self) -> None:
        for part in self.requested:
            if part not in self.refuses:
                _, replicas, isr = self.leaders[part.partition]
                alive = [one for one in replicas.split(",") if int(one) in THREE]
                self.leaders[part.partition] = (int(alive[0]), replicas, isr)
        self.requested = ()

    def not_elected(self, elections: Sequence[PartitionElection]) -> Remaining[PartitionElection]:
        self.looks += 1
        if self.looks >= self.patience:
            self.elect()
        left = [
            each
            for each in elections
            if self.requested
            and not has_another_leader(each, BrokerId(self.leaders[each.partition.partition][0]))
        ]
        return Remaining(items=left, has_controller=self.has_controller)


@dataclass
class Run:
    """`kadmin elect` without options, texts and streams."""

    admin: Admin
    partitions: Sequence[TopicPartition] | None
    kind: ElectionType = PREFERRED
    timeout_s: float = 5
    said: list[str] = field(default_factory=list)
    plans: list[ElectionPlan] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.begin(is_dry_run=False)

    def begin(self, *, is_dry_run: bool) -> None:
        request = ElectionRequest(
            kind=self.kind,
            partitions=self.partitions,
            timeout_s=self.timeout_s,
            is_dry_run=is_dry_run,
        )
        self.elections = Elections(self.admin, request, self)

    def note(self, line: str) -> None:
        self.said.append(line)

    def warn(self, line: str) -> None:
        self.said.append(f"warning: {line}")

    def go(self, *, is_dry_run: bool = False) -> list[tuple[str, str, int | None]]:
        if is_dry_run:
            self.begin(is_dry_run=True)
        stages = carry_out(self.elections)
        proposal = next(stages)
        assert isinstance(proposal, Proposal)
        if is_dry_run:
            self.plans += proposal.plans
            self.said += [f"warning: {each}" for all_ in proposal.warnings for each in all_]
            return self.results
        try:
            assert [] == list(stages)
        finally:
            self.plans += self.elections.written
        return self.results

    @property
    def results(self) -> list[tuple[str, str, int | None]]:
        return [
            (str(partition), result.result.value, result.leader)
            for partition, result in sorted(self.elections.results.items())
        ]


ALL = (0, "0,1,2", "0,1,2")
MOVED = (1, "0,1,2", "0,1,2")
DEAD = (1, "9,1", "1")


def test_those_that_move_are_asked_for_and_no_others() -> None:
    admin = Admin({0: MOVED, 1: ALL, 2: DEAD, 3: MOVED}, patience=3)
    run = Run(admin, parts(0, 1, 2, 3, 7))

    assert [
        ("t-0", "elected", 0),
        ("t-1", "valid", 0),
        ("t-2", "failed", 1),
        ("t-3", "elected", 0),
        ("t-7", "failed", None),
    ] == run.go()
    assert [tuple(parts(0, 3))] == admin.requests
    words = r"^2 replica\(s\) could not be elected; t-7 does not exist$"
    with pytest.raises(NotElected, match=words) as raised:
        run.elections.check()
    assert ExitCode.FOUND == raised.value.exit_code
    assert raised.value.hint is not None
    assert "--topic t'" in raised.value.hint


def test_of_all_partitions_those_with_their_leader_are_not_told() -> None:
    admin = Admin({0: MOVED, 1: ALL, 2: MOVED})
    run = Run(admin, None)

    assert [("t-0", "elected", 0), ("t-2", "elected", 0)] == run.go()
    run.elections.check()


def test_where_nothing_moves_nothing_is_asked_for() -> None:
    admin = Admin({0: ALL})

    assert [] == Run(admin, None).go()
    assert [] == Run(admin, []).go()
    assert [("t-0", "valid", 0)] == Run(admin, parts(0)).go()
    assert [] == admin.requests
    assert 0 == admin.looks


def test_a_dry_run_asks_for_nothing() -> None:
    admin = Admin({0: MOVED, 1: ALL})
    run = Run(admin, parts(0, 1))

    assert [] == run.go(is_dry_run=True)
    assert [] == admin.requests
    assert [2] == [len(plan.elections) for plan in run.plans]


def test_many_are_asked_for_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(election_module, "BATCH_MAX", 2)
    admin = Admin(dict.fromkeys(range(5), MOVED))
    run = Run(admin, None)

    assert [(f"t-{number}", "elected", 0) for number in range(5)] == run.go()
    assert [tuple(parts(0, 1)), tuple(parts(2, 3)), tuple(parts(4))] == admin.requests
    assert [
        "2 of 5 elections are over",
        "4 of 5 elections are over",
    ] == run.said


def test_elections_that_take_long_are_counted_while_they_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the second turn, so that those of the first count."""
    monkeypatch.setattr(election_module, "BATCH_MAX", 3)
    monkeypatch.setattr(waiting, "SILENCE_MAX_S", 0.0)
    admin = Admin(dict.fromkeys(range(6), MOVED), patience=3)
    elect, not_elected = admin.elect, admin.not_elected

    def one_by_one(elections: Sequence[PartitionElection]) -> Remaining[PartitionElection]:
        if admin.looks + 1 < admin.patience and len(admin.requests) == 2:
            requested, admin.requested = admin.requested, admin.requested[: admin.looks + 1]
            elect()
            admin.requested = requested
        return not_elected(elections)

    monkeypatch.setattr(admin, "not_elected", one_by_one)
    run = Run(admin, None)

    run.go()

    counts = [said for said in run.said if said.endswith("elections are over")]
    assert ["3 of 6 elections are over", "5 of 6 elections are over"] == counts


@pytest.mark.usefixtures("quick_waits")
def test_one_that_takes_too_long_is_still_going_on_and_the_next_is_not_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(election_module, "BATCH_MAX", 1)
    admin = Admin({0: MOVED, 1: MOVED}, patience=float("inf"))
    run = Run(admin, None, timeout_s=0.05)

    with pytest.raises(StillElecting, match=r"after 0.05 s .* for 1 partition: t-0") as raised:
        run.go()

    assert ExitCode.IN_PROGRESS == raised.value.exit_code
    assert [("t-0", "pending", 1)] == run.results
    assert [tuple(parts(0))] == admin.requests
    assert [1] == [len(plan.elections) for plan in run.plans]


def test_without_a_controller_nobody_waits() -> None:
    admin = Admin({0: MOVED}, patience=float("inf"), has_controller=False)

    with pytest.raises(StillElecting, match="no controller is active"):
        Run(admin, parts(0), timeout_s=1000).go()


def test_what_the_controller_refuses_is_told_in_its_words() -> None:
    admin = Admin({0: MOVED, 1: MOVED}, refuses={parts(1)[0]: "Failed to elect"})
    run = Run(admin, parts(0, 1))

    assert [("t-0", "elected", 0), ("t-1", "failed", 1)] == run.go()
    assert "Failed to elect" == run.elections.results[parts(1)[0]].reason


def test_another_election_is_not_disturbed() -> None:
    admin = Admin({0: MOVED}, requested=tuple(parts(*range(8))))
    run = Run(admin, parts(0))

    with pytest.raises(ElectionUnderWay, match=r"for 8 partitions: t-0, .*t-4, …;") as raised:
        run.go()

    assert ExitCode.IN_PROGRESS == raised.value.exit_code
    assert [] == admin.requests
    run.go(is_dry_run=True)
    assert run.said[0].startswith("warning: another election is under way")


def test_one_that_gets_in_between_is_not_disturbed_either() -> None:
    def ask_as_well(admin: Admin) -> None:
        admin.requested = tuple(parts(5))

    admin = Admin({0: MOVED}, before_write=ask_as_well)

    with pytest.raises(ElectionUnderWay, match="for 1 partition: t-5;"):
        Run(admin, parts(0)).go()

    assert [] == admin.requests


def test_what_brokers_know_of_lost_records_is_in_the_plan() -> None:
    lost = (-1, "9,1,2", "9")
    ends = {parts(0)[0]: {BrokerId(1): 10, BrokerId(2): 15}}
    run = Run(Admin({0: lost, 1: (-1, "1,9", "1")}, ends=ends), parts(0, 1), UNCLEAN)

    run.go(is_dry_run=True)

    (plan,) = run.plans
    assert ends == plan.end_offsets
    assert parts(0) == [election.partition for election in plan.losing]


def fault(subject: Subject) -> Fault:
    return Fault(subject=subject, where="/x", version=1, reason="r", text="/x is damaged")


@pytest.mark.parametrize("subject", [subjects.topic("t"), Subject(Thing.PARTITION_STATE, "t-0")])
def test_a_named_partition_that_is_damaged_is_refused(subject: Subject) -> None:
    admin = Admin({0: MOVED, 1: MOVED}, faults=(fault(subject),))

    with pytest.raises(Unreadable, match="/x is damaged"):
        Run(admin, parts(0)).go()

    assert [] == admin.requests


def test_one_that_is_not_named_is_left_out() -> None:
    damaged = fault(Subject(Thing.PARTITION_STATE, "t-0"))
    elsewhere = fault(subjects.REASSIGNMENT)
    run = Run(Admin({0: MOVED, 1: MOVED}, faults=(damaged, elsewhere)), None)

    assert [("t-1", Result.ELECTED.value, 0)] == run.go()
    assert ["warning: left out: /x is damaged"] == run.said
