"""A broker inside the test's own process: lost sessions, failing disks, changed configs, tasks."""

import asyncio
import errno
import json
import logging
import re
import shutil
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from kazoo.client import KazooClient

from cluster.broker.configs.supported_configs import (
    SUPPORTED_BROKER_CONFIGS,
    TOPIC_DEFAULTS,
    Applier,
)
from cluster.formats.record_batch import Buffer
from cluster.model.error_codes import ErrorCode
from cluster.runtime.broker import read_properties
from cluster.runtime.controller.controller import Controller
from cluster.runtime.disk.files import Disk, DiskFile
from cluster.runtime.errors import DisksFailed, LogsRefused, RegistrationRefused
from cluster.runtime.process import BrokerProcess
from cluster.runtime.zookeeper.session import Session
from cluster.settings.broker_settings import BrokerSettings
from cluster.storage.log_config import LogConfig
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from cluster.wire.messages.configs import (
    IncrementalAlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
    IncrementalAlterConfigsResponse,
)
from cluster.wire.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from cluster.zk import paths
from tests.cluster.broker.configs.values import broker_value
from tests.support.brokers import fetch, lead, produce, write_properties
from tests.support.expiry import expire
from tests.support.serving import RawClient
from tests.support.waiting import OUTER_LIMIT_S, until, wait_until
from tests.support.zookeeper import client_of, hold_controller

pytestmark = pytest.mark.zk

T = TypeVar("T")


@pytest.fixture
def chroot(chroot: str) -> str:
    """A corner of ZooKeeper in which the tests are the controller."""
    hold_controller(chroot)
    return chroot


class FailingDisk(Disk):
    """A real disk, of which some directories stop to work when a test says so."""

    def __init__(self) -> None:
        self.failures: dict[str, int] = {}

    def check(self, path: str) -> None:
        for directory, number in self.failures.items():
            if path.startswith(f"{directory}/"):
                raise OSError(number, errno.errorcode[number], path)

    def open(self, path: str, *, create: bool = False) -> DiskFile:
        self.check(path)
        whole = super().open(path, create=create)
        return FailingFile(path, whole, self)


class FailingFile(DiskFile):
    def __init__(self, path: str, whole: DiskFile, disk: FailingDisk) -> None:
        super().__init__(path, whole.fileno())
        self.whole = whole
        self.disk = disk

    def write(self, position: int, data: Buffer) -> None:
        self.disk.check(self.path)
        super().write(position, data)

    def sync(self) -> None:
        self.disk.check(self.path)
        super().sync()


class Running:
    """A broker under test, and a way to ask it without blocking its loop."""

    def __init__(self, process: BrokerProcess, chroot: str) -> None:
        self.process = process
        self.chroot = chroot
        self.port = process.endpoints[0].port

    async def lead(self, topics: dict[str, int], **epochs: int) -> Any:
        return await asyncio.to_thread(lead, self.port, 1, topics, **epochs)

    async def ask(self, use: Callable[[RawClient], T]) -> T:
        def asked() -> T:
            with RawClient(self.port) as client:
                return use(client)

        return await asyncio.to_thread(asked)

    async def produce(self, topic: str, index: int = 0, **content: Any) -> int:
        """Send a batch, and return the error code."""
        answer = await self.ask(lambda client: produce(client, topic, index, **content))
        return answer.error_code

    async def fetch(self, topic: str, index: int = 0, offset: int = 0) -> bytes:
        return await self.ask(lambda client: fetch(client, topic, index, offset))

    async def zookeeper(self, use: Callable[[KazooClient], T]) -> T:
        def asked() -> T:
            with client_of(self.chroot) as client:
                return use(client)

        return await asyncio.to_thread(asked)

    async def expire(self) -> None:
        """End the broker's session; it knows, and may be registered again already."""
        membership = self.process._membership
        before = membership.broker_epoch
        await expire(membership._keeper, self.chroot)
        await until(
            lambda: not membership.is_registered or membership.broker_epoch != before,
            what="the expiry",
        )


