"""Do questions on threads end with whoever has asked, and leave no connection behind?"""

import socket
import threading
from functools import partial

import pytest

from cluster.model.address import split_address
from kadmin.admin.asking import Asking, Lines
from tests.support.silent_servers import mute_server
from tests.support.waiting import OUTER_LIMIT_S, wait_until


def ask(lines: Lines, address: str) -> str:
    try:
        with lines.connect(split_address(address), OUTER_LIMIT_S) as connection:
            return connection.recv(1).decode() or "ended"
    except OSError as error:
        return str(error)


def test_the_connections_of_questions_end_with_the_asking() -> None:
    lines = Lines()
    with mute_server() as one, mute_server() as other:
        with Asking([one, other], partial(ask, lines), lines) as asking:
            wait_until(lambda: len(lines._open) == 2, what="both connections")
            assert {} == asking.answers(0)

        assert {one: "ended", other: "ended"} == asking.answers(OUTER_LIMIT_S)
    assert set() == lines._open


def test_nothing_is_connected_to_any_more_after_that() -> None:
    lines = Lines()
    lines.close()
    with mute_server() as address:
        assert "nobody waits for the answer" == ask(lines, address)


def test_enough_answers_are_not_waited_beyond() -> None:
    hangs = threading.Event()
    asking: Asking[int, int] = Asking([1, 2], lambda number: hangs.wait() if number == 2 else 7)

    assert {1: 7} == asking.answers(OUTER_LIMIT_S, lambda answers: 1 in answers)
    hangs.set()


@pytest.mark.parametrize("error", [ConnectionRefusedError, TimeoutError])
def test_a_connection_that_fails_is_none_to_be_closed(
    error: type[OSError], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(address: tuple[str, int], timeout_s: float) -> None:
        raise error

    monkeypatch.setattr(socket, "create_connection", refuse)
    lines = Lines()

    with pytest.raises(error), lines.connect(("h", 1), 1):
        pass
    assert set() == lines._open
