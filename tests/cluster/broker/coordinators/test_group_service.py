"""Does the shell of the group coordinator append, load, wait and expire as its core wants?"""

import pytest

from cluster.broker.ports import GroupSettings
from cluster.formats.group_records import encode
from cluster.group.answers import CommitAnswer, JoinAnswer
from cluster.group.config import GroupConfig
from cluster.group.requests import JoinGroup
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import OffsetCommitKey, OffsetCommitValue
from cluster.model.ids import OFFSETS_TOPIC, TopicPartition
from tests.cluster.broker.coordinators.leading import ME, ORDERS, OTHER, Leading
from tests.cluster.storage.batches import of_pairs

LOADING = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
ELSEWHERE = ErrorCode.NOT_COORDINATOR


def errors(leading: Leading) -> list[ErrorCode]:
    """Those of all commits that are answered."""
    return [
        error
        for answer in leading.answers
        if isinstance(answer, CommitAnswer)
        for error in answer.errors.values()
    ]


def test_a_commit_of_a_leader_that_is_alone_is_answered_at_once() -> None:
    leading = Leading()
    leading.lead()

    leading.commit(42)

    assert [ErrorCode.NONE] == errors(leading)
    assert {ORDERS: 42} == leading.committed()
    ((key, value),) = leading.records()
    assert encode((OffsetCommitKey("g", "orders", 0), None)).key == key
    assert value is not None


def test_a_commit_waits_for_the_isr() -> None:
    leading = Leading(ME, OTHER)
    leading.lead()
    leading.replicate()

    leading.commit(42)
    before = (errors(leading), leading.committed())
    leading.replicate()

    assert ([], {}) == before
    assert [ErrorCode.NONE] == errors(leading)
    assert {ORDERS: 42} == leading.committed()


def test_a_commit_that_is_not_replicated_in_time_is_refused() -> None:
    leading = Leading(ME, OTHER)
    leading.lead()
    leading.commit(42)

    leading.advance(4999)
    assert [] == errors(leading)
    leading.advance(1)

    assert [ErrorCode.REQUEST_TIMED_OUT] == errors(leading)
    assert {} == leading.committed()


def test_a_coordinator_that_is_replaced_commits_nothing() -> None:
    leading = Leading(ME, OTHER)
    leading.lead()
    leading.replicate()
    leading.commit(42)

    leading.follow()
    leading.commit(43)
    leading.settle()

    assert [ELSEWHERE, ELSEWHERE] == errors(leading)
    assert ELSEWHERE == leading.committed()


def test_an_append_is_fenced_by_the_leader_epoch() -> None:
    leading = Leading()
    leading.lead(epoch=1)
    hosted = leading.hosted()
    # The log is led in another epoch, of which the coordinator has not heard yet.
    state = leading.state(ME, 3)
    hosted.replica.lead(state, hosted.replica.assignment, 0, 0)

    leading.commit(42)

    assert [ELSEWHERE] == errors(leading)
    assert 0 == hosted.log.log_end_offset


def test_a_partition_is_loaded_when_it_is_led() -> None:
    leading = Leading()
    leading.lead()
    for number in range(1000):
        leading.commit(number, group=f"g{number % 7}", partition=TopicPartition("t", number))
    leading.restart()
    leading.answers.clear()

    leading.lead(epoch=2)
    loading = leading.committed("g3")
    leading.commit(5)
    leading.settle()

    assert LOADING == loading
    assert [LOADING] == errors(leading)
    found = leading.committed("g3")
    assert {TopicPartition("t", number): number for number in range(3, 1000, 7)} == found


def test_what_is_loaded_is_served_once_it_is_replicated() -> None:
    leading = Leading(ME, OTHER)
    leading.lead()
    leading.replicate()
    leading.commit(42)
    leading.restart()

    leading.lead(epoch=2)
    leading.settle()
    before = leading.committed()
    leading.replicate()

    assert LOADING == before
    assert {ORDERS: 42} == leading.committed()


def test_a_load_ends_with_the_leadership() -> None:
    leading = Leading(ME, OTHER)
    leading.lead()
    leading.commit(42)
    leading.restart()

    leading.lead(epoch=2)
    leading.follow(epoch=3)
    leading.settle()

    assert ELSEWHERE == leading.committed()
    assert {} == leading.hosted().replica._watchers


