"""One peer has some lines in a while; what comes beyond is counted."""

import logging
from collections.abc import Callable

import pytest

from cluster.broker.handling import Peer
from cluster.broker.line_limit import ADDRESSES_MAX, LINES_MAX, PERIOD_MS
from cluster.runtime.network.closing_log import CLOSING, ClosingLog


class Later:
    def __init__(self) -> None:
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def __call__(self, delay_s: float, function: Callable[[], None]) -> None:
        self.waiting.append((delay_s, function))


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def closing_log(later: Later, caplog: pytest.LogCaptureFixture) -> ClosingLog:
    caplog.set_level(logging.INFO)
    return ClosingLog(later)


def add(closing_log: ClosingLog, host: str, count: int) -> None:
    for number in range(count):
        closing_log.add(logging.WARNING, CLOSING, Peer(host, number, "PLAINTEXT"), "it is garbage")


def test_a_peer_has_some_lines_and_then_one_with_the_count_of_the_rest(
    closing_log: ClosingLog, later: Later, caplog: pytest.LogCaptureFixture
) -> None:
    add(closing_log, "10.0.0.1", 5000)
    add(closing_log, "10.0.0.2", 1)

    assert len(caplog.messages) == LINES_MAX + 1
    assert caplog.messages[0] == "Closing the connection of 10.0.0.1:0 to PLAINTEXT: it is garbage"
    assert caplog.messages[-1].startswith("Closing the connection of 10.0.0.2:0")

    caplog.clear()
    ((delay_s, tell),) = later.waiting
    tell()

    rest = 5000 - LINES_MAX
    assert delay_s == PERIOD_MS / 1000
    assert caplog.messages == [
        f"Connections of 10.0.0.1 were closed or refused: and {rest} more in 60 s"
    ]


def test_the_next_period_has_its_own_lines(
    closing_log: ClosingLog, later: Later, caplog: pytest.LogCaptureFixture
) -> None:
    add(closing_log, "10.0.0.1", LINES_MAX)
    later.waiting.pop()[1]()
    caplog.clear()

    add(closing_log, "10.0.0.1", LINES_MAX + 1)

    assert len(caplog.messages) == LINES_MAX
    assert len(later.waiting) == 1


def test_very_many_addresses_share_what_is_said(
    closing_log: ClosingLog, later: Later, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(ADDRESSES_MAX + 5000):
        add(closing_log, f"10.0.{number // 256}.{number % 256}", 1)

    assert len(caplog.messages) == ADDRESSES_MAX + LINES_MAX
    caplog.clear()
    later.waiting.pop()[1]()
    assert caplog.messages == [
        "Connections of other addresses were closed or refused:"
        f" and {5000 - LINES_MAX} more in 60 s"
    ]
