"""Replicas that brokers serve, by a reader that pretends to be the brokers, in virtual time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.jobs.read_bounds import GRACE_S
from kadmin.jobs.verify_live import LiveRequest, LiveVerification, Report
from kadmin.segments.compare import Verdict
from kadmin.segments.fetched import Fetched, Given, Placement, Refusal, Span
from kadmin.segments.live import Mismatch
from tests.cluster.storage.batches import batch

ORDERS: Final = TopicPartition("orders", 0)
USERS: Final = TopicPartition("users", 0)
ONE, TWO, THREE = map(BrokerId, (1, 2, 3))
SIZE: Final = 5
"""Records of a batch."""


@dataclass
class Log:
    """What a broker has of a partition."""

    batches: dict[int, bytes]
    mark: int
    start: int = 0
    refusal: Refusal | None = None

    @property
    def end(self) -> int:
        return max(self.batches, default=0) + SIZE

    def give(self, offset: int, size_max: int) -> Fetched | Refusal:
        if self.refusal is not None:
            return self.refusal
        if not self.start <= offset <= self.end:
            return Refusal("out of range", is_out_of_range=True)
        found = b"".join(
            content
            for base, content in sorted(self.batches.items())
            if base + SIZE > offset and base < self.mark
        )
        return Fetched(found[:size_max], self.mark, self.start)


def log(count: int = 4, *, mark: int | None = None, **changed: Any) -> Log:
    bases = range(0, SIZE * count, SIZE)
    batches = {base: bytes(batch(SIZE, base_offset=base, leader_epoch=3)) for base in bases}
    return Log(batches, SIZE * count if mark is None else mark, **changed)


@dataclass
class Brokers:
    """Brokers with logs, a clock that moves while they are asked, and who listens."""

    logs: dict[BrokerId, dict[TopicPartition, Log]]
    silent: set[BrokerId] = field(default_factory=set)
    silent_until_s: float = 1e9
    dead: set[BrokerId] = field(default_factory=set)
    topic_ids: dict[str, str] = field(default_factory=dict)
    now_s: float = 0.0
    fetched: list[int] = field(default_factory=list)
    """The bytes that each request brought."""
    told: list[str] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    found: list[tuple[TopicPartition, int, Mismatch | None]] = field(default_factory=list)

    def placement(self) -> Placement:
        replicas: dict[TopicPartition, list[BrokerId]] = {}
        for broker, logs in self.logs.items():
            for partition in logs:
                replicas.setdefault(partition, []).append(broker)
        alive = {broker: f"b{broker}:9092" for broker in self.logs if broker not in self.dead}
        return Placement(replicas, alive, dict(self.topic_ids))

    def fetch(
        self,
        asked: Mapping[BrokerId, Mapping[TopicPartition, int]],
        *,
        size_max: int,
        wait_ms: int,
    ) -> tuple[Mapping[BrokerId, Given], Mapping[BrokerId, str]]:
        self.now_s += 0.1
        if self.now_s > self.silent_until_s:
            self.silent.clear()
        out = {broker: "no answer" for broker in asked if broker in self.silent | self.dead}
        given: dict[BrokerId, Given] = {
            broker: {
                partition: self.logs[broker][partition].give(offset, size_max)
                if partition in self.logs[broker]
                else Refusal("not here")
                for partition, offset in offsets.items()
            }
            for broker, offsets in asked.items()
            if broker not in out
        }
        sizes = [
            len(x.records) for g in given.values() for x in g.values() if isinstance(x, Fetched)
        ]
        self.fetched.append(sum(sizes))
        return given, out

    def spans(
        self, asked: Mapping[BrokerId, Sequence[TopicPartition]]
    ) -> Mapping[BrokerId, Mapping[TopicPartition, Span]]:
        return {
            broker: {
                each: Span(self.logs[broker][each].start, self.logs[broker][each].end)
                for each in partitions
            }
            for broker, partitions in asked.items()
        }

    def report(self, report: Report) -> None:
        self.reports.append(report)

    def differs(self, partition: TopicPartition, offset: int, mismatch: Mismatch | None) -> None:
        self.found.append((partition, offset, mismatch))

    def tell(self, text: str) -> None:
        self.told.append(text)

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    def verification(
        self, starts: Mapping[TopicPartition, int] | None = None, **request: Any
    ) -> LiveVerification:
        placement = self.placement()
        defaults = {"fetch_size": 10**6, "max_wait_ms": 100, "report_interval_s": 30.0}
        return LiveVerification(
            self,
            LiveRequest(**{**defaults, "until_caught_up": True, **request}),
            self,
            placement,
            starts or dict.fromkeys(placement.replicas, 0),
            clock=lambda: self.now_s,
            sleep=self.sleep,
        )

    def verified(self, **request: Any) -> Any:
        verification = self.verification(**request)
        verification.run()
        return verification.results()[0]


def of_three(**changed: Log) -> Brokers:
    """Three replicas that are equal, but for those *changed*, by `b` and the broker's number."""
    return Brokers(
        {broker: {ORDERS: changed.get(f"b{broker}", log())} for broker in (ONE, TWO, THREE)}
    )


