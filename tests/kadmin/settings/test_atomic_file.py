"""Is a file replaced in one go, and is nothing left of an attempt that failed?"""

import os
import stat
from pathlib import Path

import pytest

from kadmin.settings.atomic_file import write_atomically


def test_a_new_file_is_its_owner_s_alone(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", "täxt\n")

    assert "täxt\n" == (tmp_path / "file").read_text(encoding="utf-8")
    assert 0o600 == stat.S_IMODE((tmp_path / "file").stat().st_mode)


def test_an_old_file_keeps_its_mode_and_its_readers_what_they_opened(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)

    with path.open() as reader:
        write_atomically(path, "new")
        assert "old" == reader.read()

    assert "new" == path.read_text()
    assert 0o640 == stat.S_IMODE(path.stat().st_mode)


def test_an_attempt_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "file", "text")

    assert ["file"] == os.listdir(tmp_path)
