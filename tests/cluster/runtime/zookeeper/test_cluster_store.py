"""Writes to a real ZooKeeper: whole or not at all, and right although others write the same."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import pytest
from kazoo.client import KazooClient
from kazoo.exceptions import ConnectionLoss

from cluster.broker.cluster_store import ZooKeeperStore
from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.coordination.transaction import ATTEMPTS_MAX
from cluster.model.api_error import ApiError
from cluster.model.config_entity import Entity, EntityKind
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, ZkVersion
from cluster.runtime.zookeeper.config_change_listener import EXPIRATION_MS, ConfigChangeListener
from cluster.runtime.zookeeper.dynamic_broker_configs import DynamicBrokerConfigs
from cluster.runtime.zookeeper.runner import SessionRunner, replies_to, run
from cluster.runtime.zookeeper.session import Session
from cluster.zk import paths
from cluster.zk.requests import (
    Check,
    Create,
    Delete,
    Multi,
    MultiDone,
    MultiFailed,
    Operation,
    SetData,
    ZkError,
    ZkReply,
)
from cluster.zk.steps import read_children
from cluster.zk.topics import decode_assignment
from cluster.zk.znode import Znode
from tests.cluster.runtime.zookeeper.test_registration import Sessions, with_session
from tests.support.waiting import OUTER_LIMIT_S, turns, until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

T = TypeVar("T")
TOPIC_ID = bytes(range(16))
LAYOUT = {0: (BrokerId(1), BrokerId(2)), 1: (BrokerId(2),)}
TOPIC_A = Entity(EntityKind.TOPICS, "a")


class Asked:
    """A store and how its callbacks turn out."""

    def __init__(self, session: Session, broker_id: int = 1) -> None:
        self.runner = SessionRunner()
        self.runner.session = session
        self.store = ZooKeeperStore(BrokerId(broker_id), self.runner)

    @property
    def session(self) -> Session:
        assert self.runner.session is not None
        return self.runner.session

    async def outcome(self, ask: Callable[..., None], *arguments: Any) -> Any:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        ask(*arguments, future.set_result)
        assert not future.done(), "nobody is called back from within the call that asks"
        return await asyncio.wait_for(future, OUTER_LIMIT_S)

    async def create(self, topic: str, configs: Mapping[str, str] | None = None) -> ApiError:
        outcome = await self.outcome(
            self.store.create_topic, topic, TOPIC_ID, LAYOUT, configs or {}
        )
        assert isinstance(outcome, ApiError)
        return outcome


def asking(chroot: str, use: Callable[[Asked], Coroutine[Any, Any, T]]) -> T:
    async def main(_: Sessions, session: Session) -> T:
        return await use(Asked(session))

    return with_session(chroot, main)


@contextmanager
def zookeeper(chroot: str) -> Iterator[KazooClient]:
    with client_of(chroot) as client:
        yield client


async def transact(session: Session, *operations: Operation) -> ZkReply:
    (reply,) = await replies_to(session, (Multi(operations),))
    return reply


def config_of(client: KazooClient, topic: str) -> bytes:
    return bytes(client.get(paths.topic_config(topic))[0])


def test_a_topic_comes_with_its_configs_and_only_once(chroot: str) -> None:
    async def use(asked: Asked) -> list[ApiError]:
        configs = {"retention.ms": "5"}
        return [await asked.create("a", configs), await asked.create("b")]

    first, second = asking(chroot, use)

    assert first.error is second.error is ErrorCode.NONE
    with zookeeper(chroot) as client:
        data, stat = client.get(paths.topic("a"))
        assignment = decode_assignment(Znode("/a", data, ZkVersion(stat.version)))
        assert {index: of.replicas for index, of in assignment.partitions.items()} == LAYOUT
        assert assignment.topic_id == "AAECAwQFBgcICQoLDA0ODw"
        assert config_of(client, "a") == b'{"version":1,"config":{"retention.ms":"5"}}'
        assert client.exists(paths.topic("a")).czxid == client.exists(paths.topic_config("a")).czxid


def test_a_topic_that_is_there_or_being_deleted_is_told_apart(chroot: str) -> None:
    async def use(asked: Asked) -> list[ApiError]:
        asked.store.create_topic("a", bytes(16), LAYOUT, {}, lambda _: None)
        await asked.create("a")
        there = await asked.create("a")
        await asked.outcome(asked.store.delete_topic, "a")
        again = await asked.outcome(asked.store.delete_topic, "a")
        checked = [
            (await asked.outcome(asked.store.check_new_topics, [topic]))[topic]
            for topic in ("a", "b")
        ]
        return [there, again, await asked.create("a"), *checked]

    there, deleted_again, marked, still_there, free = asking(chroot, use)

    assert still_there == marked
    assert free.error is ErrorCode.NONE
    assert there == ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, "Topic 'a' already exists.")
    assert deleted_again.error is ErrorCode.NONE
    assert marked.message == "Topic 'a' is marked for deletion."


def test_configs_of_a_topic_that_is_gone_do_not_hinder_its_successor(chroot: str) -> None:
    async def use(asked: Asked) -> ApiError:
        await transact(asked.session, Create(paths.topic_config("a"), b"{}"))
        return await asked.create("a", {"retention.ms": "7"})

    assert asking(chroot, use).error is ErrorCode.NONE
    with zookeeper(chroot) as client:
        assert b'"retention.ms":"7"' in config_of(client, "a")


def test_partitions_are_added_to_what_stands_there_when_they_are_added(chroot: str) -> None:
    seen: list[int] = []

    async def use(asked: Asked) -> list[ApiError]:
        await asked.create("a")
        with zookeeper(chroot) as rival:

            def add(there: Mapping[int, Any]) -> Mapping[int, tuple[BrokerId, ...]] | ApiError:
                seen.append(len(there))
                if len(seen) == 1:
                    data, _ = rival.get(paths.topic("a"))
                    rival.set(paths.topic("a"), data.replace(b'"1":[2]', b'"1":[2],"2":[3]'))
                return {len(there): (BrokerId(1),)}

            added = await asked.outcome(asked.store.add_partitions, "a", add)
        refused = await asked.outcome(
            asked.store.add_partitions, "a", lambda _: ApiError(ErrorCode.INVALID_PARTITIONS, "no")
        )
        unknown = await asked.outcome(asked.store.add_partitions, "b", lambda _: {})
        return [added, refused, unknown]

    added, refused, unknown = asking(chroot, use)

    assert [2, 3] == seen
    assert added.error is ErrorCode.NONE
    assert refused == ApiError(ErrorCode.INVALID_PARTITIONS, "no")
    assert unknown.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    with zookeeper(chroot) as client:
        assert b'"2":[3],"3":[1]' in client.get(paths.topic("a"))[0]


def test_configs_are_changed_with_their_notification_or_not_at_all(chroot: str) -> None:
    async def use(asked: Asked) -> list[Any]:
        await asked.create("a", {"retention.ms": "7"})
        refused = await asked.outcome(
            asked.store.alter_configs, TOPIC_A, lambda _: ApiError(ErrorCode.INVALID_CONFIG)
        )
        changed = await asked.outcome(
            asked.store.alter_configs, TOPIC_A, lambda there: {**there, "segment.ms": "8"}
        )
        read = await asked.outcome(asked.store.read_topic_overrides, ["a", "b"])
        return [refused, changed, read]

    refused, changed, read = asking(chroot, use)

    assert (refused.error, changed.error) == (ErrorCode.INVALID_CONFIG, ErrorCode.NONE)
    assert read == {"a": {"retention.ms": "7", "segment.ms": "8"}, "b": {}}
    with zookeeper(chroot) as client:
        (name,) = client.get_children(paths.CONFIG_CHANGES)
        data, stat = client.get(f"{paths.CONFIG_CHANGES}/{name}")
        assert data == b'{"version":2,"entity_path":"topics/a"}'
        assert stat.czxid == client.exists(paths.topic_config("a")).mzxid


def test_blocks_of_producer_ids_are_given_to_one_broker_each(chroot: str) -> None:
    async def use(asked: Asked) -> list[range]:
        second = Asked(asked.session, broker_id=2)
        blocks = await asyncio.gather(
            *(
                one.outcome(one.store.take_producer_ids)
                for one in (asked, second, asked, second, asked)
            )
        )
        return list(blocks)

    blocks = asking(chroot, use)

    assert sorted(block.start for block in blocks) == [0, 1000, 2000, 3000, 4000]
    assert {len(block) for block in blocks} == {1000}


def test_nothing_is_written_without_a_session(chroot: str) -> None:
    async def use(sessions: Sessions, session: Session) -> list[ErrorCode]:
        asked = Asked(session)
        asked.runner.session = None
        missing = await asked.create("a")
        asked.runner.session = session
        await sessions.expire()
        return [missing.error, (await asked.create("a")).error]

    assert with_session(chroot, use) == [ErrorCode.BROKER_NOT_AVAILABLE] * 2
    with zookeeper(chroot) as client:
        assert client.exists(paths.topic("a")) is None


def test_a_cluster_that_kraft_has_taken_over_is_left_alone(chroot: str) -> None:
    async def use(asked: Asked) -> ApiError:
        owner = b'{"version":2,"brokerid":3000,"timestamp":"1","kraftControllerEpoch":5}'
        await transact(asked.session, Create(paths.CONTROLLER, owner))
        return await asked.create("a")

    assert asking(chroot, use).error is ErrorCode.NOT_CONTROLLER


def test_a_write_that_a_change_of_controller_stops_is_made_under_the_next(chroot: str) -> None:
    seen: list[Mapping[str, str]] = []

    async def use(asked: Asked, changes: int) -> ApiError:
        with zookeeper(chroot) as rival:

            def change(there: Mapping[str, str]) -> Mapping[str, str]:
                seen.append(there)
                if len(seen) <= changes:
                    rival.delete(paths.CONTROLLER)
                    rival.create(paths.CONTROLLER, b'{"version":1,"brokerid":2}')
                    rival.set(paths.CONTROLLER_EPOCH, b"2")
                return {"segment.ms": "5"}

            outcome = await asked.outcome(asked.store.alter_configs, TOPIC_A, change)
            assert isinstance(outcome, ApiError)
            return outcome

    with zookeeper(chroot) as client:
        asking(chroot, lambda asked: asked.create("a"))
        client.create(paths.CONTROLLER, b'{"version":1,"brokerid":1}')
        client.create(paths.CONTROLLER_EPOCH, b"1")
        outcome = asking(chroot, lambda asked: use(asked, changes=1))
        assert (outcome.error, seen) == (ErrorCode.NONE, [{}, {}])
        seen.clear()
        outcome = asking(chroot, lambda asked: use(asked, changes=1000))
        assert (outcome.error, len(seen)) == (ErrorCode.REQUEST_TIMED_OUT, ATTEMPTS_MAX)


def test_a_damaged_znode_is_an_error_that_names_it(chroot: str) -> None:
    async def use(asked: Asked) -> ApiError:
        await transact(asked.session, Create(paths.topic("a"), b"{"))
        outcome = await asked.outcome(asked.store.add_partitions, "a", lambda _: {})
        assert isinstance(outcome, ApiError)
        return outcome

    outcome = asking(chroot, use)

    assert outcome.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert "/brokers/topics/a" in str(outcome.message)


def test_a_transaction_says_what_stood_in_its_way(chroot: str) -> None:
    async def use(_: Sessions, session: Session) -> list[ZkReply]:
        made = await transact(session, Create("/x", b"1"), Create("/x/e", is_ephemeral=True))
        assert isinstance(made, MultiDone)
        attempts: tuple[tuple[Operation, ...], ...] = (
            (SetData("/x", b"2", ZkVersion(0)), Check("/x", ZkVersion(7)), Create("/y")),
            (Create("/y"), Create("/x")),
            (Delete("/z", ZkVersion(0)),),
            (Delete("/x", ZkVersion(0)),),
        )
        return [await transact(session, *attempt) for attempt in attempts]

    outcomes = with_session(chroot, use)

    assert outcomes == [
        MultiFailed(1, ZkError.BAD_VERSION),
        MultiFailed(1, ZkError.NODE_EXISTS),
        MultiFailed(0, ZkError.NO_NODE),
        MultiFailed(0, ZkError.NOT_EMPTY),
    ]
    with zookeeper(chroot) as client:
        assert client.get("/x")[0] == b"1"
        assert client.exists("/y") is None


# Notifications.


def changes_of_topics(apply: Callable[[str, Mapping[str, str]], None]) -> ConfigChangeListener:
    def unexpected(appliers: object) -> None:
        raise AssertionError("nobody has changed a config of brokers")

    return ConfigChangeListener(
        apply, DynamicBrokerConfigs(BrokerId(1), BrokerConfigs()), unexpected
    )


def test_changes_of_configs_are_heard_also_those_made_while_nobody_listened(chroot: str) -> None:
    heard: list[tuple[str, Mapping[str, str]]] = []

    async def use(sessions: Sessions, session: Session) -> None:
        asked = Asked(session)
        changes = changes_of_topics(lambda topic, values: heard.append((topic, values)))

        async def change(topic: str, value: str) -> None:
            store = asked.store
            await asked.outcome(
                store.alter_configs,
                Entity(EntityKind.TOPICS, topic),
                lambda _: {"segment.ms": value},
            )

        async def until_heard(count: int) -> None:
            await until(lambda: len(heard) >= count, what=f"change {count}")

        await asked.create("a")
        await change("a", "1")
        await change("a", "2")
        changes.joined(session)
        await until_heard(1)
        await asked.create("b")
        await change("b", "3")
        await until_heard(2)
        with zookeeper(chroot) as rival:
            rival.create(paths.topic_config("c"), b"[", makepath=True)
        notification = b'{"version":2,"entity_path":"topics/c"}'
        for noise in (b"[", notification):
            news = Create(paths.config_change_prefix(), noise, is_sequential=True)
            await transact(session, news)
        await change("b", "5")
        await until_heard(3)
        changes.left()
        await sessions.expire()
        following = await sessions.next()
        asked.runner.session = following
        await change("a", "4")
        changes.joined(following)
        await until_heard(4)

    with_session(chroot, use)

    assert heard == [
        ("a", {"segment.ms": "2"}),
        ("b", {"segment.ms": "3"}),
        ("b", {"segment.ms": "5"}),
        ("a", {"segment.ms": "4"}),
    ]


class Breaking:
    """A session whose connection breaks once, when *count* requests have been sent."""

    def __init__(self, session: Session, count: int) -> None:
        self.session = session
        self.left = count
        self.broke = asyncio.Event()

    @property
    def is_over(self) -> bool:
        return self.session.is_over

    def begin(self, start: Callable[[Any], Any]) -> "asyncio.Future[Any]":
        self.left -= 1
        if self.left != -1:
            return self.session.begin(start)
        self.broke.set()
        lost: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        lost.set_exception(ConnectionLoss())
        return lost


def test_notifications_that_were_read_count_although_the_connection_breaks_before_the_rest(
    chroot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr("cluster.runtime.zookeeper.config_change_listener.READ_AT_ONCE", 2)
    two_slices = 1 + 2 * (2 + 2)

    async def use(_: Sessions, session: Session) -> list[str]:
        asked = Asked(session)
        for topic in "abcde":
            entity = Entity(EntityKind.TOPICS, topic)
            await asked.create(topic)
            await asked.outcome(asked.store.alter_configs, entity, lambda _: {})
        changes = changes_of_topics(lambda topic, _: heard.append(topic))
        breaking = Breaking(session, two_slices)
        changes.joined(cast(Session, breaking))
        await breaking.broke.wait()
        heard_before = [*heard]

        def has_heard_all() -> bool:
            changes.connection_changed(is_connected=True)
            return len(heard) == 5

        await until(has_heard_all, what="the rest")
        return heard_before

    heard_before = with_session(chroot, use)

    assert heard_before == ["a", "b", "c", "d"]
    assert heard == ["a", "b", "c", "d", "e"]


def test_old_notifications_are_removed(chroot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    async def use(_: Sessions, session: Session) -> None:
        asked = Asked(session)
        changes = changes_of_topics(lambda topic, _: heard.append(topic))
        await asked.create("a")
        await asked.outcome(asked.store.alter_configs, TOPIC_A, lambda _: {})
        monkeypatch.setattr(
            "cluster.runtime.zookeeper.config_change_listener.EXPIRATION_MS", -EXPIRATION_MS
        )
        changes.joined(session)
        while await run(session, read_children(paths.CONFIG_CHANGES)):
            await turns(1)

    with_session(chroot, use)

    assert heard == ["a"]
