"""Is the journal of throttles kept, and is a change by somebody else noticed?"""

import stat
from pathlib import Path

import pytest

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.outcome import Committed, Conflict
from kadmin.admin.wire.throttle_journal import JournalFile, JournalUnreadable, JournalUnwritable
from kadmin.plan.reassignment.journal import Recorded, ThrottleJournal

ID = "VcrVJPOVR7SVkgM35bYjEg"
BROKER = ConfigEntity(Entity(EntityKind.BROKERS, "1"))
RATE = "leader.replication.throttled.rate"


def journal(after: str = "5") -> ThrottleJournal:
    return ThrottleJournal(entries={BROKER: {RATE: Recorded(before=None, afters=(after,))}})


@pytest.fixture
def path(home: Path) -> Path:
    return home / "state" / "kadmin" / "throttles" / f"{ID}.json"


def test_a_journal_is_found_again_by_who_asks_later(path: Path) -> None:
    assert ThrottleJournal() == JournalFile(ID).read()
    assert not path.exists()
    first = JournalFile(ID)
    first.read()
    assert Committed() == first.write(journal())

    assert journal() == JournalFile(ID).read()
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)
    assert ThrottleJournal() == JournalFile("another").read()


def test_an_empty_journal_is_kept_nowhere(path: Path) -> None:
    file = JournalFile(ID)
    file.read()
    file.write(journal())

    assert Committed() == file.write(ThrottleJournal())
    assert not path.exists()
    assert Committed() == file.write(ThrottleJournal())
    assert Committed() == file.write(journal())
    assert journal() == file.read()


def test_who_has_not_seen_the_latest_journal_does_not_write(path: Path) -> None:
    mine, other = JournalFile(ID), JournalFile(ID)
    mine.read()
    other.read()
    other.write(journal())

    outcome = mine.write(ThrottleJournal())

    assert isinstance(outcome, Conflict)
    assert f"the journal of throttles {path} was changed in between" == str(outcome)
    assert journal() == mine.read()
    assert Committed() == mine.write(journal("6"))
    assert journal("6") == other.read()


@pytest.mark.parametrize("text", [b"", b"{}", b'{"version": 9, "throttles": []}', b"\xff"])
def test_a_damaged_journal_is_named_and_left_as_it_is(path: Path, text: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(text)

    with pytest.raises(JournalUnreadable, match=r"throttles/VcrV.*\.json: .*; no throttle"):
        JournalFile(ID).read()
    assert text == path.read_bytes()


def test_a_journal_that_is_no_file_is_named(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(JournalUnreadable, match="Is a directory"):
        JournalFile(ID).read()
    path.rmdir()

    file = JournalFile(ID)
    file.read()
    path.parent.rmdir()
    path.parent.write_text("in the way")
    with pytest.raises(JournalUnwritable, match=r"cannot keep in .*File exists"):
        file.write(journal())


def test_any_id_of_a_cluster_makes_a_name_of_a_file() -> None:
    file = JournalFile("../../etc/passwd")
    file.read()

    assert Committed() == file.write(journal())
    assert journal() == JournalFile("../../etc/passwd").read()
    assert "..%2F..%2Fetc%2Fpasswd.json" == file.path.name
