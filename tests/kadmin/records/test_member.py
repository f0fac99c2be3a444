"""What does a member forget, when is its last commit settled, and what do refusals mean?"""

import pytest
from confluent_kafka import Consumer, KafkaError, Message
from confluent_kafka import TopicPartition as Position

from kadmin import records
from kadmin.errors import KadminError
from kadmin.records.client import ConnectionLog
from kadmin.records.group_errors import group_error
from kadmin.records.member import MemberReader, NotCommitted, commits, cooperates, named
from kadmin.records.reader import ConsumeRequest, Membership

# A consumer that has asked for a commit outlives its session, and librdkafka spins until then.
PROPERTIES = {"group.id": "billing", "session.timeout.ms": 1, "heartbeat.interval.ms": 1}
MEMBERSHIP = Membership(group="billing", instance_id="reader-1", assignor="range")


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def member(notes: list[str]) -> MemberReader:
    """A member that no broker knows, which has printed three records of t-0 and one of t-1."""
    made = MemberReader(
        Consumer(PROPERTIES),
        ConsumeRequest(topics=("t",), membership=MEMBERSHIP, stops_at_end=True),
        ConnectionLog("b:1"),
        silence_max_s=1,
        note=notes.append,
        is_cooperative=False,
        commits=True,
    )
    made.uncommitted = {("t", 0): Position("t", 0, 3), ("t", 1): Position("t", 1, 1)}
    return made


def test_what_came_of_a_revoked_partition_is_left_to_its_next_owner(
    member: MemberReader, notes: list[str]
) -> None:
    member.received = [Message(topic="t", partition=number, offset=5) for number in (0, 1, 0)]
    member.ends = {("t", 0): 9, ("t", 1): 9}

    member.on_revoke(member.consumer, [Position("t", 0)])

    assert [1] == [message.partition() for message in member.received]
    assert {("t", 1): 9} == member.ends
    assert ["group 'billing' revokes t-0"] == notes


def test_nothing_of_a_lost_partition_is_committed(member: MemberReader, notes: list[str]) -> None:
    member.on_lost(member.consumer, [Position("t", 0)])

    assert [("t", 1)] == list(member.uncommitted)
    assert "has lost t-0: what it did not commit is read again" in notes[0]


def test_only_a_commit_of_all_that_was_printed_settles_it(member: MemberReader) -> None:
    member.on_commit(None, [Position("t", 0, 2), Position("t", 1, 1)])

    assert [("t", 0)] == list(member.uncommitted)


def test_a_commit_that_comes_too_late_is_no_failure_until_the_end(
    member: MemberReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records.member, "LEAVING_S", 0.0)
    refused = Position("t", 0, 3)
    member.on_commit(KafkaError(KafkaError.ILLEGAL_GENERATION), [refused])

    assert 2 == len(member.uncommitted)
    with pytest.raises(KadminError, match="denied access: group 'billing'"):
        member.on_commit(KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED), [refused])
    with pytest.raises(NotCommitted, match=r"printed of 2 partitions: t-0, t-1 is not committed"):
        member.leave()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (KafkaError.GROUP_AUTHORIZATION_FAILED, "denied access: group 'billing'"),
        (KafkaError.FENCED_INSTANCE_ID, "with the same group.instance.id ('reader-1')"),
        (KafkaError.INCONSISTENT_GROUP_PROTOCOL, "use another assignor than range"),
        (KafkaError.INVALID_SESSION_TIMEOUT, "does not take this session.timeout.ms"),
        (KafkaError.GROUP_MAX_SIZE_REACHED, "as many members as may be"),
    ],
)
def test_refusals_name_the_group_and_what_is_wrong(code: int, reason: str) -> None:
    error = group_error(KafkaError(code), MEMBERSHIP, ConnectionLog("b:1"))

    assert error is not None
    assert "'billing'" in error.message
    assert reason in error.message


def test_what_is_not_about_groups_is_no_refusal() -> None:
    error = KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)

    assert group_error(error, MEMBERSHIP, ConnectionLog("b:1")) is None


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, False),
        ({"partition.assignment.strategy": "range,roundrobin"}, False),
        ({"partition.assignment.strategy": "cooperative-sticky"}, True),
        ({"group.protocol": "consumer"}, True),
    ],
)
def test_some_assignors_give_differences(properties: dict[str, str], expected: bool) -> None:
    assert expected == cooperates(properties)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "no partition"),
        (1, "t-0"),
        (2, "2 partitions: t-0, t-1"),
        (12, f"12 partitions: {', '.join(f't-{number}' for number in range(10))}, and 2 more"),
    ],
)
def test_partitions_are_named_up_to_ten(count: int, text: str) -> None:
    assert text == named([("t", number) for number in reversed(range(count))])


@pytest.mark.parametrize("value", ["false", "False", "f", "0"])
def test_what_librdkafka_takes_for_false_commits_nothing(value: str) -> None:
    Consumer({"group.id": "g", "enable.auto.commit": value})

    assert not commits({"enable.auto.commit": value})
    assert commits({})


@pytest.mark.parametrize(
    "code", [KafkaError.NOT_COORDINATOR, KafkaError._TRANSPORT, KafkaError._WAIT_COORD]
)
def test_a_commit_between_two_coordinators_ends_no_member(member: MemberReader, code: int) -> None:
    member.on_commit(KafkaError(code), [Position("t", 0, 3)])

    assert 2 == len(member.uncommitted)
