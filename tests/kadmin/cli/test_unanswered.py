"""Is it no success where something that was named is left out, whoever was asked?"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import TopicAuthorizationFailedError
from kafka.protocol.admin import DescribeQuorumRequest
from kafka.protocol.consumer import ListOffsetsRequest

from kadmin import budget
from kadmin.cli.session import Session
from kadmin.errors import ExitCode
from tests.kadmin.admin.wire.test_wire_denials import Brokers
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.support.cli import kadmin
from tests.support.quick_time import QuickTime
from tests.support.znodes import write_snapshot
from tests.support.zookeeper import client_of

NO_TOPIC = TopicAuthorizationFailedError.errno


class Some(Brokers):
    """A broker with topics, of which this user may not read a."""

    def __init__(self) -> None:
        super().__init__(topics={}, configs={})

    def serves(self, request: Any) -> bool:
        return request is not DescribeQuorumRequest

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        self.topic_errors = {name: NO_TOPIC if name == "a" else 0 for name in topics or ()}
        return super().metadata(topics, broker)

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        assert isinstance(request, ListOffsetsRequest)
        return SimpleNamespace(topics=[])

    def ask_each(self, request: object, brokers: Any) -> Any:
        found = SimpleNamespace(
            error_code=0, log_dir="/d", topics=[], total_bytes=-1, usable_bytes=-1
        )
        return {broker: SimpleNamespace(error_code=0, results=[found]) for broker in brokers}


@pytest.fixture
def damaged(chroot: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A cluster in which topic u, broker 3 and the configs of topic v cannot be understood."""
    made = [topic(name, "0,1", {0: state(0, "0,1")}) for name in ("t", "v")]
    write_snapshot(chroot, cluster(brokers("0 1"), *made))
    with client_of(chroot) as client:
        for path in ("/brokers/topics/u", "/brokers/ids/3", "/config/topics/v"):
            client.ensure_path(path)
            client.set(path, b"{")
    monkeypatch.setenv("KADMIN_ZOOKEEPER", chroot)
    return chroot


@pytest.mark.parametrize(
    ("words", "exit_code"),
    [
        ("topics --describe --topic u --topic t", ExitCode.FAILED),
        ("topics --describe --topic t", ExitCode.DONE),
        ("topics --describe --topic [tu]", ExitCode.DONE),
        ("topics --describe", ExitCode.DONE),
        ("configs --describe --topic v", ExitCode.FAILED),
        ("configs --describe --entity-type topics", ExitCode.DONE),
        ("brokers --describe", ExitCode.DONE),
    ],
)
@pytest.mark.zk
def test_what_is_damaged_fails_the_command_where_it_was_named(
    words: str, exit_code: ExitCode, damaged: str
) -> None:
    outcome = kadmin(*words.split())

    assert exit_code == outcome.exit_code, outcome
    assert ("kadmin: what was named is left out" in outcome.stderr) == bool(exit_code)


@pytest.mark.parametrize(
    ("words", "exit_code"),
    [
        ("log-dirs --topic a --topic b", ExitCode.FAILED),
        ("log-dirs --topic b", ExitCode.DONE),
        ("offsets --topic a --topic b", ExitCode.FAILED),
        ("offsets --topic b", ExitCode.DONE),
    ],
)
def test_what_may_not_be_read_fails_the_command_where_it_was_named(
    words: str, exit_code: ExitCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def connect(session: Session, by: object = None) -> Iterator[Brokers]:
        yield Some()

    monkeypatch.setattr(Session, "connect_brokers", connect)
    monkeypatch.setattr(budget, "time", QuickTime())
    outcome = kadmin(*words.split(), "--bootstrap-server", "b:9092")

    assert exit_code == outcome.exit_code, outcome
    assert ("left out: topic 'a' may not be read" in outcome.stderr) == bool(exit_code)
