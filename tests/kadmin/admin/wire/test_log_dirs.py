"""What do brokers keep in their log directories, and who is asked for it?

Their answers are built by kafka-python's own messages; brokers that run are asked through the
commands that show this.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import (
    ClusterAuthorizationFailedError,
    KafkaConnectionError,
    RequestTimedOutError,
)
from kafka.protocol.admin import DescribeLogDirsResponse

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.log_dirs import read_log_dirs
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.settings.brokers import BrokerSettings

ONE, TWO, THREE, FOUR = map(BrokerId, (1, 2, 3, 4))
T0, T1, T10, U0 = (
    TopicPartition("t", 0),
    TopicPartition("t", 1),
    TopicPartition("t", 10),
    TopicPartition("u", 0),
)

Result = DescribeLogDirsResponse.DescribeLogDirsResult
Topic = Result.DescribeLogDirsTopic
Part = Topic.DescribeLogDirsPartition


class Brokers(WireConnection):
    """Brokers that answer as they are told to; one that is told nothing is known to nobody."""

    def __init__(self, answers: Mapping[BrokerId, Any], *, serves: bool = True) -> None:
        super().__init__(
            SimpleNamespace(_manager=SimpleNamespace(send=self.answer, run=run, wait_for=within)),
            BrokerSettings(bootstrap="b:9092", timeout_s=10),
        )
        self.answers = answers
        self.is_served = serves
        self.asked: list[tuple[int, Any]] = []

    def serves(self, request: type) -> bool:
        return self.is_served

    def unknown(self, brokers: Iterable[int]) -> list[int]:
        return [broker for broker in brokers if broker not in self.answers]

    async def answer(self, request: Any, broker: int) -> Any:
        self.asked.append((broker, request.topics))
        answer = self.answers[BrokerId(broker)]
        if isinstance(answer, Exception):
            raise answer
        return answer


async def within(answer: Awaitable[Any], _limit_ms: int) -> Any:
    return await answer


def run(answers: Callable[[], Any]) -> Any:
    return asyncio.run(answers())


def told(*results: Any, version: int = 4, error_code: int = 0) -> Any:
    """What a broker tells, as it comes out of the wire."""
    response = DescribeLogDirsResponse(
        throttle_time_ms=0, error_code=error_code, results=list(results)
    )
    return DescribeLogDirsResponse.decode(bytes(response.encode(version=version)), version=version)


def directory(path: str, *topics: Any, **fields: int) -> Any:
    return Result(error_code=fields.pop("error_code", 0), log_dir=path, topics=topics, **fields)


def part(number: int, size: int, lag: int = 0, *, is_future: bool = False) -> Any:
    return Part(
        partition_index=number, partition_size=size, offset_lag=lag, is_future_key=is_future
    )


def replica(partition: TopicPartition, size: int, lag: int = 0) -> ReplicaLog:
    return ReplicaLog(partition=partition, size_bytes=size, lag_records=lag)


def test_each_broker_tells_of_its_own_directories_in_order() -> None:
    answers = {
        TWO: told(directory("/d", Topic(name="t", partitions=[part(0, 7, 3)]))),
        ONE: told(
            directory("/e", total_bytes=100, usable_bytes=0),
            directory(
                "/d",
                Topic(name="u", partitions=[part(0, 5)]),
                Topic(name="t", partitions=[part(10, 6), part(1, 4)]),
            ),
        ),
    }

    found = read_log_dirs(Brokers(answers), [TWO, ONE])

    assert {
        ONE: (
            LogDir(path="/d", replicas=(replica(T1, 4), replica(T10, 6), replica(U0, 5))),
            LogDir(path="/e", total_bytes=100, usable_bytes=0),
        ),
        TWO: (LogDir(path="/d", replicas=(replica(T0, 7, lag=3),)),),
    } == found
    assert [ONE, TWO] == list(found)


def test_a_replica_that_changes_its_directory_is_in_both() -> None:
    answer = told(
        directory("/a", Topic(name="t", partitions=[part(0, 3, 900, is_future=True)])),
        directory("/b", Topic(name="t", partitions=[part(0, 9)])),
    )

    assert {
        ONE: (
            LogDir(
                path="/a",
                replicas=(ReplicaLog(partition=T0, size_bytes=3, lag_records=900, is_future=True),),
            ),
            LogDir(path="/b", replicas=(replica(T0, 9),)),
        )
    } == read_log_dirs(Brokers({ONE: answer}), [ONE])


def test_a_directory_that_failed_is_told_with_its_error() -> None:
    failed = directory("/d", error_code=int(ErrorCode.KAFKA_STORAGE_ERROR))

    assert {ONE: (LogDir(path="/d", error_code=56),)} == read_log_dirs(
        Brokers({ONE: told(failed)}), [ONE]
    )


def test_brokers_before_3_3_do_not_tell_of_their_disks() -> None:
    full = directory("/d", Topic(name="t", partitions=[part(0, 1)]), total_bytes=5, usable_bytes=4)

    [[found]] = read_log_dirs(Brokers({ONE: told(full, version=3)}), [ONE]).values()

    assert LogDir(path="/d", replicas=(replica(T0, 1),)) == found


def test_brokers_are_asked_for_all_or_for_those_that_are_named() -> None:
    brokers = Brokers({ONE: told(directory("/d"))})

    read_log_dirs(brokers, [ONE])
    read_log_dirs(brokers, [ONE], [U0, T1, T0, T1])
    read_log_dirs(brokers, [ONE], [])

    assert [(1, None), (1, [("t", [0, 1]), ("u", [0])]), (1, [])] == brokers.asked


def test_who_is_silent_or_not_known_is_left_out() -> None:
    answer = told(directory("/d"))
    brokers = Brokers({ONE: KafkaConnectionError(), TWO: RequestTimedOutError(), THREE: answer})

    assert {THREE: (LogDir(path="/d"),)} == read_log_dirs(brokers, [ONE, TWO, FOUR, THREE])
    assert [1, 2, 3] == [broker for broker, _ in brokers.asked]


@pytest.mark.parametrize("answer", [told(error_code=31), told(version=1)])
def test_a_broker_that_denies_its_directories_is_no_broker_without_any(answer: Any) -> None:
    """Before 3.2 an empty answer says so."""
    with pytest.raises(ClusterAuthorizationFailedError, match="log directories of broker 1"):
        read_log_dirs(Brokers({ONE: answer}), [ONE])


def test_old_brokers_are_not_asked() -> None:
    with pytest.raises(NotServed, match=r"their log directories .* Kafka does from 1\.0 on"):
        read_log_dirs(Brokers({ONE: told()}, serves=False), [ONE])