@pytest.mark.parametrize("fetch_size", [10**6, 100, 1])
def test_all_that_was_committed_is_compared(fetch_size: int) -> None:
    """However little is asked for at once: brokers give a whole batch to who asks for one."""
    brokers = of_three()
    size = max(fetch_size, len(batch(SIZE, base_offset=0)))

    found = brokers.verified(fetch_size=size)

    assert (Verdict.EQUAL, 0, 20) == (
        found.verdict,
        found.comparison.start_offset,
        found.comparison.end_offset,
    )
    assert {4} == {replica.batch_count for replica in found.replicas}
    assert brokers.now_s < GRACE_S
    assert (20, 20, 0) == (
        brokers.reports[-1].done_offsets,
        brokers.reports[-1].total_offsets,
        brokers.reports[-1].lag,
    )


def test_the_first_difference_is_told_once_and_the_rest_is_compared() -> None:
    other = log()
    values = [b"%d" % at for at in range(SIZE)]
    other.batches |= {
        base: bytes(batch(values, base_offset=base, leader_epoch=3)) for base in (5, 15)
    }
    brokers = of_three(b2=other)

    found = brokers.verified(fetch_size=len(other.batches[0]))

    assert (Verdict.DIFFER, 5, ("2",), 20) == (
        found.verdict,
        found.comparison.divergence.offset,
        found.comparison.divergence.suspects,
        found.comparison.end_offset,
    )
    ((partition, offset, mismatch),) = brokers.found
    assert (ORDERS, 5) == (partition, offset)
    assert mismatch is not None
    assert (("1", "2"), (9, 9)) == (mismatch.replicas, mismatch.last_offsets)
    assert mismatch.checksums[0] != mismatch.checksums[1]


@pytest.mark.slow
def test_one_that_is_behind_ends_the_comparison_and_is_lagging() -> None:
    found = of_three(b3=log(2)).verified()

    assert (Verdict.LAGGING, ("3",), 10) == (
        found.verdict,
        found.comparison.lagging,
        found.comparison.end_offset,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("late", "compared_to"),
    [(log(2), 10), (log(mark=0), 0), (log(mark=10), 10)],
    ids=["half", "nothing", "half committed"],
)
@pytest.mark.parametrize("others", [0, 3])
def test_one_that_stands_still_has_not_caught_up_and_is_named(
    late: Log, compared_to: int, others: int
) -> None:
    """Also beside partitions that have caught up, and for ever so long."""
    brokers = of_three(b3=late)
    for logs in brokers.logs.values():
        logs |= {TopicPartition("users", number): log() for number in range(others)}
    verification = brokers.verification()

    verification.run()

    found, *rest = verification.results()
    assert found.comparison is not None
    assert (Verdict.LAGGING, ("3",)) == (found.verdict, found.comparison.lagging)
    assert compared_to == found.comparison.end_offset
    assert verification.is_unfinished
    assert [
        f"orders-0 on broker 3 (b3:9092): its high watermark is {late.mark}, and was to be 20"
    ] == verification.stragglers()
    assert {Verdict.EQUAL} >= {each.verdict for each in rest}


def test_one_that_begins_later_is_compared_from_there_on() -> None:
    late = log()
    late.start = 10
    del late.batches[0], late.batches[5]

    found = of_three(b2=late).verified()

    assert (Verdict.EQUAL, 10, 20) == (
        found.verdict,
        found.comparison.start_offset,
        found.comparison.end_offset,
    )


def test_records_that_one_does_not_have_are_missing() -> None:
    holey = log()
    del holey.batches[5]

    found = of_three(b3=holey).verified()

    assert Verdict.DAMAGED == found.verdict
    (damage,) = found.replicas[2].damage
    assert "offsets 5 to 9 are missing before it" == damage.reason


