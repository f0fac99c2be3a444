"""The question before a reassignment, on a terminal."""

from pathlib import Path

import pytest

from kadmin.errors import ExitCode
from tests.kadmin.cli.reassign.steps import controlled
from tests.support.asking import AskingKadmin
from tests.support.znodes import all_znodes

pytestmark = pytest.mark.zk
TARGET = ("--topic", "t", "--partitions", "0", "--replicas", "2,1")


@pytest.mark.parametrize("keys", [b"n\n", b"\n", b"\x04"], ids=["no", "enter", "end of input"])
def test_who_is_asked_and_does_not_say_yes_moves_nothing(small: str, keys: bytes) -> None:
    before = all_znodes(small)
    with AskingKadmin("reassign", "--execute", *TARGET, "--throttle", "1000") as asking:
        asking.read_until("[y/N]: ")
        question = asking.said
        asking.press(keys)
        code = asking.exit_code()

    assert "  t-0: 0,1 -> 2,1, leadership moves off broker 0\n" in question
    assert f"\n{small}: Move this partition?" in question
    assert ExitCode.REFUSED == code
    assert asking.said.endswith("\nkadmin: not confirmed; nothing was written\n")
    assert before == all_znodes(small)
    assert [] == list(Path().iterdir())


def test_who_is_asked_and_ends_it_instead_moves_nothing(small: str) -> None:
    before = all_znodes(small)
    with AskingKadmin("reassign", "--execute", *TARGET) as asking:
        asking.read_until("[y/N]: ")
        code = asking.interrupted()

    assert ExitCode.INTERRUPTED == code
    assert before == all_znodes(small)
    assert [] == list(Path().iterdir())


def test_who_is_asked_and_says_yes_has_it_moved(small: str) -> None:
    with (
        controlled(small) as controller,
        AskingKadmin("reassign", "--execute", *TARGET, "--wait") as asking,
    ):
        asking.read_until("[y/N]: ")
        asking.answer("y")
        code = asking.exit_code()

    assert ExitCode.DONE == code, asking.said
    assert "Reassignment of partition t-0 is completed." in asking.said
    assert 1 == len(controller.requests)
