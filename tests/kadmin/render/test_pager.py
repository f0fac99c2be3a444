"""Which results go through the user's pager?"""

import pytest

from kadmin.render.output import Document, Output
from kadmin.render.pager import page, pager_command
from tests.kadmin.render.terminal import FakeTerminal


def document(count: int) -> Document:
    return Document(
        schema="kadmin.test/1",
        body=dict,
        columns=(),
        rows=list,
        lines=lambda: map(str, range(count)),
    )


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """A file that the pager writes, and a terminal of 10 rows."""
    monkeypatch.setenv("LINES", "10")
    return tmp_path / "paged"


def test_a_result_that_is_longer_than_the_terminal_is_paged(saved):
    terminal = FakeTerminal()

    Output(stdout=terminal, pager=f"cat > {saved}").show(document(10))

    assert ("", [str(number) for number in range(10)]) == (
        terminal.getvalue(),
        saved.read_text().split(),
    )


def test_a_shorter_one_is_not(saved):
    terminal = FakeTerminal()

    Output(stdout=terminal, pager=f"cat > {saved}").show(document(9))

    assert not saved.exists()
    assert 9 == terminal.getvalue().count("\n")


def test_nothing_is_paged_into_a_pipe_or_without_a_pager(saved, capsys):
    Output(pager=f"cat > {saved}").show(document(10))
    Output(stdout=(terminal := FakeTerminal())).show(document(10))

    assert not saved.exists()
    assert 10 == terminal.getvalue().count("\n") == capsys.readouterr().out.count("\n")


@pytest.mark.parametrize("command", ["no-such-pager", "/"])
def test_a_pager_that_is_none_costs_nothing(saved, command):
    terminal = FakeTerminal()

    Output(stdout=terminal, pager=f"{command} 2>/dev/null").show(document(10))

    assert 10 == terminal.getvalue().count("\n")


def test_a_pager_that_is_left_early_is_no_failure():
    assert page("x" * 1_000_000, "true")


def test_less_is_told_what_git_tells_it(saved, monkeypatch):
    monkeypatch.delenv("LESS", raising=False)

    page("", f"echo $LESS > {saved}")

    assert "FRX\n" == saved.read_text()


@pytest.mark.parametrize(
    ("value", "command"), [("more -s", "more -s"), ("", None), ("cat", None), (None, "less")]
)
def test_the_pager_is_the_one_of_the_environment(monkeypatch, value, command):
    if value is None:
        monkeypatch.delenv("PAGER", raising=False)
    else:
        monkeypatch.setenv("PAGER", value)

    assert command == pager_command()
