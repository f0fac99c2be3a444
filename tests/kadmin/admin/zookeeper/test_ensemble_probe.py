"""Of several ZooKeepers, is one found that serves, and is it told where none does?"""

import socket
from contextlib import ExitStack, closing
from threading import Thread

import pytest

from kadmin.admin.zookeeper import ensemble_probe
from kadmin.admin.zookeeper.connection import (
    NoMajority,
    ZooKeeperSilent,
    ZooKeeperUnreachable,
    connect,
)
from kadmin.admin.zookeeper.ensemble_probe import EnsembleProbe, Heard, Voice
from kadmin.budget import Budget
from kadmin.local.ports import free_ports
from kadmin.plan.zookeeper_words import no_majority
from kadmin.settings.resolve import ZooKeeperSettings
from tests.support.silent_servers import (
    IDLE,
    LOOPBACK,
    deaf_server,
    mute_server,
    saying_server,
)

SERVING = b"Zookeeper version: 3.9.3\nMode: follower\n"
READ_ONLY = b"Zookeeper version: 3.9.5\nMode: read-only\n"
FORBIDDEN = b"srvr is not executed because it is not in the whitelist.\n"

LONG_S = 1000.0
"""Nobody is waited for so long: a test would be over time before."""


@pytest.fixture
def refusing() -> str:
    (port,) = free_ports(1, LOOPBACK)
    return f"{LOOPBACK}:{port}"


def settings(*servers: str, timeout_s: float = LONG_S) -> ZooKeeperSettings:
    return ZooKeeperSettings(connect=",".join(servers), timeout_s=timeout_s)


def heard(*servers: str, timeout_s: float = LONG_S) -> Heard:
    with closing(EnsembleProbe(settings(*servers, timeout_s=timeout_s))) as found:
        return found.wait_for_majority(Budget(timeout_s), lambda _: None)


@pytest.mark.parametrize("says", [SERVING, FORBIDDEN, b""])
def test_one_that_may_serve_is_found_whoever_is_silent(says: bytes, refusing: str) -> None:
    with saying_server(says) as working, mute_server() as mute, deaf_server() as deaf:
        assert [working] == heard(mute, refusing, deaf, working).usable


def test_who_says_that_it_serves_comes_before_who_says_less() -> None:
    told = Heard(("a", "b", "c"), {"a": Voice.LIVES, "b": Voice.SERVES, "c": Voice.IDLE})

    assert ["b", "a"] == told.usable


@pytest.mark.parametrize(
    ("idle", "mute", "text"),
    [
        (1, 2, "no majority: 1 of 3 answers"),
        (2, 3, "no majority: 2 of 5 answer"),
        (0, 3, "no majority: 0 of 3 answer"),
        (3, 0, "no majority: 3 of 3 answer, and none serves"),
        (1, 0, "no majority: it does not serve"),
        (0, 1, "no majority: it does not answer"),
    ],
)
def test_it_is_told_how_many_answer_where_none_serves(idle: int, mute: int, text: str) -> None:
    assert text == no_majority(idle, idle + mute)
    with ExitStack() as stack:
        # The last may be one that lets clients read that accept it.
        said = ([IDLE] * idle)[1:] + [READ_ONLY] * (idle > 0)
        servers = [stack.enter_context(saying_server(text)) for text in said]
        silent = [stack.enter_context(mute_server()) for _ in range(mute)]
        told = heard(*servers, *silent, timeout_s=0.3)

    reasons = "; ".join(f"{address}: no answer" for address in silent)
    assert (f"{text} ({reasons})" if reasons else text) == str(told)
    assert [] == told.usable


def test_where_nobody_listens_nobody_is_waited_for() -> None:
    one, other = (f"{LOOPBACK}:{port}" for port in free_ports(2, LOOPBACK))

    assert heard(one, other).is_refused


def test_an_election_is_waited_for_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensemble_probe, "SILENCE_MAX_S", 0.0)
    notes: list[str] = []
    says = [IDLE, IDLE, SERVING]
    with socket.create_server((LOOPBACK, 0)) as listening:

        def serve() -> None:
            for text in says:
                client, _ = listening.accept()
                with client:
                    client.recv(1000)
                    client.sendall(text)

        Thread(target=serve, daemon=True).start()
        address = f"{LOOPBACK}:{listening.getsockname()[1]}"
        with closing(EnsembleProbe(settings(address))) as found:
            told = found.wait_for_majority(Budget(LONG_S), notes.append)

    assert [address] == told.usable
    assert ["no majority: it does not serve"] == notes


@pytest.mark.parametrize("has_glance", [True, False])
def test_a_session_is_not_waited_for_where_there_is_no_majority(has_glance: bool) -> None:
    with saying_server(IDLE) as one, saying_server(IDLE) as other:
        named = settings(one, other, timeout_s=1)
        with ExitStack() as stack:
            looking = stack.enter_context(closing(EnsembleProbe(named))) if has_glance else None
            with pytest.raises(NoMajority) as raised, connect(named, probe=looking):
                pass

    assert isinstance(raised.value, ZooKeeperUnreachable)
    assert raised.value.message.endswith("no majority: 2 of 2 answer, and none serves")
    assert "'kadmin zookeeper' shows each server" in (raised.value.hint or "")


@pytest.mark.parametrize(
    ("silent", "text"),
    [
        (0, "no answer (waited "),
        (1, "no majority: 1 of 2 answers ({silent}: no answer)"),
        (2, "no majority: 1 of 3 answers ({silent}: no answer; {other}: no answer)"),
    ],
)
def test_who_says_that_he_serves_and_opens_no_session_has_just_lost_the_others(
    silent: int, text: str
) -> None:
    """A ZooKeeper notices after some seconds that it is alone."""
    with saying_server(SERVING, to=b"srvr") as lonely, mute_server() as one, mute_server() as other:
        named = settings(lonely, *(one, other)[:silent], timeout_s=0.5)
        with (
            closing(EnsembleProbe(named)) as looking,
            pytest.raises(ZooKeeperSilent) as raised,
            connect(named, probe=looking),
        ):
            pass

    assert text.format(silent=one, other=other) in raised.value.message
