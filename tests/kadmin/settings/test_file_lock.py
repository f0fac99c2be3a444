"""Commands take turns at the same files."""

import os
from pathlib import Path

import pytest

from kadmin.errors import InProgressError
from kadmin.settings.file_lock import locked_file

TAKEN = InProgressError("taken")


def test_a_lock_that_others_hold_is_taken_and_free_again_behind_them(tmp_path: Path) -> None:
    lock = tmp_path / "lock"

    with (
        locked_file(lock, 1, TAKEN),
        pytest.raises(InProgressError, match="taken"),
        locked_file(lock, 0.05, TAKEN),
    ):
        pass
    with locked_file(lock, 1, TAKEN):
        pass
    assert lock.exists()


def test_a_lock_is_held_as_long_as_anybody_has_its_descriptor(tmp_path: Path) -> None:
    """As a server's launcher does, which outlives the command that started it."""
    lock = tmp_path / "lock"

    with locked_file(lock, 1, TAKEN) as descriptor:
        kept = os.dup(descriptor)
    with pytest.raises(InProgressError), locked_file(lock, 0.05, TAKEN):
        pass
    os.close(kept)
    with locked_file(lock, 1, TAKEN):
        pass