def run(
    directory: Path,
    chroot: str,
    use: Callable[[Running], Coroutine[Any, Any, T]],
    *,
    files: Disk | None = None,
    **settings: str,
) -> T:
    """What *use* makes of a broker; *settings* are keys with underscores for dots."""
    named = {name.replace("_", "."): value for name, value in settings.items()}
    path = write_properties(directory, chroot, 1, named)

    async def main() -> T:
        process = BrokerProcess(
            BrokerSettings.parse(read_properties(str(path)), working_directory="/"), files
        )
        try:
            await process.start()
            return await use(Running(process, chroot))
        finally:
            await process.stop()

    return asyncio.run(main())


def log_files(directory: Path, partition: str) -> list[str]:
    return sorted(path.name for path in (directory / "data" / partition).glob("*.log*"))


# Sessions.


def test_a_lost_session_costs_no_client_anything(tmp_path: Path, chroot: str) -> None:
    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        membership = running.process._membership
        before = membership.broker_epoch
        await running.expire()
        assert await running.produce("a") == 0
        await until(lambda: membership.is_registered, what="the next registration")
        _, stat = await running.zookeeper(lambda client: client.get("/brokers/ids/1"))

        assert stat.czxid == membership.broker_epoch > before
        assert await running.produce("a") == 0
        assert len(await running.fetch("a")) > 0

    run(tmp_path, chroot, use)


