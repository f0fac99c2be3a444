"""What is seen of a result on the alternate screen, and what is left when it ends."""

import io

import pytest

from kadmin.render.alternate_screen import AlternateScreen, composed
from kadmin.render.output import Output
from tests.kadmin.render.terminal import FakeTerminal


@pytest.fixture
def small(monkeypatch):
    """A terminal of 40 columns and 6 rows."""
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "6")


def test_what_there_is_room_for_is_shown_whole():
    assert ["title", "a note", "1", "", "2"] == composed(
        "title", ["1", "", "2"], ["a note"], rows=5, columns=40
    )


def test_a_result_that_is_too_long_shows_its_head_and_how_much_is_left():
    body = [str(number) for number in range(20)]

    lines = composed("title", body, [], rows=6, columns=40)

    assert ["title", "0", "1", "2", "3", "… 16 more lines than this terminal has"] == lines


def test_where_room_is_short_nothing_is_spent_on_blank_lines_and_long_notes():
    body = ["head", "", "1", "2", "3", "4"]
    notes = ["a note that is longer than the terminal", "another"]

    lines = composed("title", body, notes, rows=7, columns=20)

    assert ["title", notes[0], "head", "1", "2", "3", "4"] == lines


def test_a_long_note_is_broken_where_there_is_room():
    lines = composed("title", ["1"], ["a note that is long"], rows=12, columns=10)

    assert ["title", "a note", "that is", "long", "1"] == lines


def test_a_screen_is_entered_painted_and_left(small):
    terminal, notes = FakeTerminal(), FakeTerminal()
    output = Output(stdout=terminal, stderr=notes)

    with AlternateScreen(output) as screen:
        with screen.round():
            output.stdout.write("a result\n")
            output.warn("a warning")
        screen.paint("title")
        painted = terminal.getvalue()

    assert painted.startswith("\x1b[?1049h")
    assert ["title", "warning: a warning", "a result"] == [
        line.removesuffix("\x1b[K") for line in painted.partition("\x1b[H")[2][:-3].split("\n")
    ]
    assert terminal.getvalue().endswith("\x1b[?1049l")
    assert "" == notes.getvalue()


def test_a_screen_is_left_on_a_failure():
    terminal = FakeTerminal()
    output = Output(stdout=terminal)

    with pytest.raises(KeyboardInterrupt), AlternateScreen(output) as screen, screen.round():
        raise KeyboardInterrupt

    assert terminal.getvalue().endswith("\x1b[?1049l")
    assert terminal is output.stdout


def test_the_last_result_stays_through_an_outage(small):
    terminal = FakeTerminal()
    output = Output(stdout=terminal, stderr=FakeTerminal())

    with AlternateScreen(output) as screen:
        with screen.round():
            output.stdout.write("a result\n")
        with screen.round():
            output.warn("nobody answers")
        screen.paint("title")

    assert "warning: nobody answers\x1b[K\na result" in terminal.getvalue()


def test_notes_that_go_into_a_file_go_there():
    notes = io.StringIO()
    output = Output(stdout=FakeTerminal(), stderr=notes)

    with AlternateScreen(output) as screen, screen.round():
        output.warn("a warning")

    assert "warning: a warning\n" == notes.getvalue()
