"""The three log files: Kafka's layout, Kafka's hourly names, and no line lost."""

import logging
import os
import re
import sys
import time
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import pytest

from cluster.model.ids import BrokerId, ControllerEpoch, TopicPartition
from cluster.runtime.hourly_logs import (
    CONTROLLER,
    STATE_CHANGE,
    HourlyFile,
    end_of_hour,
    hour_name,
    start_logging,
    write_state_change,
)
from cluster.statechange.controller import ControllerTag, partition_failed
from cluster.statechange.line import Level, StateChangeLine
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line

HOUR_S = 3600
NOW_S = 1_760_000_400.25
"""A quarter of a second into some minute, far from both ends of its hour in every time zone."""


@pytest.fixture
def clean_loggers() -> Iterator[None]:
    """Whatever `start_logging` attaches is taken off again."""
    loggers = [logging.getLogger(name) for name in ("", CONTROLLER, STATE_CHANGE)]
    before = [(list(logger.handlers), logger.level, logger.propagate) for logger in loggers]
    kazoo_level = logging.getLogger("kazoo").level
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        for handler in [one for one in logger.handlers if one not in handlers]:
            logger.removeHandler(handler)
            handler.close()
        logger.setLevel(level)
        logger.propagate = propagate
    logging.getLogger("kazoo").setLevel(kazoo_level)


def line(message: str, at_s: float) -> logging.LogRecord:
    record = logging.LogRecord("cluster", logging.INFO, "", 0, message, None, None)
    record.created = at_s
    record.msecs = at_s % 1 * 1000
    return record


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.usefixtures("clean_loggers")
def test_each_file_gets_its_own_lines_in_kafka_s_layout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start_logging(str(tmp_path / "logs"))
    logging.getLogger("cluster.runtime").warning("disk %s", "full")
    logging.getLogger(CONTROLLER).info("elected")
    for level in Level:
        write_state_change(StateChangeLine(level, "[Broker id=1] said 100% of it"))

    head = r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] "
    server = (tmp_path / "logs/server.log").read_text()
    assert re.fullmatch(head + r"WARN disk full \(cluster.runtime\)\n", server)
    assert server == capsys.readouterr().err
    controller = (tmp_path / "logs/controller.log").read_text()
    assert re.fullmatch(head + r"INFO elected \(cluster.controller\)\n", controller)
    changes = (tmp_path / "logs/state-change.log").read_text().splitlines()
    for level, change in zip(Level, changes, strict=True):
        said = rf"{level} \[Broker id=1\] said 100% of it \(state.change.logger\)"
        assert re.fullmatch(head + said, change)
        assert parse_line(change).level == level.value


def test_a_finished_hour_gives_its_name_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.touch()
    os.utime(path, (NOW_S, NOW_S))
    handler = HourlyFile(str(path))
    handler.emit(line("before", NOW_S))
    handler.emit(line("after", NOW_S + HOUR_S))
    handler.emit(line("much later", NOW_S + 5 * HOUR_S))
    handler.close()

    first, second = hour_name(NOW_S), hour_name(NOW_S + HOUR_S)
    assert {first, second} < {name.removeprefix("server.log.") for name in names(tmp_path)}
    assert "before" in (tmp_path / f"server.log.{first}").read_text()
    assert "after" in (tmp_path / f"server.log.{second}").read_text()
    assert "much later" in path.read_text()


def test_a_file_of_an_earlier_hour_is_rolled_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("old\n")
    os.utime(path, (NOW_S, NOW_S))
    handler = HourlyFile(str(path))
    handler.emit(line("new", NOW_S + 2 * HOUR_S))
    handler.close()

    assert (tmp_path / f"server.log.{hour_name(NOW_S)}").read_text() == "old\n"
    assert "new" in path.read_text()


def test_an_hour_that_comes_twice_overwrites_nothing(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    rolled = tmp_path / f"server.log.{hour_name(NOW_S)}"
    rolled.write_text("first time\n")
    path.write_text("second time\n")
    os.utime(path, (NOW_S, NOW_S))
    handler = HourlyFile(str(path))
    handler.emit(line("next hour", NOW_S + HOUR_S))
    handler.close()

    assert rolled.read_text() == "first time\n"
    assert path.read_text().startswith("second time\n")


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/St_Johns"])
def test_hours_end_by_the_local_clock(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        end_s = end_of_hour(NOW_S)

        assert time.localtime(end_s)[4:6] == (0, 0)
        assert 0 < end_s - NOW_S <= HOUR_S
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_line_that_cannot_be_written_is_lost_and_said_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    handler = HourlyFile(str(tmp_path / "server.log"))
    handler._file.close()
    handler._file = FileIO("/dev/full", "a")
    handler.emit(line("lost", time.time()))
    handler.close()

    assert "server.log: No space left on device" in capsys.readouterr().err


def test_a_name_that_is_no_text_does_not_cost_its_line(tmp_path: Path) -> None:
    handler = HourlyFile(str(tmp_path / "server.log"))
    handler.emit(line("a client named \udc80", time.time()))
    handler.close()

    assert "a client named \\udc80" in (tmp_path / "server.log").read_text()


def test_what_a_client_calls_itself_is_no_line_of_its_own(tmp_path: Path) -> None:
    forged = "broker 3 at a\0b\n[2026-01-01 00:00:00,000] ERROR the disk failed (x)\x1b[2J\u2028é\t"
    handler = HourlyFile(str(tmp_path / "server.log"))
    handler.emit(line(forged, time.time()))
    try:
        raise ValueError("below\nthe line")
    except ValueError:
        record = line("a mistake", time.time())
        record.exc_info = sys.exc_info()
        handler.emit(record)
    handler.close()

    first, second, trace, *_, last = (tmp_path / "server.log").read_text().split("\n")[:-1]
    assert (
        r"broker 3 at a\x00b\n[2026-01-01 00:00:00,000] ERROR the disk failed (x)\x1b[2J\u2028é\t"
        in first
    )
    assert second.endswith("INFO a mistake (cluster)")
    assert ("Traceback (most recent call last):", "the line") == (trace, last)


@pytest.mark.usefixtures("clean_loggers")
def test_an_exception_stands_below_its_state_change_as_in_kafkas_log(tmp_path: Path) -> None:
    start_logging(str(tmp_path))
    tag = ControllerTag(BrokerId(2), ControllerEpoch(7))
    states = ("OfflinePartition", "OnlinePartition")
    line = partition_failed(tag, TopicPartition("t", 0), *states, "100%\nforged")

    write_state_change(line)

    said, below = (tmp_path / "state-change.log").read_text().splitlines()
    assert Kind.TRANSITION_FAILED is parse_line(said).kind
    assert said.endswith("from OfflinePartition to OnlinePartition (state.change.logger)")
    assert r"kafka.common.StateChangeFailedException: 100%\nforged" == below
