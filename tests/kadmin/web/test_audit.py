"""The audit log: what is in it, and what if it takes no line?"""

import json
from pathlib import Path

import pytest

from kadmin.errors import KadminError
from kadmin.web.audit import AuditLog, Author, CannotAudit

ANN = Author(name="ann", role="admin", cluster="east", address="10.0.0.1")


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_change_is_on_disk_before_it_begins_and_its_outcome_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path)

    with log.change(ANN, "Delete a topic", ["orders"]) as outcome:
        begun = lines_of(path)
        outcome["written"] = ["orders"]

    assert [("begun", ["orders"], "ann", "10.0.0.1", "east")] == [
        (line["stage"], line["plan"], line["who"], line["from"], line["cluster"]) for line in begun
    ]
    done = lines_of(path)[1]
    assert ("done", ["orders"], begun[0]["id"]) == (done["stage"], done["written"], done["id"])
    assert 0o600 == path.stat().st_mode & 0o777


@pytest.mark.parametrize(
    ("error", "text"),
    [(KadminError("no majority"), "no majority"), (ValueError("odd"), "ValueError('odd')")],
)
def test_a_change_that_fails_is_noted_with_its_error(
    tmp_path: Path, error: Exception, text: str
) -> None:
    path = tmp_path / "audit.jsonl"

    with pytest.raises(type(error)), AuditLog(path).change(ANN, "Grow a topic", []):
        raise error

    assert [("begun", None), ("failed", text)] == [
        (line["stage"], line.get("error")) for line in lines_of(path)
    ]


def test_what_cannot_be_noted_is_not_done(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)  # A directory takes no line.
    done = []

    with pytest.raises(CannotAudit, match="nothing is changed"), log.change(ANN, "Delete", []):
        done.append(True)

    assert [] == done
    with pytest.raises(CannotAudit):
        log.check()


@pytest.mark.parametrize("error", [None, KadminError("no majority")])
def test_an_outcome_that_cannot_be_noted_is_no_change_that_was_not_made(
    tmp_path: Path, error: KadminError | None, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path)

    def delete() -> None:
        with log.change(ANN, "Delete topic orders", []) as outcome:
            outcome["written"] = ["orders"]
            path.rename(tmp_path / "full")
            path.mkdir()
            if error is not None:
                raise error

    with pytest.raises(KadminError) as raised:
        delete()

    if error is None:
        text = f"what came of it is not in the audit log {path}: Is a directory"
        assert text == raised.value.message
    else:
        assert error is raised.value
    assert '"written": ["orders"]' in caplog.text


def test_a_line_behind_one_that_was_cut_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    path.write_text('{"action": "cut by a full di')

    AuditLog(path).refused(ANN, "next", "")

    assert ["next"] == [line["action"] for line in AuditLog(path).latest(10)]


def test_hostile_text_stays_within_its_line(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")

    log.refused(ANN, "POST /\n{}", '"}\n{"who": "eve"}\u2028\x1b')

    assert ['"}\n{"who": "eve"}\u2028\x1b'] == [line["reason"] for line in log.latest(10)]


def test_the_latest_lines_are_read_around_what_a_crash_has_cut(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path)
    log.refused(ANN, "first", "")
    with path.open("a") as file:
        file.write('{"action": "cut of\n[1]\n')
    log.refused(ANN, "last", "")

    assert ["last", "first"] == [line["action"] for line in log.latest(10)]
    assert ["last"] == [line["action"] for line in log.latest(1)]
    assert [] == AuditLog(tmp_path / "none").latest(10)
