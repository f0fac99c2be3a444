from pathlib import Path
from typing import BinaryIO

import pytest

from kadmin.local import log_reading
from kadmin.local.log_reading import NoLog, follow_log, read_log


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_reading, "POLL_S", 0)


def test_a_log_is_read_whole(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"x" * 200_000 + b"no newline at its end")

    assert log.read_bytes() == b"".join(read_log(log))


@pytest.mark.parametrize("read", [read_log, follow_log])
def test_a_log_that_is_not_there_is_named(read, tmp_path: Path) -> None:
    with pytest.raises(NoLog, match=f"cannot read {tmp_path}/server.log: no such file") as raised:
        next(read(tmp_path / "server.log"))

    assert f"see what is there: ls {tmp_path}" == raised.value.hint


def test_following_gives_what_is_there_and_then_what_is_added(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"one\n")
    following = follow_log(log)

    before = [next(following), next(following), next(following)]
    with log.open("ab") as file:
        file.write(b"two\n")
    after = [next(following), next(following)]

    assert [b"one\n", b"", b""] == before
    assert [b"two\n", b""] == after


def test_following_goes_on_where_a_log_is_rolled_and_loses_no_line(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"one\n")
    following = follow_log(log)
    assert [b"one\n", b""] == [next(following), next(following)]

    with log.open("ab") as file:
        file.write(b"last of the hour\n")
    log.rename(tmp_path / "server.log.2026-01-01-00")
    between = [next(following), next(following)]
    log.write_bytes(b"first of the next\n")
    after = [next(following), next(following)]

    assert [b"last of the hour\n", b""] == between
    assert [b"first of the next\n", b""] == after


def test_a_log_that_is_rolled_between_two_looks_is_read_in_order(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"")
    following = follow_log(log)
    assert b"" == next(following)

    log.write_bytes(b"old\n")
    log.rename(tmp_path / "server.log.2026-01-01-00")
    log.write_bytes(b"new\n")

    assert [b"old\n", b"new\n", b""] == [next(following) for _ in range(3)]


def test_a_line_that_is_written_while_the_log_is_rolled_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"one\n")
    following = follow_log(log)
    assert [b"one\n", b""] == [next(following), next(following)]
    look = log_reading.is_at

    def look_late(file: BinaryIO, path: Path) -> bool:
        monkeypatch.undo()
        with log.open("ab") as old:
            old.write(b"at the last moment\n")
        log.rename(tmp_path / "server.log.2026-01-01-00")
        log.write_bytes(b"new\n")
        return look(file, path)

    monkeypatch.setattr(log_reading, "is_at", look_late)

    assert [b"at the last moment\n", b"new\n"] == [next(following), next(following)]