@pytest.mark.parametrize("is_silent", [True, False])
def test_others_wait_some_time_for_a_replica_and_go_on_without(is_silent: bool) -> None:
    brokers = of_three()
    if is_silent:
        brokers.silent.add(TWO)
    else:
        brokers.logs[TWO][ORDERS].refusal = Refusal("the disk is gone")

    found = brokers.verified()

    reason = "no answer" if is_silent else "the disk is gone"
    assert (Verdict.UNREADABLE, 20) == (found.verdict, found.comparison.end_offset)
    assert [("orders-0 on broker 2 (b2:9092)", reason)] == list(found.unreadable)
    told = {
        True: "broker 2 (b2:9092): no answer; its replicas are not read",
        False: f"orders-0 on broker 2 (b2:9092): {reason}; not read from offset 0 on",
    }
    assert [told[is_silent]] == brokers.told
    assert GRACE_S < brokers.now_s < 2 * GRACE_S


@pytest.mark.slow
@pytest.mark.parametrize("is_dead", [True, False])
def test_a_broker_that_gives_nothing_is_named_once(is_dead: bool) -> None:
    brokers = of_three()
    for logs in brokers.logs.values():
        logs |= {TopicPartition("users", number): log() for number in range(20)}
    (brokers.dead if is_dead else brokers.silent).add(TWO)
    verification = brokers.verification(until_caught_up=False, time_max_s=3 * GRACE_S)

    verification.run()

    reason = "broker 2: the broker is not alive" if is_dead else "broker 2 (b2:9092): no answer"
    assert [f"{reason}; its replicas are not read"] == brokers.told
    assert {1} == {len(each.unreadable) for each in verification.results()}
    assert 21 == len(verification.results())


def test_nobody_waits_for_a_broker_that_is_dead_from_the_beginning() -> None:
    brokers = of_three()
    brokers.dead.add(THREE)

    found = brokers.verified()

    assert Verdict.UNREADABLE == found.verdict
    assert [("orders-0 on broker 3", "the broker is not alive")] == list(found.unreadable)
    assert brokers.now_s < GRACE_S


def test_a_replica_that_comes_back_in_time_is_read() -> None:
    brokers = of_three()
    brokers.silent.add(TWO)
    brokers.silent_until_s = GRACE_S / 2

    found = brokers.verified()

    assert Verdict.EQUAL == found.verdict
    assert GRACE_S / 2 < brokers.now_s < GRACE_S


def test_replicas_that_move_are_followed() -> None:
    brokers = of_three()
    brokers.logs[TWO], there = {}, brokers.logs[TWO]
    brokers.logs[BrokerId(4)] = there
    verification = LiveVerification(
        brokers,
        LiveRequest(
            fetch_size=10**6, max_wait_ms=100, report_interval_s=30.0, until_caught_up=True
        ),
        brokers,
        Placement({ORDERS: (ONE, TWO, THREE)}, brokers.placement().addresses),
        {ORDERS: 0},
        clock=lambda: brokers.now_s,
        sleep=brokers.sleep,
    )

    verification.run()

    (found,) = verification.results()
    assert Verdict.EQUAL == found.verdict
    assert {"1", "3", "4"} == {replica.broker for replica in found.replicas}


def test_a_topic_that_is_deleted_meanwhile_is_no_fault() -> None:
    brokers = of_three()
    for logs in brokers.logs.values():
        logs[USERS] = log()
    verification = brokers.verification()
    for logs in brokers.logs.values():
        del logs[ORDERS]

    verification.run()

    assert [USERS] == [each.partition for each in verification.results()]
    assert ["orders-0 is gone"] == brokers.told
    assert not verification.has_nothing_left


def test_where_all_topics_are_deleted_nothing_is_left_that_would_be_proven() -> None:
    brokers = of_three()
    verification = brokers.verification(until_caught_up=False, time_max_s=100.0)
    for logs in brokers.logs.values():
        del logs[ORDERS]

    verification.run()

    assert [] == verification.results()
    assert verification.has_nothing_left