def test_a_broker_says_since_when_it_has_lost_nothing_until_it_does_not_stop_in_order(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    """In its registration, over a lost session, a clean shutdown and a kill on the same machine."""

    async def use(running: Running) -> tuple[int, int, int]:
        """As which it registers, its epoch, and since when it is intact behind the first order."""
        membership = running.process._membership
        registered, epoch = await intact_since(running)
        await running.lead({"a": 1})
        assert (registered, epoch) == await intact_since(running), "it named no broker epoch"
        await running.lead({"a": 1}, broker_epoch=epoch)
        while membership.intact_since != (found := (await intact_since(running))[0]):
            pass
        return registered, epoch, found

    async def intact_since(running: Running) -> tuple[int, int]:
        data, stat = await running.zookeeper(lambda client: client.get("/brokers/ids/1"))
        return json.loads(data).get("intact_since", -1), stat.czxid

    async def lose_session(running: Running) -> tuple[int, int, int]:
        await running.expire()
        await until(lambda: running.process._membership.is_registered, what="the registration")
        return await use(running)

    registered, first, since = run(tmp_path, chroot, use)
    assert (registered, since) == (-1, first)
    directory = next(tmp_path.rglob(".kafka_cleanshutdown")).parent
    backup = shutil.copytree(directory, tmp_path / "backup")
    for use_it in (use, lose_session, use):
        registered, epoch, since = run(tmp_path, chroot, use_it)
        assert (registered, since) == (first, first) != (epoch, epoch)

    mark, lock = directory / ".kafka_cleanshutdown", directory / ".lock"
    assert json.loads(mark.read_bytes())["intactSince"] == first
    mark.unlink()
    registered, _, since = run(tmp_path, chroot, use)
    assert (registered, since) == (first, first)

    # Another ZooKeeper, to which the znodes were copied, counts from the beginning.
    mark.write_text(json.dumps({"version": 0, "brokerEpoch": 1, "intactSince": 2**50}))
    registered, epoch, since = run(tmp_path, chroot, use)
    assert (registered, since) == (2**50, epoch)

    # A machine that stops runs on with another boot id.
    lock.write_text("another boot".ljust(40) + lock.read_text()[40:])
    mark.unlink()
    assert run(tmp_path, chroot, intact_since)[0] == -1
    # Nobody has noticed that.
    registered, last, since = run(tmp_path, chroot, use)
    assert (registered, since) == (-1, last)

    assert "of an earlier start" not in caplog.text

    # A backup has the mark of its own orderly end, and does not know of the starts since.
    shutil.rmtree(directory)
    backup.rename(directory)
    registered, last, since = run(tmp_path, chroot, use)
    assert (registered, since) == (-1, last)
    assert "is of an earlier start of this broker" in caplog.text
    assert run(tmp_path, chroot, intact_since)[0] == last


@pytest.mark.parametrize("step", ["_identify", "_load_logs", "_register"])
def test_a_session_that_ends_while_the_broker_starts_is_followed_by_another(
    tmp_path: Path, chroot: str, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Before each of the steps for which ZooKeeper is asked."""
    ended: list[Session] = []
    take_step = getattr(BrokerProcess, step)

    async def expire_first(process: BrokerProcess, *arguments: Any) -> Any:
        keeper = process._membership._keeper
        if not ended:
            assert keeper._session is not None
            ended.append(keeper._session)
            await expire(keeper, chroot)
        return await take_step(process, *arguments)

    monkeypatch.setattr(BrokerProcess, step, expire_first)

    async def use(running: Running) -> None:
        assert ended[0].is_over
        await running.lead({"a": 1})
        assert await running.produce("a") == 0

    run(tmp_path, chroot, use)


def test_whoever_takes_the_id_while_the_session_is_lost_ends_the_broker(
    tmp_path: Path, chroot: str
) -> None:
    async def use(running: Running) -> None:
        data, _ = await running.zookeeper(lambda client: client.get("/brokers/ids/1"))
        with client_of(chroot) as rival:

            def take_the_id() -> None:
                rival.delete("/brokers/ids/1")
                foreign = data.replace(b"127.0.0.1", b"127.0.0.9")
                rival.create("/brokers/ids/1", foreign, ephemeral=True)

            await asyncio.to_thread(take_the_id)
            await running.expire()
            with pytest.raises(RegistrationRefused, match="another broker has this id"):
                await asyncio.wait_for(running.process.until_failed(), OUTER_LIMIT_S)

    run(tmp_path, chroot, use)


# Listeners.


def altered(client: RawClient, changes: Mapping[str, str | None]) -> tuple[int, str | None]:
    """Set configs of broker 1, None for those that shall go."""
    configs = [
        IncrementalAlterableConfig(key, int(value is None), value) for key, value in changes.items()
    ]
    resource = IncrementalAlterConfigsResource(4, "1", configs)
    body = IncrementalAlterConfigsRequest([resource])
    answer = client.ask(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, body, IncrementalAlterConfigsResponse)
    (result,) = answer.responses
    return result.error_code, result.error_message


def test_listeners_come_and_go_while_the_broker_runs(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    change = "The registration of this broker has changed"

    async def registered(running: Running) -> list[str]:
        data, _ = await running.zookeeper(lambda client: client.get("/brokers/ids/1"))
        return list(json.loads(data)["endpoints"])

    async def use(running: Running) -> None:
        first = f"PLAINTEXT://127.0.0.1:{running.port}"
        both = {
            "listeners": f"{first},SECOND://127.0.0.1:0",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SECOND:PLAINTEXT",
        }
        assert await running.ask(lambda client: altered(client, both)) == (0, None)
        await until(lambda: len(running.process.endpoints) == 2, what="the second listener")
        second = running.process.endpoints[1]
        assert second.port != running.port
        await until(lambda: change in caplog.text, what="the first change")
        assert await registered(running) == [first, str(second)]
        epoch = running.process._membership.broker_epoch

        client = await asyncio.to_thread(RawClient, second.port)
        body = ApiVersionsRequest()
        await asyncio.to_thread(client.ask, ApiKey.API_VERSIONS, 0, body, ApiVersionsResponse)
        gone = dict.fromkeys(both)
        assert await running.ask(lambda client: altered(client, gone)) == (0, None)
        assert await asyncio.to_thread(client.is_closed)
        client.close()
        with pytest.raises(ConnectionRefusedError):
            RawClient(second.port)
        await until(lambda: caplog.text.count(change) == 2, what="the second change")
        assert await registered(running) == [first]
        assert running.process._membership.broker_epoch == epoch

    run(tmp_path, chroot, use)


def test_listeners_that_are_set_while_a_broker_is_away_are_its_own_when_it_starts(
    tmp_path: Path, chroot: str
) -> None:
    advertised = "PLAINTEXT://broker.example:9999"

    async def use(running: Running) -> None:
        changes = {"advertised.listeners": advertised}
        assert await running.ask(lambda client: altered(client, changes)) == (0, None)

    async def afterwards(process: BrokerProcess) -> None:
        assert [str(endpoint) for endpoint in process.endpoints] == [advertised]

    run(tmp_path, chroot, use)
    run(tmp_path, chroot, lambda running: afterwards(running.process))


# Disks.


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_fails_takes_its_partitions_and_no_others(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    caplog.set_level(logging.INFO)
    first, second = str(tmp_path / "d1"), str(tmp_path / "d2")
    disk = FailingDisk()

    async def use(running: Running) -> None:
        await running.lead({"a": 2})
        for index in (0, 1):
            assert await running.produce("a", index, values=5) == 0
        placed = {str(path.parent): int(path.name[-1]) for path in tmp_path.glob("d?/a-?")}
        parked = asyncio.ensure_future(
            running.ask(lambda c: delayed_fetch(c, "a", placed[first], 5))
        )
        disk.failures[first] = number

        refused = await running.produce("a", placed[first])
        assert refused == ErrorCode.KAFKA_STORAGE_ERROR
        assert await asyncio.wait_for(parked, OUTER_LIMIT_S) == ErrorCode.KAFKA_STORAGE_ERROR
        assert await running.produce("a", placed[second], values=5) == 0
        await until(lambda: "1 partitions are offline with" in caplog.text, what="the notice")

        def read_events(client: KazooClient) -> list[bytes]:
            events = partial(client.get_children, paths.LOG_DIR_EVENTS)
            wait_until(lambda: bool(events()), what="the event for the controller")
            return [client.get(f"{paths.LOG_DIR_EVENTS}/{name}")[0] for name in events()]

        assert await running.zookeeper(read_events) == [b'{"version":1,"broker":1,"event":1}']

    async def afterwards(running: Running) -> None:
        await running.lead({"a": 2}, leader_epoch=1)
        assert [len(await running.fetch("a", index)) > 0 for index in (0, 1)] == [True, True]

    run(tmp_path, chroot, use, files=disk, log_dirs=f"{first},{second}")
    run(tmp_path, chroot, afterwards, log_dirs=f"{first},{second}")


def test_a_disk_that_fails_while_its_logs_are_opened_is_named_and_the_last_one_ends_the_start(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    directories = [str(tmp_path / name) for name in ("d1", "d2")]
    joined = ",".join(directories)
    disk = FailingDisk()

    async def use(running: Running) -> None:
        await running.lead({"a": 2})
        assert [await running.produce("a", index) for index in (0, 1)] == [0, 0]

    async def afterwards(running: Running) -> None:
        assert f"log directory {directories[0]} is offline: " in caplog.text
        assert f"log directory {directories[1]} is offline" not in caplog.text

    run(tmp_path, chroot, use, log_dirs=joined)
    logs = {path.parent: path for path in tmp_path.glob("d?/a-?")}
    disk.failures[str(logs[tmp_path / "d1"])] = errno.EIO
    run(tmp_path, chroot, afterwards, files=disk, log_dirs=joined)
    disk.failures[str(logs[tmp_path / "d2"])] = errno.EIO
    with pytest.raises(LogsRefused, match=r"d1, .*d2: none of them can be used"):
        run(tmp_path, chroot, afterwards, files=disk, log_dirs=joined)


def delayed_fetch(client: RawClient, topic: str, index: int, offset: int) -> int:
    """Wait for records behind *offset*, and return the error code."""
    wanted = FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=1000)
    body = FetchRequest(
        max_wait_ms=60_000, min_bytes=1, topics=[FetchTopic(topic, partitions=[wanted])]
    )
    answer = client.ask(ApiKey.FETCH, 11, body, FetchResponse)
    return answer.responses[0].partitions[0].error_code  # type: ignore[no-any-return]


def test_a_broker_without_a_disk_gives_up_and_asks_nobody_before_it_ends(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FailingDisk()

    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        disk.failures[str(tmp_path)] = errno.EIO
        assert await running.produce("a") == ErrorCode.KAFKA_STORAGE_ERROR
        with pytest.raises(DisksFailed):
            await asyncio.wait_for(running.process.until_failed(), OUTER_LIMIT_S)

    run(tmp_path, chroot, use, files=disk)

    said = [message for message in caplog.messages if "leaderships" in message]
    assert said == ["Without a log directory no leaderships are moved away"]


def test_a_flush_that_fails_is_not_acknowledged(tmp_path: Path, chroot: str) -> None:
    disk = FailingDisk()

    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        assert await running.produce("a") == 0
        log = running.process._parts.logs.online[0].logs  # type: ignore[union-attr]
        (partition,) = log.values()
        assert partition.recovery_point == partition.log_end_offset == 1

        def failing_sync() -> None:
            raise OSError(errno.EIO, "EIO")

        partition.active.file.sync = failing_sync  # type: ignore[method-assign]
        assert await running.produce("a") == ErrorCode.KAFKA_STORAGE_ERROR

    run(tmp_path, chroot, use, files=disk, log_flush_interval_messages="1")


# Configs and log tasks.


def test_a_config_that_changes_is_kept_to_at_once(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    def change(client: KazooClient) -> None:
        client.ensure_path("/config/topics/a")
        client.set("/config/topics/a", b'{"version":1,"config":{"max.message.bytes":"100"}}')
        notification = b'{"version":2,"entity_path":"topics/a"}'
        client.create("/config/changes/config_change_", notification, sequence=True)

    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        assert await running.produce("a", values=10) == 0
        await running.zookeeper(change)
        await until(lambda: "topic a has new configs" in caplog.text, what="the change")
        assert await running.produce("a", values=10) == ErrorCode.MESSAGE_TOO_LARGE

    run(tmp_path, chroot, use)


def say(client: KazooClient, name: str, configs: dict[str, str], kind: str = "brokers") -> None:
    """Set the configs of a broker, of `<default>`, or of a topic, as Kafka's tools do."""
    path = f"/config/{kind}/{name}"
    client.ensure_path(path)
    client.ensure_path("/config/changes")
    client.set(path, json.dumps({"version": 1, "config": configs}).encode())
    notification = json.dumps({"version": 2, "entity_path": f"{kind}/{name}"}).encode()
    client.create("/config/changes/config_change_", notification, sequence=True)


def test_configs_of_brokers_are_applied_from_the_start_and_when_they_change(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        assert await running.produce("a", values=10) == ErrorCode.MESSAGE_TOO_LARGE
        await running.zookeeper(lambda client: say(client, "<default>", {}))
        await until(lambda: "message.max.bytes=1048588" in caplog.text, what="the change")
        assert await running.produce("a", values=10) == 0
        await running.zookeeper(lambda client: say(client, "1", {"message.max.bytes": "101"}))
        await until(lambda: "message.max.bytes=101" in caplog.text, what="the next one")
        assert await running.produce("a", values=10) == ErrorCode.MESSAGE_TOO_LARGE
        await running.expire()
        await running.zookeeper(lambda client: say(client, "1", {"message.max.bytes": "102"}))
        await until(lambda: "message.max.bytes=102" in caplog.text, what="that after a loss")

    with client_of(chroot) as client:
        say(client, "<default>", {"message.max.bytes": "100"})
        # Notifications are removed after a while, and then the configs speak for themselves.
        for name in client.get_children("/config/changes"):
            client.delete(f"/config/changes/{name}")
    run(tmp_path, chroot, use)


def test_a_shorter_retention_for_all_brokers_drops_what_is_older(
    tmp_path: Path, chroot: str
) -> None:
    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        for _ in range(10):
            assert await running.produce("a", values=20) == 0
        assert len(log_files(tmp_path, "a-0")) > 2
        configs = {"log.retention.bytes": "1000", "log.segment.delete.delay.ms": "0"}
        await running.zookeeper(lambda client: say(client, "<default>", configs))
        await until(lambda: len(log_files(tmp_path, "a-0")) <= 2, what="the files to go")

    run(
        tmp_path,
        chroot,
        use,
        log_segment_bytes="1000",
        log_retention_ms="-1",
        log_retention_check_interval_ms="20",
    )


def test_those_who_wait_get_in_when_more_connections_are_allowed(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    async def use(running: Running) -> None:
        with RawClient(running.port), RawClient(running.port) as waiting:
            await until(
                lambda: "there are max.connections=1 connections" in caplog.text, what="the limit"
            )
            await running.zookeeper(lambda client: say(client, "1", {"max.connections": "5"}))
            answer = await asyncio.to_thread(
                waiting.ask, ApiKey.API_VERSIONS, 0, ApiVersionsRequest(), ApiVersionsResponse
            )
            assert answer.error_code == 0
            limits = {"max.connections": "5", "max.connections.per.ip.overrides": "127.0.0.1:2"}
            await running.zookeeper(lambda client: say(client, "1", limits))
            await until(lambda: "overrides=127.0.0.1:2" in caplog.text, what="the change")
            with RawClient(running.port) as refused:
                assert await asyncio.to_thread(refused.is_closed)

    run(tmp_path, chroot, use, max_connections="1")


def test_every_dynamic_config_reaches_whoever_applies_it(
    tmp_path: Path,
    chroot: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.INFO)
    unclean: list[bool] = []
    monkeypatch.setattr(Controller, "allow_unclean", lambda self, allowed: unclean.append(allowed))
    values = {
        name: broker_value(name)
        for name, row in SUPPORTED_BROKER_CONFIGS.items()
        if row.applied_by is not Applier.STARTUP
    }

    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        (log,) = running.process._parts.logs.online[0].logs.values()  # type: ignore[union-attr]
        quotas = running.process._server.quotas
        await running.zookeeper(lambda client: say(client, "1", values))
        await until(lambda: "configs of this broker have changed" in caplog.text, what="them")

        assert log.config == LogConfig.parse(
            {topic_key: values[name] for name, topic_key in TOPIC_DEFAULTS.items()}
        )
        assert all(asdict(log.config)[name] != value for name, value in asdict(LogConfig()).items())
        assert log.producer_expiration_ms == int(values["producer.id.expiration.ms"])
        assert quotas.limits.count_max == int(values["max.connections"])
        limits = [quotas.address_max("10.0.0.1"), quotas.address_max("10.0.0.2")]
        assert limits == [5, int(values["max.connections.per.ip"])]
        assert unclean == [False, True]

    run(tmp_path, chroot, use)


def test_what_is_wrong_among_configs_of_brokers_is_told_once_and_the_rest_is_applied(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = {
        "log.retention.ms": "x",
        "broker.id": "7",
        "listener.name.plaintext.ssl.key.password": "topsecret",
        "sasl.foo": "topsecret",
    }

    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        assert await running.produce("a", values=10) == ErrorCode.MESSAGE_TOO_LARGE
        await running.zookeeper(lambda client: client.set("/config/brokers/<default>", b"garbage"))
        await running.zookeeper(
            lambda client: say(client, "1", wrong | {"message.max.bytes": "101"})
        )
        await until(lambda: "message.max.bytes=101" in caplog.text, what="the change")

    with client_of(chroot) as client:
        say(client, "<default>", {})
        say(client, "1", wrong | {"message.max.bytes": "100"})
    caplog.set_level(logging.INFO)
    run(tmp_path, chroot, use)

    assert "topsecret" not in caplog.text
    for key in wrong:
        told = [line for line in caplog.messages if re.search(rf"for this broker: .*{key}", line)]
        assert len(told) == 1, told
    assert "What /config/brokers/<default> says is not heeded" in caplog.text


def test_a_broker_keeps_to_a_topic_s_configs_when_it_starts(tmp_path: Path, chroot: str) -> None:
    async def first(running: Running) -> None:
        await running.zookeeper(
            lambda client: client.create(
                "/config/topics/a",
                b'{"version":1,"config":{"max.message.bytes":"100"}}',
                makepath=True,
            )
        )
        await running.lead({"a": 1})
        assert await running.produce("a", values=10) == ErrorCode.MESSAGE_TOO_LARGE

    async def second(running: Running) -> None:
        await running.lead({"a": 1}, leader_epoch=1)
        assert await running.produce("a", values=10) == ErrorCode.MESSAGE_TOO_LARGE

    run(tmp_path, chroot, first)
    run(tmp_path, chroot, second)


def test_damaged_configs_keep_their_topic_from_being_served_and_no_other(
    tmp_path: Path, chroot: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def first(running: Running) -> None:
        await running.lead({"a": 1, "b": 1})
        assert await running.produce("a") == 0
        await running.zookeeper(
            lambda client: client.create("/config/topics/b", b"garbage", makepath=True)
        )

    async def second(running: Running) -> None:
        told = (
            "The log of b-0 in .* cannot be served .*: ZooKeeper: .*/config/topics/b .*is not JSON"
        )
        assert re.search(told, caplog.text)
        await running.lead({"a": 1}, leader_epoch=1)
        assert await running.produce("a") == 0

    run(tmp_path, chroot, first)
    run(tmp_path, chroot, second)


@pytest.mark.parametrize(
    "invalid",
    [
        b"garbage",
        b'{"version":1,"config":{"message.timestamp.type":"foo"}}',
        b'{"version":1,"config":{"min.insync.replicas":"foo"}}',
        b'{"version":1,"config":{"cleanup.policy":"archive","retention.ms":"1"}}',
    ],
)
def test_what_had_invalid_configs_at_the_start_is_served_with_all_its_records_when_mended(
    tmp_path: Path, chroot: str, invalid: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    async def first(running: Running) -> None:
        await running.lead({"a": 1})
        assert await running.produce("a") == 0
        await running.zookeeper(
            lambda client: client.create("/config/topics/a", invalid, makepath=True)
        )

    async def second(running: Running) -> None:
        assert [ErrorCode.INVALID_CONFIG] == await running.lead({"a": 1}, leader_epoch=1)
        assert await running.produce("a") == ErrorCode.NOT_LEADER_OR_FOLLOWER
        await running.zookeeper(lambda client: say(client, "a", {"retention.ms": "-1"}, "topics"))
        await until(lambda: "partition a-0 is served" in caplog.text, what="the partition")
        assert await running.produce("a") == 0
        assert await running.fetch("a")

    run(tmp_path, chroot, first)
    run(tmp_path, chroot, second)


def test_old_segments_go_and_their_files_with_them(tmp_path: Path, chroot: str) -> None:
    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        (hosted,) = running.process._parts.broker.partitions  # type: ignore[union-attr]
        told: list[int] = []
        # From the start: files may go while records still come.
        hosted.replica.watch(told.append)
        for _ in range(10):
            assert await running.produce("a", values=20) == 0
        await until(lambda: len(log_files(tmp_path, "a-0")) <= 2, what="the files to go")
        log = hosted.log
        assert log.log_start_offset > 0
        # Those who fetch are told where it starts.
        await until(lambda: 0 in told, what="the news")
        assert len(await running.fetch("a", 0, log.log_start_offset)) > 0

    run(
        tmp_path,
        chroot,
        use,
        log_segment_bytes="1000",
        log_retention_bytes="1000",
        log_retention_ms="-1",
        log_retention_check_interval_ms="20",
        log_segment_delete_delay_ms="0",
    )


def test_silent_producers_are_forgotten_while_the_broker_runs(tmp_path: Path, chroot: str) -> None:
    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        assert await running.produce("a", producer_id=7, producer_epoch=0, sequence=0) == 0
        (log,) = running.process._parts.logs.online[0].logs.values()  # type: ignore[union-attr]
        await until(lambda: not log.producers.producers, what="the producer to be forgotten")

    run(
        tmp_path,
        chroot,
        use,
        producer_id_expiration_ms="1",
        producer_id_expiration_check_interval_ms="10",
    )


def test_checkpoints_are_written_while_the_broker_runs(tmp_path: Path, chroot: str) -> None:
    def rows(name: str) -> list[str]:
        path = tmp_path / "data" / name
        return path.read_text().splitlines()[2:] if path.exists() else []

    async def use(running: Running) -> None:
        await running.lead({"a": 1})
        assert await running.produce("a", values=7) == 0
        await until(
            lambda: rows("replication-offset-checkpoint") == ["a 0 7"], what="the high watermark"
        )
        await until(
            lambda: rows("recovery-point-offset-checkpoint") == ["a 0 7"], what="the recovery point"
        )

    run(
        tmp_path,
        chroot,
        use,
        log_flush_interval_ms="1",
        log_flush_scheduler_interval_ms="10",
        log_flush_offset_checkpoint_interval_ms="10",
        replica_high_watermark_checkpoint_interval_ms="10",
    )