def test_partitions_are_read_one_after_the_other() -> None:
    leading = Leading(count=3)
    leading.tell(OFFSETS_TOPIC, 0, 1, 2)
    for number in range(3):
        leading.lead(number)
    leading.settle()

    read = [line for line in leading.journal.infos if "read the groups" in line]
    assert [f"{OFFSETS_TOPIC}-{number}" for number in range(3)] == [
        line.split(" of ")[1].split(" up to")[0] for line in read
    ]


def test_damaged_and_foreign_records_are_passed_over() -> None:
    leading = Leading()
    leading.lead()
    leading.commit(42)
    for records in ([(b"\0\1", b"")], [(None, b"x")], [(b"\0\3new", b"x")]):
        batch = of_pairs(records, leading.clock.wall_ms())
        leading.appender.append(OFFSETS_TOPIC, 0, memoryview(batch), -1)
    leading.commit(43, group="h")
    leading.restart()

    leading.lead(epoch=2)
    leading.settle()

    assert ({ORDERS: 42}, {ORDERS: 43}) == (leading.committed(), leading.committed("h"))
    (error,) = leading.journal.errors
    assert "records from offset 1 on are passed over" in error


def test_offsets_of_transactions_count_when_they_are_committed() -> None:
    leading = Leading()
    leading.lead()
    record = encode((OffsetCommitKey("g", *ORDERS), OffsetCommitValue(7)))
    batch = of_pairs([record], leading.clock.wall_ms(), 5, 0)
    leading.appender.append(OFFSETS_TOPIC, 0, memoryview(batch), -1, has_checked_records=True)
    leading.restart()

    leading.lead(epoch=2)
    leading.settle()

    assert {} == leading.committed()


def test_offsets_go_with_their_topic() -> None:
    leading = Leading()
    leading.lead()
    leading.tell("orders", 0)
    leading.tell("payments", 0)
    leading.commit(42)
    leading.commit(43, partition=TopicPartition("payments", 0))

    leading.delete("orders")

    assert {TopicPartition("payments", 0): 43} == leading.committed()
    key, _ = encode((OffsetCommitKey("g", "orders", 0), None))
    assert (key, None) == leading.records()[-1]


def test_old_offsets_go_by_the_settled_clock() -> None:
    config = GroupConfig(retention_ms=1000)
    leading = Leading(settings=GroupSettings(config=config, partition_count=1))
    leading.lead()
    leading.commit(42)
    settled_ms = leading.clock.wall_ms()
    leading.clock.ahead_ms = 10_000

    leading.service.expire_offsets(settled_ms + 999)
    kept = leading.committed()
    leading.service.expire_offsets(settled_ms + 1000)

    assert {ORDERS: 42} == kept
    assert {} == leading.committed()


def test_a_rebalance_ends_when_its_time_has_come() -> None:
    leading = Leading()
    leading.lead()
    leading.ask(
        JoinGroup(
            group_id="g",
            member_id="",
            client_id="c",
            client_host="/h",
            session_timeout_ms=10_000,
            rebalance_timeout_ms=60_000,
            protocol_type="consumer",
            protocols=(("range", b""),),
            requires_known_id=False,
        )
    )

    leading.advance(2999)
    assert [] == leading.answers
    leading.advance(1)

    (joined,) = leading.answers
    assert isinstance(joined, JoinAnswer)
    assert (1, joined.member_id) == (joined.generation, joined.leader_id)


def test_another_partition_count_than_was_thought_begins_anew() -> None:
    leading = Leading(count=50)
    for number in range(3):
        leading.lead(number)

    leading.tell(OFFSETS_TOPIC, 0, 1, 2)
    leading.settle()
    for group in ("g", "h", "i"):
        leading.commit(1, group)

    assert [ErrorCode.NONE] * 3 == errors(leading)


@pytest.mark.parametrize("topic", ["orders", "__transaction_state"])
def test_other_topics_are_not_a_coordinator_s(topic: str) -> None:
    leading = Leading()

    leading.service.became_leader(TopicPartition(topic, 0), leading.state(ME, 0).leader_epoch)

    assert ELSEWHERE == leading.committed()


def test_a_replica_that_is_stopped_coordinates_nothing() -> None:
    leading = Leading()
    leading.lead()

    leading.service.stopped(leading.hosted().partition)

    assert ELSEWHERE == leading.committed()
