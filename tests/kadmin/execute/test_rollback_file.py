"""The rollback file: is it whole, on the disk, and nobody's file before?"""

import os
import stat
from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from kadmin.execute.rollback_file import NoRollbackFile, write_rollback_file


def test_a_new_file_and_its_directory_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []
    sync = os.fsync

    def note_sync(descriptor: int) -> None:
        is_directory = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        synced.append(("directory", path.read_text()) if is_directory else ("file", ""))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", note_sync)
    path = tmp_path / "back.json"

    write_rollback_file(str(path), "what was")

    assert [("file", ""), ("directory", "what was")] == synced
    assert "what was" == path.read_text()


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "back.json"
    path.write_text("precious")

    with pytest.raises(NoRollbackFile, match="it is there already; nothing was written") as raised:
        write_rollback_file(str(path), "x")

    assert "precious" == path.read_text()
    assert ExitCode.REFUSED == raised.value.exit_code


def test_where_none_can_be_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(NoRollbackFile, match="No such file or directory"):
        write_rollback_file(str(tmp_path / "no" / "back.json"), "x")


def test_a_half_written_one_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)

    with pytest.raises(NoRollbackFile, match="No space left"):
        write_rollback_file(str(tmp_path / "back.json"), "x")

    assert [] == list(tmp_path.iterdir())


def test_a_name_alone_is_in_this_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    write_rollback_file("back.json", "x")

    assert "x" == (tmp_path / "back.json").read_text()
