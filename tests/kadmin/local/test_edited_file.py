"""What stays of a file of settings that kadmin writes again and people edit in between."""

from pathlib import Path

import javaproperties
import pytest

from kadmin.errors import KadminError, RefusedError
from kadmin.local.edited_file import EditedFile

OWNED = {"broker.id": "it is the cluster's", "server.": "the members are the cluster's"}
FIRST = "broker.id=1\nnum.partitions=3\nlog.dirs=data\n"
SECOND = "broker.id=1\nnum.partitions=6\nlog.dirs=data\n"


@pytest.fixture
def edited(tmp_path: Path) -> EditedFile:
    """A file that kadmin has written once."""
    file = EditedFile(tmp_path / "server.properties", OWNED)
    file.write(FIRST)
    return file


@pytest.mark.parametrize(
    ("by_hand", "keys", "kept"),
    [
        (FIRST, (), ""),
        (FIRST + "log.roll.ms=7\n", ("log.roll.ms",), "log.roll.ms=7\n"),
        # Without an end of line; of Windows; after a comment; above what is kadmin's.
        (FIRST + "log.roll.ms=7", ("log.roll.ms",), "log.roll.ms=7\n"),
        (FIRST + "a=1\r\nb=2\r\n", ("a", "b"), "a=1\nb=2\n"),
        (FIRST + "\n# mine\nlog.roll.ms=7\n", ("log.roll.ms",), "# mine\nlog.roll.ms=7\n"),
        ("log.roll.ms : 7\n" + FIRST, ("log.roll.ms",), "log.roll.ms : 7\n"),
        (FIRST + "a=1,\\\n  2\nb=\xfc\n", ("a", "b"), "a=1,\\\n  2\nb=\xfc\n"),
        # A value that was changed is a line that was added; one that was removed comes back.
        (FIRST.replace("=3", "=9"), ("num.partitions",), "num.partitions=9\n"),
        (FIRST.replace("num.partitions=3\n", ""), (), ""),
        ("", (), ""),
        # The same key once more, with kadmin's own value.
        (FIRST + "num.partitions=3\n", ("num.partitions",), "num.partitions=3\n"),
    ],
)
def test_what_was_added_or_changed_by_hand_stays_and_wins(
    edited: EditedFile, by_hand: str, keys: tuple[str, ...], kept: str
) -> None:
    edited.path.write_text(by_hand, encoding="latin-1", newline="")

    assert keys == edited.keys_by_hand()
    for _ in range(2):
        edited.write(SECOND)

        found = edited.path.read_text(encoding="latin-1")
        assert SECOND + kept == found
        assert keys == edited.keys_by_hand()
        assert javaproperties.loads(SECOND) | javaproperties.loads(kept) == javaproperties.loads(
            found
        )


def test_without_an_edit_the_new_settings_are_there_and_nothing_else(edited: EditedFile) -> None:
    assert edited.was_written_as(FIRST)
    assert not edited.was_written_as(SECOND)

    edited.write(SECOND)

    assert SECOND == edited.path.read_text()
    assert edited.was_written_as(SECOND)


def test_a_removed_file_is_written_anew(edited: EditedFile) -> None:
    edited.path.unlink()

    edited.write(SECOND)

    assert SECOND == edited.path.read_text()


def test_a_kill_between_the_two_writes_makes_no_line_a_persons(edited: EditedFile) -> None:
    edited.path.write_text(SECOND + "mine=1\n")

    edited.write(SECOND)

    assert SECOND + "mine=1\n" == edited.path.read_text()
    assert ("mine",) == edited.keys_by_hand()


@pytest.mark.parametrize("line", ["broker.id=7", "broker.id : 7", "server.4=127.0.0.1:1:2"])
def test_what_the_cluster_decides_is_refused_and_the_edit_stays(
    edited: EditedFile, line: str
) -> None:
    text = f"# first\n{FIRST}{line}\n"
    edited.path.write_text(text)

    with pytest.raises(RefusedError, match=r"server\.properties:5: .* cannot be changed by hand"):
        edited.write(SECOND)

    assert text == edited.path.read_text()
    assert edited.was_written_as(FIRST)


def test_what_is_no_properties_file_is_named_with_its_line(edited: EditedFile) -> None:
    edited.path.write_text(FIRST + "a=\\u12\n")

    with pytest.raises(KadminError, match=r"server\.properties:4: "):
        edited.write(SECOND)