@pytest.mark.slow
def test_a_topic_that_is_gone_and_made_anew_later_is_told() -> None:
    brokers = of_three()
    for logs in brokers.logs.values():
        logs[USERS] = log()
    fetch = brokers.fetch

    def fetch_until_it_is_there(*asked: Any, **how: Any) -> Any:
        if brokers.now_s > 50:
            made_anew(brokers, 4)
        return fetch(*asked, **how)

    brokers.fetch = fetch_until_it_is_there  # type: ignore[method-assign]
    verification = brokers.verification(until_caught_up=False, time_max_s=100.0)
    for logs in brokers.logs.values():
        del logs[ORDERS]

    verification.run()

    assert [Verdict.UNREADABLE, Verdict.EQUAL] == [each.verdict for each in verification.results()]
    assert ["orders-0 is gone", "orders-0: it was deleted and made anew"] == [
        text.partition(";")[0] for text in brokers.told
    ]


def made_anew(brokers: Brokers, count: int) -> None:
    for logs in brokers.logs.values():
        logs[ORDERS] = log(count)


@pytest.mark.parametrize("count", [1, 4, 40])
@pytest.mark.parametrize("until_caught_up", [True, False])
def test_a_topic_that_is_made_anew_meanwhile_is_told_by_its_id(
    count: int, until_caught_up: bool
) -> None:
    brokers = of_three()
    for logs in brokers.logs.values():
        logs[USERS] = log()
    brokers.topic_ids |= {"orders": "one", "users": "same"}
    verification = brokers.verification(
        until_caught_up=until_caught_up, rounds_max=None if until_caught_up else 3
    )
    made_anew(brokers, count)
    brokers.topic_ids["orders"] = "two"

    verification.run()

    orders, users = verification.results()
    (unreadable,) = orders.unreadable
    assert (Verdict.UNREADABLE, Verdict.EQUAL) == (orders.verdict, users.verdict)
    assert unreadable.reason.startswith("it was deleted and made anew")
    assert [f"orders-0: {unreadable.reason}"] == brokers.told


def test_without_ids_a_topic_is_told_whose_replicas_all_end_too_early() -> None:
    brokers = of_three()
    verification = brokers.verification(until_caught_up=False, rounds_max=4)
    fetch = brokers.fetch

    def fetch_and_delete(*asked: Any, **how: Any) -> Any:
        given = fetch(*asked, **how)
        made_anew(brokers, 1)
        return given

    brokers.fetch = fetch_and_delete  # type: ignore[method-assign]
    verification.run()

    (orders,) = verification.results()
    assert Verdict.UNREADABLE == orders.verdict
    assert ["all replicas end before offset 20"] == [
        each.reason.partition(",")[0] for each in orders.unreadable
    ]
    assert 1 == len(brokers.told)


def test_one_replica_that_is_made_anew_is_lagging() -> None:
    brokers = of_three()
    brokers.logs[THREE][ORDERS] = log(1)

    found = brokers.verified(until_caught_up=False, rounds_max=4)

    assert (Verdict.LAGGING, [], ()) == (found.verdict, brokers.told, found.unreadable)


def test_where_no_record_comes_nothing_is_proven_but_of_a_partition_without_any() -> None:
    brokers = of_three()
    for logs in brokers.logs.values():
        logs[USERS] = log(2, mark=10, start=10)
    starts = {ORDERS: 20, USERS: 10}

    verification = brokers.verification(starts, until_caught_up=False, rounds_max=2)
    verification.run()

    orders, users = verification.results()
    assert (Verdict.UNCOMPARED, Verdict.EQUAL) == (orders.verdict, users.verdict)


def test_without_an_end_it_ends_with_the_time_or_the_rounds() -> None:
    timed, counted = of_three(), of_three()

    timed.verified(until_caught_up=False, time_max_s=100.0)
    counted.verified(until_caught_up=False, rounds_max=7)

    assert 100 <= timed.now_s < 101
    assert 7 == len(counted.fetched)
    # Reported at each interval, and at the end.
    assert 4 == len(timed.reports)


def test_what_has_not_caught_up_when_the_time_is_over_is_unfinished() -> None:
    brokers = of_three()
    verification = brokers.verification(
        rounds_max=2, fetch_size=len(brokers.logs[ONE][ORDERS].batches[0])
    )

    verification.run()

    assert verification.is_unfinished


def test_a_rate_is_kept() -> None:
    brokers = of_three()

    brokers.verified(rate_max=100)

    assert sum(brokers.fetched) / 100 <= brokers.now_s < sum(brokers.fetched) / 100 + 1
